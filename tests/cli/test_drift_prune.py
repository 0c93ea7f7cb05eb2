"""htcq drift prune: what is merged, what is said of it, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from htcq.store.history import open_history
from tests.cli.conftest import Call, listing, names
from tests.cli.looks import START, damage, recorded

PRUNE = ("drift", "prune", "--config", "htcq.toml")


def looks() -> list[int]:
    """Return how many looks are in each row that is kept of physics."""
    with open_history(Path("history.db")) as history:
        return [
            sample.looks for sample in history.samples("cm.example.net", 0, START * 2, ["physics"])
        ]


@pytest.fixture
def history(call: Call, quiet_place: Path) -> Path:
    """Fourteen looks, from 8:00 to 9:05."""
    recorded(call, quiet_place, *[20] * 14)
    return quiet_place / "history.db"


@pytest.mark.usefixtures("history")
def test_hours_are_made_of_looks(call: Call) -> None:
    """The one of 8:00 ends an hour, twelve make the next, and that of 9:05 may get company: 3 groups lose 11 rows."""
    done = call(*PRUNE, "--keep-hours", "30y", "--keep-days", "40y")

    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(
        r"history\.db: 33 rows merged or dropped; \S+ KiB before, \S+ KiB now\n", done.out
    )
    assert looks() == [1, 12, 1]
    assert call(*PRUNE, "--keep-hours", "30y", "--keep-days", "40y").out.startswith(
        "history.db: 0 rows "
    )


@pytest.mark.usefixtures("history")
def test_the_site_file_says_what_is_kept_and_flags_come_first(
    call: Call, quiet_place: Path
) -> None:
    site = quiet_place / "htcq.toml"
    site.write_text(f"{site.read_text()}keep_fine = '30y'\nkeep_hours = '30y'\nkeep_days = '40y'\n")

    assert call(*PRUNE).out.startswith("history.db: 0 rows ")
    assert looks() == [1] * 14
    assert call(*PRUNE, "--keep-fine", "1d").out.startswith("history.db: 33 rows ")


@pytest.mark.usefixtures("history")
def test_what_is_older_than_all_is_dropped(call: Call) -> None:
    call(*PRUNE, "--force", "--keep-fine", "1h", "--keep-hours", "1h", "--keep-days", "1h")

    assert looks() == [1]


def test_a_clock_far_ahead_of_the_newest_record_removes_nothing(call: Call, history: Path) -> None:
    """The looks are of 2024, and the clock of this machine says a later year."""
    before = history.read_bytes()
    done = call(*PRUNE)

    assert (done.status, done.out) == (3, "")
    assert re.fullmatch(
        r"htcq: history\.db: nothing was pruned: its newest record, of 2024-11-04T09:05:00\+00:00, is \d{3,} days older "
        r"than the clock of this machine \(set the clock right; if it is right, --force prunes, .*\)\n",
        done.err,
    )
    assert history.read_bytes() == before
    assert looks() == [1] * 14


@pytest.mark.parametrize(
    ("days", "flags", "status"),
    [(29, "--keep-hours 20d", 0), (31, "--keep-hours 20d", 3), (89, "", 0), (91, "", 3)],
)
@pytest.mark.usefixtures("history")
def test_a_history_may_rest_for_a_month_or_as_long_as_hours_are_kept(
    days: int, flags: str, status: int, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("htcq.operations.history.time.time", lambda: START + days * 86400 + 3900)

    assert call(*PRUNE, *flags.split()).status == status


def test_without_a_history_none_is_made(call: Call, quiet_place: Path) -> None:
    done = call(*PRUNE, "--store", "missing.db", "--config", "/dev/null")

    assert (done.status, done.out) == (3, "")
    assert "missing.db: there is no history" in done.err
    assert names(quiet_place) == ["node.json"]


def test_a_damaged_history_is_set_aside_and_said_to_be(call: Call, history: Path) -> None:
    damage(history)
    done = call(*PRUNE)

    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("htcq: history.db was damaged: it is ")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--keep-fine", "soon"], "--keep-fine is 'soon'"),
        (["--keep-days", "0d"], "--keep-days is '0d'"),
        (["--keep-fine", "100d"], "--keep-fine is longer than --keep-hours"),
        (["--keep-hours", "9y"], "--keep-hours is longer than --keep-days"),
        (["--config", "missing.toml"], "missing.toml cannot be read"),
    ],
)
@pytest.mark.usefixtures("history")
def test_what_cannot_be_asked_is_refused(
    flags: list[str], said: str, call: Call, quiet_place: Path
) -> None:
    before = listing(quiet_place)
    done = call(*PRUNE, *flags)

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert listing(quiet_place) == before
