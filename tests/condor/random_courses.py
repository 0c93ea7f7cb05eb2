"""Random pools that are negotiated cycle after cycle: partitionable slots with leftovers, limits, full schedds, STARTs
that look at what a slot has left."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from random_cycles import ASKED_FOR, Scenario, drawn
from random_jobs import Cluster

_USERS = ("ann", "ben", "cyd", "dan")
_GROUPS = ("phys", "phys.hep", "bio")
#: Nobody's is equal to another one's: condor_status does not tell who comes first then.
_FACTORS = ("1000", "1300", "2600", "500")
_REQUIREMENTS = (
    "TARGET.SlotID > 1",
    "TARGET.Memory >= 1000",
    "TARGET.SlotID > ProcId",
    "ProcId % 2 == 0",
)
_KNOBS = {
    "CLAIM_PARTITIONABLE_LEFTOVERS": (0.3, ("False",)),
    "NEGOTIATOR_CONSIDER_PREEMPTION": (0.4, ("False",)),
    "NEGOTIATOR_DEPTH_FIRST": (0.2, ("True",)),
    "NEGOTIATOR_USE_SLOT_WEIGHTS": (0.2, ("False",)),
    "NEGOTIATOR_PRE_JOB_RANK": (0.3, ("Memory", "-1.0*SlotID", "Cpus - 10*SlotID")),
    "START": (
        0.4,
        (
            "TARGET.RequestCpus <= 2",
            "NumDynamicSlots < 3",
            "MY.Cpus > 1",
            "TARGET.JobPrio >= 0",
            "TARGET.ProcId < 3",
        ),
    ),
    "SLOT_WEIGHT": (0.2, ("Cpus * 1.5", "Cpus + Memory / 2048.0")),
    "MAX_JOBS_RUNNING": (0.25, ("3", "6")),
    "LICENCE_LIMIT": (0.6, ("1", "3", "5")),
    "START_VANILLA_UNIVERSE": (0.1, ("JOB.RequestCpus < 3", "SLOT.SlotID > 1")),
    "MODIFY_REQUEST_EXPR_REQUESTMEMORY": (0.2, ("quantize(RequestMemory, {512})",)),
    "MODIFY_REQUEST_EXPR_REQUESTCPUS": (0.1, ("RequestCpus",)),
}  # fmt: skip
_GROUP_KNOBS = {
    "GROUP_ACCEPT_SURPLUS": (0.5, ("True",)),
    "GROUP_AUTOREGROUP": (0.2, ("True",)),
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": (0.2, ("False",)),
}


def course_scenario(seed: str, is_new: bool) -> Scenario:
    """Return the pool that ``seed`` stands for; ``is_new``: its daemons are of 25.4 or later.

    A schedd with more than MAX_JOBS_RUNNING evicts the oldest job. Before 24.0 it was any, by the
    process ids of the shadows: then nothing brings a schedd there. Users have limits since 25.4.
    """
    dice = Random(seed)
    slots, gpus, knobs = _slots(dice)
    groups = _GROUPS[: dice.randint(1, len(_GROUPS))] if dice.random() < 0.5 else ()
    if groups:
        knobs["GROUP_NAMES"] = " ".join(groups)
        for name in groups:
            knobs[f"GROUP_QUOTA_DYNAMIC_{name}"] = f"{dice.uniform(0.1, 0.6):.2f}"
        knobs.update(drawn(dice, _GROUP_KNOBS))
    knobs = {**ASKED_FOR, "SCHEDD_SLOT_WEIGHT": "RequestCpus", **knobs}
    del knobs["CLAIM_PARTITIONABLE_LEFTOVERS"]
    knobs.update(drawn(dice, _KNOBS))
    if "MAX_JOBS_RUNNING" in knobs and not is_new:
        knobs["CLAIM_PARTITIONABLE_LEFTOVERS"] = "False"
    charged: dict[str, str] = {}
    for user in _USERS[: dice.randint(2, len(_USERS))]:
        group = dice.choice(("", *groups)) if groups else ""
        charged[f"{group}.{user}" if group else user] = group or "<none>"
    factors = dice.sample(_FACTORS, len(charged))
    userprio = tuple(
        ("-setfactor", f"{name}@test", factor) for name, factor in zip(charged, factors)
    )
    wanted = tuple(each for name in charged for each in _clusters(dice, name, gpus > 0))
    limit = 0
    if is_new and dice.random() < 0.15:
        limit = dice.choice((2, 4))
    return Scenario(seed, knobs, slots, userprio, (), wanted, charged, limit)


#: Before 24.9.2 an access point takes jobs with such limits for jobs without any.
_SLOT_LIMITS = (
    # No empty limits: whether one is rejected depends on which slot comes first, and so on the names
    # of dynamic slots.
    'ifThenElse(TARGET.SlotID > 1, "licence", "tape")',
    'strcat("licence:", MY.RequestCpus)',
    'ifThenElse(TARGET.TotalSlotCpus > 4, "licence:2", "licence")',
)


def _slots(dice: Random) -> tuple[int, int, dict[str, str]]:
    """Return how many slots there are at first, with how many GPUs, and their knobs."""
    cpus, slots, gpus = 0, 0, 0
    knobs: dict[str, str] = {}
    with_gpus = dice.random() < 0.25
    for number in range(1, dice.randint(1, 2) + 1):
        count, each = dice.randint(1, 3), dice.choice((2, 4, 6, 8))
        partitionable = dice.random() < 0.85
        if not partitionable:
            each = dice.choice((1, 2))
        memory_mb = dice.choice((1024, 2048)) * each
        knobs[f"SLOT_TYPE_{number}"] = f"cpus={each}, memory={memory_mb}, disk=5%"
        if with_gpus:
            own = dice.choice((1, 2)) * partitionable
            knobs[f"SLOT_TYPE_{number}"] += f", gpus={own}"
            gpus += own * count
        knobs[f"NUM_SLOTS_TYPE_{number}"] = str(count)
        knobs[f"SLOT_TYPE_{number}_PARTITIONABLE"] = str(partitionable)
        if partitionable and dice.random() < 0.3:
            knobs[f"SLOT_TYPE_{number}_CONSUMPTION_POLICY"] = "True"
        cpus, slots = cpus + count * each, slots + count
    if gpus:
        knobs["STARTD_DETECT_GPUS"] = f"-properties -simulate:0,{gpus}"
        knobs["CONSUMPTION_GPUS"] = "ceiling(TARGET.RequestGPUs ?: 0)"
    knobs.update({"NUM_CPUS": str(cpus), "MEMORY": str(2048 * cpus), "DISK": "100000000"})
    return slots, gpus, knobs


def _clusters(dice: Random, submitter: str, with_gpus: bool) -> Iterator[Cluster]:
    group, _, user = submitter.rpartition(".")
    for _ in range(dice.choice((1, 1, 2, 3))):
        count, cpus = dice.choice((1, 2, 4, 8)), dice.choice((1, 1, 2, 3))
        commands: dict[str, object] = {
            "request_cpus": cpus,
            "request_memory": dice.choice((128, 600, 1000, 1500)),
            "request_disk": 1024,
            "accounting_group_user": user,
        }
        if group:
            commands["accounting_group"] = group
        if with_gpus and dice.random() < 0.4:
            commands["request_gpus"] = dice.choice((1, 1, 2))
        if dice.random() < 0.3:
            commands["priority"] = dice.randint(-3, 5)
        if dice.random() < 0.2:
            commands["rank"] = dice.choice(("Memory", "-SlotID", "TARGET.Cpus"))
        if dice.random() < 0.3:
            commands["concurrency_limits"] = dice.choice(("licence", "licence:2"))
        elif dice.random() < 0.25:
            commands["concurrency_limits_expr"] = dice.choice(_SLOT_LIMITS)
        if dice.random() < 0.15:
            commands["requirements"] = dice.choice(_REQUIREMENTS)
        yield Cluster(submitter, count, count * cpus, commands)
