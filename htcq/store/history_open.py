"""Connections to a history for readers and writers."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from htcq.errors import HistoryError
from htcq.passing import temporary_directory
from htcq.store import history_place as place
from htcq.store.history_errors import NO_TEXT, explained, is_damage
from htcq.store.history_record import keep_damage
from htcq.store.history_schema import is_current, migrate

_AS_A_WRITER = (
    "synchronous = FULL",
    "foreign_keys = ON",
    "journal_mode = WAL",
    "wal_autocheckpoint = 0",
)


def connect_writer(path: Path, timeout: float) -> tuple[sqlite3.Connection, Path | None]:
    """Return a connection to an intact history, and where a damaged one was set aside.

    Raises:
        HistoryError: it is something else, or was made by a newer htcq.
        sqlite3.Error, OSError: it cannot be written.
    """
    if not path.parent.is_dir():
        raise HistoryError(
            f"{path.parent} is not a directory", "make it first, writable for the user who records"
        )
    with place.making_locked(path, timeout):
        if not place.is_there(path):
            if place.is_ahead(path):
                # SQLite would take it for a part of the new one.
                return _instead(path, timeout, "only its -wal is left")
            place.make_history(path, _status(path))
        place.check_owner(path)
        place.make_private(path)
        try:
            return _checked(path, timeout), None
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return _instead(path, timeout, str(error))


def connect_anew(
    path: Path, timeout: float, damaged: int, why: str
) -> tuple[sqlite3.Connection, Path | None]:
    """As :func:`connect_writer`, after damage was found in the file with inode ``damaged``."""
    with place.making_locked(path, timeout):
        if path.stat().st_ino == damaged:
            return _instead(path, timeout, why)
    return connect_writer(path, timeout)


@contextmanager
def connected_reader(path: Path, timeout: float) -> Iterator[sqlite3.Connection]:
    """Yield a connection that reads what was recorded until now and leaves no trace.

    A complete file is read in place, without SQLite's own locks: a lock taken here keeps it
    unchanged. A file with a ``-wal``, or with older tables, is read from a copy.

    Raises:
        HistoryError: there is none, it cannot be read, or it was made by a newer htcq.
    """
    with ExitStack() as stack:
        with explained(path, False):
            if not place.is_there(path):
                raise HistoryError(f"{path}: there is no history", "'htcq drift record' makes one")
            place.check_owner(path)
            stack.enter_context(place.kept_as_it_is(path, timeout))
            connection = None
            if not place.is_ahead(path):
                connection = _untouched(path, stack)
            if connection is None:
                copy = stack.enter_context(temporary_directory()) / "history.db"
                place.copy_history(path, copy)
                connection = stack.enter_context(closing(place.connect(copy, "mode=rw", timeout)))
                if not is_current(connection, path):
                    migrate(connection)
            _check(connection)
        yield connection


def _untouched(path: Path, stack: ExitStack) -> sqlite3.Connection | None:
    """Return a connection to the file itself; None where its tables are older ones."""
    connection = stack.enter_context(closing(place.connect(path, "mode=ro&immutable=1", 0)))
    if not is_current(connection, path):
        return None
    return connection


def _checked(path: Path, timeout: float) -> sqlite3.Connection:
    """Return a connection to an intact history; sqlite3.DatabaseError where it is damaged."""
    # The disk is not trusted to leave alone what is in the same sector as what it writes
    # (sqlite.org/psow.html).
    connection = place.connect(path, "mode=rw&psow=0", timeout)
    try:
        for pragma in _AS_A_WRITER:
            connection.execute(f"PRAGMA {pragma}").fetchall()
        _check(connection)
        if not is_current(connection, path):
            migrate(connection)
    except UnicodeDecodeError as error:
        connection.close()
        raise sqlite3.DatabaseError(NO_TEXT) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    """Look through the whole file: 400 MB take a second, and SQLite reads some garbage as numbers.

    Raises:
        sqlite3.DatabaseError: it is damaged.
    """
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(f"malformed: {' '.join(str(found).split())}")


def _status(path: Path) -> os.stat_result | None:
    if not path.exists():
        return None
    return path.stat()


def _instead(path: Path, timeout: float, why: str) -> tuple[sqlite3.Connection, Path | None]:
    """Set a damaged history aside and return a connection to a new one, which records that."""
    like = _status(path)
    aside = place.set_aside(path)
    place.make_history(path, like)
    connection = _checked(path, timeout)
    keep_damage(connection, aside.name, why, int(time.time()))
    return connection, aside
