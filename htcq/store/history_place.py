"""The file of a history: its owner, creation, locks, copies, and what happens to a damaged one.

SQLite's locks are those of fcntl(2): they belong to a process and end when it closes the file
anywhere. So a process must have a history open only once.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from htcq.errors import HistoryError
from htcq.passing import noted
from htcq.store.history_schema import APPLICATION_ID, make_tables
from htcq.store.lock import locked
from htcq.whole_file import sync_directory

#: A database in write-ahead mode is up to three files.
ENDINGS = ("", "-wal", "-shm")
#: What a file of SQLite begins with, and where in it the program's number is
#: (https://www.sqlite.org/fileformat.html).
_MAGIC, _HEADER, _NUMBER = b"SQLite format 3\0", 100, slice(68, 72)
#: The bytes of which SQLite locks one range for all who read (SHARED_FIRST and SHARED_SIZE in its
#: os.h).
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510
_PAUSE = 0.02
#: SQLite gives ``-wal`` and ``-shm`` the mode of the file.
_MODE, _OTHERS = 0o600, 0o007


def check_owner(path: Path) -> None:
    """Refuse what is no history.

    Raises:
        HistoryError: it is another kind of file, or of another program.
        OSError: it cannot be read.
    """
    hint = "it was left as it is: give the history another file"
    if not stat.S_ISREG(path.stat().st_mode):
        kind = "no file"
        if path.is_dir():
            kind = "a directory"
        raise HistoryError(f"{path} is {kind}", hint)
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise HistoryError(f"{path} is no history: it is no SQLite database", hint)
    if int.from_bytes(header[_NUMBER], "big") != APPLICATION_ID:
        raise HistoryError(
            f"{path} is no history of htcq: it is the SQLite database of another program", hint
        )


def is_there(path: Path) -> bool:
    """Return whether there is anything at ``path``; an empty file is nothing, as for SQLite."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(found.st_mode) and found.st_size == 0)


def connect(path: Path, parameters: str, timeout: float) -> sqlite3.Connection:
    """Return a connection that does nothing by itself: no transaction is begun but with BEGIN."""
    return sqlite3.connect(
        f"{path.as_uri()}?{parameters}", timeout=timeout, isolation_level=None, uri=True
    )


def make_history(path: Path, like: os.stat_result | None) -> None:
    """Put an empty history at ``path``, completely or not at all.

    It has the owner and the mode of ``like``.
    """
    new = path.with_name(f".{path.name}.new")
    parts = [_beside(new, ending) for ending in (*ENDINGS, "-journal")]
    with noted(*parts):
        for part in parts:
            part.unlink(missing_ok=True)
        os.close(
            os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
        )
        connection = connect(new, "mode=rw", 0)
        try:
            make_tables(connection)
        finally:
            connection.close()
        if like is not None:
            if os.geteuid() == 0:
                os.chown(new, like.st_uid, like.st_gid)
            new.chmod(stat.S_IMODE(like.st_mode))
            make_private(new)
        new.replace(path)
    sync_directory(path.parent)


def make_private(path: Path) -> None:
    """Remove others' access to a history that all may read: it has users and their requests.

    What its owner gave to a group stays with that group alone, where others have nothing.
    """
    found = path.stat()
    if found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
        for ending in ENDINGS:
            if _beside(path, ending).exists():
                _beside(path, ending).chmod(_MODE)


def set_aside(path: Path) -> Path:
    """Rename the history and SQLite's files beside it to ``NAME.damaged-TIME``; return that."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    names = (
        path.with_name(f"{path.name}.damaged-{stamp}{more}")
        for more in ("", *(f"-{n}" for n in range(2, 1000)))
    )
    goal = next(
        name for name in names if not any(_beside(name, ending).exists() for ending in ENDINGS)
    )
    for ending in ENDINGS:
        if _beside(path, ending).exists():
            _beside(path, ending).rename(_beside(goal, ending))
    sync_directory(path.parent)
    return goal


@contextmanager
def making_locked(path: Path, timeout: float) -> Iterator[None]:
    """Wait for other htcq that make the history ``path`` or set it aside.

    The lock is a file that its owner alone may open: one who may read a file may lock it, and keep
    others waiting.

    Raises:
        sqlite3.OperationalError: they did not end in time.
        OSError: the lock cannot be opened.
    """
    lock = path.with_name(f".{path.name}.lock")
    until = time.monotonic() + timeout
    while True:
        with ExitStack() as stack:
            handle = _taken(stack, lock, until - time.monotonic())
            # Who held it before has removed it: another one may have made the next.
            if _is_at(handle, lock):
                with noted(lock):
                    yield
                return


def _taken(stack: ExitStack, lock: Path, patience: float) -> int:
    try:
        return stack.enter_context(locked(lock, patience))
    except BlockingIOError as error:
        raise sqlite3.OperationalError("database is locked") from error


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def kept_as_it_is(path: Path, timeout: float) -> Iterator[None]:
    """Keep writers from moving ``-wal`` into the file; they do that only while nobody reads.

    This lock is SQLite's own, which its writers look at.

    Raises:
        sqlite3.OperationalError: one is at it, and did not end in time.
        OSError: the file cannot be opened.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        mode = fcntl.LOCK_SH | fcntl.LOCK_NB
        _patiently(lambda: fcntl.lockf(handle, mode, _SHARED_SIZE, _SHARED_FIRST), timeout)
        yield
    finally:
        os.close(handle)


def is_ahead(path: Path) -> bool:
    """Return whether there is anything in ``-wal`` that may not be in the file."""
    wal = _beside(path, "-wal")
    return wal.exists() and wal.stat().st_size > 0


def copy_history(path: Path, goal: Path) -> None:
    """Copy the file and ``-wal``; a concurrent addition is in the copy completely or not at all."""
    # The file comes last: when it is closed, the lock on it ends.
    for ending in ("-wal", ""):
        if _beside(path, ending).exists():
            shutil.copyfile(_beside(path, ending), _beside(goal, ending))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}{ending}")


def _patiently(lock: Callable[[], None], timeout: float) -> None:
    until = time.monotonic() + timeout
    while True:
        try:
            return lock()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            if time.monotonic() > until:
                raise sqlite3.OperationalError("database is locked") from error
        time.sleep(_PAUSE)
