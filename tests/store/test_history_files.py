"""A history is read without a trace, and made as a whole; what is something else is refused and left as it is."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from htcq.errors import HistoryError
from htcq.store.history import open_history
from tests.store.histories import (
    FOREVER,
    LOOK,
    POOL,
    START,
    crowd,
    execute,
    names,
    observation,
    record,
    times,
)
from tests.store.recorder import left_by_a_killed_writer
from tests.store.refusals import refusal


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
def test_what_a_killed_writer_left_is_read_and_left_as_it_is(
    endings: tuple[str, ...], path: Path
) -> None:
    record(path, crowd(START))
    left_by_a_killed_writer(path, START + LOOK, START + 2 * LOOK)
    for ending in endings:
        path.with_name(f"drift.db{ending}").unlink()
    before = {name: (path.parent / name).read_bytes() for name in names(path.parent)}

    assert "drift.db-wal" in before
    assert times(path) == [START, START + LOOK, START + 2 * LOOK]
    assert {name: (path.parent / name).read_bytes() for name in names(path.parent)} == before


def test_what_a_killed_writer_left_is_brought_home_by_the_next(path: Path) -> None:
    left_by_a_killed_writer(path, START)
    record(path, crowd(START + LOOK))

    assert names(path.parent) == ["drift.db"]
    assert times(path) == [START, START + LOOK]


@pytest.mark.parametrize("wal", [True, False])
def test_who_may_read_but_not_write_reads(wal: bool, public: Path) -> None:
    path = public / "drift.db"
    record(path, crowd(START))
    if wal:
        left_by_a_killed_writer(path, START + LOOK)
    before = names(public)
    for each in public.iterdir():
        # nobody() keeps the group.
        each.chmod(0o640)
    public.chmod(0o555)
    with nobody():
        assert times(path) == [START, START + LOOK][: 1 + wal]
        told = refusal(path, True)
    public.chmod(0o755)

    assert "cannot be written" in str(told)
    assert "must be writable" in told.hint
    assert names(public) == before


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# a text\n" * 100, "no SQLite database"),
        (b"SQLite format 3\0", "no SQLite database"),
        (b"\0", "no SQLite database"),
    ],
)
def test_what_is_no_database_is_refused(
    content: bytes, message: str, writable: bool, path: Path
) -> None:
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
        assert "cannot be written: Permission denied" in str(refusal(public / "new.db", True))
    public.chmod(0o755)

    assert names(public) == ["drift.db"]


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


def test_an_account_that_may_only_read_keeps_no_writer_waiting(public: Path) -> None:
    """It can lock whatever it can open: the directory, and no file of the history."""
    record(public / "drift.db", crowd(START))
    reading, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        held = []
        for each in (public, *public.iterdir()):
            with suppress(OSError):
                held.append(os.open(each, os.O_RDONLY))
                fcntl.flock(held[-1], fcntl.LOCK_EX)
        os.write(told, bytes([len(held)]))
        signal.pause()
    try:
        assert os.read(reading, 1) == b"\x01"
        record(public / "drift.db", crowd(START + LOOK))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    assert times(public / "drift.db") == [START, START + LOOK]
    assert names(public) == ["drift.db"]


def modes(directory: Path) -> set[int]:
    return {stat.S_IMODE(each.stat().st_mode) for each in directory.iterdir()}


def test_a_new_history_is_for_its_owner_alone(path: Path) -> None:
    former = os.umask(0o022)
    try:
        with open_history(path, writable=True) as history:
            history.record(observation(START))
            assert len(names(path.parent)) > 1
            assert modes(path.parent) == {0o600}
    finally:
        os.umask(former)
    assert modes(path.parent) == {0o600}


@pytest.mark.parametrize(
    ("before", "after"), [(0o644, 0o600), (0o664, 0o600), (0o640, 0o640), (0o600, 0o600)]
)
def test_a_history_that_everybody_may_read_is_taken_from_others(
    before: int, after: int, path: Path
) -> None:
    record(path, observation(START))
    path.chmod(before)
    record(path, observation(START + LOOK))

    assert stat.S_IMODE(path.stat().st_mode) == after
