"""HTCondor's own GROUP_SORT_EXPR is computed without its library, and comes to what the library says."""

from __future__ import annotations

import pytest

from htcq.quota import group_limits
from htcq.quota.allocation import GroupAllocation
from htcq.quota.group_limits import sort_keys
from htcq.quota.group_tree import Group
from htcq.quota.settings import SORT_EXPR

_AMOUNTS = (
    0.0, -0.0, 5e-324, 1e-308, 0.1, 1.0, 3.0, 7.5, -2.0, 1e308, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip


def node(name: str, quota: float, used: float) -> GroupAllocation:
    group = Group(name, None, quota, static=True, accept_surplus=True, autoregroup=False)
    return GroupAllocation(group, None, 0.0, used, used, quota=quota)


def test_the_default_is_the_one_of_htcondor() -> None:
    assert group_limits._DEFAULT_SORT == SORT_EXPR


@pytest.mark.parametrize("name", ["<none>", "<NONE>", "chem", "chem.none"])
def test_its_keys_are_those_of_the_library(name: str) -> None:
    nodes = [node(name, quota, used) for quota in _AMOUNTS for used in _AMOUNTS]

    # Another text for the same expression is evaluated.
    assert list(map(repr, sort_keys(nodes, SORT_EXPR))) == list(
        map(repr, sort_keys(nodes, f"({SORT_EXPR})"))
    )
