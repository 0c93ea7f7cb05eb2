"""HTCondor's group quota design, the round robin rate, and what the negotiator does.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does instead.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from htcq.quota.condor import Turn
from htcq.quota.group_limits import truncated
from htcq.quota.settings import Settings, read_settings
from tests.quota.cycles import allocated, cycle, limits, quotas_of

PAIR = (
    "GROUP_NAMES = a b\nGROUP_QUOTA_a = {a}\nGROUP_QUOTA_b = {b}\nGROUP_ACCEPT_SURPLUS = {surplus}"
)


def pair(a: int, b: int, surplus: bool = True) -> str:
    return PAIR.format(a=a, b=b, surplus=surplus)


class Slots:
    """Slots that some groups compete for; each takes what it may, and is through when it finds none any more."""

    def __init__(self, compete: Mapping[str, str], number: Mapping[str, int]) -> None:
        self.kind_for, self.left = compete, dict(number)
        self.used = dict.fromkeys(compete, 0)
        self.asked: list[tuple[str, int]] = []

    def take_turn(self, group: str, limit: int) -> Turn:
        self.asked.append((group, limit))
        kind, wanted = self.kind_for[group], max(limit - self.used[group], 0)
        got = min(wanted, self.left[kind])
        self.left[kind] -= got
        self.used[group] += got
        return Turn({group: self.used[group]}, through=got < wanted)

    def asked_for(self, group: str) -> list[int]:
        return [limit for name, limit in self.asked if name == group]


@pytest.mark.parametrize(
    ("settings", "used"), [(Settings(), (100, 0)), (Settings(round_robin_rate=1), (50, 50))]
)
def test_groups_that_want_the_same_half_of_a_pool_share_it_only_by_small_steps(
    settings: Settings, used: tuple[int, int]
) -> None:
    """Round robin rate, the example: 100 Linux and 100 Windows machines, two groups with quotas of 100."""
    slots = Slots({"a": "linux", "b": "linux"}, {"linux": 100, "windows": 100})
    cycle(
        pair(a=100, b=100), 200, {"a": 200, "b": 200}, settings=settings, take_turn=slots.take_turn
    )
    assert (slots.used["a"], slots.used["b"]) == used


def test_limits_begin_at_what_a_group_uses_and_end_at_what_it_is_allocated() -> None:
    """Round robin rate, its steps: by the design from nothing. a uses 4 of its 10, b nothing of 6: 1 more at a time."""
    slots = Slots({"a": "any", "b": "any"}, {"any": 16})
    slots.used["a"] = 4
    settings = Settings(round_robin_rate=1)
    cycle(pair(a=10, b=6), 16, {"a": 50, "b": 50}, {"a": 4}, settings, slots.take_turn)
    assert (slots.asked_for("a"), slots.asked_for("b")) == ([5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6])


def test_a_step_is_a_share_of_each_group_s_way_and_the_rate_that_of_the_longest() -> None:
    """Round robin rate, its steps: by the design 10 for both. b has 100 to go and goes 10, a has 20 and goes 2."""
    one = cycle(
        pair(a=20, b=100), 120, {"a": 20, "b": 100}, settings=Settings(round_robin_rate=10)
    ).rounds[0]
    assert limits(one) == {"a": 2, "b": 10}


def test_a_group_that_accepts_no_surplus_comes_half_way_in_each_round() -> None:
    """Round robin rate, its steps: by the design to its 6. A step counts from the usage at the round's start, and what
    is left of the quota from that of now: 4 more than 0 are not left when 3 of 6 are used. The
    second round begins at 3 and comes to 5; it is the last, because more is used than the 3 that
    it allocated."""
    slots = Slots({"a": "any", "b": "any"}, {"any": 6})
    settings = Settings(round_robin_rate=1)
    cycle(pair(6, 0, surplus=False), 6, {"a": 50}, settings=settings, take_turn=slots.take_turn)
    assert slots.asked_for("a") == [1, 2, 3, 3, 3, 3, 4, 5, 4]


def test_a_free_root_makes_the_way_longer_where_no_group_accepts_surplus() -> None:
    """Round robin rate, its steps: the root's 88, though nobody wants them, make a's first step 12 * 4/88 and cut 0."""
    one = cycle(
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 12", 100, {"a": 99}, settings=Settings(round_robin_rate=4)
    ).rounds[0]
    assert limits(one)["a"] == pytest.approx(6 / 11)
    assert truncated(limits(one)["a"]) == 0


def test_a_step_of_less_than_one_leaves_a_group_waiting_and_not_out() -> None:
    """Round robin rate, its steps, as logged by 25.14.1 and 23.9.6: a quota of 1 in a pool of 8 without weights.

    The root's 7 are the longest way: six limits of 0, and in the seventh pass 1, which the group
    then uses."""
    slots = Slots({"a": "any"}, {"any": 8})
    settings = Settings(round_robin_rate=1, use_slot_weights=False)
    cycle(
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 1",
        8,
        {"a": 4},
        settings=settings,
        take_turn=slots.take_turn,
    )
    assert (slots.asked_for("a"), slots.used["a"]) == ([0] * 6 + [1], 1)


def test_without_weights_steps_are_cut_to_whole_slots() -> None:
    """Round robin rate, its steps: 3 of 10 ways is 1.2 for a."""
    settings = Settings(round_robin_rate=3, use_slot_weights=False)
    one = cycle(pair(a=4, b=10), 14, {"a": 9, "b": 19}, settings=settings).rounds[0]
    assert limits(one) == {"a": 1, "b": 3}


def test_the_rate_is_endless_by_default_and_at_least_one() -> None:
    """Round robin rate, the knob: one pass. The design has no lower bound; the negotiator exits below 1."""
    assert read_settings({})[0].round_robin_rate == 1e100
    (problem,) = read_settings({"GROUP_QUOTA_ROUND_ROBIN_RATE": "0.5"})[1]
    assert (problem.kind, problem.fatal) == ("out-of-range", True)


HALVES = """
GROUP_NAMES = a, b, a.a, a.b, b.a, b.b
GROUP_QUOTA_DYNAMIC_a = 0.5
GROUP_QUOTA_DYNAMIC_b = 0.5
GROUP_QUOTA_DYNAMIC_a.a = 0.5
GROUP_QUOTA_DYNAMIC_a.b = 0.5
GROUP_QUOTA_DYNAMIC_b.a = 0.5
GROUP_QUOTA_DYNAMIC_b.b = 0.5
GROUP_ACCEPT_SURPLUS = True
GROUP_ACCEPT_SURPLUS_a = False
GROUP_ACCEPT_SURPLUS_b = False
"""


def halves(pool: int, rate: float) -> Slots:
    """Return what became of src/condor_tests/job_hgq_negfail_basic_van.run in a pool of so many slots.

    a.a wants half of the pool and finds it, nothing suits a.b, and b.a and b.b want the same
    quarter."""
    quarter = pool // 4
    kinds = {"a.a": "rest", "a.b": "none", "b.a": "few", "b.b": "few"}
    slots = Slots(kinds, {"rest": pool - quarter, "none": 0, "few": quarter})
    demand = {"a.a": 2.0 * quarter, "a.b": quarter, "b.a": quarter, "b.b": quarter}
    settings = Settings(use_slot_weights=False, consider_preemption=False, round_robin_rate=rate)
    cycle(HALVES, pool, demand, settings=settings, take_turn=slots.take_turn)
    return slots


def test_a_rate_of_one_makes_two_groups_share_what_both_can_use() -> None:
    """Round robin rate, upstream's test of it: it sets a knob that no longer does anything; this is the living one."""
    slots = halves(40, 1)
    assert (slots.used["b.a"], slots.used["b.b"]) == (5, 5)


def test_without_it_the_first_takes_all() -> None:
    """Round robin rate, upstream's test without it."""
    assert halves(40, Settings().round_robin_rate).used == {
        "a.a": 20,
        "a.b": 0,
        "b.a": 10,
        "b.b": 0,
    }


def test_steps_under_a_parent_that_refuses_surplus_end_half_way() -> None:
    """Round robin rate, its steps, as logged by 25.14.1 and 23.9.6: by the design a.a comes to its 4 of 8.

    What it got in earlier steps is counted against its parent's 4 a second time, so that 2 is
    the end of it."""
    slots = halves(8, 1)
    assert (slots.asked_for("a.a"), slots.used["a.a"]) == ([1, 2], 2)


def test_a_group_beyond_its_whole_slots_steps_by_the_way_of_all() -> None:
    """Round robin rate, recorded from 25.14.1: g3 has 130 to go, so that a step of 1 of g4's 29.006 is nothing."""
    knobs = """
    GROUP_NAMES = g4, g4.g3, g4.astro, g4.astro.Chem
    GROUP_QUOTA_DYNAMIC_g4 = .646
    GROUP_QUOTA_g4.g3 = 75
    GROUP_QUOTA_g4.astro.Chem = 56
    GROUP_ACCEPT_SURPLUS = True
    """
    settings = Settings(oversubscription=False, use_slot_weights=False, round_robin_rate=1)
    quotas = cycle(knobs, 161, {"g4": 3, "g4.g3": 135}, {"g4.g3": 5}, settings)
    one = quotas.rounds[0]
    assert {name: quota for name, quota in quotas_of(quotas).items() if quota} == pytest.approx(
        {"<none>": 56.994, "g4": 29.006, "g4.g3": 75}
    )
    assert {name: got for name, got in allocated(one).items() if got} == {"g4": 3, "g4.g3": 135}
    assert (one.surplus, one.max_delta, limits(one)) == (
        pytest.approx(23),
        130,
        {"g4": 0, "g4.g3": 6},
    )
