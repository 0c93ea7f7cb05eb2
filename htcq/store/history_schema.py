"""The tables of a history: a SQLite database whose header has the application and the version.

Amounts are whole numbers of thousandths, because sums of whole numbers lose nothing. ``usage``,
``idle``, ``requested`` and ``allocated`` are sums over time: the amount times ``span``, or times
``looks`` in a row that covers no time. So are all amounts of the ledger, which are whole
units of their dimensions. ``usage_most``, the highest usage, has the name that it has in every
version: a reader leaves an old file as it is. SQLite 3.34 is enough
(https://www.sqlite.org/pragma.html: application_id, user_version, auto_vacuum).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from htcq.errors import HistoryError

#: "htcq", where SQLite's header has room for the name of a program.
APPLICATION_ID = 0x68746371
#: The version of the tables that this htcq writes.
VERSION = 3
#: In how many parts amounts are counted.
PARTS = 1000

_LEDGER = (
    """CREATE TABLE account (
        id INTEGER PRIMARY KEY, pool INTEGER NOT NULL REFERENCES pool, name TEXT NOT NULL,
        dimension TEXT NOT NULL, UNIQUE (pool, name, dimension))""",
    """CREATE TABLE ledger (
        pool INTEGER NOT NULL REFERENCES pool, time INTEGER NOT NULL, account INTEGER NOT NULL,
        span INTEGER NOT NULL, min INTEGER NOT NULL, runtime INTEGER NOT NULL,
        used INTEGER NOT NULL, lent INTEGER NOT NULL, borrowed INTEGER NOT NULL,
        unused INTEGER NOT NULL,
        PRIMARY KEY (pool, time, account)) WITHOUT ROWID""",
)

#: ``hours_to``: what is no later has been merged into hours; ``days_to``: into days. Nothing but
#: the code holds groups and samples together: SQLite would look through all samples for every group
#: that is forgotten.
TABLES = (
    """CREATE TABLE pool (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, first INTEGER NOT NULL,
        last INTEGER NOT NULL, hours_to INTEGER NOT NULL DEFAULT 0,
        days_to INTEGER NOT NULL DEFAULT 0,
        negotiator TEXT NOT NULL DEFAULT '', unit TEXT NOT NULL DEFAULT 'slot weight')""",
    """CREATE TABLE pool_group (
        id INTEGER PRIMARY KEY, pool INTEGER NOT NULL REFERENCES pool, name TEXT NOT NULL,
        UNIQUE (pool, name))""",
    """CREATE TABLE sample (
        pool INTEGER NOT NULL REFERENCES pool, time INTEGER NOT NULL, pool_group INTEGER NOT NULL,
        span INTEGER NOT NULL, looks INTEGER NOT NULL, effective INTEGER, computed INTEGER,
        usage INTEGER NOT NULL, usage_most INTEGER NOT NULL, idle INTEGER NOT NULL,
        requested INTEGER NOT NULL, allocated INTEGER NOT NULL, starved INTEGER NOT NULL,
        over INTEGER NOT NULL, lending INTEGER NOT NULL,
        PRIMARY KEY (pool, time, pool_group)) WITHOUT ROWID""",
    """CREATE TABLE kept (
        id INTEGER PRIMARY KEY, pool INTEGER REFERENCES pool, kind TEXT NOT NULL,
        name TEXT NOT NULL, text TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER)""",
    "CREATE UNIQUE INDEX kept_open ON kept (pool, kind, name, text) WHERE until IS NULL",
    *_LEDGER,
)

#: What makes the tables of a version those of the next.
MIGRATIONS = {
    1: (
        "ALTER TABLE pool ADD COLUMN negotiator TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE pool ADD COLUMN unit TEXT NOT NULL DEFAULT 'slot weight'",
    ),
    2: _LEDGER,
}


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do what is inside wholly or not at all; others that write wait meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def plain(text: str) -> str:
    """Return ``text`` with what is no Unicode spelled out: SQLite would refuse it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def make_tables(connection: sqlite3.Connection) -> None:
    """Make an empty database a history."""
    # Only a database without tables can be told to give back what it no longer needs.
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    with transaction(connection):
        for statement in TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("PRAGMA journal_mode = WAL")


def is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the tables are of this version, not an older one.

    Raises:
        HistoryError: they are of a newer one.
    """
    version = _version(connection)
    if version > VERSION:
        raise HistoryError(
            f"{path} was made by a newer htcq: its tables are of version {version}",
            f"this htcq knows versions up to {VERSION}: use the newer htcq, or another file",
        )
    return version == VERSION


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables to this version, wholly or not at all."""
    with transaction(connection):
        for version in range(_version(connection), VERSION):
            if version not in MIGRATIONS:
                raise sqlite3.DatabaseError(f"malformed: there is no version {version}")
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
