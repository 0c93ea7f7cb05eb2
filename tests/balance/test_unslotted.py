"""What machines have and their slots leave out, as static slots of SLOT_TYPE_1 = cpus=1 did on 25.14."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.balance.balance import Balance
from htcq.balance.causes import IN_NO_SLOT, UNSLOTTED
from htcq.report.verdict import CRITICAL, WARNING
from htcq.report.views.status import headline, plugin
from tests.audit.sites import Text, job, look, pool, slot, static_slot, submitter
from tests.balance.pools import balanced, check

#: The ads of a startd of 25.14.1 with NUM_CPUS = 4 and two slots of one core and 1 GiB.
_MACHINE: dict[str, Text | None] = {"TotalCpus": "4.0", "TotalMemory": 4096, "TotalSlots": 2}
_BUSY: dict[str, Text | None] = {
    "State": '"Claimed"', "Activity": '"Busy"', "AccountingGroup": '"bob@site"',
    "RemoteUser": '"bob@site"', "Memory": 1024, "TotalSlotMemory": 1024,
}  # fmt: skip
_TWO = [static_slot(f"slot{each}@m5", **_MACHINE, **_BUSY) for each in (1, 2)]
_FULL = [static_slot("slot1@good", **{**_BUSY, "TotalSlots": 1, "TotalMemory": 1024})]
_JOBS = [job(f"1.{proc}") for proc in range(5)]


def _found(*slots: str, jobs: list[str]) -> Balance:
    return check(pool(*slots, submitter(IdleJobs=len(jobs)), jobs=jobs))


def test_cores_in_no_slot_are_capacity_that_waiting_jobs_would_use() -> None:
    found = _found(*_TWO, *_FULL, jobs=_JOBS)
    left_out = found.of(UNSLOTTED)
    assert left_out is not None
    assert (left_out.amounts.cpus, left_out.amounts.memory_mb, left_out.jobs) == (2, 2048, 2)
    assert (found.total.cpus, found.total.weight) == (5, 3)
    assert "2 in no slot of their machine (m5 has 4 cores, its slots 2)" in headline(found)
    assert found.todo[0].cure == "SLOT_TYPE_n, NUM_SLOTS_TYPE_n, NUM_SLOTS or NUM_CPUS of m5"
    assert {each.name for each in found.kinds} >= {"4 cores, 4 GiB"}


def test_knobs_that_make_the_slots_are_named_where_they_are_known() -> None:
    knobs = "NUM_CPUS = 4\nNUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=1, mem=25%\nSTART = True\n"
    given = pool(*_TWO, *_FULL, submitter(IdleJobs=5), jobs=_JOBS, execute={"m5": knobs})
    assert check(given).todo[0].cure == (
        "NUM_CPUS = 4, NUM_SLOTS_TYPE_1 = 2, SLOT_TYPE_1 = cpus=1, mem=25% of m5"
    )


def _memory_of(memory: int, total: int, name: str) -> str:
    return slot(
        f"slot1@{name}", Cpus=2, TotalSlotCpus=2, TotalCpus="2.0", Memory=memory,
        TotalSlotMemory=memory, TotalMemory=total,
    )  # fmt: skip


def test_memory_in_no_slot_is_told_where_jobs_would_fit_with_it() -> None:
    """As SLOT_TYPE_1 = cpus=100%, memory=512 makes it of a machine of 4 GiB."""
    large = [job(f"1.{proc}", RequestMemory=1024) for proc in range(2)]
    found = _found(_memory_of(512, 4096, "m3"), *_FULL, jobs=large)
    left_out = found.of(UNSLOTTED)
    assert left_out is not None
    assert (left_out.amounts.cpus, left_out.amounts.memory_mb, left_out.jobs) == (0, 3584, 2)
    assert (
        "3.5 GiB memory stands idle while 2 jobs wait: 3.5 GiB memory in no slot of their machine "
        "(m3 has 4 GiB memory, its slots 512 MiB memory)" in headline(found)
    )
    assert found.todo[0].cure == "SLOT_TYPE_n, NUM_SLOTS_TYPE_n, NUM_SLOTS or NUM_CPUS of m3"


def test_memory_that_no_job_lacks_is_no_fault() -> None:
    small = [job(f"1.{proc}", RequestMemory=128) for proc in range(5)]
    assert _found(_memory_of(512, 4096, "m3"), *_FULL, jobs=small).is_sound
    large = [job(f"1.{proc}", RequestMemory=8192) for proc in range(5)]
    assert not _found(_memory_of(512, 4096, "m3"), *_FULL, jobs=large).faults


def test_a_little_memory_is_what_sizes_are_rounded_by() -> None:
    assert _found(_memory_of(3584, 4096, "m3"), *_FULL, jobs=[]).of(UNSLOTTED) is None


def test_an_alarm_can_watch_cores_that_weigh_nothing() -> None:
    state, told = plugin(_found(*_TWO, *_FULL, jobs=_JOBS), ())
    assert state == WARNING
    assert " stands_while_jobs_wait=0 cores_stand_while_jobs_wait=2 " in told
    assert plugin(_found(*_TWO, jobs=_JOBS), ())[0] == CRITICAL, "it is half of the cores"


def test_an_audit_names_the_machine_as_well() -> None:
    (one,) = look(
        "capacity-idle-while-jobs-wait", pool(*_TWO, *_FULL, submitter(IdleJobs=5), jobs=_JOBS)
    ).findings
    assert one.severity is Severity.WARNING
    assert "m5" in one.advice


def test_what_nobody_waits_for_is_no_fault() -> None:
    found = _found(*_TWO, *_FULL, jobs=[])
    assert found.of(UNSLOTTED) is not None
    assert found.is_sound


def test_jobs_that_do_not_fit_there_do_not_wait_for_it() -> None:
    large = [job(f"1.{proc}", RequestMemory=3000) for proc in range(5)]
    elsewhere = [job(f"2.{proc}", Requirements='Machine == "good"') for proc in range(5)]
    assert not _found(*_TWO, *_FULL, jobs=large).todo
    assert not _found(*_TWO, *_FULL, jobs=elsewhere).todo


def test_a_core_for_the_system_is_kept_on_purpose() -> None:
    reserved: dict[str, Text | None] = {"TotalCpus": "16.0", "Cpus": 0, "TotalSlotCpus": 15}
    machine = slot("slot1@m1", **reserved)
    found = balanced(pool(machine, *_FULL, submitter(IdleJobs=5), jobs=_JOBS))
    left_out = found.of(UNSLOTTED)
    assert left_out is not None
    assert left_out.amounts.cpus == 1
    assert not left_out.is_fault


def test_what_most_machines_leave_out_is_left_out_on_purpose() -> None:
    alike = [
        static_slot(f"slot{each}@{name}", **_MACHINE, **_BUSY) for name in "abc" for each in (1, 2)
    ]
    found = _found(*alike, *_FULL, jobs=_JOBS)
    left_out = found.of(UNSLOTTED)
    assert left_out is not None
    assert (left_out.amounts.cpus, left_out.is_fault) == (6, False)


def test_a_slot_whose_ad_is_missing_is_no_fault_of_slot_types() -> None:
    one_of_two = static_slot("slot1@m5", **{**_MACHINE, **_BUSY, "TotalCpus": "2.0"})
    found = balanced(pool(one_of_two, *_FULL, submitter(IdleJobs=5), jobs=_JOBS))
    assert found.of(UNSLOTTED) is None
    missing = found.of(IN_NO_SLOT)
    assert missing is not None
    assert (missing.amounts.cpus, found.total.cpus) == (1, 3)
