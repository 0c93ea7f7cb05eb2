"""negotiate() looks at the ceiling before a match and adds the match's cost after it."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import machine, wants
from tests.audit.sites import accounting, found, job, look, pool, slot

RULE = "ceiling-below-slot-weight"
FOUR = accounting("ada@site", Ceiling=4)


def test_a_whole_slot_of_8_goes_beyond_a_ceiling_of_4() -> None:
    (finding,) = found(RULE, pool(slot(), wants(""), FOUR, jobs=[job()]))
    assert "has a ceiling of 4, but its cheapest match costs 8" in finding.message


def test_so_does_a_job_that_costs_6_by_policy() -> None:
    (finding,) = found(RULE, pool(machine(8), wants(""), FOUR, jobs=[job(RequestCpus=6)]))
    assert "its cheapest match costs 6" in finding.message


@pytest.mark.parametrize("ceiling", [8, 0, -1])
def test_ceilings_of_a_slot_none_and_no_ceiling_are_not(ceiling: int) -> None:
    assert not found(
        RULE, pool(slot(), wants(""), accounting("ada@site", Ceiling=ceiling), jobs=[job()])
    )


def test_without_jobs_whole_slots_are_all_that_can_be_matched() -> None:
    assert found(RULE, pool(slot(), wants(""), FOUR))


def test_without_jobs_the_cost_by_policy_is_not_known() -> None:
    outcome = look(RULE, pool(machine(8), wants(""), FOUR))
    assert not outcome.findings
    assert [each.missing for each in outcome.not_checked] == ["job ads (jobs.ads)"]
