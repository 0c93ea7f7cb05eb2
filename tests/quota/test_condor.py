"""Turns, steps and rounds of a cycle, worked out by hand; the recorded cycles are in test_recorded.py."""

from __future__ import annotations

from htcq.quota.condor import Turn
from htcq.quota.settings import Settings
from tests.quota.cycles import allocated, cycle, everything_matches, limits, quotas_of

TWO = "GROUP_NAMES = a b\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_b = 2"


def test_groups_that_regroup_let_the_root_negotiate_for_the_whole_pool_last() -> None:
    """src/condor_tests/job_hgq_autoregroup_basic_van.run: b before a by its sort key, then the root."""
    knobs = """
    GROUP_NAMES = a b
    GROUP_QUOTA_a = 1
    GROUP_QUOTA_b = 1
    GROUP_AUTOREGROUP = true
    """
    keys = (
        'ifThenElse(AccountingGroup == "a", 2, ifThenElse(AccountingGroup == "b", 1, 3.40282e+38))'
    )
    quotas = cycle(
        knobs, 4, {"a": 2, "b": 2}, settings=Settings(use_slot_weights=False, sort_expr=keys)
    )
    one = quotas.rounds[0]

    assert quotas_of(quotas) == {"<none>": 2, "a": 1, "b": 1}
    assert one.groups[0].quota == 4
    assert (one.surplus, one.max_delta) == (2, 4)
    assert list(limits(one).items()) == [("b", 1), ("a", 1), ("<none>", 4)]


def test_a_regrouping_root_is_last_whatever_its_key() -> None:
    knobs = "GROUP_NAMES = a\nGROUP_QUOTA_a = 1\nGROUP_AUTOREGROUP = true"

    assert cycle(knobs, 4, settings=Settings(sort_expr="GroupQuota * -1")).rounds[0].order == (
        "a",
        "<none>",
    )


def test_halves_of_halves_share_as_upstream_s_own_test_has_it() -> None:
    """src/condor_tests/job_hgq_negfail_basic_van.run: 40 slots, six groups with a dynamic half each."""
    names = ["a", "b", "a.a", "a.b", "b.a", "b.b"]
    knobs = "\n".join(
        [
            f"GROUP_NAMES = {' '.join(names)}",
            "GROUP_ACCEPT_SURPLUS = true",
            *(f"GROUP_ACCEPT_SURPLUS_{name} = false" for name in ("a", "b")),
            *(f"GROUP_QUOTA_DYNAMIC_{name} = 0.5" for name in names),
        ]
    )
    demand = {"a.a": 20.0, "a.b": 10.0, "b.a": 10.0, "b.b": 10.0}
    quotas = cycle(knobs, 40, demand, settings=Settings(use_slot_weights=False))

    assert quotas_of(quotas) == {
        "<none>": 0,
        "a": 20,
        "b": 20,
        "a.a": 10,
        "a.b": 10,
        "b.a": 10,
        "b.b": 10,
    }
    assert {
        name: amount for name, amount in allocated(quotas.rounds[0]).items() if amount
    } == demand
    assert (quotas.rounds[0].surplus, quotas.rounds[0].max_delta) == (30, 20)
    assert limits(quotas.rounds[0]) == demand


def turns(settings: Settings) -> list[tuple[str, int]]:
    """Return who was asked, and for how much, where a may have 1 and b 2, by steps of 1."""
    asked: list[tuple[str, int]] = []

    def take_turn(group: str, limit: int) -> Turn:
        asked.append((group, limit))
        return Turn()

    cycle(TWO, 3, {"a": 5, "b": 5}, settings=settings, take_turn=take_turn)
    return asked


def test_submitters_that_do_not_answer_are_through_even_where_the_limit_was_nothing() -> None:
    """With real access points they stay: daemons logged six turns at a limit of 0, and then 1, which matched."""
    assert turns(Settings(round_robin_rate=1)) == [("a", 0), ("b", 1)]


def test_without_preemption_a_group_at_its_limit_is_not_asked_and_may_be_later() -> None:
    assert turns(Settings(round_robin_rate=1, consider_preemption=False)) == [("b", 1), ("a", 1)]


def test_without_preemption_a_regrouping_root_is_asked_whatever_it_uses() -> None:
    """A step of 1 of b's 100 is nothing for the others: a must wait for the last one, the root need not."""
    asked: list[tuple[str, int]] = []

    def take_turn(group: str, limit: int) -> Turn:
        asked.append((group, limit))
        return Turn()

    knobs = "GROUP_NAMES = a b\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_b = 100\nGROUP_AUTOREGROUP_b = true"
    settings = Settings(round_robin_rate=1, consider_preemption=False)
    cycle(knobs, 3, {"a": 5, "b": 500}, settings=settings, take_turn=take_turn)

    assert asked == [("b", 1), ("<none>", 0), ("a", 1)]


def test_without_preemption_a_group_that_uses_its_allocation_has_no_turn() -> None:
    given = (TWO, 3, {"a": 5, "b": 5}, {"a": 1})

    assert limits(cycle(*given).rounds[0]) == {"b": 2, "a": 1}
    assert limits(cycle(*given, Settings(consider_preemption=False)).rounds[0]) == {"b": 2}


STEPS = "GROUP_NAMES = a b\nGROUP_QUOTA_a = 2\nGROUP_QUOTA_b = 4"


def asked_by_steps_of_two(knobs: str) -> list[tuple[str, int]]:
    """Return who was asked, and up to which usage, where a wants 2 and b 4 and each uses at once what it may."""
    asked: list[tuple[str, int]] = []

    def take_turn(group: str, limit: int) -> Turn:
        asked.append((group, limit))
        return Turn({group: limit}, through=False)

    cycle(knobs, 6, {"a": 2, "b": 4}, settings=Settings(round_robin_rate=2), take_turn=take_turn)
    return asked


def test_the_steps_of_a_round_go_on_until_all_have_what_they_may() -> None:
    assert asked_by_steps_of_two(STEPS + "\nGROUP_ACCEPT_SURPLUS = true") == [
        ("a", 1),
        ("b", 2),
        ("a", 2),
        ("b", 4),
    ]


def test_strictness_holds_against_a_group_what_it_got_in_earlier_steps_of_the_round() -> None:
    """The limit counts from the usage at the round's start, what is left of the quota from that of now."""
    first_round, second_round = [("a", 1), ("b", 2), ("a", 1), ("b", 2)], [("a", 2), ("b", 4)]

    assert asked_by_steps_of_two(STEPS) == first_round + second_round


def test_rounds_end_when_all_that_was_allocated_is_used_or_at_their_number() -> None:
    given = (TWO, 3, {"a": 5, "b": 5}, {})

    assert len(cycle(*given, take_turn=everything_matches).rounds) == 1
    assert len(cycle(*given).rounds) == 2
    assert len(cycle(*given, Settings(max_rounds=1)).rounds) == 1


def test_what_a_group_could_not_match_is_offered_to_others_in_the_next_round() -> None:
    """a, first in turn, matches 4 of its 10; then b may have the 6 as well, if its submitters are not through."""
    knobs = """
    GROUP_NAMES = a b
    GROUP_QUOTA_a = 10
    GROUP_QUOTA_b = 10
    GROUP_ACCEPT_SURPLUS = true
    """
    used = {"a": 4, "b": 10}
    rounds = cycle(
        knobs,
        20,
        {"a": 30, "b": 30},
        take_turn=lambda group, _: Turn({group: used[group]}, through=group == "a"),
    ).rounds

    assert allocated(rounds[0]) == {"<none>": 0, "a": 10, "b": 10}
    assert allocated(rounds[1]) == {"<none>": 0, "a": 4, "b": 16}
    assert limits(rounds[1]) == {"b": 16}
