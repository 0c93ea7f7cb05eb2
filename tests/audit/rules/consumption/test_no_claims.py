"""Read in Resource.cpp of 25.14: NUM_CLAIMS goes into an unsigned number; 0 leaves the slot without claim id."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, policy_slot, pool, slot

RULE = "no-claims"


@pytest.mark.parametrize(
    ("claims", "said"), [(0, "no claim id"), (-1, "-1 claim ids"), (4294967295, "4294967295")]
)
def test_a_number_that_cannot_work_is_found_in_the_ad(claims: int, said: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(NumClaims=claims)))
    assert said in finding.message


@pytest.mark.parametrize(
    "text", ["NUM_CLAIMS = -1", "SLOT_TYPE_1_NUM_CLAIMS = 0", "NUM_CLAIMS = 2 - 2"]
)
def test_and_in_the_configuration_before_the_startd_restarts(text: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(), execute={"node1": f"{text}\n"}))
    assert finding.subject == "slot slot1@node1"


def test_a_number_of_another_slot_type_says_nothing() -> None:
    assert not found(RULE, pool(policy_slot(), execute={"node1": "SLOT_TYPE_2_NUM_CLAIMS = 0\n"}))


def test_as_many_claims_as_cpus_are_fine() -> None:
    assert not found(
        RULE, pool(policy_slot(), execute={"node1": "NUM_CPUS = 8\nNUM_CLAIMS = $(NUM_CPUS)\n"})
    )


def test_without_a_policy_the_number_means_nothing() -> None:
    assert not found(RULE, pool(slot(NumClaims=0)))
