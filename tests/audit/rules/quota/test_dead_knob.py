"""param_info.in gives the newer knobs a default, so that the HFS_ ones are never consulted."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool

RULE = "dead-knob"
TREE = "GROUP_NAMES = phys, phys.hep\nGROUP_QUOTA_phys = 8\nGROUP_QUOTA_DYNAMIC_phys.hep = 0.5\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("HFS_ROUND_ROBIN_RATE", "GROUP_QUOTA_ROUND_ROBIN_RATE"),
        ("HFS_MAX_ALLOCATION_ROUNDS", "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"),
    ],
)
def test_an_older_name_is_found_with_the_newer_one(old: str, new: str) -> None:
    (finding,) = found(RULE, pool(config=f"{old} = 4\n"))
    assert finding.fix == f"{new} = 4"


@pytest.mark.parametrize(
    "knob", ["GROUP_QUOTA_physics", "GROUP_QUOTA_DYNAMIC_phsy", "GROUP_ACCEPT_SURPLUS_phs", "GROUP_PRIO_FACTOR_pys"]
)
def test_a_knob_of_a_group_that_does_not_exist_is_found_with_the_near_one(knob: str) -> None:
    (finding,) = found(RULE, pool(config=f"{TREE}{knob} = 1\n"))
    assert finding.subject == f"knob {knob}"
    assert "did you mean phys?" in finding.message


def test_knobs_of_groups_and_of_all_groups_are_not() -> None:
    settings = "GROUP_QUOTA_ROUND_ROBIN_RATE = 8\nGROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 3\nGROUP_ACCEPT_SURPLUS = True\n"
    assert not found(RULE, pool(config=f"{TREE}{settings}GROUP_PRIO_FACTOR_PHYS = 10\n"))


def test_names_that_make_no_group_are_another_rule_s() -> None:
    assert not found(RULE, pool(config="GROUP_NAMES = a.b\nGROUP_QUOTA_a.b = 1\n"))
