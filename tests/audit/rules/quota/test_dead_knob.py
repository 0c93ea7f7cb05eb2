"""param_info.in gives the newer knobs a default, so that the HFS_ ones are never consulted."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, lines, pool

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
    assert lines(finding) == [f"{new} = 4", f"{old} ="]


def test_knobs_of_groups_and_of_all_groups_are_not() -> None:
    settings = (
        "GROUP_QUOTA_ROUND_ROBIN_RATE = 8\nGROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 3\n"
        "GROUP_ACCEPT_SURPLUS = True\n"
    )
    assert not found(RULE, pool(config=f"{TREE}{settings}GROUP_PRIO_FACTOR_PHYS = 10\n"))
    # A group that is not listed is the rule's on unknown groups.
    assert not found(RULE, pool(config=f"{TREE}GROUP_QUOTA_physics = 1\n"))
