"""What random pools have besides: families of reasons that keep jobs waiting, some of them in each pool.

User records, preemption, claims of other schedds, GPUs, dedicated schedulers, deferral,
expressions that look at the clock or at the submitter, surplus by group, ids that repeat,
versions of schedds, clusters that come job by job."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tests.audit.sites import Text, user

_NOW = 1_730_707_200
_FAMILIES = (
    "users", "preemption", "claimers", "gpus", "parallel", "clock", "submitters", "surplus", "versions", "factories",
    "ranks", "limits by slot", "significant", "broken", "same ids",
)  # fmt: skip
#: What may be set to one of several values, by family.
_Table = Mapping[str, tuple[tuple[str, tuple[Text, ...]], ...]]
#: Knobs of the negotiator.
_KNOBS: _Table = {
    "preemption": (
        (
            "PREEMPTION_REQUIREMENTS",
            ("True", "False", "MY.Rank < 5", "RemoteUserPrio > SubmitterUserPrio"),
        ),
        ("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", ("True", "False")),
    ),
    "claimers": (("MATCH_WORKING_CM_SLOTS", ("True", "False")),),
    "surplus": (
        ("GROUP_ACCEPT_SURPLUS_a", ("False", "True")),
        ("GROUP_ACCEPT_SURPLUS_b", ("False", "True")),
        ("GROUP_AUTOREGROUP_a", ("False", "True")),
        ("GROUP_SORT_EXPR", ("GroupQuota", "-GroupResourcesInUse", "GroupResourcesRequested")),
        ("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", ("True", "False")),
    ),
    "versions": (("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE", ("1", "2", "200")),),
    "ranks": (("NEGOTIATOR_PRE_JOB_RANK", ("Cpus", "-Cpus", "NoSuch")),),
    "significant": (("REMOVE_SIGNIFICANT_ATTRIBUTES", ("RequestMemory", "Colour", "RequestCpus")),),
    "broken": (
        ("SLOT_WEIGHT", ("Cpus", "Memory / 1024", "1")),
        ("NEGOTIATOR_SLOT_CONSTRAINT", ("SlotID < 4", "Cpus >")),
        ("NEGOTIATOR_SUBMITTER_CONSTRAINT", ("IdleJobs >", "true")),
    ),
}
_SLOTS: _Table = {
    "preemption": (
        ("Rank", ("TARGET.JobPrio", "0.0", 'ifThenElse(TARGET.Owner == "ada", 5.0, 0.0)')),
        ("RetirementTimeRemaining", (0, 500)),
    ),
    "claimers": (("RemoteScheddName", ('"access1"', '"access2"')), ("WorkingCM", ('"elsewhere"',))),
    "gpus": (("GPUs", (0, 1, 2)), ("TotalSlotGPUs", (2,))),
    "parallel": (("DedicatedScheduler", ('"DedicatedScheduler@access1"', '"DedicatedScheduler@access2"')),),
    "clock": (("Start", (f"time() > {_NOW - 9} || SlotID == 1", "CurrentTime > 9")),),
    "submitters": (
        ("Start", ("TARGET.SubmitterUserResourcesInUse < 2", 'TARGET.SubmitterGroup =!= "b"',
                   "TARGET.SubmitterUserPrio < 1000")),
    ),
    "significant": (("Start", ('TARGET.Colour =?= "red"', 'TARGET.Colour =!= "red"')),),
    "broken": (("Start", ("Cpus >", "error", "undefined", "TARGET.NoSuch > 2")),),
}  # fmt: skip
_JOBS: _Table = {
    "gpus": (("RequestGPUs", (0, 1, 3)),),
    "parallel": (("WantParallelScheduling", ("true",)), ("JobUniverse", (5, 11))),
    "clock": (("DeferralTime", (_NOW + 400, _NOW - 10)), ("Requirements", (
        "TARGET.Cpus >= RequestCpus && time() >= DeferralTime", "CurrentTime < 5",
    ))),
    "factories": (
        ("JobMaterializeMaxIdle", (1, 3)), ("TotalSubmitProcs", (9,)), ("JobMaterializeNextProcId", (6,)),
        ("JobMaterializeLimit", (9,)),
    ),
    "ranks": (("Rank", ("Cpus", "-Memory", "NoSuch")),),
    "limits by slot": (
        ("ConcurrencyLimits", ('strcat("lic", string(TARGET.SlotID))', 'ifThenElse(TARGET.Cpus > 4, "lic", "")')),
    ),
    "significant": (("Colour", ('"red"', '"blue"')),),
    "broken": (("Requirements", ("TARGET.Cpus >", "undefined", "error", "1")), ("RequestCpus", ("NoSuch", 0))),
}  # fmt: skip
#: How often a slot or a job has an attribute of a family of its pool.
_OFTEN = 0.4


class Families:
    """Some of the families, always the same for one ``seed``."""

    def __init__(self, seed: int) -> None:
        self._dice = Random(f"families {seed}")
        self._chosen = [name for name in _FAMILIES if self._dice.random() < 0.3]

    @property
    def ids_repeat(self) -> bool:
        """Whether jobs of two access points have the same ids."""
        return "same ids" in self._chosen

    def config(self) -> str:
        """Return more configuration of the negotiator."""
        return "".join(f"{name} = {value}\n" for name, value in self._drawn(_KNOBS, 0.5).items())

    def slot(self) -> dict[str, Text | None]:
        """Return more attributes of a slot."""
        return self._drawn(_SLOTS, _OFTEN)

    def job(self, who: str) -> dict[str, Text | None]:
        """Return more attributes of the jobs of ``who``."""
        own: dict[str, Text | None] = {}
        if "users" in self._chosen:
            own["User"], own["Owner"] = f'"{_name(who)}@site"', f'"{_name(who)}"'
        return {**own, **self._drawn(_JOBS, _OFTEN)}

    def schedd(self) -> dict[str, Text | None]:
        """Return more attributes of a schedd."""
        if "versions" not in self._chosen:
            return {}
        return {
            "CondorVersion": (
                f'"$CondorVersion: {self._dice.choice(("23.9.6", "25.4.0", "25.14.1"))} '
                '2026-01-01 $"'
            )
        }

    def users(self, everybody: tuple[str, ...], access_points: tuple[str, ...]) -> list[str] | None:
        """Return the records of some users; None where the pool has none."""
        if "users" not in self._chosen:
            return None
        found = []
        for who in everybody:
            for where in access_points:
                limit, runs = self._dice.choice((None, 0, 1, 2, 4)), self._dice.choice((0, 1))
                found.append(
                    user(
                        f"{_name(who)}@site",
                        ScheddName=f'"{where}"',
                        MaxJobsRunning=limit,
                        NumRunning=runs,
                    )
                )
        return found

    def _drawn(
        self, table: Mapping[str, tuple[tuple[str, tuple[Text, ...]], ...]], often: float
    ) -> dict[str, Text | None]:
        found: dict[str, Text | None] = {}
        for family in self._chosen:
            for name, values in table.get(family, ()):
                if self._dice.random() < often:
                    found[name] = self._dice.choice(values)
        return found


def _name(who: str) -> str:
    return who.rpartition(".")[2]
