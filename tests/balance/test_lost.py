"""Slots that take no job whatever their state: broken ones, and those without memory (both seen on 25.14.1)."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from htcq.balance.causes import ASSET_MISSING, IN_NO_SLOT, STRANDED, WEIGHT_CHANGES
from htcq.pool.pool import Pool
from htcq.pool.slot_state import BROKEN
from htcq.report.views.status import headline
from htcq.why.choice import all_idle
from htcq.why.verdict import Verdicts
from tests.audit.sites import (
    Text,
    dynamic_slot,
    job,
    look,
    negotiator,
    pool,
    schedd,
    slot,
    submitter,
)
from tests.balance.pools import balanced, check

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


def test_a_disk_full_of_files_takes_no_job() -> None:
    """The startd measures Disk again, and TotalSlotDisk stays: nobody has what is gone."""
    full = slot("slot1@node2", Disk=10)
    found = check(pool(slot(), full, submitter(IdleJobs=20), jobs=_JOBS))
    missing = found.of(ASSET_MISSING)
    assert missing is not None
    assert (missing.amounts.cpus, missing.jobs, missing.details[0][0]) == (8, 8, "disk")
    assert not found.is_sound


def test_a_disk_that_was_full_from_the_start_takes_no_job() -> None:
    """TotalSlotDisk is less than jobs get that ask for no disk: JOB_DEFAULT_REQUESTDISK of 25.2.1."""
    full = slot("slot1@node2", Disk=2048, TotalSlotDisk="2048.0")
    queue = [job(f"1.{proc}", RequestDisk=1048576) for proc in range(20)]
    found = check(pool(slot(), full, submitter(IdleJobs=20), jobs=queue))
    missing = found.of(ASSET_MISSING)
    assert missing is not None
    assert (missing.amounts.cpus, missing.jobs, missing.details[0][0]) == (8, 8, "disk")
    small = [job(f"1.{proc}") for proc in range(2)]
    assert not check(pool(full, submitter(IdleJobs=2), jobs=small)).of(ASSET_MISSING)


@pytest.mark.parametrize(
    ("config", "cure"),
    [
        ("STARTD_ENFORCE_DISK_LIMITS = True\n", "LVM_VOLUME_GROUP_NAME of the execution point"),
        ("STARTD_ENFORCE_DISK_LIMITS = False\n", "the files on the disk of EXECUTE"),
    ],
)
def test_a_startd_without_its_volume_group_is_told_the_knob(config: str, cure: str) -> None:
    """With LVM the disk is what the volume group has (VolumeManager.cpp): of none there is 0."""
    none = slot("slot1@node2", Disk=0, TotalDisk=0, TotalSlotDisk="0.0")
    given = pool(
        slot(), none, submitter(IdleJobs=20), jobs=_JOBS, execute={"node1": config, "node2": config}
    )
    assert check(given).todo[0].cure.startswith(cure)
    pinned = job("2.0", Requirements='TARGET.Machine == "node2"')
    pool_of_it = pool(slot(), none, submitter(IdleJobs=1), jobs=[pinned], execute={"node2": config})
    (verdict,) = Verdicts(pool_of_it).on(pool_of_it.jobs or ())
    assert verdict.walls[0].lifted_by.startswith(cure)


def test_broken_dynamic_slots_that_were_deleted_are_no_less_there() -> None:
    """TotalSlot* of the partitionable slot is without them (ResAttributes.cpp, 25.14)."""
    smaller = slot(
        BrokenSlotCpus=2, BrokenSlotMemory=4096, TotalSlotCpus=6, TotalSlotMemory=12288, Cpus=6,
        Memory=12288,
    )  # fmt: skip
    found = check(pool(smaller, submitter(IdleJobs=20), jobs=_JOBS))
    broken = found.of(BROKEN)
    assert broken is not None
    assert (found.total.cpus, broken.amounts[1:3], broken.jobs) == (8, (2, 4096), 2)
    assert found.todo[0].cure == "a restart of the startd (slot1@node1)"


def test_devices_that_are_lost_are_no_more_than_the_machine_has() -> None:
    """BrokenSlotGPUs of 25.14 says how many the slot has now, not how many it has lost."""
    fewer = slot(BrokenSlotGPUs=3, TotalGPUs=4, TotalSlotGPUs=3, GPUs=3)
    broken = balanced(pool(fewer, submitter(IdleJobs=0), jobs=[])).of(BROKEN)
    assert broken is not None
    assert (broken.amounts.gpus, broken.amounts.cpus) == (1, 0)


def test_files_beside_running_jobs_are_no_request_of_these() -> None:
    full = slot("slot1@node2", Cpus=7, Memory=15360, Disk=10, NumDynamicSlots=1)
    beside = dynamic_slot("slot1_1@node2", "bob@site", Disk=5000000)
    found = check(pool(slot(), full, beside, submitter(IdleJobs=20), jobs=_JOBS))
    missing = found.of(ASSET_MISSING)
    assert missing is not None
    assert (missing.amounts.cpus, missing.jobs) == (7, 7)


def test_disk_that_jobs_have_requested_is_in_use() -> None:
    used = slot("slot1@node2", Cpus=7, Memory=15360, Disk=10, NumDynamicSlots=1)
    beside = dynamic_slot("slot1_1@node2", "bob@site", Disk=19999990)
    found = check(pool(slot(), used, beside, submitter(IdleJobs=20), jobs=_JOBS))
    assert found.of(ASSET_MISSING) is None
    assert found.of(STRANDED) is not None


def test_offline_gpus_are_of_no_dynamic_slot() -> None:
    """Devices that a reconfiguration declares offline stay in TotalSlotGPUs, and leave GPUs."""
    offline = slot(
        "slot1@node2", GPUs=0, TotalSlotGPUs=2, MachineResources='"Cpus Memory Disk GPUs"'
    )
    jobs = [job(f"1.{proc}", RequestGPUs=1) for proc in range(3)]
    found = check(pool(offline, submitter(IdleJobs=3), jobs=jobs))
    missing = found.of(ASSET_MISSING)
    assert missing is not None
    assert (missing.amounts.gpus, missing.jobs, missing.details[0][0]) == (2, 2, "gpus")
    assert not found.is_sound
    cure = "OFFLINE_MACHINE_RESOURCE_GPUs of the execution point (slot1@node2)"
    assert found.todo[0].cure == cure


def test_gpus_without_weight_are_told_as_gpus() -> None:
    queue = [job(f"1.{proc}", RequestGPUs=1) for proc in range(4)]
    given = pool(slot(GPUs=2, TotalSlotGPUs=4), submitter(IdleJobs=4), jobs=queue, config="")
    said = headline(check(given))
    expected = "2 GPUs of slots that lack memory, disk or GPUs (gpus, slot1@node1)"
    assert said == f"2 GPUs stand idle while 2 jobs wait: {expected}"
    (finding,) = look("capacity-idle-while-jobs-wait", given).findings
    assert "1 slot with 2 GPUs, 50 % of the GPUs, stands idle" in finding.message
    assert finding.severity is not Severity.INFO


def test_ads_that_do_not_add_up_are_named() -> None:
    """A check that could not count never says that all is well."""
    damaged = slot("slot1@node2", Cpus='"many"')
    found = check(pool(slot(), damaged, submitter(IdleJobs=2), jobs=_JOBS[:2]))
    assert found.of(IN_NO_SLOT) is not None
    assert [text for text in found.unknown if "slot1@node2" in text and "do not add up" in text]


def test_ads_of_dynamic_slots_may_come_later() -> None:
    """The partitionable slot was divided a minute ago."""
    now, mine = 1_800_000_000, {"LastHeardFrom": 1_800_000_000}
    divided = {"Cpus": 7, "Memory": 15360, "NumDynamicSlots": 1, **mine}
    recently = slot("slot1@node2", NumDynamicSlotsTime=now - 60, **divided)
    long_ago = slot("slot1@node3", NumDynamicSlotsTime=now - 3600, **divided)
    found = balanced(pool(recently, submitter(IdleJobs=0), jobs=[]))
    assert found.of(IN_NO_SLOT) is not None
    assert not any("add up" in text for text in found.unknown)
    found = balanced(pool(long_ago, submitter(IdleJobs=0), jobs=[]))
    assert [text for text in found.unknown if "slot1@node3" in text]


def test_a_weight_that_full_slots_keep_is_one_that_changes_with_use() -> None:
    full = slot("slot1@node2", Cpus=0, Memory=0, Disk=0, SlotWeight=4, NumDynamicSlots=1)
    beside = dynamic_slot("slot1_1@node2", "bob@site", Cpus=8, Memory=16384, SlotWeight=4)
    found = check(pool(full, beside, submitter(IdleJobs=2), jobs=_JOBS[:2]))
    changes = found.of(WEIGHT_CHANGES)
    assert changes is not None
    assert changes.amounts.weight == 0


def test_a_claimed_partitionable_slot_with_dynamic_slots_adds_up() -> None:
    claimed = slot(
        "slot1@node2", Cpus=6, Memory=12288, State='"Claimed"', Activity='"Busy"',
        RemoteUser='"bob@site"', AccountingGroup='"bob@site"', NumDynamicSlots=1,
    )  # fmt: skip
    beside = dynamic_slot("slot1_1@node2", "bob@site", Cpus=2, Memory=4096)
    found = balanced(pool(claimed, beside, submitter(IdleJobs=0), jobs=[]))
    assert (found.total.cpus, found.of(IN_NO_SLOT)) == (8, None)
    assert not any("add up" in text for text in found.unknown)


def first_reasons(given: Pool) -> list[tuple[str, str]]:
    """Return the first reasons of the jobs that wait, each with its sentence."""
    found = Verdicts(given).on(all_idle(given.jobs or ()))
    return [(each.walls[0].id, each.walls[0].text) for each in found if not each.starts]


def _beside(*lost: str, **asks: Text) -> Pool:
    """Return a pool with a machine that takes one job, a full one, and what is lost."""
    full = slot("slot1@full", Cpus=0, Memory=0, NumDynamicSlots=8)
    claims = [dynamic_slot(f"slot1_{each}@full", Memory=2048) for each in range(1, 9)]
    small = slot(
        "slot1@small", Cpus=1, TotalSlotCpus=1, GPUs=1, TotalSlotGPUs=1, TotalSlotMemory=16384
    )
    jobs = [job(f"1.{proc}", ScheddName='"access1"', **asks) for proc in range(4)]
    asking = submitter(IdleJobs=4, WeightedIdleJobs=4)
    return pool(full, *claims, small, *lost, asking, schedd(), negotiator(), jobs=jobs)


def test_what_is_lost_is_the_first_reason_of_jobs_that_would_use_it() -> None:
    """Before, earlier matches and running jobs were, though nothing of theirs gives it back."""
    devices = slot("slot1@node2", GPUs=0, TotalSlotGPUs=4)
    asks: dict[str, Text] = {
        "RequestGPUs": 1, "Requirements": "TARGET.GPUs >= RequestGPUs",
    }  # fmt: skip
    assert first_reasons(_beside(devices, **asks)) == [
        ("asset-missing", "4 GPUs of node2 are offline")
    ]
    deleted = slot("slot1@node2", Cpus=0, TotalSlotCpus=0, BrokenSlotCpus=8, BrokenSlotMemory=4096)
    assert first_reasons(_beside(deleted)) == [
        ("broken", "node2 has lost 8 cores, 4 GiB memory with broken slots")
    ]
    disk = slot("slot1@node2", Disk=2048, TotalSlotDisk="2048.0")
    other = slot("slot1@node3", Disk=2048, TotalSlotDisk="2048.0")
    (reason,) = first_reasons(_beside(disk, other, RequestDisk=1048576))
    assert reason == (
        "asset-missing",
        "slot1@node2 has 2 MiB disk, even with no job on it; so it is with 1 more machine that "
        "would take it",
    )


def test_devices_that_jobs_have_are_not_lost() -> None:
    used = slot("slot1@node2", Cpus=7, Memory=15360, GPUs=0, TotalSlotGPUs=1, NumDynamicSlots=1)
    beside = dynamic_slot("slot1_1@node2", "bob@site", GPUs=1, TotalSlotGPUs=1)
    asks: dict[str, Text] = {"RequestGPUs": 1, "Requirements": "TARGET.GPUs >= RequestGPUs"}
    ((reason, _),) = first_reasons(_beside(used, beside, **asks))
    assert reason == "outranked"
