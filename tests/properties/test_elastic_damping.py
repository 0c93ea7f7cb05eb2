"""What holds for every step between any two sets of quotas."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from htcq.elastic.damping import Damped, StepLimits, damp
from htcq.elastic.quota_target import QuotaTarget

NAMES = ("a", "b", "c", "d")
PARTS = 1000
#: Sums of thousandths as floats.
SLACK = 1e-6
amounts = st.integers(min_value=0, max_value=50 * PARTS).map(lambda parts: parts / PARTS)
whole = st.integers(min_value=0, max_value=50).map(float)
limits = st.builds(
    StepLimits,
    min_change=st.sampled_from([0.0, 1.0, 5.0]),
    min_change_part=st.sampled_from([0.0, 0.02, 0.5]),
    max_raise=st.sampled_from([0.01, 0.1, 1.0]),
    max_lower=st.sampled_from([0.01, 0.05, 1.0]),
    hold_time=st.just(600.0),
)


@st.composite
def steps(
    draw: st.DrawFn,
) -> tuple[
    list[QuotaTarget], dict[str, float], dict[str, float], float, dict[str, float], StepLimits
]:
    """Goals that fit into the pool, quotas before (which need not), mins, and when each was changed."""
    number = draw(st.sampled_from([amounts, whole]))
    goals = [QuotaTarget(name, "", True, draw(number), accept_surplus=False) for name in NAMES]
    before = {name: draw(number) for name in NAMES}
    mins = {name: draw(number) for name in NAMES}
    pool = sum(goal.quota for goal in goals) + draw(number)
    changed = {name: draw(st.sampled_from([0.0, 900.0])) for name in NAMES}
    return goals, before, mins, pool, changed, draw(limits)


def done(
    step: tuple[
        list[QuotaTarget], dict[str, float], dict[str, float], float, dict[str, float], StepLimits
    ],
) -> Damped:
    goals, before, mins, pool, changed, bounds = step
    return damp(goals, before, mins, pool, changed, 1000.0, bounds)


def forced(
    goals: list[QuotaTarget], before: Mapping[str, float], mins: Mapping[str, float], pool: float
) -> float:
    """What must go down: others have less than their min's worth, or the pool is smaller than the quotas."""
    there = sum(max(before[goal.group], min(goal.quota, mins[goal.group])) for goal in goals)
    return max(0.0, there - pool)


@given(steps())
def test_quotas_never_exceed_the_pool(step: tuple) -> None:  # type: ignore[type-arg]
    assert sum(done(step).quotas.values()) <= step[3] + SLACK


@given(steps())
def test_nobody_who_asks_for_it_has_less_than_its_min_is_worth(step: tuple) -> None:  # type: ignore[type-arg]
    goals, _, mins, *_ = step
    quotas = done(step).quotas
    for goal in goals:
        assert quotas[goal.group] >= min(goal.quota, mins[goal.group]) - SLACK


@given(steps())
def test_every_quota_stays_between_what_it_was_and_its_goal(step: tuple) -> None:  # type: ignore[type-arg]
    goals, before, *_ = step
    quotas = done(step).quotas
    for goal in goals:
        old = before[goal.group]
        assert min(old, goal.quota) - SLACK <= quotas[goal.group] <= max(old, goal.quota) + SLACK


@given(steps())
def test_beyond_mins_no_more_than_the_limit_goes_up(step: tuple) -> None:  # type: ignore[type-arg]
    goals, before, mins, pool, _, bounds = step
    quotas = done(step).quotas
    up = sum(
        max(0.0, quotas[each.group] - max(before[each.group], min(each.quota, mins[each.group])))
        for each in goals
    )
    assert up <= max(bounds.max_raise * pool, 1.0) + SLACK


@given(steps())
def test_no_more_goes_down_than_the_limit_or_what_others_must_have(step: tuple) -> None:  # type: ignore[type-arg]
    goals, before, mins, pool, _, bounds = step
    quotas = done(step).quotas
    down = sum(max(0.0, before[each.group] - quotas[each.group]) for each in goals)
    most = max(
        bounds.max_raise * pool, bounds.max_lower * pool, 1.0, forced(goals, before, mins, pool)
    )
    assert down <= most + 1.0 + SLACK


@given(steps())
def test_the_order_of_groups_does_not_matter(step: tuple) -> None:  # type: ignore[type-arg]
    goals, *rest = step
    assert done((goals[::-1], *rest)).quotas == done(step).quotas


@given(steps())
def test_steps_come_to_the_goals(step: tuple) -> None:  # type: ignore[type-arg]
    goals, before, mins, pool, _, _ = step
    quotas: Mapping[str, float] = before
    for _ in range(40):
        quotas = damp(
            goals, quotas, mins, pool, {}, 0.0, StepLimits(0.0, 0.0, 0.2, 0.2, 0.0)
        ).quotas
    for goal in goals:
        assert abs(quotas[goal.group] - goal.quota) <= SLACK
