"""Limits: what the negotiator makes of them, when they are no number, and how strictness cuts them."""

from __future__ import annotations

import math

import pytest

from htcq.errors import PolicyError
from htcq.quota.condor import Inputs, compute_quotas
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import build_tree
from htcq.quota.settings import Settings


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (0.564171, 0),
        (7.79444, 7),
        (3.33333, 3),
        (100 * 0.29, 28),
        (-1.9, -1),
        (2147483647.5, 2147483647),
        (2147483648.0, -2147483648),
        (math.nan, -2147483648),
        (math.inf, -2147483648),
    ],
)
def test_a_limit_becomes_a_c_int(limit: float, expected: int) -> None:
    assert expected == truncated(limit)


def limits(inputs: Inputs) -> dict[str, float]:
    return {limit.group: limit.limit for limit in compute_quotas(inputs).rounds[0].limits}


def test_a_limit_is_not_a_number_where_demand_is_satisfied_but_quota_is_not_used() -> None:
    """A group that asks for the 2 it uses has nothing to gain, nor has any other: 0 of 0."""
    tree, _ = build_tree({"GROUP_NAMES": "a", "GROUP_QUOTA_a": "4", "GROUP_ACCEPT_SURPLUS": "true"})

    assert math.isnan(limits(Inputs(tree, 10, {"a": 2}, {"a": 2}, {"a"}))["a"])


def test_without_surplus_the_same_group_may_go_up_to_its_quota() -> None:
    """Without accepting groups the step is measured by quotas, not by allocations; the root's is 6."""
    tree, _ = build_tree({"GROUP_NAMES": "a", "GROUP_QUOTA_a": "4"})

    assert limits(Inputs(tree, 10, {"a": 2}, {"a": 2}, {"a"})) == {"a": 4}


def test_strictness_measures_a_static_quota_as_configured_even_where_less_was_handed_down() -> None:
    """The pool of 10 scales p to 10; it uses 5 of the configured 20, so that its child may add 15 though p has 5."""
    knobs = {
        "GROUP_NAMES": "p p.c",
        "GROUP_QUOTA_p": "20",
        "GROUP_QUOTA_p.c": "20",
        "GROUP_ACCEPT_SURPLUS_p.c": "true",
    }
    strict = Settings(oversubscription=False)
    tree, _ = build_tree(knobs)

    assert limits(Inputs(tree, 10, {"p.c": 50}, {"p": 5}, {"p.c"}, strict)) == {"p.c": 10}
    assert limits(Inputs(tree, 10, {"p.c": 50}, {"p": 18}, {"p.c"}, strict)) == {"p.c": 2}


def test_strictness_measures_a_dynamic_quota_as_handed_down() -> None:
    knobs = {
        "GROUP_NAMES": "p p.c",
        "GROUP_QUOTA_DYNAMIC_p": "0.5",
        "GROUP_QUOTA_DYNAMIC_p.c": "1",
        "GROUP_ACCEPT_SURPLUS_p.c": "true",
    }
    tree, _ = build_tree(knobs)

    assert limits(Inputs(tree, 40, {"p.c": 50}, {"p": 15}, {"p.c"})) == {"p.c": 5}


def test_steps_of_the_round_robin_are_shares_of_the_way_and_whole_slots_without_weights() -> None:
    """a goes 4 ways where b goes 10: after a step of 2 of 10 that is 1 + 0.8, or 1."""
    tree, _ = build_tree({"GROUP_NAMES": "a b", "GROUP_QUOTA_a": "5", "GROUP_QUOTA_b": "10"})
    weighted, whole = (
        Settings(round_robin_rate=2),
        Settings(round_robin_rate=2, use_slot_weights=False),
    )

    given = (tree, 15, {"a": 9, "b": 20}, {"a": 1}, {"a", "b"})
    assert limits(Inputs(*given, weighted)) == {"b": 2, "a": 1 + 4 * 0.2}
    assert limits(Inputs(*given, whole)) == {"b": 2, "a": 1}


def test_a_sort_expression_that_yields_no_number_makes_all_groups_equal() -> None:
    tree, _ = build_tree({"GROUP_NAMES": "a b", "GROUP_QUOTA_a": "5", "GROUP_QUOTA_b": "10"})
    (one,) = compute_quotas(Inputs(tree, 15, settings=Settings(sort_expr="NoSuchAttribute"))).rounds

    assert {group.sort_key for group in one.groups} == {3.4028234663852886e38}
    assert one.order == ("<none>", "a", "b")


def test_a_sort_expression_that_does_not_parse_is_refused() -> None:
    tree, _ = build_tree({"GROUP_NAMES": "a", "GROUP_QUOTA_a": "5"})

    with pytest.raises(PolicyError):
        compute_quotas(Inputs(tree, 15, settings=Settings(sort_expr="1 +")))
