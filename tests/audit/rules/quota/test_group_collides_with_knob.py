"""hgq_construct_tree asks for GROUP_QUOTA_<name>, whatever else that knob means."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool

RULE = "group-collides-with-knob"


def test_a_group_called_dynamic_something_shares_the_knob_of_something() -> None:
    (finding,) = found(
        RULE, pool(config="GROUP_NAMES = x, DYNAMIC_x\nGROUP_QUOTA_DYNAMIC_x = 0.5\n")
    )
    assert finding.subject == "group DYNAMIC_x"
    assert "is also the dynamic quota of a group x: both have the value 0.5" in finding.message


@pytest.mark.parametrize("name", ["round_robin_rate", "MAX_ALLOCATION_ROUNDS"])
def test_a_group_called_like_a_setting_shares_its_knob(name: str) -> None:
    (finding,) = found(RULE, pool(config=f"GROUP_NAMES = {name}\nGROUP_QUOTA_{name} = 7\n"))
    assert "both have the value 7" in finding.message


def test_other_names_are_not() -> None:
    assert not found(
        RULE, pool(config="GROUP_NAMES = x, x.DYNAMIC_y, dynamic\nGROUP_QUOTA_x = 1\n")
    )
