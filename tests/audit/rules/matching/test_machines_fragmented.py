"""Jobs for 8 cores on machines of 16 that single-core jobs keep in pieces."""

from __future__ import annotations

from tests.audit.sites import dynamic_slot, found, job, pool, slot

RULE = "machines-fragmented"


def machine(free: int) -> str:
    return slot(Cpus=free, TotalSlotCpus=8)


def test_large_jobs_behind_small_claims_are_found() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    (finding,) = found(RULE, pool(machine(2), *claims, jobs=[job(RequestCpus=6), job("1.1")]))
    assert "1 job such as 1.0 waits for 6 cores on one machine" in finding.message
    assert "2 cores are free, at most 2 on one machine" in finding.message
    assert "6 of them of ada@site" in finding.message


def test_a_machine_with_room_and_a_claim_as_large_are_not() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 3)]
    assert not found(RULE, pool(machine(6), *claims, jobs=[job(RequestCpus=6)]))
    large = dynamic_slot(Cpus=6, TotalSlotCpus=6)
    assert not found(RULE, pool(machine(2), large, jobs=[job(RequestCpus=6)]))


def test_neither_is_a_pool_that_drains_machines_for_them() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    defrag = "DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR DEFRAG\n"
    assert not found(RULE, pool(machine(2), *claims, jobs=[job(RequestCpus=6)], config=defrag))


def test_nor_jobs_that_fit_no_machine() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 7)]
    assert not found(RULE, pool(machine(2), *claims, jobs=[job(RequestCpus=99)]))
