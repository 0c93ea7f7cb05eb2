"""Whole slots where weights are off; worked by hand from hgq_recover_remainders and hgq_round_robin."""

from __future__ import annotations

from dataclasses import replace

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


def test_the_one_whose_last_slot_is_longest_ago_has_the_next_one() -> None:
    """Pool 5, halves of it; rr_time of GroupEntry.cpp. A group that requests nothing is up to date as well."""
    knobs = {"GROUP_NAMES": "a b", "GROUP_QUOTA_DYNAMIC_a": "0.5", "GROUP_QUOTA_DYNAMIC_b": "0.5"}
    tree, _ = build_tree({"GROUP_ACCEPT_SURPLUS": "true", **knobs})
    once = replace(UNWEIGHTED, max_rounds=1)
    inputs = Inputs(tree, 5, {"a": 4, "b": 9}, settings=once)
    first = compute_quotas(inputs)
    second = compute_quotas(replace(inputs, turns=dict.fromkeys(first.had_turn, 1.0)))

    # Nobody negotiates: the demand of all is what they use after the round, which is nothing.
    assert first.had_turn == {"<none>", "a", "b"}
    assert [group.allocated for group in second.rounds[0].groups] == [0, 2, 3]

    waited = compute_quotas(replace(inputs, turns={"b": 1.0}))
    assert [group.allocated for group in waited.rounds[0].groups] == [0, 3, 2]


def test_a_level_has_the_turn_of_the_one_below_it_that_waited_longest() -> None:
    """Pool 5: p.c and p.d are one with p, and p.d has had no slot yet; p itself requests none and does not count."""
    knobs = {
        "GROUP_NAMES": "p p.c p.d q",
        "GROUP_QUOTA_DYNAMIC_p": "0.5",
        "GROUP_QUOTA_DYNAMIC_p.c": "0.5",
        "GROUP_QUOTA_DYNAMIC_p.d": "0.5",
        "GROUP_QUOTA_DYNAMIC_q": "0.5",
    }
    tree, _ = build_tree({"GROUP_ACCEPT_SURPLUS": "true", **knobs})
    turns = {"p": 0.0, "p.c": 3.0, "p.d": 1.0, "q": 2.0}
    inputs = Inputs(tree, 5, {"p.c": 9, "p.d": 9, "q": 9}, settings=UNWEIGHTED, turns=turns)
    found = compute_quotas(inputs).rounds[0]

    # 1.25, 1.25 and 2.5: one whole slot comes of the fractions, which p has before q, for p.d.
    allocated = {group.name: group.allocated for group in found.groups}
    assert allocated == {"<none>": 0, "p": 0, "p.c": 1, "p.d": 2, "q": 2}
