"""HTCondor's group quota design, allocation rounds, and what the negotiator does.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does instead.
"""

from __future__ import annotations

import pytest

from htcq.quota.condor import TakeTurn, Turn
from htcq.quota.group_limits import truncated
from htcq.quota.settings import Settings
from tests.quota.cycles import allocated, cycle, limits, quotas_of

PAIR = """
GROUP_NAMES = a b
GROUP_QUOTA_a = 10
GROUP_QUOTA_b = 10
GROUP_ACCEPT_SURPLUS = True
"""
DEMAND = {"a": 30.0, "b": 30.0}
#: The groups of a small pool that ran 25.14.1: its weight is 64.
SMALL_POOL = """
GROUP_NAMES = group_a group_b group_b.x
GROUP_QUOTA_group_a = 8
GROUP_QUOTA_group_b = 12
GROUP_QUOTA_group_b.x = 6
GROUP_ACCEPT_SURPLUS = True
"""


def matching(most: dict[str, float], asked: list[tuple[str, int]] | None = None) -> TakeTurn:
    """Let each group come to what it may, up to ``most``: then its jobs match nothing more, and it is through."""
    used: dict[str, float] = {}

    def take_turn(group: str, limit: int) -> Turn:
        if asked is not None:
            asked.append((group, limit))
        used[group] = max(used.get(group, 0.0), min(limit, most[group]))
        return Turn({group: used[group]}, through=most[group] < limit)

    return take_turn


def test_a_group_that_could_not_use_its_allocation_then_asks_for_what_it_uses() -> None:
    """Allocation rounds, the reset: a, allocated 10 of the 30 that it wants, matched 4."""
    rounds = cycle(PAIR, 20, DEMAND, take_turn=matching({"a": 4, "b": 10})).rounds
    assert [one.groups[1].requested for one in rounds[:2]] == [30, 4]


def test_what_it_leaves_goes_to_others_as_surplus() -> None:
    """Allocation rounds, the reset: b may have the 6 as well."""
    rounds = cycle(PAIR, 20, DEMAND, take_turn=matching({"a": 4, "b": 30})).rounds
    assert [allocated(one)["b"] for one in rounds] == [10, 16]
    assert [limits(one)["b"] for one in rounds] == [10, 16]


def test_a_group_that_met_its_allocation_asks_for_all_of_its_demand_again() -> None:
    """Allocation rounds, the reset: only those that fell short are reset. b met its 10 and asks for 30."""
    rounds = cycle(PAIR, 20, DEMAND, take_turn=matching({"a": 4, "b": 30})).rounds
    assert [one.groups[2].requested for one in rounds] == [30, 30]


def test_usage_of_earlier_cycles_is_part_of_what_a_group_is_reset_to() -> None:
    """Allocation rounds, the reset: a uses 3 from before and matches nothing."""
    rounds = cycle(PAIR, 20, DEMAND, {"a": 3}, take_turn=matching({"a": 3, "b": 30})).rounds
    assert (rounds[1].groups[1].requested, allocated(rounds[1])) == (
        3,
        {"<none>": 0, "a": 3, "b": 17},
    )


def test_with_one_round_nothing_is_reset() -> None:
    """Allocation rounds, their number: 6 of 20 stay free."""
    settings = Settings(max_rounds=1)
    (only,) = cycle(
        PAIR, 20, DEMAND, settings=settings, take_turn=matching({"a": 4, "b": 30})
    ).rounds
    assert limits(only) == {"a": 10, "b": 10}


@pytest.mark.parametrize(
    ("settings", "c_uses", "rounds"),
    [
        (Settings(max_rounds=1), 10, 1),
        (Settings(max_rounds=2), 13, 2),
        (Settings(), 14, 3),
        (Settings(max_rounds=9), 14, 3),
    ],
)
def test_there_are_as_many_rounds_as_configured_or_needed_and_three_by_default(
    settings: Settings, c_uses: int, rounds: int
) -> None:
    """Allocation rounds, their number: the design has one unless more are asked for, and never ends them early.

    10 each; a finds 4, so that b and c may go to 13; b finds 12, so that c may go to 14, and all
    30 are in use."""
    knobs = f"{PAIR}GROUP_NAMES = a b c\nGROUP_QUOTA_c = 10"
    found = matching({"a": 4, "b": 12, "c": 99})
    some = cycle(knobs, 30, dict.fromkeys("abc", 50.0), settings=settings, take_turn=found).rounds
    assert len(some) == rounds
    assert limits(some[-1])["c"] == c_uses


def test_rounds_end_before_their_number_when_all_that_was_allocated_is_used() -> None:
    """Allocation rounds, their number: the design repeats them that often."""
    used = matching({"a": 10, "b": 10})
    assert len(cycle(PAIR, 20, DEMAND, settings=Settings(max_rounds=9), take_turn=used).rounds) == 1


def test_submitters_that_are_through_have_no_other_turn() -> None:
    """Allocation rounds, their steps: by the design all groups negotiate again. a has 4, and is not asked."""
    asked: list[tuple[str, int]] = []
    cycle(PAIR, 20, DEMAND, take_turn=matching({"a": 4, "b": 30}, asked))
    assert asked == [("a", 10), ("b", 10), ("b", 16)]


def test_the_reset_is_forgotten_in_the_next_cycle() -> None:
    """Allocation rounds, the reset: a, which uses 4 and can use no more, is allocated 10 once more and b its own 10.

    So b uses 16 after the first cycle, and the next one has no more for it.
    """
    rounds = cycle(
        PAIR, 20, DEMAND, {"a": 4, "b": 16}, take_turn=matching({"a": 4, "b": 30})
    ).rounds
    assert allocated(rounds[0]) == {"<none>": 0, "a": 10, "b": 10}


def test_a_fraction_that_no_job_can_use_counts_as_unmet() -> None:
    """Allocation rounds, the reset: 2.5 each, limits of 2: both fell short, and both are then content with 2 of 5."""
    knobs = PAIR.replace("QUOTA_a = 10", "QUOTA_DYNAMIC_a = 0.5").replace(
        "QUOTA_b = 10", "QUOTA_DYNAMIC_b = 0.5"
    )
    rounds = cycle(knobs, 5, DEMAND, take_turn=matching({"a": 30, "b": 30})).rounds
    assert [allocated(one)["a"] for one in rounds] == [2.5, 2]
    assert truncated(limits(rounds[0])["a"]) == 2
    assert rounds[-1].surplus == 1


def test_one_group_alone_takes_the_surplus_in_its_first_round() -> None:
    """Allocation rounds, a pool that ran 25.14.1: ten jobs of weight 2. Quotas of 44, 8, 12 and 6 are 70, less 20."""
    quotas = cycle(SMALL_POOL, 64, {"group_a": 20}, take_turn=matching({"group_a": 20}))
    (only,) = quotas.rounds
    assert sum(quotas_of(quotas).values()) == 70
    assert (allocated(only)["group_a"], only.surplus, only.max_delta) == (20, 50, 20)
    assert limits(only) == {"group_a": 20}


def test_a_group_without_running_jobs_asks_for_nothing_though_it_uses_slots() -> None:
    """Allocation rounds, the same pool later: group_a's jobs are gone and its claims not yet: 30 for x, 40 left."""
    usage = {"group_a": 20.0, "group_b.x": 20.0}
    one = cycle(
        SMALL_POOL, 64, {"group_b.x": 30}, usage, take_turn=matching({"group_b.x": 22})
    ).rounds[0]
    assert (allocated(one)["group_b.x"], allocated(one)["group_a"]) == (30, 0)
    assert (one.surplus, one.max_delta) == (40, 10)
