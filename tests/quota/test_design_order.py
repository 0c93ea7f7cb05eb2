"""HTCondor's group quota design, the order in which groups negotiate, and what the negotiator does.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does instead.
"""

from __future__ import annotations

import pytest

from htcq.quota.condor import Turn
from htcq.quota.settings import SORT_EXPR, Settings
from tests.quota.cycles import cycle, limits

STATIC = "GROUP_NAMES = a b c\nGROUP_QUOTA_a = 10\nGROUP_QUOTA_b = 20\nGROUP_QUOTA_c = 40"


def order(
    knobs: str, usage: dict[str, float], pool: float = 100, sort_expr: str = SORT_EXPR
) -> list[str]:
    return list(
        cycle(knobs, pool, usage=usage, settings=Settings(sort_expr=sort_expr)).rounds[0].order
    )


def test_the_group_that_uses_the_smallest_part_of_its_quota_is_first() -> None:
    """Negotiation order, the default: 5/10, 4/20 and 12/40."""
    assert order(STATIC, {"a": 5, "b": 4, "c": 12}) == ["b", "c", "a", "<none>"]


def test_part_of_its_quota_means_the_assigned_one() -> None:
    """Negotiation order, the default: by the design the configured one, so that d (20/0.5) is behind s (5/10).

    d is assigned half of the 90 that s leaves, and 20/45 is less than 5/10.
    """
    knobs = "GROUP_NAMES = d s\nGROUP_QUOTA_DYNAMIC_d = 0.5\nGROUP_QUOTA_s = 10"
    assert order(knobs, {"d": 20, "s": 5}) == ["d", "s", "<none>"]


def test_by_default_groups_without_a_quota_are_behind_all_others_and_the_root_is_last() -> None:
    """Negotiation order, the default: the design says nothing of a division by zero; b is far beyond its quota."""
    knobs = "GROUP_NAMES = a b\nGROUP_QUOTA_a = 0\nGROUP_QUOTA_b = 1"
    assert order(knobs, {"b": 90}) == ["b", "a", "<none>"]


def test_a_group_s_own_usage_counts_and_not_that_of_the_groups_below() -> None:
    """Negotiation order, the default: p.x uses all that p and p.x have, and p itself goes first."""
    knobs = "GROUP_NAMES = p p.x q\nGROUP_QUOTA_p = 10\nGROUP_QUOTA_p.x = 10\nGROUP_QUOTA_q = 10"
    assert order(knobs, {"p.x": 10, "q": 1}) == ["p", "q", "p.x", "<none>"]


def test_equals_keep_the_order_of_their_names_level_by_level() -> None:
    """Negotiation order, the default: the design does not say; at the start of a pool all keys are 0."""
    knobs = "GROUP_NAMES = b a.z a\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_a.z = 1\nGROUP_QUOTA_b = 1"
    assert order(knobs, {}) == ["a", "b", "a.z", "<none>"]


@pytest.mark.parametrize(
    ("sort_expr", "expected"),
    [
        ("0 - GroupQuota", ["c", "<none>", "b", "a"]),
        ("GroupResourcesInUse", ["<none>", "b", "a", "c"]),
        ("0 - GroupResourcesAllocated", ["c", "<none>", "b", "a"]),
        ('ifThenElse(AccountingGroup == "c", 0, 1)', ["c", "<none>", "a", "b"]),
    ],
)
def test_the_order_is_that_of_an_expression_over_quota_allocation_usage_and_name(
    sort_expr: str, expected: list[str]
) -> None:
    """Negotiation order, GROUP_SORT_EXPR: a, b and c use 5, 4 and 12; the root has 30 and uses nothing.

    What is allocated follows demand: 10, 20, 40 and 30 for groups that all want more.
    """
    demand = dict.fromkeys(("<none>", "a", "b", "c"), 99.0)
    settings = Settings(sort_expr=sort_expr)
    one = cycle(STATIC, 100, demand, {"a": 5, "b": 4, "c": 12}, settings).rounds[0]
    assert list(one.order) == expected


def test_groups_negotiate_in_that_order_each_with_its_own_limit() -> None:
    """Negotiation order, the last step."""
    one = cycle(STATIC, 100, {"a": 99, "b": 99, "c": 99}, {"a": 5, "b": 4, "c": 12}).rounds[0]
    assert list(limits(one).items()) == [("b", 20), ("c", 40), ("a", 10)]


def test_where_groups_regroup_the_root_is_last_even_against_the_expression() -> None:
    """Negotiation order, autoregroup: the design only says that submitters are in the root's list as well."""
    assert order(f"{STATIC}\nGROUP_AUTOREGROUP_a = True", {}, sort_expr="0 - GroupQuota") == [
        "c",
        "b",
        "a",
        "<none>",
    ]


def test_the_order_is_that_of_the_usage_at_the_start_of_a_round() -> None:
    """Negotiation order, the default, in a second round: a, first with 0/10, uses 8 of it then; b 2 of its 20."""
    used = {"a": 8.0, "b": 2.0}
    knobs = STATIC.replace("GROUP_NAMES = a b c", "GROUP_NAMES = a b")
    rounds = cycle(
        knobs, 30, {"a": 99, "b": 99}, take_turn=lambda group, _: Turn({group: used[group]})
    ).rounds
    assert [one.order for one in rounds[:2]] == [("a", "b", "<none>"), ("b", "a", "<none>")]
