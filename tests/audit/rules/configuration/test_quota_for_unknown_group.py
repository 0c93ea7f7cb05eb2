"""The negotiator looks up the knobs of the groups in GROUP_NAMES and no others (GroupEntry.cpp:hgq_construct_tree)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, lines, pool, slot

RULE = "quota-for-unknown-group"
GROUPS = "GROUP_NAMES = phys, phys.atlas, dynamic_bio\n"


@pytest.mark.parametrize(
    ("knob", "fix"),
    [
        ("GROUP_QUOTA_phsy", ["GROUP_QUOTA_phys = 1", "GROUP_QUOTA_phsy ="]),
        (
            "GROUP_QUOTA_DYNAMIC_phys.atlsa",
            ["GROUP_QUOTA_DYNAMIC_phys.atlas = 1", "GROUP_QUOTA_DYNAMIC_phys.atlsa ="],
        ),
        (
            "GROUP_QUOTA_DYNMAIC_phys",
            ["GROUP_QUOTA_DYNAMIC_phys = 1", "GROUP_QUOTA_DYNMAIC_phys ="],
        ),
        ("GROUP_ACCEPT_SURPLUS_chem", ["GROUP_NAMES = phys, phys.atlas, dynamic_bio, chem"]),
        ("GROUP_PRIO_FACTOR_atlas", ["GROUP_NAMES = phys, phys.atlas, dynamic_bio, atlas"]),
    ],
)
def test_a_knob_of_a_group_that_is_not_listed_is_found(knob: str, fix: list[str]) -> None:
    (finding,) = found(RULE, pool(slot(), config=f"{GROUPS}{knob} = 1\n"))
    assert (finding.subject, lines(finding)) == (f"knob {knob}", fix)


def test_without_groups_a_missing_underscore_is_for_the_rule_on_unknown_knobs() -> None:
    given = pool(slot(), config="GROUP_QUOTA_DYNAMICb = 0.5\n")
    assert not found(RULE, given)
    (finding,) = found("unknown-knob", given)
    assert lines(finding) == ["GROUP_QUOTA_DYNAMIC_b = 0.5", "GROUP_QUOTA_DYNAMICb ="]


def test_all_knobs_of_one_group_are_one_finding() -> None:
    config = (
        GROUPS + "GROUP_QUOTA_chem = 5\nGROUP_ACCEPT_SURPLUS_chem = True\nGROUP_QUOTA_bio = 1\n"
    )
    first, second = found(RULE, pool(slot(), config=config))
    assert (first.count, second.count) == (2, 1)


def test_without_groups_all_of_them_are_one_finding() -> None:
    (finding,) = found(RULE, pool(slot(), config="GROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 5\n"))
    assert finding.count == 2
    assert "lists no group" in finding.message


@pytest.mark.parametrize(
    "knob",
    [
        "GROUP_QUOTA_PHYS",
        "GROUP_QUOTA_DYNAMIC_phys.atlas",
        "GROUP_QUOTA_dynamic_bio",
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
        "GROUP_QUOTA_ROUND_ROBIN_RATE",
        "GROUP_ACCEPT_SURPLUS",
        "GROUP_AUTOREGROUP_phys",
        "NEGOTIATOR.GROUP_QUOTA_phys",
    ],
)
def test_knobs_of_groups_that_are_listed_are_not(knob: str) -> None:
    assert not found(RULE, pool(slot(), config=f"{GROUPS}{knob} = 1\n"))


def test_a_knob_without_a_value_is_not() -> None:
    assert not found(RULE, pool(slot(), config=f"{GROUPS}GROUP_QUOTA_chem =\n"))
