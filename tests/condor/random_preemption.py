"""Random pools whose slots are claimed, and whose negotiator may preempt: by the startds' Rank, by priority, and
several dynamic slots together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from random_cycles import ASKED_FOR, Scenario, drawn
from random_jobs import Cluster

RANK, PRIORITY, DYNAMIC = KINDS = ("rank", "priority", "dynamic")
_USERS = ("ann", "ben", "cyd", "dan")
_GROUPS = ("phys", "phys.hep", "bio")
_REQUIREMENTS = (
    "True",
    "True",
    "RemoteUserPrio > SubmitterUserPrio * 1.2",
    "MY.RemoteUserPrio > TARGET.SubmitterUserPrio",
    "RemoteUserResourcesInUse > SubmitterUserResourcesInUse",
    "TotalJobRunTime < 3600",
    "RemoteGroupResourcesInUse > SubmitterGroupResourcesInUse",
    "TARGET.JobPrio >= 0",
    "TARGET.ProcId < 2",
    "SlotID != 2 || DSlotID > 1",
)
_JOB_REQUIREMENTS = ("TARGET.SlotID > 1", "TARGET.Memory >= 1000", "ProcId % 2 == 0")
_PREEMPTION_RANKS = ("Memory", "-1.0 * SlotID", "RemoteUserPrio", "TARGET.RequestCpus * Cpus", "0")
_RANKS = (
    "TARGET.JobPrio",
    "TARGET.RequestMemory",
    '(TARGET.AcctGroupUser =?= "ann") * 10',
    "10 - TARGET.RequestCpus",
    "SlotID * TARGET.JobPrio",
    "-5",
)
_KNOBS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "PREEMPTION_RANK": (0.5, _PREEMPTION_RANKS),
    "PREEMPTION_REQUIREMENTS_STABLE": (0.3, ("False",)),
    "PREEMPTION_RANK_STABLE": (0.2, ("False",)),
    "NEGOTIATOR_MATCHLIST_CACHING": (0.2, ("False",)),
    "NEGOTIATOR_USE_SLOT_WEIGHTS": (0.2, ("False",)),
    "NEGOTIATOR_PRE_JOB_RANK": (0.3, ("Memory", "-1.0*SlotID", "TARGET.JobPrio * SlotID", "RemoteUser =?= undefined")),
    "NEGOTIATOR_POST_JOB_RANK": (0.2, ("0", "Memory", "SlotID % 3")),
    "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION": (0.2, ("True",)),
    "MAXJOBRETIREMENTTIME": (0.2, ("3600", "1800 * (SlotID % 2)", "600 * TARGET.RequestCpus")),
    "LICENCE_LIMIT": (0.5, ("1", "3")),
}  # fmt: skip
_GROUP_KNOBS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "GROUP_ACCEPT_SURPLUS": (0.5, ("True",)),
    "GROUP_AUTOREGROUP": (0.2, ("True",)),
}


def preempting_scenario(seed: str, kind: str) -> Scenario:
    """Return the pool that ``seed`` stands for, in which claims of that kind may be preempted."""
    dice = Random(seed)
    slots, cpus, knobs = _slots(dice, kind)
    groups = _GROUPS[: dice.randint(1, len(_GROUPS))] if dice.random() < 0.5 else ()
    if groups:
        knobs["GROUP_NAMES"] = " ".join(groups)
        for name in groups:
            knobs[f"GROUP_QUOTA_DYNAMIC_{name}"] = f"{dice.uniform(0.1, 0.6):.2f}"
        knobs.update(drawn(dice, _GROUP_KNOBS))
    knobs.update(drawn(dice, _KNOBS))
    if kind == RANK or dice.random() < 0.2:
        knobs["RANK"] = dice.choice(_RANKS)
    later = {"NEGOTIATOR_CONSIDER_PREEMPTION": "True"}
    if kind == PRIORITY or dice.random() < 0.7:
        later["PREEMPTION_REQUIREMENTS"] = dice.choice(_REQUIREMENTS)
    if kind == DYNAMIC:
        later["ALLOW_PSLOT_PREEMPTION"] = "True"
    charged: dict[str, str] = {}
    for user in _USERS[: dice.randint(2, len(_USERS))]:
        group = dice.choice(("", *groups, *groups)) if groups else ""
        charged[f"{group}.{user}" if group else user] = group or "<none>"
    running = tuple(_running(dice, charged, cpus))
    wanted = tuple(each for name in charged for each in _wanted(dice, name))
    userprio = tuple(_userprio(dice, charged))
    knobs.update({"NEGOTIATOR_CONSIDER_PREEMPTION": "False", "SCHEDD_SLOT_WEIGHT": "RequestCpus"})
    return Scenario(
        seed, {**ASKED_FOR, **knobs}, slots, userprio, running, wanted, charged, later=later
    )


def _slots(dice: Random, kind: str) -> tuple[int, int, dict[str, str]]:
    """Return how many slots there are at first, with how many cpus, and their knobs."""
    types, cpus, slots = dice.randint(1, 2), 0, 0
    knobs: dict[str, str] = {}
    for number in range(1, types + 1):
        partitionable = kind == DYNAMIC or dice.random() < 0.3
        count = dice.randint(1, 2 if partitionable else 4)
        each = dice.choice((2, 3, 4, 6) if partitionable else (1, 1, 2, 4))
        knobs[f"SLOT_TYPE_{number}"] = f"cpus={each}, memory={1024 * each + 64 * number}, disk=5%"
        knobs[f"NUM_SLOTS_TYPE_{number}"] = str(count)
        knobs[f"SLOT_TYPE_{number}_PARTITIONABLE"] = str(partitionable)
        if partitionable and dice.random() < 0.2:
            knobs[f"SLOT_TYPE_{number}_CONSUMPTION_POLICY"] = "True"
        cpus, slots = cpus + count * each, slots + count
    if dice.random() < 0.3:
        knobs["SLOT_WEIGHT"] = dice.choice(("Cpus * 1.5", "Cpus + Memory / 2048.0", "2"))
    knobs.update({"NUM_CPUS": str(cpus), "MEMORY": str(2048 * cpus), "DISK": "100000000"})
    return slots, cpus, knobs


def _running(dice: Random, submitters: Mapping[str, str], cpus: int) -> Iterator[Cluster]:
    """Yield the jobs that come first: they take all slots, or nearly all."""
    for name in submitters:
        if dice.random() < 0.3:
            continue
        count = dice.randint(1, max(2, cpus // 2))
        commands: dict[str, object] = {
            "request_cpus": dice.choice((1, 1, 1, 2)),
            "request_memory": dice.choice((128, 256, 1000)),
            "request_disk": 1024,
        }
        if dice.random() < 0.3:
            commands["rank"] = dice.choice(("-SlotID", "-10", "5", "Memory"))
        if dice.random() < 0.3:
            commands["priority"] = dice.randint(-3, 3)
        if dice.random() < 0.2:
            commands["max_job_retirement_time"] = dice.choice((0, 900))
        weight = count * int(str(commands["request_cpus"]))
        yield Cluster(name, count, weight, {**commands, **_accounting(name)})


def _wanted(dice: Random, submitter: str) -> Iterator[Cluster]:
    for _ in range(dice.choice((1, 1, 2, 3))):
        count, cpus = dice.choice((1, 2, 3, 5)), dice.choice((1, 1, 2, 3))
        commands: dict[str, object] = {
            "request_cpus": cpus,
            "request_memory": dice.choice((128, 600, 1000)),
            "request_disk": 1024,
        }
        if dice.random() < 0.3:
            commands["priority"] = dice.randint(-3, 5)
        if dice.random() < 0.3:
            commands["rank"] = dice.choice(("Memory", "-SlotID", "TARGET.Cpus", "-1"))
        if dice.random() < 0.15:
            commands["concurrency_limits"] = "licence"
        if dice.random() < 0.2:
            commands["requirements"] = dice.choice(_JOB_REQUIREMENTS)
        yield Cluster(submitter, count, count * cpus, {**commands, **_accounting(submitter)})


def _accounting(submitter: str) -> dict[str, object]:
    group, _, user = submitter.rpartition(".")
    found: dict[str, object] = {"accounting_group_user": user}
    if group:
        found["accounting_group"] = group
    return found


def _userprio(dice: Random, names: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for name in names:
        who = f"{name}@test"
        if dice.random() < 0.6:
            yield "-setfactor", who, str(dice.choice((100, 800, 1500, 5000)))
        if dice.random() < 0.2:
            yield "-setprio", who, str(dice.choice((1, 5, 40)))
        if dice.random() < 0.15:
            yield "-setfloor", who, str(dice.randint(1, 3))
