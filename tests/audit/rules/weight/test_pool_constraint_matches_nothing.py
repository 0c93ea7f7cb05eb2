"""An attribute that slots lack is undefined, and a constraint that is undefined does not hold (ClassAd language)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool, slot

RULE = "pool-constraint-matches-nothing"


@pytest.mark.parametrize(
    "knob", ["NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "GROUP_DYNAMIC_MACH_CONSTRAINT"]
)
@pytest.mark.parametrize("constraint", ['State == "Owned"', "IsWorker == true", "false"])
def test_a_pool_size_constraint_that_no_slot_fulfils_is_found(knob: str, constraint: str) -> None:
    (finding,) = found(RULE, pool(slot(), slot("slot1@b"), config=f"{knob} = {constraint}\n"))
    assert finding.subject == f"knob {knob}"
    assert "none of 2 slots" in finding.message


def test_a_slot_constraint_that_no_slot_fulfils_is_found() -> None:
    (finding,) = found(RULE, pool(slot(), config="NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 1000\n"))
    assert finding.subject == "knob NEGOTIATOR_SLOT_CONSTRAINT"


def test_a_constraint_on_an_attribute_that_some_slot_has_is_not() -> None:
    given = pool(
        slot(),
        slot("slot1@b", IsWorker="true"),
        config="NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = IsWorker\n",
    )
    assert not found(RULE, given)


def test_the_older_knob_does_not_count_beside_the_newer_one() -> None:
    text = "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = true\nGROUP_DYNAMIC_MACH_CONSTRAINT = false\n"
    assert not found(RULE, pool(slot(), config=text))


def test_no_constraint_is_none() -> None:
    assert not found(RULE, pool(slot(), config="NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT =\n"))
