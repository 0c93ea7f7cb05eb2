"""Slots that take no job whatever their state: broken ones, and those without memory (both seen on 25.14.1)."""

from __future__ import annotations

from htcq.balance.causes import ASSET_MISSING, IN_NO_SLOT
from htcq.pool.slot_state import BROKEN
from tests.audit.sites import Text, job, pool, slot, submitter
from tests.balance.pools import check

#: What a startd of 25.14.1 says where EXECUTE does not exist: nothing is left of the slot.
_BROKEN: dict[str, Text | None] = {
    "Cpus": 0, "Memory": 0, "Disk": 0, "SlotBrokenCode": 3,
    "SlotBrokenReason": '"Error accessing execute directory"',
    "Requirements": '"Error accessing execute directory"',
}  # fmt: skip
_JOBS = [job(f"1.{proc}") for proc in range(20)]


def test_a_broken_slot_holds_all_that_it_had() -> None:
    found = check(pool(slot(), slot("slot1@node2", **_BROKEN), submitter(IdleJobs=20), jobs=_JOBS))
    broken = found.of(BROKEN)
    assert broken is not None
    assert (broken.amounts.cpus, broken.wanted.cpus, broken.jobs) == (8, 8, 8)
    assert found.of(IN_NO_SLOT) is None
    assert not found.is_sound
    assert found.todo[0].cure == "a restart of the startd (slot1@node2)"


def test_a_broken_slot_that_nobody_waits_for_is_no_fault() -> None:
    found = check(pool(slot(), slot("slot1@node2", **_BROKEN), submitter(IdleJobs=0), jobs=[]))
    assert found.of(BROKEN) is not None
    assert found.is_sound


def test_a_slot_without_memory_takes_no_job() -> None:
    """SLOT_TYPE_1 = memory=0: the startd gives it 1 MB, and eight cores."""
    bare = slot("slot1@node2", Memory=1, TotalSlotMemory=1)
    found = check(pool(slot(), bare, submitter(IdleJobs=20), jobs=_JOBS))
    missing = found.of(ASSET_MISSING)
    assert missing is not None
    assert (missing.amounts.cpus, missing.jobs, missing.details[0][0]) == (8, 8, "memory")
    assert not found.is_sound


def test_a_small_machine_that_some_job_fits_is_none() -> None:
    small = slot("slot1@node2", Memory=100, TotalSlotMemory=100)
    tiny = [job(f"1.{proc}", RequestMemory=50) for proc in range(20)]
    found = check(pool(small, submitter(IdleJobs=20), jobs=tiny))
    assert found.of(ASSET_MISSING) is None
