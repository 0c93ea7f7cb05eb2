"""Read in Resource.cpp:create_dslot of 25.14: with a policy neither is looked at."""

from __future__ import annotations

from tests.audit.sites import job, look, policy_slot, pool, slot

RULE = "virtual-memory-ignored"


SWAP = {"node1": "PROPORTIONAL_SWAP_ASSIGNMENT = True\n"}


def test_jobs_that_ask_for_virtual_memory_are_found() -> None:
    given = pool(
        policy_slot(),
        jobs=[job("4.0", RequestVirtualMemory=4096)],
        execute={"node1": "NUM_CPUS = 8\n"},
    )
    (finding,) = look(RULE, given).findings
    assert finding.subject == "job 4.0"


def test_a_node_that_shares_swap_out_is_found() -> None:
    outcome = look(RULE, pool(policy_slot(), jobs=[job()], execute=SWAP))
    (finding,) = outcome.findings
    assert finding.evidence[0].attribute == "PROPORTIONAL_SWAP_ASSIGNMENT"
    assert not outcome.not_checked


def test_what_cannot_be_looked_at_is_told() -> None:
    outcome = look(RULE, pool(policy_slot()))
    assert not outcome.findings
    assert len(outcome.not_checked) == 2


def test_without_a_policy_both_have_their_effect() -> None:
    outcome = look(RULE, pool(slot(), jobs=[job(RequestVirtualMemory=4096)], execute=SWAP))
    assert not outcome.findings
    assert not outcome.not_checked
