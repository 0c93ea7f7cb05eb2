"""Random pools to be negotiated in one cycle: slots and their policies, groups, submitters, jobs and the negotiator.

What decides about matches in HTCondor 23.9 to 25.14 is drawn at some time. The same seed gives
the same pool. One in four has up to 48 slots: more than 16 equals are in an order of std::sort's
own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from random_jobs import Cluster, SchedulersWeight, clusters, small_clusters
from random_policies import slot_types

#: One cycle at the start of the negotiator and then only those that are asked for; no slot and no
#: priority changes with time.
ASKED_FOR: Mapping[str, str] = {
    "NEGOTIATOR_INTERVAL": "3600",
    "NEGOTIATOR_CYCLE_DELAY": "0",
    "NEGOTIATOR_MIN_INTERVAL": "0",
    "SCHEDD_SEND_RESCHEDULE": "False",
    "SCHEDD_MIN_INTERVAL": "1",
    "SCHEDD_INTERVAL": "1",
    "UPDATE_INTERVAL": "600",
    "SCHEDD_DEBUG": "D_FULLDEBUG D_MATCH",
    "PRIORITY_HALFLIFE": "1e9",
    "CLAIM_PARTITIONABLE_LEFTOVERS": "False",
}
_USERS = ("ann", "ben", "cyd", "dan", "eva")
_GROUPS = ("phys", "phys.hep", "phys.hep.lhc", "bio", "bio.gen")
_WEIGHTS = (
    SchedulersWeight("RequestCpus", lambda cpus, _: cpus),
    SchedulersWeight("RequestCpus", lambda cpus, _: cpus),
    SchedulersWeight(
        "max({RequestCpus, ceiling(RequestMemory / 2048.0)})",
        lambda cpus, mb: max(cpus, -(-mb // 2048)),
    ),
)
#: So many pools have more than 16 slots.
_WIDE_POOLS = 0.25
_MORE_CPUS = "SLOT.Cpus > JOB.RequestCpus"
#: How often each knob of the negotiator is set, and to what.
_KNOBS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "NEGOTIATOR_CONSIDER_PREEMPTION": (0.6, ("False", "False", "True")),
    "NEGOTIATOR_MATCHLIST_CACHING": (0.4, ("False", "True")),
    "NEGOTIATOR_DEPTH_FIRST": (0.3, ("True",)),
    "NEGOTIATOR_USE_SLOT_WEIGHTS": (0.3, ("False",)),
    "NEGOTIATOR_USE_WEIGHTED_DEMAND": (0.2, ("False",)),
    "NEGOTIATOR_IGNORE_USER_PRIORITIES": (0.05, ("True",)),
    "NEGOTIATOR_PRE_JOB_RANK": (
        0.4,
        ("Memory", "-1.0*SlotID", "0", "Cpus - 10*SlotID", "TARGET.RequestCpus * Cpus"),
    ),
    "NEGOTIATOR_POST_JOB_RANK": (0.2, ("0", "Memory", "SlotID % 3")),
    "NEGOTIATOR_SLOT_CONSTRAINT": (0.05, ("SlotID != 2",)),
    "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": (0.05, ("Cpus > 1", "SlotID > 1")),
    "NEGOTIATOR_SUBMITTER_CONSTRAINT": (0.05, ("IdleJobs > 2",)),
    "SLOT_WEIGHT": (0.1, ("Cpus * 1.5", "Cpus + floor(Memory / 4096)")),
    "FORCE_NEGOTIATOR_SLOT_WEIGHT": (0.1, ("True",)),
    "START": (0.1, ("TARGET.RequestMemory <= 3000", "TARGET.RequestCpus > 1 || SlotID > 1")),
    "RANK": (0.1, ("TARGET.RequestCpus", "TARGET.JobPrio")),
    "NEGOTIATOR_JOB_CONSTRAINT": (0.1, ("RequestCpus < 3", "JobPrio >= 0", "RequestMemory > 600")),
    "REMOVE_SIGNIFICANT_ATTRIBUTES": (
        0.15,
        ("RequestMemory", "RequestCpus, RequestDisk", "JobPrio", "ConcurrencyLimits"),
    ),
    "ADD_SIGNIFICANT_ATTRIBUTES": (0.1, ("JobPrio", "ProcId", "ClusterId, RequestMemory")),
    "SIGNIFICANT_ATTRIBUTES": (
        0.03,
        ("Requirements Rank RequestCpus,RequestMemory, RequestDisk", "Requirements"),
    ),
    "START_VANILLA_UNIVERSE": (0.1, ("JOB.RequestCpus < 3", "SLOT.SlotID > 1", _MORE_CPUS)),
    "CURB_MATCHMAKING": (0.03, ("TotalIdleJobs > 5",)),
    "MAX_JOBS_RUNNING": (0.1, ("2", "5", "12")),
}
#: The most jobs that a user may run: condor_qusers, from 25.4 on. All jobs of a test pool are one
#: user's.
_MAX_OF_A_USER = (1, 3, 6)
_GROUP_KNOBS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "GROUP_ACCEPT_SURPLUS": (0.5, ("True",)),
    "GROUP_AUTOREGROUP": (0.2, ("True",)),
    "GROUP_QUOTA_ROUND_ROBIN_RATE": (0.3, ("1", "2.5", "7")),
    "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": (0.3, ("1", "2", "5")),
    "NEGOTIATOR_STRICT_ENFORCE_QUOTA": (0.3, ("False",)),
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": (0.2, ("False",)),
    "GROUP_SORT_EXPR": (0.2, ("GroupResourcesInUse", "-GroupQuota", "size(AccountingGroup)")),
}


@dataclass(frozen=True)
class Scenario:
    """One random pool; ``seed`` names it. ``userprio`` holds the options of condor_userprio calls.

    ``running`` jobs are started in a cycle of their own before the ``clusters`` are submitted.
    ``groups`` maps each submitter, written without its domain, to the group that it is charged
    to. ``user_limit`` is MaxJobsRunning of the user, 0 where there is none. ``later`` are knobs
    that the negotiator gets when jobs run: then as many run as there is room for. ``elsewhere``
    are clusters of a second schedd, ``drain`` the options of a condor_drain call."""

    seed: str
    knobs: Mapping[str, str]
    slots: int
    userprio: tuple[tuple[str, ...], ...]
    running: tuple[Cluster, ...]
    clusters: tuple[Cluster, ...]
    groups: Mapping[str, str]
    user_limit: int = 0
    later: Mapping[str, str] = field(default_factory=dict)
    elsewhere: tuple[Cluster, ...] = ()
    drain: tuple[str, ...] = ()


def random_scenario(seed: str) -> Scenario:
    """Return the pool that ``seed`` stands for."""
    dice = Random(seed)
    types = slot_types(dice, wide=Random(f"wide {seed}").random() < _WIDE_POOLS)
    quotas = dict(_quotas(dice, types.cpus)) if dice.random() < 0.6 else {}
    names = quotas.get("GROUP_NAMES", "").split()
    groups = {}
    for user in _USERS[: dice.choice((1, 2, 2, 3, 3, 4, 5))]:
        group = dice.choice(("", *names, *names))
        groups[f"{group}.{user}" if group else user] = group or "<none>"
    weight = dice.choice(_WEIGHTS)
    knobs = {
        **ASKED_FOR,
        **types.knobs,
        **quotas,
        **dict(drawn(dice, _KNOBS)),
        "SCHEDD_SLOT_WEIGHT": weight.text,
    }
    if dice.random() < 0.5:
        knobs.update(
            {
                "LICENCE_LIMIT": str(dice.randint(1, 6)),
                "CONCURRENCY_LIMIT_DEFAULT": str(dice.randint(1, 8)),
            }
        )
    running: tuple[Cluster, ...] = ()
    # A slot that prefers other jobs would be taken from its own; and a schedd asks again when it
    # has the claim, of a slot that has no more cpus than the job.
    starts = "RANK" not in knobs and knobs.get("START_VANILLA_UNIVERSE") != _MORE_CPUS
    if not types.strange and starts and dice.random() < 0.6:
        running = tuple(each for name in groups for each in small_clusters(dice, name))
    wanted = tuple(each for name in groups for each in clusters(dice, name, weight, types.tokens))
    userprio = tuple(_userprio(dice, groups, types.cpus))
    user_limit = dice.choice(_MAX_OF_A_USER) if dice.random() < 0.15 else 0
    return Scenario(seed, knobs, types.slots, userprio, running, wanted, groups, user_limit)


def drawn(
    dice: Random, knobs: Mapping[str, tuple[float, tuple[str, ...]]]
) -> Iterator[tuple[str, str]]:
    """Yield the knobs that are set: each as ``often``, to one of some texts."""
    for name, (often, texts) in knobs.items():
        if dice.random() < often:
            yield name, dice.choice(texts)


def _quotas(dice: Random, cpus: int) -> Iterator[tuple[str, str]]:
    names = _GROUPS[: dice.randint(1, len(_GROUPS))] if dice.random() < 0.7 else ("bio",)
    yield "GROUP_NAMES", " ".join(names)
    for name in names:
        if dice.random() < 0.5:
            yield (
                f"GROUP_QUOTA_{name}",
                f"{dice.choice((dice.randint(0, cpus), dice.uniform(0.5, cpus / 2))):g}",
            )
        else:
            yield f"GROUP_QUOTA_DYNAMIC_{name}", f"{dice.uniform(0.05, 0.7):.2f}"
        if dice.random() < 0.3:
            yield f"GROUP_ACCEPT_SURPLUS_{name}", dice.choice(("True", "False"))
        if dice.random() < 0.1:
            yield f"GROUP_AUTOREGROUP_{name}", dice.choice(("True", "False"))
    yield from drawn(dice, _GROUP_KNOBS)


def _userprio(dice: Random, names: Mapping[str, str], cpus: int) -> Iterator[tuple[str, ...]]:
    for name in names:
        who = f"{name}@test"
        if dice.random() < 0.3:
            yield "-setfactor", who, str(dice.choice((100, 1500, 2000, 5000)))
        if dice.random() < 0.2:
            yield "-setprio", who, str(dice.choice((1, 5, 40)))
        if dice.random() < 0.2:
            yield "-setceil", who, str(dice.randint(0, max(2, cpus // 2)))
        if dice.random() < 0.15:
            yield "-setfloor", who, str(dice.randint(1, max(2, cpus // 3)))
