"""Jobs for 8 cores on machines of 16 that single-core jobs keep in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC
from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import dynamic_slot, found, job, pool, schedd, slot, submitter
from tests.why.test_field import recorded

RULE = "machines-fragmented"
ASKS = (schedd(), submitter())


def machine(free: int) -> str:
    return slot(Cpus=free, TotalSlotCpus=8)


def test_large_jobs_behind_small_claims_are_found() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    (finding,) = found(
        RULE, pool(machine(2), *claims, *ASKS, jobs=[job(RequestCpus=6), job("1.1")])
    )
    assert "1 job such as 1.0 waits for 6 cores on one machine" in finding.message
    assert "2 cores are free, at most 2 on one machine" in finding.message
    assert "6 of them of ada@site" in finding.message


def test_a_machine_with_room_and_a_claim_as_large_are_not() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 3)]
    assert not found(RULE, pool(machine(6), *claims, *ASKS, jobs=[job(RequestCpus=6)]))
    large = dynamic_slot(Cpus=6, TotalSlotCpus=6)
    assert not found(RULE, pool(machine(2), large, *ASKS, jobs=[job(RequestCpus=6)]))


def test_neither_is_a_pool_that_drains_machines_for_them() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    defrag = "DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR DEFRAG\n"
    assert not found(
        RULE, pool(machine(2), *claims, *ASKS, jobs=[job(RequestCpus=6)], config=defrag)
    )


def test_nor_jobs_that_fit_no_machine() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    assert not found(RULE, pool(machine(2), *claims, *ASKS, jobs=[job(RequestCpus=99)]))


def in_one_piece(given: Pool, machine: str) -> Pool:
    """Return the pool with no claim on a machine: its partitionable slot has all of it."""
    slots = []
    for each in given.slots or ():
        if each.machine == machine and each.type == DYNAMIC:
            continue
        if each.machine == machine:
            whole = {
                "cpus": each.total_slot_cpus, "memory_mb": each.total_slot_memory_mb,
                "disk_kb": each.total_slot_disk_kb, "dynamic_slots": 0,
            }  # fmt: skip
            each = each._replace(**whole)
        slots.append(each)
    return replace(given, slots=tuple(slots))


def started(given: Pool) -> Sequence[str]:
    return [each.job for each in run_cycle(given).matches]


def small_claims() -> Pool:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    return pool(
        machine(2), *claims, schedd(), submitter(), jobs=[job("4.0", RequestCpus=6)], config=""
    )


@pytest.mark.parametrize(
    "given", [small_claims(), recorded("multicore-starves")], ids=["small", "multicore-starves"]
)
def test_with_a_machine_in_one_piece_the_cycle_starts_the_job_that_is_named(given: Pool) -> None:
    (finding,) = found(RULE, given)
    named = finding.subject.removeprefix("job ")

    assert named not in started(given)
    machines = {str(each.machine) for each in given.slots or ()}
    assert all(named in started(in_one_piece(given, name)) for name in machines)


def test_the_job_that_is_named_waits() -> None:
    """The first of its autocluster has a machine of its own elsewhere."""
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    own = {"RequestCpus": 6, "JobStatus": 2, "RemoteHost": '"slot1@else"'}
    given = pool(machine(2), *claims, *ASKS, jobs=[job("1.0", **own), job("1.1", RequestCpus=6)])
    (finding,) = found(RULE, given)
    assert finding.subject == "job 1.1"


def test_jobs_that_a_limit_keeps_would_not_start_in_one_piece_either() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    given = pool(
        machine(2),
        *claims,
        schedd(),
        submitter("a.ada@site"),
        jobs=[job("4.0", RequestCpus=6, AccountingGroup='"a.ada"')],
        config="GROUP_NAMES = a\nGROUP_QUOTA_a = 0\n",
    )
    assert not found(RULE, given)
    assert "4.0" not in started(in_one_piece(given, "node1"))
