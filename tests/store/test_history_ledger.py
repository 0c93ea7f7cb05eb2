"""The ledger of elastic quotas in a history: what is written of a look, and what is left of it when it is old."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from htcq.drift.ledger import Booking, LedgerEntry
from htcq.drift.observation import MAX_GAP, DriftObservation
from htcq.drift.retention import Retention
from htcq.errors import HistoryError
from htcq.store.history import open_history
from tests.store.histories import FOREVER, LOOK, POOL, START, execute, observation, record

DAY = 86400
A = LedgerEntry("a", "gpus", 8, 5, 3, lent=4, borrowed=0, unused=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drift.db"


def look(number: int, *entries: LedgerEntry, pool: str = POOL) -> DriftObservation:
    return observation(START + number * LOOK, ledger=entries, pool=pool)


def ledger(
    path: Path, pool: str = POOL, since: int = 0, until: int = FOREVER, step: int = 1
) -> list[Booking]:
    with open_history(path) as history:
        return sorted(
            history.ledger(pool, since, until, step), key=lambda each: (each.until, each.sums.group)
        )


def accounts(path: Path) -> set[tuple[str, str]]:
    connection = sqlite3.connect(path)
    found = set(connection.execute("SELECT name, dimension FROM account").fetchall())
    connection.close()
    return found


def test_a_look_stands_for_the_time_since_the_one_before(path: Path) -> None:
    """The first of all stands for no time, and is not in the ledger."""
    record(path, look(0, A), look(1, A))

    assert ledger(path) == [
        Booking(
            LedgerEntry("a", "gpus", *(LOOK * each for each in (8, 5, 3, 4, 0, 1))),
            START,
            START + LOOK,
            LOOK,
        )
    ]


def test_the_same_look_again_changes_nothing(path: Path) -> None:
    record(path, look(0, A), look(1, A))
    before = ledger(path)
    record(path, look(1, LedgerEntry("b", "gpus", 9)))

    assert ledger(path) == before


@pytest.mark.parametrize(("gap", "booked"), [(MAX_GAP, 1), (MAX_GAP + 1, 0)])
def test_a_time_in_which_nobody_looked_is_not_booked(gap: int, booked: int, path: Path) -> None:
    record(path, look(0, A), observation(START + gap, ledger=(A,)))

    assert len(ledger(path)) == booked


def test_a_look_without_a_ledger_leaves_its_time_out(path: Path) -> None:
    record(path, look(0, A), look(1, A), look(2), look(3, A))

    assert [each.until for each in ledger(path)] == [START + LOOK, START + 3 * LOOK]


def test_each_dimension_and_each_pool_has_its_own(path: Path) -> None:
    other = LedgerEntry("a", "weight", 1)
    record(path, look(0), look(1, A, other), look(0, pool="x"), look(1, other, pool="x"))

    assert {(each.sums.group, each.sums.dimension) for each in ledger(path)} == {
        ("a", "gpus"),
        ("a", "weight"),
    }
    assert [(each.sums.dimension, each.sums.min) for each in ledger(path, "x")] == [
        ("weight", LOOK)
    ]
    assert ledger(path, "y") == []


def test_what_stands_for_any_time_of_a_span_is_read(path: Path) -> None:
    record(path, *(look(number, A) for number in range(5)))
    middle = START + 2 * LOOK

    assert [each.until for each in ledger(path, since=middle, until=middle + 1)] == [middle + LOOK]
    assert [each.until for each in ledger(path, since=middle - 1, until=middle + 1)] == [
        middle,
        middle + LOOK,
    ]


def test_steps_add_up_what_lies_in_them(path: Path) -> None:
    """Of three looks two lie in the first part."""
    record(path, *(look(number, A) for number in range(5)))
    since = START + LOOK
    found = ledger(path, since=since, until=since + 4 * LOOK, step=2 * LOOK)

    assert [(each.since, each.until, each.seconds, each.sums.lent) for each in found] == [
        (since, since + 2 * LOOK, 2 * LOOK, 8 * LOOK), (since + 2 * LOOK, since + 4 * LOOK, LOOK, 4 * LOOK),
    ]  # fmt: skip
    # From a minute later on the first is cut off, and the third lies across the edge; each is told
    # as it is.
    across = ledger(path, since=since + 60, until=since + 4 * LOOK, step=2 * LOOK)
    assert [(each.since, each.until) for each in across] == [
        (since, since + LOOK), (since + 60, since + 60 + 2 * LOOK), (since + 2 * LOOK, since + 3 * LOOK),
    ]  # fmt: skip


def test_amounts_beyond_all_measure_are_kept_as_many_and_add_up(path: Path) -> None:
    """Five years of the disk of the largest pools are more KiB seconds than 64 bits hold."""
    huge = LedgerEntry("a", "disk", used=10**30)
    with open_history(path, writable=True) as history:
        for hour in range(48):
            history.record(observation(START + hour * 3600, ledger=(huge,)))
    (booked,) = ledger(path, since=START, until=START + 2 * DAY, step=2 * DAY)

    assert booked.sums.used == 47 * 3600 * 10**14 > 2**63


def test_hours_and_days_have_the_same_sums(path: Path) -> None:
    with open_history(path, writable=True) as history:
        for number in range(600):
            history.record(look(number, LedgerEntry("a", "gpus", lent=number % 7, used=number)))
        before = [
            sum(getattr(each.sums, name) for each in history.ledger(POOL, 0, FOREVER))
            for name in ("lent", "used")
        ]
        history.prune(FOREVER, Retention(0, 0, FOREVER))
        after = list(history.ledger(POOL, 0, FOREVER))

    assert [sum(getattr(each.sums, name) for each in after) for name in ("lent", "used")] == before
    # Two days and two hours: of the rest hours are left, and of the last hour looks.
    assert len(after) < 30


def test_what_is_dropped_takes_its_names_along(path: Path) -> None:
    record(
        path,
        look(0),
        look(1, LedgerEntry("gone", "gpus", 1)),
        observation(START + DAY, ledger=(A,)),
    )
    record(path, observation(START + DAY + LOOK, ledger=(A,)))
    with open_history(path, writable=True) as history:
        history.prune(START + DAY + LOOK, Retention(0, 0, LOOK))

    assert accounts(path) == {("a", "gpus")}


def test_of_a_pool_that_is_long_gone_the_newest_record_stays(path: Path) -> None:
    record(path, look(0, A, pool="x"), look(1, pool="x"), observation(START + 5 * DAY))
    with open_history(path, writable=True) as history:
        history.prune(START + 5 * DAY, Retention(0, 0, DAY))
        assert history.pools() == (POOL, "x")

    assert accounts(path) == set()


def test_what_no_htcq_wrote_is_told_as_damage(path: Path) -> None:
    record(path, look(0, A), look(1, A))
    execute(path, "UPDATE ledger SET account = 77")

    with pytest.raises(HistoryError, match=r"drift\.db is damaged"):
        ledger(path)
