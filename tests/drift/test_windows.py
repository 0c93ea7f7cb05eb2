"""Means, shares and series of a stretch of time, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.drift.observation import QuotaSample
from htcq.drift.windows import Window, window, windows
from tests.drift.looks import HOUR, sample


def of(*samples: QuotaSample, since: int = 0, until: int = HOUR, most: int = 300) -> Window:
    found = window("chem", samples, since, until, most)
    assert found is not None
    return found


def test_means_are_weighted_by_time() -> None:
    """10 for 600 s and 40 for 300 s: 20 on average, with a quota of 10 and then of 25: 15."""
    found = of(sample("chem", 600, 10, 10, span=600), sample("chem", 900, 40, 25))

    assert (found.usage, found.max_usage, found.quota) == (20, 40, 15)
    assert (found.observed, found.coverage) == (900, 0.25)


def test_distance_and_bias_are_means_too() -> None:
    """4 above for 300 s and 10 below for as long: 7 off, and 3 below."""
    found = of(sample("chem", 300, 14, 10), sample("chem", 600, 0, 10))

    assert (found.distance, found.bias) == (7, -3)


def test_states_are_shares_of_the_time_that_was_observed() -> None:
    found = of(
        sample("chem", 300, starved=300), sample("chem", 1200, over=100, lending=50, span=500)
    )

    assert (found.starved, found.over, found.lending) == (300 / 800, 100 / 800, 50 / 800)


def test_trouble_is_the_weight_that_was_missing_or_too_much() -> None:
    starving = [sample("starving", 300, 0, 10, starved=300)]
    nearly = [sample("nearly", 300, 9, 10, starved=300)]
    lending = [sample("lending", 300, 0, 500, lending=300)]

    assert [each.group for each in windows([*lending, *nearly, *starving], 0, HOUR)] == [
        "starving",
        "nearly",
        "lending",
    ]


@pytest.mark.parametrize(
    ("since", "until", "observed", "usage"),
    [
        (0, HOUR, 900, 20),
        # The second half of the first look, and the whole second.
        (300, HOUR, 600, 25),
        (300, 750, 450, 20),
        (700, 800, 100, 40),
    ],
)
def test_what_of_a_look_lies_outside_does_not_count(
    since: int, until: int, observed: int, usage: float
) -> None:
    found = of(sample("chem", 600, 10, span=600), sample("chem", 900, 40), since=since, until=until)

    assert found.observed == observed
    assert found.usage == pytest.approx(usage)


def test_the_seconds_of_a_state_are_cut_with_the_look() -> None:
    found = of(sample("chem", 600, span=600, starved=300), since=300)

    assert (found.observed, found.starved) == (300, 0.5)


def test_looks_that_stand_for_no_time_count_only_where_there_is_no_other() -> None:
    alone = of(sample("chem", 100, 30, 20, span=0), sample("chem", 200, 10, 10, span=0))
    beside = of(sample("chem", 100, 30, span=0), sample("chem", 400, 10))

    assert (alone.usage, alone.quota, alone.observed, alone.starved) == (20, 15, 0, 0)
    assert [point.usage for point in alone.points] == [30, 10]
    assert (beside.usage, beside.observed) == (10, 300)


def test_a_group_that_nobody_saw_has_no_window() -> None:
    assert window("chem", [sample("chem", 300)], 1000, 2000) is None
    assert windows([sample("chem", 300)], 1000, 2000) == ()


def test_where_no_quota_was_known_there_is_none() -> None:
    found = of(sample("chem", 300, 5, quota=None))

    assert (found.quota, found.distance, found.bias, found.trouble) == (None, None, None, 0)


def test_an_unknown_quota_is_left_out_of_the_mean() -> None:
    found = of(sample("chem", 300, 5, quota=None), sample("chem", 600, 5, 10))

    assert (found.quota, found.distance) == (10, 5)


def test_where_none_is_published_the_computed_quota_counts() -> None:
    assert of(sample("chem", 300, quota=10.0, effective=None)).quota == 10
    assert of(sample("chem", 300, quota=10.0, effective=7.0)).quota == 7


def test_few_looks_are_the_points_of_the_series() -> None:
    points = of(sample("chem", 300, 3), sample("chem", 900, 9)).points

    assert [(point.since, point.until, point.usage) for point in points] == [
        (0, 300, 3),
        (600, 900, 9),
    ]


def test_many_looks_are_merged_into_equal_parts() -> None:
    """12 looks of 300 s in 4 parts of 900 s, none of them in the second."""
    looks = [
        sample("chem", end, end / 300) for end in range(300, HOUR + 1, 300) if not 900 < end <= 1800
    ]
    points = of(*looks, most=4).points

    assert [(point.since, point.until, point.usage) for point in points] == [
        (0, 900, 2), (1800, 2700, 8), (2700, 3600, 11)
    ]  # fmt: skip


def test_a_look_that_lies_in_two_parts_counts_in_both() -> None:
    """Of the middle look 300 s are in each half: (300 * 0 + 300 * 6) / 600 and so on."""
    looks = [
        sample("chem", 300, 0),
        sample("chem", 900, 6, span=600, over=600),
        sample("chem", 1200, 9),
    ]
    points = of(*looks, until=1200, most=2).points

    assert [(point.usage, point.max_usage, point.over) for point in points] == [
        (3, 6, 0.5),
        (7.5, 9, 0.5),
    ]


@given(
    st.lists(
        st.tuples(st.integers(1, 900), st.integers(0, 600), st.floats(0, 100)),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 12),
)
def test_the_series_has_the_mean_and_the_time_of_the_window(
    looks: list[tuple[int, int, float]], most: int
) -> None:
    samples, now = [], 0
    for span, gap, usage in looks:
        now += gap + span
        samples.append(sample("chem", now, usage, span=span))
    found = of(*samples, until=now, most=most)

    assert len(found.points) <= max(most, len(samples) if len(samples) <= most else most)
    assert found.observed == sum(span for span, _, _ in looks)
    if len(samples) <= most:
        lasting = [(point.until - point.since, point.usage) for point in found.points]
        assert sum(span * usage for span, usage in lasting) == pytest.approx(
            found.observed * found.usage
        )
    assert found.max_usage == max(point.max_usage for point in found.points)
    assert (
        min(usage for _, _, usage in looks) - 1e-9
        <= found.usage
        <= max(usage for _, _, usage in looks) + 1e-9
    )
