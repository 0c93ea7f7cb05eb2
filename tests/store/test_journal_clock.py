"""Journals of a clock that was wrong, or is: an hour, a year, ten years, before and during.

What was recorded in one boot has its time by that; else nothing from the future is believed, and nothing is lost.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from htcq.clock import Clock, Stamp, sane_times
from htcq.elastic.journal import LOOK, REFUSED, JournalRecord, silent_for
from htcq.elastic.reclaim.reclaim_events import (
    IntentEvent,
    ObservationEvent,
    Origin,
    ResumeEvent,
    stamp_of,
)
from htcq.elastic.reclaim.reclaim_fields import JobEntry
from htcq.settings.durations import DAY, HOUR
from htcq.store import elastic_journal, history_clock, reclaim_journal
from htcq.store.elastic_journal import Journal
from htcq.store.reclaim_journal import ReclaimJournal

NOW, UP, BOOT = 1_800_000_000.0, 500_000.0, "b"
YEAR = 365 * DAY
STEPS = pytest.mark.parametrize("step", [HOUR, -HOUR, YEAR, -10 * YEAR], ids=["+1h", "-1h", "+1y", "-10y"])  # fmt: skip


def clock(seconds: float = 0, boot: str = BOOT, step: float = 0) -> Clock:
    """Return the clock so many seconds after NOW that is wrong by ``step``."""
    now = NOW + seconds + step
    return Clock(now, boot, UP + seconds, right=now > NOW - YEAR)


class Clocks:
    """Sets the clock of both journals."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = clock()
        for module in (elastic_journal, reclaim_journal, history_clock):
            monkeypatch.setattr(module, "clock_now", lambda: self.now)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


# The times
# --------------------------------------------------------------------------------------------------


@STEPS
def test_in_one_boot_no_step_of_the_clock_changes_what_is_believed(step: float) -> None:
    """Recorded before the step, after it, and after it was taken back."""
    stamps = [clock(at, step=by).stamped(NOW + at + by) for at, by in ((0, 0), (10, step), (20, 0))]

    for by in (0.0, step):
        there = clock(3000, step=by)
        assert [there.now - each for each in sane_times(stamps, there)] == [3000, 2990, 2980]


@STEPS
def test_of_another_boot_nothing_from_the_future_is_believed(step: float) -> None:
    times = [NOW, NOW + 10 + step, NOW + 20]
    found = sane_times([Stamp(each, "a", 5.0) for each in times], clock(30))

    # One from the future has the time of the next, one from the past that of the one before it.
    wanted = {HOUR: NOW + 20, YEAR: NOW + 20, -HOUR: NOW, -10 * YEAR: NOW}
    assert found == [NOW, wanted[step], NOW + 20]


def test_the_last_one_from_the_future_is_taken_for_now() -> None:
    assert sane_times([Stamp(NOW), Stamp(NOW + YEAR)], clock(30)) == [NOW, NOW + 30]


def test_what_came_before_a_record_of_this_boot_is_not_later() -> None:
    stamps = [Stamp(NOW + HOUR, "a", 5.0), Stamp(NOW + 10, BOOT, UP + 10)]

    assert sane_times(stamps, clock(2 * HOUR)) == [NOW + 10, NOW + 10]


def test_a_look_of_before_the_boot_or_of_the_future_has_no_boot() -> None:
    assert clock().stamped(NOW - 60) == Stamp(NOW - 60, BOOT, UP - 60)
    assert clock().stamped(NOW - UP - 1) == Stamp(NOW - UP - 1)
    assert clock().stamped(NOW + HOUR) == Stamp(NOW + HOUR)


def test_this_machine_has_a_boot_and_a_clock_that_is_right() -> None:
    one, other = history_clock.clock_now(), history_clock.clock_now()

    assert one.right
    assert len(one.boot) == 36
    assert one.boot == other.boot
    assert one.up <= other.up


# The writer of quotas, and its dead man's switch
# --------------------------------------------------------------------------------------------------


@STEPS
@pytest.mark.parametrize("during", [False, True])
def test_the_dead_man_is_not_fooled_in_one_boot(
    during: bool, step: float, clocks: Clocks, tmp_path: Path
) -> None:
    """The clock is wrong while a step succeeds, or when the dead man looks."""
    journal = Journal(tmp_path / "journal")
    clocks.now = clock(step=step if during else 0)
    journal.append(JournalRecord(1, clocks.now.now, LOOK))

    assert Journal(journal.path).silent_for(clock(300, step=0 if during else step)) == 300


@pytest.mark.parametrize(
    ("step", "silence"), [(HOUR, 300.0), (-HOUR, 300.0 + HOUR), (YEAR, 300.0), (-10 * YEAR, 300.0 + 10 * YEAR)]
)  # fmt: skip
def test_after_a_boot_a_later_record_says_how_long_it_was_silent(
    step: float, silence: float
) -> None:
    records = [JournalRecord(1, NOW + step, LOOK), JournalRecord(2, NOW, REFUSED)]

    assert silent_for(records, clock(300)) == silence
    assert silent_for(records[:1], clock(300)) == (math.inf if step > 0 else silence)


def test_after_a_boot_a_clock_from_before_the_installation_decides_nothing() -> None:
    records = [JournalRecord(1, NOW, LOOK, boot="a", up=5.0)]

    assert silent_for(records, clock(300, step=-10 * YEAR)) is None
    assert silent_for(records, clock(300)) == 300


@STEPS
def test_the_last_day_of_the_writer_is_a_day(step: float, clocks: Clocks, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    for number, at in enumerate((0, 2 * HOUR, DAY), 1):
        clocks.now = clock(at, step=step if number == 2 else 0)
        journal.append(JournalRecord(number, clocks.now.now, REFUSED))

    assert [each.number for each in journal.since(DAY, clock(DAY + HOUR))] == [2, 3]
    assert [each.number for each in journal.since(DAY, clock(DAY + HOUR, step=step))] == [2, 3]


# Reclaim
# --------------------------------------------------------------------------------------------------


def vacated(at: float, number: int) -> IntentEvent:
    entry = JobEntry("access", f"{number}.0", "a", "a.bob@site", 1.0)
    return IntentEvent(Origin(at, "root", ""), f"action{number}", (entry,))


@STEPS
@pytest.mark.parametrize("during", [False, True])
def test_the_jobs_of_a_day_are_those_of_a_day(
    during: bool, step: float, clocks: Clocks, tmp_path: Path
) -> None:
    """Else a clock that is ahead would let the day's limit be spent again."""
    journal = ReclaimJournal(tmp_path / "reclaim")
    for number, at in enumerate((0, 2 * HOUR), 1):
        clocks.now = clock(at, step=step if during and number == 2 else 0)
        journal.append(vacated(clocks.now.now, number))
    clocks.now = clock(DAY + HOUR, step=0 if during else step)

    assert [each.job for each in journal.lost_today(clocks.now.now)] == ["2.0"]
    assert [each.id for each in journal.history("").actions] == ["action1", "action2"]


@STEPS
def test_after_a_boot_the_jobs_of_a_day_are_no_fewer(
    step: float, clocks: Clocks, tmp_path: Path
) -> None:
    """A vacated job of a wrong clock counts at least until the next record."""
    journal = ReclaimJournal(tmp_path / "reclaim")
    for number, at in enumerate((0, HOUR, 2 * HOUR), 1):
        clocks.now = clock(at, boot="a", step=step if number == 2 else 0)
        journal.append(vacated(clocks.now.now, number))
    clocks.now = clock(3 * HOUR)

    assert len(list(journal.lost_today(clocks.now.now))) == 3


@STEPS
def test_what_holds_since_when_is_as_long_as_it_was_seen(
    step: float, clocks: Clocks, tmp_path: Path
) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    for at in (0, 300, 600):
        clocks.now = clock(at, step=step if at == 300 else 0)
        journal.append(ObservationEvent(Origin(clocks.now.now, "root", ""), over=("a",)))
    clocks.now = clock(900, step=step)

    assert journal.history("").seconds_over("a", clocks.now.now, 660) == 900


def test_shortening_writes_times_as_they_were_recorded(clocks: Clocks, tmp_path: Path) -> None:
    """One look at the clock may be wrong: what it says is not written."""
    journal = ReclaimJournal(tmp_path / "reclaim")
    clocks.now = clock(step=YEAR)
    journal.append(ResumeEvent(Origin(clocks.now.now, "root", "")))
    for at in range(20):
        clocks.now = clock(at * HOUR)
        journal.append(ObservationEvent(Origin(clocks.now.now, "root", "")))
    clocks.now = clock(10 * DAY, boot="c")

    assert journal.shorten(HOUR, 1) is not None
    lines = [json.loads(line) for line in journal.path.read_text().splitlines()]
    assert [each["time"] for each in lines] == [NOW + YEAR, NOW + 18 * HOUR, NOW + 19 * HOUR]
    assert stamp_of(journal.events()[0]).time == NOW + 18 * HOUR
