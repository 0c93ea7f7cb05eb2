"""A damaged history is named and set aside, never lost and never taken for a sound one."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from htcq.drift.observation import Kept
from htcq.errors import HistoryError
from htcq.store.history import open_history
from tests.store.histories import (
    FOREVER,
    LOOK,
    POOL,
    ROOT,
    START,
    crowd,
    execute,
    names,
    observation,
    record,
    samples,
    times,
)
from tests.store.recorder import command, left_by_a_killed_writer
from tests.store.refusals import refusal

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drift.db"


@pytest.fixture
def damaged(path: Path) -> Path:
    """Give a history of 100 looks, the second half of whose pages is garbage."""
    record(path, crowd(START))
    with open_history(path, writable=True) as history:
        for number in range(1, 100):
            history.record(crowd(START + number * LOOK))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // PAGE * PAGE)
        file.write(random.Random(1).randbytes(size // 2 // PAGE * PAGE))
    return path


def test_a_damaged_file_is_set_aside_and_kept(damaged: Path) -> None:
    before = damaged.read_bytes()
    with open_history(damaged, writable=True) as history:
        aside = history.set_aside
        assert history.record(crowd(START + 100 * LOOK)) is True
        assert history.pools() == (POOL,)

    assert aside is not None
    assert aside.parent == damaged.parent
    assert aside.name.startswith("drift.db.damaged-2")
    assert aside.name.endswith("Z")
    assert aside.read_bytes() == before
    assert names(damaged.parent) == ["drift.db", aside.name]
    assert times(damaged) == [START + 100 * LOOK]


def test_a_file_whose_names_are_no_text_is_damaged(path: Path) -> None:
    """SQLite tells of the name in its message, which Python cannot read then."""
    record(path, crowd(START))
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE sample", b"CREATE TABLE 1a\xd2ple"))
    assert "is damaged: malformed" in str(refusal(path, writable=False))

    with open_history(path, writable=True) as history:
        assert history.set_aside is not None
        assert history.record(crowd(START)) is True


def test_a_new_history_tells_of_the_damaged_one(damaged: Path) -> None:
    with open_history(damaged, writable=True) as history:
        aside = history.set_aside
        history.record(crowd(START))
    assert aside is not None
    with open_history(damaged) as history:
        (found,) = history.kept(POOL, 0, 2**40, "damage")

    assert found == Kept("damage", aside.name, found.text, found.since, found.since)
    assert found.text
    assert abs(found.since - aside.stat().st_ctime) < 60


def test_the_next_writer_is_not_alarmed_again(damaged: Path) -> None:
    record(damaged, crowd(START))
    with open_history(damaged, writable=True) as history:
        assert history.set_aside is None


def test_a_reader_names_the_damaged_file_and_what_to_do(damaged: Path) -> None:
    before = damaged.read_bytes()
    told = refusal(damaged, False)

    assert "drift.db is damaged" in str(told)
    assert f"sqlite3 {damaged} .recover" in told.hint
    assert (damaged.read_bytes(), names(damaged.parent)) == (before, ["drift.db"])


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_truncated_file_is_damaged(part: float, path: Path) -> None:
    record(path, crowd(START), crowd(START + LOOK))
    os.truncate(path, int(path.stat().st_size * part))

    assert "is damaged" in str(refusal(path, False))
    with open_history(path, writable=True) as history:
        assert history.set_aside is not None


def test_a_wal_goes_with_its_file(path: Path) -> None:
    left_by_a_killed_writer(path, START, START + LOOK)
    wal = path.with_name("drift.db-wal").read_bytes()
    os.truncate(path, PAGE + 1)
    path.with_name("drift.db-wal").write_bytes(b"")
    with open_history(path, writable=True) as history:
        aside = history.set_aside
    assert aside is not None

    path.with_name("drift.db-wal").write_bytes(wal)
    path.unlink()
    with open_history(path, writable=True) as history:
        aside = history.set_aside
        history.record(crowd(START))
    assert aside is not None
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == wal
    assert times(path) == [START]


def test_two_damaged_files_in_a_second_are_both_kept(path: Path) -> None:
    found = set()
    for _ in range(3):
        record(path, crowd(START))
        os.truncate(path, PAGE)
        with open_history(path, writable=True) as history:
            assert history.set_aside is not None
            found.add(history.set_aside)
        path.unlink()

    assert {path.parent / name for name in names(path.parent)} == found
    assert len(found) == 3


def test_damage_that_comes_while_it_is_open_is_set_aside_too(path: Path) -> None:
    record(
        path, observation(START, settings={f"KNOB_{number}": "x" * 200 for number in range(200)})
    )
    with open_history(path, writable=True) as history:
        # What another has written makes SQLite forget what it has read.
        subprocess.run(command("many", path, START, "other", 1), check=True, cwd=ROOT)
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(PAGE)
            file.write(b"\xa5" * (size - PAGE))
        assert history.record(observation(START + LOOK)) is True
        assert history.set_aside is not None
        assert history.set_aside.stat().st_size == size

    assert times(path) == [START + LOOK]


def test_a_new_history_has_the_rights_of_the_damaged_one(damaged: Path) -> None:
    damaged.chmod(0o640)
    record(damaged, crowd(START))

    assert stat.S_IMODE(damaged.stat().st_mode) == 0o640


def test_garbage_anywhere_is_an_error_or_set_aside_and_never_a_crash(path: Path) -> None:
    """Every page in turn becomes garbage, wholly or in part; page 1 but for the header that says whose it is."""
    record(path, *(crowd(START + number * LOOK) for number in range(12)))
    sound, chance = path.read_bytes(), random.Random(2)
    noticed = 0
    for number in range(2 * len(sound) // PAGE):
        start = number // 2 * PAGE + (
            100 if number < 2 else chance.randrange(PAGE // 2) if number % 2 else 0
        )
        length = chance.randrange(1, 200) if number % 2 else (number // 2 + 1) * PAGE - start
        bad = sound[:start] + chance.randbytes(length) + sound[start + length :]
        path.write_bytes(bad)
        try:
            samples(path)
        except HistoryError as error:
            assert "is damaged" in str(error)  # noqa: PT017 - to read it is right as well
        with open_history(path, writable=True) as history:
            assert history.record(crowd(START + 100 * LOOK)) is True
            aside = history.set_aside
        assert times(path)[-1] == START + 100 * LOOK
        if aside is not None:
            noticed += 1
            assert aside.read_bytes() == bad
            aside.unlink()

    # Of pages that are garbage as a whole each is noticed; a few bytes may well be numbers.
    assert noticed >= len(sound) // PAGE
    assert noticed < 2 * len(sound) // PAGE


def test_other_tables_in_the_file_are_told_as_they_are(path: Path) -> None:
    record(path, observation(START))
    execute(path, "DROP TABLE kept")

    assert "no such table: kept" in str(refusal(path, True))
    with pytest.raises(HistoryError, match="no such table"), open_history(path) as history:
        history.kept(POOL, 0, FOREVER)
    assert sqlite3.connect(path).execute("SELECT COUNT(*) FROM sample").fetchone() == (1,)
