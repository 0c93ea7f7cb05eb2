"""A history is looked for, made, refused and set aside in its directory; nothing of anybody else is touched."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from htcq.drift.observation import Kept
from htcq.errors import EXIT_UNKNOWN, HistoryError
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
from tests.store.recorder import command

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drift.db"


@pytest.fixture
def public() -> Iterator[Path]:
    """Give a directory that others may enter."""
    with tempfile.TemporaryDirectory(prefix="htcq-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


@contextmanager
def nobody() -> Iterator[None]:
    """Give up that root may do everything."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def refusal(path: Path, writable: bool) -> HistoryError:
    with pytest.raises(HistoryError) as refused, open_history(path, writable) as history:
        history.record(observation(START + LOOK)) if writable else list(history.samples(POOL, 0, FOREVER))
    assert refused.value.exit_status == EXIT_UNKNOWN
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)
    return refused.value


def killed(path: Path, *times: int) -> None:
    """Leave ``path`` as a writer does that is killed: what it wrote is in ``-wal``."""
    subprocess.run(command("killed", path, *times), check=True, cwd=ROOT)


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


# Reading


def test_reading_needs_a_history(path: Path) -> None:
    assert "there is no history" in str(refusal(path, False))
    assert names(path.parent) == []


def test_reading_changes_nothing_and_creates_nothing(path: Path) -> None:
    record(path, crowd(START))
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    with open_history(path) as history:
        assert len(list(history.samples(POOL, 0, FOREVER))) == 20
        assert names(path.parent) == ["drift.db"]

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert names(path.parent) == ["drift.db"]


@pytest.mark.parametrize("endings", [(), ("-shm",)])
def test_what_a_killed_writer_left_is_read_and_left_as_it_is(endings: tuple[str, ...], path: Path) -> None:
    record(path, crowd(START))
    killed(path, START + LOOK, START + 2 * LOOK)
    for ending in endings:
        path.with_name(f"drift.db{ending}").unlink()
    before = {name: (path.parent / name).read_bytes() for name in names(path.parent)}

    assert "drift.db-wal" in before
    assert times(path) == [START, START + LOOK, START + 2 * LOOK]
    assert {name: (path.parent / name).read_bytes() for name in names(path.parent)} == before


def test_what_a_killed_writer_left_is_brought_home_by_the_next(path: Path) -> None:
    killed(path, START)
    record(path, crowd(START + LOOK))

    assert names(path.parent) == ["drift.db"]
    assert times(path) == [START, START + LOOK]


@pytest.mark.parametrize("wal", [True, False])
def test_who_may_read_but_not_write_reads(wal: bool, public: Path) -> None:
    path = public / "drift.db"
    record(path, crowd(START))
    if wal:
        killed(path, START + LOOK)
    before = names(public)
    public.chmod(0o555)
    with nobody():
        assert times(path) == [START, START + LOOK][: 1 + wal]
        told = refusal(path, True)
    public.chmod(0o755)

    assert "cannot be written" in str(told)
    assert "must be writable" in told.hint
    assert names(public) == before


# Refused, and left as it is


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# a text\n" * 100, "no SQLite database"),
        (b"SQLite format 3\0", "no SQLite database"),
        (b"\0", "no SQLite database"),
    ],
)
def test_what_is_no_database_is_refused(content: bytes, message: str, writable: bool, path: Path) -> None:
    path.write_bytes(content)

    told = refusal(path, writable)
    assert message in str(told)
    assert "left as it is" in told.hint
    assert (path.read_bytes(), names(path.parent)) == (content, ["drift.db"])


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("number", [0, 252006673])
def test_the_database_of_somebody_else_is_refused(number: int, writable: bool, path: Path) -> None:
    execute(path, f"PRAGMA application_id = {number}", "CREATE TABLE theirs (x)")
    before = path.read_bytes()

    assert "database of another program" in str(refusal(path, writable))
    assert (path.read_bytes(), names(path.parent)) == (before, ["drift.db"])


@pytest.mark.parametrize("writable", [True, False])
def test_a_directory_and_a_pipe_are_refused(writable: bool, tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")

    assert "is a directory" in str(refusal(tmp_path / "directory", writable))
    assert "is no file" in str(refusal(tmp_path / "pipe", writable))


def test_a_directory_that_is_missing_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="missing is not a directory") as refused:
        record(tmp_path / "missing" / "drift.db", observation(START))

    assert "make it first" in refused.value.hint
    assert names(tmp_path) == []


@pytest.mark.parametrize("writable", [True, False])
def test_a_name_that_cannot_be_is_told(writable: bool, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for name in (tmp_path / ("x" * 300), loop):
        with pytest.raises(HistoryError), open_history(name, writable):
            pass
    with pytest.raises(HistoryError), open_history(tmp_path / "file" / "drift.db", writable):
        pass


def test_permission_denied_is_told(public: Path) -> None:
    record(public / "drift.db", observation(START))
    (public / "drift.db").chmod(0)
    public.chmod(0o555)
    with nobody():
        assert "cannot be read: Permission denied" in str(refusal(public / "drift.db", False))
        assert "cannot be written: Permission denied" in str(refusal(public / "drift.db", True))
        assert "cannot be written: unable to open" in str(refusal(public / "new.db", True))
    public.chmod(0o755)

    assert names(public) == ["drift.db"]


# Made


def test_an_empty_file_is_filled_and_keeps_its_rights(path: Path) -> None:
    path.touch()
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    record(path, observation(START))

    assert times(path) == [START]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_uid == (65534 if os.geteuid() == 0 else os.getuid())
    assert names(path.parent) == ["drift.db"]


def test_an_empty_file_is_no_history_yet(path: Path) -> None:
    path.touch()

    assert "there is no history" in str(refusal(path, False))


def test_what_a_killed_beginner_left_is_no_hindrance(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(f".drift.db.new{ending}").write_bytes(b"x" * 10_000)
    record(path, observation(START))

    assert times(path) == [START]
    assert names(path.parent) == ["drift.db"]


# Damaged


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
    killed(path, START, START + LOOK)
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
    record(path, observation(START, settings={f"KNOB_{number}": "x" * 200 for number in range(200)}))
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
        start = number // 2 * PAGE + (100 if number < 2 else chance.randrange(PAGE // 2) if number % 2 else 0)
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
