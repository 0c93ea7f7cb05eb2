"""Random pools with much that keeps jobs from starting; the same seed gives the same pool.

Drawn is what decides in 25.14 whether a job is asked for and matched: its own state, what its
access point offers, its submitter's ad, groups with quotas, shares, ceilings and floors,
concurrency limits, Requirements on both sides, room, claims, consumption policies that yield
nothing, weights that make the negotiator crash, and knobs of the negotiator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from htcq.pool.pool import Pool
from tests.audit.sites import (
    Text,
    accounting,
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
)
from tests.why.random_families import Families

_NOW = 1_730_707_200
_ACCESS_POINTS = ("access1", "access2")
_WHO = ("a.ann", "a.ada", "a.sub.abe", "b.ben", "cyd", "dan")
_NEEDS = "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory"
#: Now and then a job asks for one of these, a slot for one of those.
_CLAUSES = (
    'TARGET.OpSys == "AIX"',
    "TARGET.SlotID < 3",
    "TARGET.Cpus > 6",
    "TARGET.HasIt =?= true",
    "false",
    "7 > 3",
)
_STARTS = (
    'TARGET.Owner == "bob"',
    "TARGET.RequestMemory <= 2048",
    "TARGET.RequestCpus == 1",
    "SlotID != 2",
    "false",
)
_LIMITS = ("lic", "lic:2", "db.big", "none_of_it")
#: How often a knob of the negotiator is set, and to what.
_KNOBS: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("NEGOTIATOR_CONSIDER_PREEMPTION", 0.6, ("False", "True")),
    ("NEGOTIATOR_USE_SLOT_WEIGHTS", 0.15, ("False",)),
    ("NEGOTIATOR_USE_WEIGHTED_DEMAND", 0.2, ("False",)),
    ("NEGOTIATOR_MATCHLIST_CACHING", 0.2, ("False",)),
    ("NEGOTIATOR_DEPTH_FIRST", 0.15, ("True",)),
    ("NEGOTIATOR_IGNORE_USER_PRIORITIES", 0.1, ("True",)),
    ("NEGOTIATOR_JOB_CONSTRAINT", 0.1, ("RequestCpus < 3", "JobPrio >= 0")),
    ("NEGOTIATOR_SUBMITTER_CONSTRAINT", 0.1, ("IdleJobs > 2", 'Name != "cyd@site"')),
    ("NEGOTIATOR_SLOT_CONSTRAINT", 0.1, ("SlotID != 1",)),
    ("PREEMPTION_REQUIREMENTS", 0.2, ("False", "True")),
    ("LIC_LIMIT", 0.5, ("0", "1", "2")),
    ("CONCURRENCY_LIMIT_DEFAULT_DB", 0.5, ("1",)),
    ("CLAIM_PARTITIONABLE_LEFTOVERS", 0.5, ("False", "True")),
    ("GROUP_ACCEPT_SURPLUS", 0.5, ("True",)),
    ("GROUP_AUTOREGROUP", 0.2, ("True",)),
    ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", 0.3, ("1",)),
    ("GROUP_QUOTA_ROUND_ROBIN_RATE", 0.2, ("1",)),
)
#: The schedd finds what has a scope of its own, and the negotiator the others.
_VANILLA = (
    "JOB.RequestCpus < 3", "SLOT.SlotID > 1", "JOB.RequestCpus < SLOT.Cpus", "False", "OWNER.JobsIdle < 4",
    "RequestCpus < 3", "TARGET.SlotID > 1", "RequestCpus =!= 4", "JOB.RequestCpus > 1 || TARGET.SlotID > 1",
)  # fmt: skip
_OF_ACCESS_POINTS: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("MAX_CONCURRENT_UPLOADS_PER_USER", 0.4, ("1", "3", "0")),
    ("CURB_MATCHMAKING", 0.1, ("True", "TotalIdleJobs > 3")),
    (
        "START_VANILLA_UNIVERSE",
        0.15,
        ("JOB.RequestCpus < 3", "SLOT.SlotID > 1", "False", "RequestCpus < 3", "TARGET.SlotID > 1"),
    ),
)
_POLICIES: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("ConsumptionMemory", 0.1, ("TARGET.NoSuch", "0", "4096")),
    ("SlotWeight", 0.05, ("Cpus/NoSuch", "0", "1")),
)


def random_pool(seed: int, families: Families | None = None) -> Pool:
    """Return a random pool, with what ``families`` add."""
    dice = Random(seed)
    config = list(_drawn(dice, _KNOBS))
    if dice.random() < 0.6:
        config += _groups(dice)
    access = {name: "".join(_drawn(dice, _OF_ACCESS_POINTS)) for name in _ACCESS_POINTS}
    slots = list(_slots(dice, families))
    jobs, submitters = _jobs(dice, families)
    accounts = [
        accounting(
            f"{who}@site",
            Priority=f"{dice.choice((500, 1000, 2000))}.0",
            Ceiling=dice.choice((None, 0, 2, 5)),
            Floor=dice.choice((None, None, 3)),
        )
        for who in _WHO
        if dice.random() < 0.5
    ]
    ads = [*slots, *submitters, *accounts, *_schedds(dice, families), negotiator()]
    if families is None:
        return pool(*ads, jobs=jobs, config="".join(config), access=access)
    knobs, users = families.config(), families.users(_WHO, _ACCESS_POINTS)
    access = {name: text + knobs for name, text in access.items()}
    return pool(*ads, jobs=jobs, config="".join(config) + knobs, access=access, users=users)


def _drawn(dice: Random, knobs: tuple[tuple[str, float, tuple[str, ...]], ...]) -> Iterator[str]:
    for name, often, values in knobs:
        if dice.random() < often:
            yield f"{name} = {dice.choice(values)}\n"


def _groups(dice: Random) -> list[str]:
    lines = ["GROUP_NAMES = a, a.sub, b\n"]
    for name in ("a", "a.sub", "b"):
        if dice.random() < 0.7:
            lines.append(f"GROUP_QUOTA_{name} = {dice.choice((0, 1, 4, 8.5))}\n")
        else:
            lines.append(f"GROUP_QUOTA_DYNAMIC_{name} = {dice.choice((0.1, 0.3, 0.6))}\n")
    return lines


def _slots(dice: Random, families: Families | None) -> Iterator[str]:
    for number in range(1, dice.randint(1, 6)):
        kind = dice.choice((policy_slot, policy_slot, slot, static_slot))
        cpus, memory = dice.randint(1, 12), dice.choice((2048, 8192, 16384))
        name = f"slot{number}@node{number}"
        changes: dict[str, Text | None] = {
            "SlotID": number, "Rank": "0.0", "TotalSlotCpus": cpus, "TotalSlotMemory": memory, "Memory": memory,
            "Cpus": cpus,
        }  # fmt: skip
        if kind is policy_slot:
            changes["NumClaims"] = dice.choice((0, 2, 20))
            changes.update(_policy(dice))
        if dice.random() < 0.25:
            changes["Start"] = dice.choice(_STARTS)
        if families is not None:
            changes.update(families.slot())
        yield from _claims(dice, name, kind is not static_slot, changes)
        yield kind(name, **changes)


def _policy(dice: Random) -> Iterator[tuple[str, str]]:
    for name, often, values in _POLICIES:
        if dice.random() < often:
            yield name, dice.choice(values)


def _claims(
    dice: Random, name: str, partitionable: bool, changes: dict[str, Text | None]
) -> Iterator[str]:
    """Yield claims that are made already, and take from ``changes`` what they have."""
    own, _, machine = name.partition("@")
    who = f"{dice.choice(_WHO)}@site"
    if not partitionable:
        if dice.random() < 0.3:
            changes.update(
                State='"Claimed"',
                Activity='"Busy"',
                AccountingGroup=f'"{who}"',
                RemoteUser=f'"{who}"',
            )
            changes.update(CurrentRank="0.0", RemoteOwner=f'"{who}"')
        return
    for number in range(1, dice.choice((1, 1, 3))):
        cpus = int(changes["Cpus"] or 0)
        if cpus > 0:
            changes["Cpus"] = cpus - 1
            limits = dice.choice((None, '"lic"'))
            yield dynamic_slot(
                f"{own}_{number}@{machine}", who, SlotID=changes["SlotID"], CurrentRank="0.0", Rank="0.0",
                RemoteOwner=f'"{who}"', ConcurrencyLimits=limits,
            )  # fmt: skip


def _jobs(dice: Random, families: Families | None) -> tuple[list[str], list[str]]:
    jobs: list[str] = []
    submitters: list[str] = []
    last = Counter[str]()
    for who in dice.sample(_WHO, dice.randint(1, 4)):
        where = dice.choice(_ACCESS_POINTS)
        idle = weight = 0
        counted = where if families is not None and families.ids_repeat else ""
        for _ in range(dice.randint(1, 4)):
            last[counted] += 1
            cluster = last[counted]
            count, own = dice.choice((1, 1, 2, 6)), _work(dice, who, where)
            if families is not None:
                own.update(families.job(who))
            for proc in range(count):
                global_id = f'"{where}#{cluster}.{proc}#1"'
                jobs.append(
                    job(f"{cluster}.{proc}", GlobalJobId=global_id, **{**own, **_state(dice)})
                )
            idle += count
            cpus = own["RequestCpus"]
            weight += count * (cpus if isinstance(cpus, int) else 1)
        submitters += _submitter(dice, f"{who}@site", where, idle, weight)
    return jobs, submitters


def _work(dice: Random, who: str, where: str) -> dict[str, Text | None]:
    needs = _NEEDS if dice.random() < 0.8 else f"{_NEEDS} && {dice.choice(_CLAUSES)}"
    limits = f'"{dice.choice(_LIMITS)}"' if dice.random() < 0.25 else None
    return {
        "AccountingGroup": f'"{who}"', "ScheddName": f'"{where}"', "ConcurrencyLimits": limits, "Requirements": needs,
        "RequestCpus": dice.choice((1, 1, 2, 4, 16)), "RequestMemory": dice.choice((512, 1024, 4096, 32768)),
        "JobPrio": dice.choice((-1, 0, 0, 5)), "JobUniverse": dice.choice((5,) * 12 + (7, 9, 11)),
        "QDate": _NOW - 100,
    }  # fmt: skip


def _state(dice: Random) -> dict[str, Text | None]:
    if dice.random() < 0.85:
        return {}
    return dice.choice(
        ({"JobStatus": 5}, {"JobStatus": 2, "CurrentHosts": 1}, {"JobCoolDownExpiration": _NOW + 500},
         {"MaxHosts": 3}, {"CurrentHosts": 1}, {"Managed": '"External"'})
    )  # fmt: skip


def _submitter(dice: Random, name: str, where: str, idle: int, weight: int) -> Iterator[str]:
    fate = dice.random()
    own: dict[str, Text | None] = {
        "ScheddName": f'"{where}"', "IdleJobs": idle, "WeightedIdleJobs": weight, "LastHeardFrom": _NOW,
    }  # fmt: skip
    if fate < 0.05:
        return
    if fate < 0.1:
        own["ScheddName"] = '"access3"'
    elif fate < 0.15:
        own["SkipMatchmaking"] = "true"
    elif fate < 0.2:
        own["WeightedIdleJobs"] = 0
    elif fate < 0.25:
        own.update(IdleJobs=0, RunningJobs=2)
    yield submitter(name, **own)


def _schedds(dice: Random, families: Families | None) -> Iterator[str]:
    for name in _ACCESS_POINTS:
        if dice.random() < 0.9:
            running = dice.choice((0, 0, 48, 50))
            more = {} if families is None else families.schedd()
            yield schedd(name, MaxJobsRunning=50, TotalRunningJobs=running, TotalIdleJobs=4, **more)
