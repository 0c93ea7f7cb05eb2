"""Pools of one plain machine of 8 cpus and 32 GiB, which weighs 16 where a GiB of memory weighs a quarter of a core."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.pool.pool import Pool
from htcq.settings import settings_from
from htcq.simulate.migration.records import GroupMove, Migration, SubmitterMove
from htcq.simulate.migration.switch import migration_of
from htcq.simulate.models import MachineModel
from tests.audit.sites import accounting, dynamic_slot, job, negotiator, pool, slot, submitter

LINEAR = {"capacity": {"model": "linear", "weights": {"cpus": 1, "memory": "0.25/GiB"}}}
FLAT = "GROUP_NAMES = bio, chem\nGROUP_QUOTA_bio = 3\nGROUP_QUOTA_chem = 5\n"


def machine(name: str = "slot1@node1", **changes: str | int) -> str:
    memory = {"Memory": 32768, "TotalSlotMemory": 32768, "TotalMemory": 32768}
    return slot(name, **{**memory, **changes})


def claim(number: int, customer: str = "bio.ann@site", **changes: str | int) -> str:
    """A claimed slot of a core and 8 GiB: 1 before, 3 after."""
    amounts = {"Memory": 8192, "TotalSlotMemory": 8192}
    return dynamic_slot(f"slot1_{number}@node1", customer, **{**amounts, **changes})


def wants(name: str, idle: int, running: int = 0, memory: int = 8192) -> tuple[str, list[str]]:
    """A submitter ad in the old unit, with the idle jobs behind it."""
    counts = {
        "IdleJobs": idle,
        "WeightedIdleJobs": idle,
        "RunningJobs": running,
        "WeightedRunningJobs": f"{running}.0",
    }
    jobs = [job(f"1.{number}", User=f'"{name}"', RequestMemory=memory) for number in range(idle)]
    return submitter(name, **counts), jobs


def used(name: str, weight: float, group: bool = False, **more: str | float) -> str:
    """An accounting ad."""
    return accounting(
        name, IsAccountingGroup=str(group).lower(), WeightedResourcesUsed=f"{weight:.1f}", **more
    )


def site(*ads: str, jobs: Iterable[str] = (), config: str = FLAT) -> Pool:
    return pool(*ads, negotiator(), jobs=list(jobs), config=config)


def migrated(given: Pool, content: object = LINEAR) -> Migration:
    settings = settings_from(content)  # type: ignore[arg-type]
    return migration_of(
        given, MachineModel("new.toml", settings.slot_types, "", settings.literal, settings.kinds)
    )


def group_of(found: Migration, name: str) -> GroupMove:
    (group,) = (each for each in found.groups if each.name == name)
    return group


def submitter_of(found: Migration, name: str) -> SubmitterMove:
    (each,) = (each for each in found.submitters if each.name == name)
    return each
