"""Small pools in which a group has borrowed, and what is planned for them.

Every machine is a partitionable slot of 8 cpus and 16 GiB with its claims carved out of it; a
claim ran for an hour unless told otherwise. Nothing waits for time: the first look may act."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from htcq.elastic.observation import observe
from htcq.elastic.reclaim.planner import plan_reclaim
from htcq.elastic.reclaim.reclaim_events import ReclaimEvent
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.elastic.records import ElasticObservation
from htcq.pool.pool import Pool
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.runtime import compute
from htcq.settings.reclaim import ReclaimLimits
from tests.audit.sites import Text, dynamic_slot, job, negotiator, pool, schedd, slot, submitter

#: When the looks are taken, and when claims started.
NOW, HOUR_AGO = 1_000_000, 1_000_000 - 3600
AT_ONCE = ReclaimLimits(over_for=0, need_for=0, settle_time=0, pool_percent=100)
#: Lender and borrower share 8 cpus, half each.
HALVES = ElasticQuotas(
    (
        ElasticGroup("borrower", min={"cpus": 4}, max={"cpus": 8}),
        ElasticGroup("lender", min={"cpus": 4}, max={"cpus": 8}),
    )
)


@dataclass
class Scene:
    """A pool in the making."""

    quotas: ElasticQuotas = HALVES
    config: str = ""
    ads: list[str] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    left: dict[str, dict[str, int]] = field(default_factory=dict)
    machines: dict[str, Mapping[str, Text]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    who: dict[str, int] = field(default_factory=dict)

    def machine(self, name: str = "node1", cpus: int = 8, gpus: int = 0, **changes: Text) -> Scene:
        """Add a machine."""
        self.left[name] = {"Cpus": cpus, "Memory": 16384, "Disk": 20_000_000, "GPUs": gpus}
        self.machines[name] = {"TotalSlotCpus": cpus, "TotalSlotGPUs": gpus, **changes}
        return self

    def runs(
        self, id_: str, group: str, node: str = "node1", user: str = "bob", cpus: int = 1, gpus: int = 0,
        memory: int = 1024, started: int = HOUR_AGO, access: str = "access1", slot_ad: Mapping[str, Text] | None = None,
        **changes: Text,
    ) -> Scene:  # fmt: skip
        """Add a running job with its claim."""
        number = self.counts[node] = self.counts.get(node, 0) + 1
        name, who = f"slot1_{number}@{node}", f"{group}.{user}" if group else user
        for asset, amount in (("Cpus", cpus), ("Memory", memory), ("Disk", 1024), ("GPUs", gpus)):
            self.left[node][asset] -= amount
        of_slot: dict[str, Text] = {
            "Machine": f'"{node}"', "Cpus": cpus, "Memory": memory, "GPUs": gpus, "JobId": f'"{id_}"',
            "RemoteScheddName": f'"{access}"', "JobStart": started,
        }  # fmt: skip
        self.ads.append(dynamic_slot(name, f"{who}@site", **{**of_slot, **(slot_ad or {})}))
        own: dict[str, Text] = {
            "JobStatus": 2, "CurrentHosts": 1, "RemoteHost": f'"{name}"', "JobCurrentStartDate": started,
        }  # fmt: skip
        self._job(id_, who, user, access, cpus, gpus, memory, {**own, **changes})
        return self

    def waits(
        self, id_: str, group: str, count: int = 1, user: str = "ann", cpus: int = 1, gpus: int = 0, memory: int = 1024,
        access: str = "access1", **changes: Text,
    ) -> Scene:  # fmt: skip
        """Add idle jobs that are alike."""
        who = f"{group}.{user}" if group else user
        cluster, _, first = id_.partition(".")
        for proc in range(int(first), int(first) + count):
            self._job(f"{cluster}.{proc}", who, user, access, cpus, gpus, memory, changes)
        self.who[f"{who}@site"] = self.who.get(f"{who}@site", 0) + count
        return self

    def _job(
        self, id_: str, who: str, user: str, access: str, cpus: int, gpus: int, memory: int, more: Mapping[str, Text]
    ) -> None:  # fmt: skip
        own: dict[str, Text] = {
            "User": f'"{user}@site"', "Owner": f'"{user}"', "AccountingGroup": f'"{who}"', "AcctGroupUser": f'"{user}"',
            "ScheddName": f'"{access}"', "RequestCpus": cpus, "RequestMemory": memory,
        }  # fmt: skip
        if gpus:
            own["RequestGPUs"] = gpus
        self.jobs.append(job(id_, **{**own, **more}))
        self.who.setdefault(f"{who}@site", 0)

    def pool(self) -> Pool:
        """Return the pool."""
        machines = [
            slot(
                f"slot1@{name}",
                **{**self.left[name], **changes, "NumDynamicSlots": self.counts.get(name, 0)},
            )
            for name, changes in self.machines.items()
        ]
        submitters = [
            submitter(name, IdleJobs=idle, WeightedIdleJobs=idle)
            for name, idle in sorted(self.who.items())
        ]
        names = ", ".join(sorted(group.name for group in self.quotas.groups))
        config = f"GROUP_NAMES = {names}\n" + "".join(
            (
                f"GROUP_QUOTA_{group.name} = {group.min.get('cpus', 0)}\n"
                f"GROUP_ACCEPT_SURPLUS_{group.name} = True\n"
            )
            for group in self.quotas.groups
        )
        found = pool(
            *machines,
            *self.ads,
            *submitters,
            schedd(),
            negotiator(),
            jobs=self.jobs,
            config=config + self.config,
        )
        return replace(found, taken_at="1970-01-12T13:46:40+00:00")

    def look(self) -> tuple[ElasticOutcome, ElasticObservation, Pool]:
        """Return what is seen of it."""
        found = self.pool()
        observation = observe(found, self.quotas)
        assert observation.taken_at == NOW
        return compute(self.quotas, observation.demand), observation, found

    def plan(
        self,
        limits: ReclaimLimits = AT_ONCE,
        events: Sequence[ReclaimEvent] = (),
        ends: Mapping[tuple[str, str], float] | None = None,
        ceilings: Mapping[str, int] | None = None,
        shuffled: bool = False,
    ) -> ReclaimPlan:
        """Return what is planned; ``shuffled``: with everything that is seen in another order."""
        outcome, observation, found = self.look()
        if shuffled:
            observation = replace(
                observation, claims=observation.claims[::-1], idle=observation.idle[::-1]
            )
        return plan_reclaim(outcome, observation, found, limits, events, ends, ceilings)


def victims(plan: ReclaimPlan) -> list[str]:
    """Return the numbers of the jobs that are to be vacated, in their order."""
    return [victim.job for victim in plan.evictions]


def why(plan: ReclaimPlan) -> dict[str, str]:
    """Return by job why it is none of those."""
    return {spared.job: spared.why for spared in plan.exemptions}


def borrowed(count: int = 8, waiting: int = 2, started: Iterable[int] = ()) -> Scene:
    """Return a machine full of a borrower's jobs, 1.0 to 1.<count - 1>, and a lender with ``waiting`` idle ones."""
    times = [*started, *[HOUR_AGO] * count][:count]
    scene = Scene().machine()
    for number, time in enumerate(times):
        scene.runs(f"1.{number}", "borrower", started=time)
    return scene.waits("2.0", "lender", waiting) if waiting else scene
