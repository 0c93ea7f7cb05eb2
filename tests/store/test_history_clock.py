"""A clock that was ahead or behind: nothing is lost, nothing of it is believed, its steps are events."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from htcq.drift.retention import Retention
from htcq.errors import HistoryError
from htcq.settings.durations import DAY, HOUR
from htcq.store.history import open_history
from tests.store.histories import LOOK, POOL, START, group, observation, times

YEAR = 365 * DAY
KEPT = Retention(14 * DAY, 90 * DAY, 5 * YEAR)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drift.db"


def look(path: Path, moment: int) -> None:
    with open_history(path, writable=True) as history:
        history.record(observation(moment, group("a")), live=True)


def refused(path: Path, moment: int) -> bool:
    try:
        look(path, moment)
    except HistoryError:
        return True
    return False


def pools(path: Path) -> tuple[str, ...]:
    with open_history(path) as history:
        return history.pools()


def events(path: Path, kind: str) -> list[tuple[str, str]]:
    with open_history(path) as history:
        return [(each.name, each.text) for each in history.kept(POOL, 0, START + 9 * YEAR, kind)]


def test_records_of_a_clock_that_was_ahead_are_set_aside_at_the_second_look(path: Path) -> None:
    for moment in (START, START + LOOK, START + YEAR, START + YEAR + LOOK):
        look(path, moment)
    back = START + 3 * LOOK

    assert refused(path, back)
    assert times(path) == [START, START + LOOK, START + YEAR, START + YEAR + LOOK]
    look(path, back + LOOK)
    look(path, back + 2 * LOOK)

    assert times(path) == [START, START + LOOK, back + LOOK, back + 2 * LOOK]
    ours, aside = pools(path)
    assert ours == POOL
    assert "by a clock that was ahead" in aside
    with open_history(path) as history:
        found = [(each.group, each.time) for each in history.samples(aside, 0, START + 9 * YEAR)]
    assert found == [("a", START + YEAR), ("a", START + YEAR + LOOK)]
    assert events(path, "clock") == [(aside, "2028-01-16T00:05:00Z")]


def test_texts_hold_on_as_before_the_clock_was_ahead(path: Path) -> None:
    with open_history(path, writable=True) as history:
        history.record(observation(START, settings={"K": "1"}), live=True)
        history.record(observation(START + YEAR, settings={"K": "2"}), live=True)
    refused(path, START + LOOK)
    with open_history(path, writable=True) as history:
        history.record(observation(START + 2 * LOOK, settings={"K": "1"}), live=True)

        found = history.kept(POOL, 0, START + 9 * YEAR, "setting")
    assert [(each.text, each.since, each.until) for each in found] == [("1", START, None)]


def test_a_clock_that_is_behind_for_one_look_changes_nothing(path: Path) -> None:
    look(path, START)
    assert refused(path, START - 30 * DAY)
    look(path, START + LOOK)
    assert refused(path, START - 30 * DAY + 2 * LOOK)

    assert times(path) == [START, START + LOOK]
    assert pools(path) == (POOL,)


def test_a_clock_from_before_the_installation_is_never_believed(path: Path) -> None:
    look(path, START)

    assert all(refused(path, START - 10 * YEAR + number * LOOK) for number in range(5))
    assert times(path) == [START]


def test_an_hour_ahead_is_waited_for(path: Path) -> None:
    look(path, START + HOUR)

    assert all(refused(path, START + number * LOOK) for number in range(5))
    look(path, START + HOUR + LOOK)
    assert times(path) == [START + HOUR, START + HOUR + LOOK]
    assert pools(path) == (POOL,)


def test_snapshots_out_of_their_order_set_nothing_aside(path: Path) -> None:
    with open_history(path, writable=True) as history:
        history.record(observation(START + YEAR))
        for moment in (START, START + LOOK):
            with pytest.raises(HistoryError, match="later than the observation"):
                history.record(observation(moment))

    assert times(path) == [START + YEAR]


def test_what_was_set_aside_hides_no_clock_that_is_ahead_from_prune(path: Path) -> None:
    look(path, START)
    look(path, START + 9 * YEAR)
    refused(path, START + LOOK)
    look(path, START + 2 * LOOK)

    with open_history(path, writable=True) as history:
        assert history.newest() == START + 2 * LOOK
        history.prune(START + 30 * DAY, KEPT)
    assert len(pools(path)) == 2


@pytest.mark.parametrize(("step", "told"), [(3600, ["3600"]), (-3600, ["-3600"]), (20, [])])
def test_a_step_of_the_clock_is_an_event(
    step: int, told: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(path, START)
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + step)
    look(path, START + 2 * HOUR)
    look(path, START + 2 * HOUR + LOOK)

    assert [text for _, text in events(path, "clock-step")] == told
