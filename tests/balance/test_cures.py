"""Cures name the machines on which jobs would start."""

from __future__ import annotations

from htcq.balance.balance import Balance, cure_of
from tests.audit.sites import Text, job, negotiator, pool, schedd, slot, submitter
from tests.balance.pools import balanced

_DRAINED: dict[str, Text | None] = {
    "State": '"Drained"', "Activity": '"Retiring"', "Draining": "true", "Start": "false",
    "DrainReason": '"kernel update"',
}  # fmt: skip


def _balance(requirements: str, number: int, **changes: Text | None) -> Balance:
    """Return the balance of four machines of 8 cpus, all with ``changes``, with jobs that wait."""
    jobs = [job(f"1.{proc}", Requirements=requirements) for proc in range(number)]
    slots = [slot(f"slot1@node{place}", **changes) for place in range(1, 5)]
    return balanced(
        pool(*slots, schedd(), negotiator(), submitter(IdleJobs=number), jobs=jobs, config="")
    )


def test_a_job_for_one_machine_needs_the_end_of_one_drain() -> None:
    found = _balance('TARGET.Machine == "node3"', 30, **_DRAINED)
    (fault,) = found.faults

    assert fault.jobs == 8
    assert cure_of(fault) == "condor_drain -cancel node3"
    assert [each.cure for each in found.todo] == ["condor_drain -cancel node3"]


def test_jobs_for_all_machines_need_the_end_of_every_drain() -> None:
    (fault,) = _balance("true", 30, **_DRAINED).faults

    assert cure_of(fault).endswith("condor_drain -cancel node3; and 1 more")


def test_other_causes_name_the_machines_where_jobs_would_start() -> None:
    (fault,) = _balance('TARGET.Machine == "node3"', 30, Offline="true").faults

    assert cure_of(fault).endswith("(node3)")


def test_a_machine_with_several_slots_counts_once() -> None:
    slots = [
        slot(f"slot{number}@node{place}", Machine=f'"node{place}"', Cpus=4, TotalSlotCpus=4, Offline="true")
        for place in range(1, 6)
        for number in (1, 2)
    ]  # fmt: skip
    queue = [job(f"1.{proc}") for proc in range(60)]
    (fault,) = balanced(
        pool(*slots, schedd(), negotiator(), submitter(IdleJobs=60), jobs=queue, config="")
    ).faults

    assert fault.slots == 10
    assert cure_of(fault).endswith("(node1, node2, node3 and 2 more)")


def test_who_has_no_idle_jobs_leaves_its_share_to_those_who_have() -> None:
    """The half that ada has at first is enough for two of four machines, but for no longer than a turn."""
    slots = [slot(f"slot1@node{place}", **_DRAINED) for place in range(1, 5)]
    bob = submitter("bob@site", IdleJobs=0, RunningJobs=4)
    queue = [job(f"1.{proc}") for proc in range(30)]
    (fault,) = balanced(
        pool(*slots, schedd(), negotiator(), submitter(IdleJobs=30), bob, jobs=queue, config="")
    ).faults

    assert (fault.gain.jobs, fault.gain.started) == (30, 30)
