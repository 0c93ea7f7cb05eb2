"""Old samples become hours, then days, then nothing; what they add up to stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.drift.observation import QuotaSample
from htcq.drift.retention import Retention
from htcq.store.history import History, open_history
from tests.store.histories import (
    FOREVER,
    LOOK,
    POOL,
    START,
    crowd,
    group,
    names,
    observation,
    record,
    samples,
)

HOUR, DAY = 3600, 86400
#: Everything that is finished is merged as far as it can be.
AT_ONCE = Retention(0, 0, 10**10)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drift.db"


def looks(history: History, since: int, count: int, apart: int = LOOK) -> None:
    for number in range(count):
        history.record(observation(since + number * apart, group(usage=float(number), idle=1.0)))


def prune(path: Path, now: int, retention: Retention) -> int:
    with open_history(path, writable=True) as history:
        return history.prune(now, retention)


def shape(path: Path) -> list[tuple[int, int, int]]:
    return [(each.time - START, each.span, each.looks) for each in samples(path)]


def test_the_defaults_are_two_weeks_three_months_and_five_years() -> None:
    assert Retention() == Retention(14 * DAY, 90 * DAY, 5 * 365 * DAY)


def test_looks_become_an_hour_that_says_the_same(path: Path) -> None:
    groups = [
        group(
            "a", usage, effective=effective, computed=10.0, idle=idle, requested=2.0, allocated=1.0
        )
        for usage, effective, idle in (
            (4.0, 10.0, 0.0),
            (1.0, 10.0, 6.0),
            (2.5, None, 0.0),
            (16.0, 20.0, 3.0),
        )
    ]
    # The second stands for 600 seconds, the third for 1200, the last for 1800; the first for
    # nothing.
    for time, each in zip((0, 600, 1800, 3600), groups):
        record(path, observation(START + time, each))
    record(path, observation(START + HOUR + 1, groups[0]))

    assert prune(path, START + 2 * HOUR, Retention(HOUR, DAY, 10 * DAY)) == 2
    first, merged, last = samples(path)
    assert (first.time, first.span, first.looks, first.usage) == (START, 0, 1, 4.0)
    assert merged == QuotaSample(
        "a", START + HOUR, 3600, 3,
        effective=(600 * 10 + 1800 * 20) / 2400,
        computed=10.0,
        usage=(600 * 1 + 1200 * 2.5 + 1800 * 16) / 3600,
        max_usage=16.0,
        idle=(600 * 6 + 1800 * 3) / 3600,
        requested=2.0,
        allocated=1.0,
        starved=2400,
    )  # fmt: skip
    assert (last.time, last.span, last.looks) == (START + HOUR + 1, 1, 1)


def test_hours_become_days(path: Path) -> None:
    with open_history(path, writable=True) as history:
        looks(history, START, 60, HOUR)
    prune(path, START + 59 * HOUR, Retention(0, 0, 10 * DAY))

    assert shape(path) == [
        (0, 0, 1),
        (DAY, DAY, 24),
        (2 * DAY, DAY, 24),
        *((number * HOUR, HOUR, 1) for number in range(49, 60)),
    ]
    assert [each.usage for each in samples(path)[1:3]] == [12.5, 36.5]
    assert [each.max_usage for each in samples(path)[1:3]] == [24, 48]


def test_each_age_has_its_fineness(path: Path) -> None:
    with open_history(path, writable=True) as history:
        looks(history, START, 4 * 48 + 1, 1800)
    now = START + 4 * DAY
    prune(path, now, Retention(DAY, 2 * DAY, 3 * DAY))
    expected = [(2 * DAY, DAY, 48)]
    expected += [(2 * DAY + number * HOUR, HOUR, 2) for number in range(1, 25)]
    expected += [(3 * DAY + number * 1800, 1800, 1) for number in range(1, 49)]

    assert shape(path) == expected


def test_pruning_twice_changes_nothing(path: Path) -> None:
    with open_history(path, writable=True) as history:
        looks(history, START, 300)
    assert prune(path, START + 90_000, Retention(HOUR, 12 * HOUR, DAY)) > 0
    before = path.read_bytes()

    assert prune(path, START + 90_000, Retention(HOUR, 12 * HOUR, DAY)) == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize("late", [0, 1])
def test_an_hour_is_merged_when_it_has_ended(late: int, path: Path) -> None:
    with open_history(path, writable=True) as history:
        looks(history, START + 1, 2)
        looks(history, START + HOUR, 1 + late, 1)
    prune(path, START + HOUR - 1 + late, Retention(0, DAY, DAY))

    assert len(samples(path)) == (2 if late else 3)


def test_what_may_still_grow_is_not_merged(path: Path) -> None:
    """However late it is: as long as the pool was not observed after the hour, more may come into it."""
    with open_history(path, writable=True) as history:
        looks(history, START + 1, 3)
        assert history.prune(START + 5 * DAY, Retention(0, 0, 9 * DAY)) == 0
        looks(history, START + 1 + 3 * LOOK, 20)
        assert history.prune(START + 5 * DAY, Retention(0, 0, 9 * DAY)) == 11

    assert [each.looks for each in samples(path)] == [12, *[1] * 11]


def test_a_merge_goes_on_where_the_former_ended(path: Path) -> None:
    with open_history(path, writable=True) as history:
        for day in range(4):
            looks(history, START + day * DAY + LOOK, 288)
            history.prune(START + (day + 1) * DAY, Retention(6 * HOUR, DAY, 9 * DAY))

    assert [each.looks for each in samples(path)] == [288] * 3 + [12] * 18 + [1] * 72


def test_pools_are_merged_each_by_its_own_time(path: Path) -> None:
    with open_history(path, writable=True) as history:
        looks(history, START, 30)
        history.record(observation(START, pool="other"))
        history.prune(FOREVER, AT_ONCE)

    assert [each.looks for each in samples(path)] == [1, 12, 12, *[1] * 5]
    assert [each.looks for each in samples(path, "other")] == [1]


def test_texts_and_groups_end_with_their_time(path: Path) -> None:
    record(
        path,
        observation(START, group("gone"), doubts=("x",)),
        observation(START + DAY, doubts=("y",)),
    )
    record(path, observation(START + 3 * DAY))
    prune(path, START + 3 * DAY, Retention(0, 0, 2 * DAY))
    with open_history(path) as history:
        assert {(each.name, each.text) for each in history.kept(POOL, 0, FOREVER)} == {
            ("physics", "static 10"),
            ("Cpus", "12 slots, weight 96"),
            ("GROUP_SORT_EXPR", "GroupQuota"),
            ("", "y"),
        }
        assert history.first_and_last(POOL) == (START + DAY, START + 3 * DAY)
        assert {each.group for each in history.samples(POOL, 0, FOREVER)} == {"physics"}


def test_of_a_pool_that_is_long_gone_the_newest_record_stays(path: Path) -> None:
    with open_history(path, writable=True) as history:
        history.record(observation(START - DAY, pool="gone"))
        history.record(observation(START, pool="gone"))
        history.record(observation(START + DAY))
        history.prune(START + 2 * DAY, Retention(0, 0, 2 * DAY))
        assert history.pools() == (POOL, "gone")
        assert [each.time for each in history.samples("gone", 0, FOREVER)] == [START]
        history.record(observation(START + 2 * DAY, pool="gone"))
        assert history.first_and_last("gone")[1] == START + 2 * DAY


def test_the_file_shrinks(path: Path) -> None:
    with open_history(path, writable=True) as history:
        for number in range(600):
            history.record(crowd(START + number * LOOK))
    before = path.stat().st_size
    prune(path, FOREVER, AT_ONCE)

    assert path.stat().st_size < before / 5
    assert names(path.parent) == ["drift.db"]


def test_an_empty_history_has_nothing_to_prune(path: Path) -> None:
    assert prune(path, FOREVER, Retention()) == 0


@pytest.mark.parametrize("merged_before", [False, True])
def test_the_newest_record_stays_whatever_the_clock_says(merged_before: bool, path: Path) -> None:
    with open_history(path, writable=True) as history:
        looks(history, START, 20)
        history.record(observation(START, pool="other"))
        if merged_before:
            history.prune(START + 20 * LOOK, Retention(0, DAY, 9 * DAY))
        history.prune(START + 10 * 365 * DAY, Retention())
        assert history.pools() == (POOL, "other")
        assert history.first_and_last(POOL) == (START + 19 * LOOK - 1, START + 19 * LOOK)
        assert [each.time for each in history.samples("other", 0, FOREVER)]

    assert [(each.time, each.usage) for each in samples(path)] == [(START + 19 * LOOK, 19.0)]
