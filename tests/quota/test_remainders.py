"""Whole slots where weights are off; worked by hand from hgq_recover_remainders and hgq_round_robin."""

from __future__ import annotations

from htcq.quota.condor import Inputs, compute_quotas
from htcq.quota.cycle_quotas import Round
from htcq.quota.group_tree import build_tree
from htcq.quota.settings import Settings

UNWEIGHTED = Settings(oversubscription=False, use_slot_weights=False)


def first_round(
    knobs: dict[str, str], pool: float, requested: dict[str, float]
) -> tuple[Round, dict[str, float]]:
    tree, _ = build_tree({"GROUP_ACCEPT_SURPLUS": "true", **knobs})
    one = compute_quotas(Inputs(tree, pool, requested, settings=UNWEIGHTED)).rounds[0]
    return one, {group.name: group.allocated for group in one.groups}


def test_fractions_become_a_whole_slot_for_the_greatest_quota() -> None:
    """Pool 10: a gets 3.5, b 2.5, c 4; the two halves make one slot, which goes to c, though it lost nothing."""
    knobs = {
        "GROUP_NAMES": "a b c",
        "GROUP_QUOTA_DYNAMIC_a": "0.35",
        "GROUP_QUOTA_DYNAMIC_b": "0.25",
        "GROUP_QUOTA_DYNAMIC_c": "0.4",
    }
    one, allocated = first_round(knobs, 10, {"a": 9, "b": 9, "c": 9})

    assert allocated == {"<none>": 0, "a": 3, "b": 2, "c": 5}
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
    """Pool 5: p.c and q get 2.5 each and lose their halves; p and q are equals, and below p more is wanted."""
    knobs = {
        "GROUP_NAMES": "p p.c q",
        "GROUP_QUOTA_DYNAMIC_p": "0.5",
        "GROUP_QUOTA_DYNAMIC_p.c": "1",
        "GROUP_QUOTA_DYNAMIC_q": "0.5",
    }
    one, allocated = first_round(knobs, 5, {"p.c": 9, "q": 4})

    assert allocated == {"<none>": 0, "p": 0, "p.c": 3, "q": 2}
    assert one.surplus == 0
