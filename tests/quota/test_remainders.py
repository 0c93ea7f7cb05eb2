"""Whole slots where weights are off; worked by hand from hgq_recover_remainders and hgq_round_robin."""

from __future__ import annotations

from htcq.quota.condor import Inputs, compute_quotas
from htcq.quota.results import Round
from htcq.quota.settings import Settings
from htcq.quota.tree import build_tree

UNWEIGHTED = Settings(use_slot_weights=False)


def first_round(knobs: dict[str, str], pool: float, requested: dict[str, float]) -> tuple[Round, dict[str, float]]:
    tree, _ = build_tree({"GROUP_ACCEPT_SURPLUS": "true", **knobs})
    one = compute_quotas(Inputs(tree, pool, requested, settings=UNWEIGHTED)).rounds[0]
    return one, {group.name: group.allocated for group in one.groups}


def test_fractions_become_a_whole_slot_for_the_greatest_quota() -> None:
    """Pool 10: a gets 3.5, b 2.5, c 4; the two halves make one slot, which goes to a."""
    knobs = {
        "GROUP_NAMES": "a b c",
        "GROUP_QUOTA_DYNAMIC_a": "0.35",
        "GROUP_QUOTA_DYNAMIC_b": "0.25",
        "GROUP_QUOTA_DYNAMIC_c": "0.4",
    }
    one, allocated = first_round(knobs, 10, {"a": 9, "b": 9, "c": 9})

    assert allocated == {"<none>": 0, "a": 4, "b": 2, "c": 4}
    assert one.surplus == 0


def test_among_equal_quotas_the_slot_goes_to_the_greatest_want() -> None:
    """Pool 5, halves of it: 2.5 each; b wants more than a."""
    knobs = {"GROUP_NAMES": "a b", "GROUP_QUOTA_DYNAMIC_a": "0.5", "GROUP_QUOTA_DYNAMIC_b": "0.5"}

    assert first_round(knobs, 5, {"a": 4, "b": 9})[1] == {"<none>": 0, "a": 2, "b": 3}


def test_a_slot_that_nobody_may_accept_is_surplus() -> None:
    knobs = {
        "GROUP_NAMES": "a b",
        "GROUP_QUOTA_DYNAMIC_a": "0.5",
        "GROUP_QUOTA_DYNAMIC_b": "0.5",
        "GROUP_ACCEPT_SURPLUS": "false",
    }
    one, allocated = first_round(knobs, 5, {"a": 4, "b": 9})

    assert allocated == {"<none>": 0, "a": 2, "b": 2}
    assert one.surplus == 1


def test_a_whole_slot_goes_down_to_the_group_below_that_wants_it() -> None:
    """p and p.c have quota 1.5 each (oversubscription), the root 1.5: three halves, one whole slot, for p.c."""
    knobs = {"GROUP_NAMES": "p p.c", "GROUP_QUOTA_DYNAMIC_p": "0.5", "GROUP_QUOTA_DYNAMIC_p.c": "1"}
    one, allocated = first_round(knobs, 3, {"p.c": 1.0, "p": 2.0})

    assert allocated == {"<none>": 0, "p": 2, "p.c": 1}
    assert one.surplus == 1.5
