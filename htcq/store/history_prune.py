"""Makes a history smaller: looks become hours, hours become days, and days end.

Only whole bins of UTC are merged, and only those after which the pool was observed again:
nothing can come into them any more. The newest record of each pool stays, whatever the clock says.
Each step is a transaction of its own, so that others get their turn and an end at any moment loses
nothing.
"""

from __future__ import annotations

import sqlite3

from htcq.drift.retention import Retention
from htcq.settings.durations import DAY, HOUR
from htcq.store.history_merge import BOOKED, BOOKED_TOGETHER, MERGED, NUMBERS, bin_end
from htcq.store.history_schema import transaction

#: What is merged: the table, the one that has the names and its column here, the numbers, those of
#: several rows.
_MERGED = (
    ("sample", "pool_group", NUMBERS, MERGED),
    ("ledger", "account", BOOKED, BOOKED_TOGETHER),
)
_RANGE = "pool = ? AND time > ? AND time <= ?"


def prune(connection: sqlite3.Connection, now: int, retention: Retention) -> int:
    """Merge and drop what is older than ``retention`` allows at ``now``; return the rows saved."""
    removed = 0
    for (pool,) in connection.execute("SELECT id FROM pool").fetchall():
        removed += _merge(
            connection, pool, HOUR, "hours_to", now - min(retention.fine, retention.hours)
        )
        removed += _merge(connection, pool, DAY, "days_to", now - retention.hours)
        removed += _drop(connection, pool, now - retention.days)
    with transaction(connection):
        connection.execute("DELETE FROM kept WHERE until <= ?", (now - retention.days,))
    if connection.execute("PRAGMA freelist_count").fetchone()[0]:
        # Each of its steps gives one page back, and execute() takes only the first, because they
        # have no columns.
        connection.executescript("PRAGMA incremental_vacuum")
    return removed


def _merge(connection: sqlite3.Connection, pool: int, width: int, mark: str, end: int) -> int:
    """Merge the samples up to ``end`` into bins of ``width`` seconds, a day in each transaction."""
    removed = 0
    while True:
        with transaction(connection):
            last, done = _of_pool(connection, pool, "last", mark)
            until = min(end, last) // width * width
            (first,) = connection.execute(
                f"SELECT MIN(time) FROM sample WHERE {_RANGE}", (pool, done, until)
            ).fetchone()
            if first is None:
                return removed
            until = min(until, -(-first // DAY) * DAY)
            removed += _merge_range(connection, (pool, done, until), width)
            connection.execute(f"UPDATE pool SET {mark} = ? WHERE id = ?", (until, pool))


def _merge_range(connection: sqlite3.Connection, where: tuple[int, int, int], width: int) -> int:
    removed = 0
    for table, whose, numbers, together in _MERGED:
        merged = connection.execute(
            f"SELECT pool, {bin_end(width)} AS bin, {whose}, {together} FROM {table} WHERE "
            f"{_RANGE} "
            f"GROUP BY bin, {whose}",
            where,
        ).fetchall()
        removed += connection.execute(f"DELETE FROM {table} WHERE {_RANGE}", where).rowcount - len(
            merged
        )
        places = ", ".join("?" * (len(numbers) + 3))
        columns = f"pool, time, {whose}, {', '.join(numbers)}"
        connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", merged)
    return removed


def _drop(connection: sqlite3.Connection, pool: int, end: int) -> int:
    """Delete what ended by ``end``: samples, and groups without any; the newest record stays."""
    with transaction(connection):
        end = min(end, _of_pool(connection, pool, "last")[0] - 1)
        deleted = sum(
            connection.execute(
                f"DELETE FROM {table} WHERE pool = ? AND time <= ?", (pool, end)
            ).rowcount
            for table, _, _, _ in _MERGED
        )
        if deleted:
            connection.execute("UPDATE pool SET first = MAX(first, ?) WHERE id = ?", (end, pool))
            for table, whose, _, _ in _MERGED:
                connection.execute(
                    (
                        f"DELETE FROM {whose} WHERE pool = ? AND id NOT IN (SELECT {whose} FROM "
                        f"{table} WHERE pool = ?)"
                    ),
                    (pool, pool),
                )
    return deleted


def _of_pool(connection: sqlite3.Connection, pool: int, *columns: str) -> tuple[int, ...]:
    """Return numbers of a pool; 0 where another prune has forgotten it meanwhile."""
    wanted = ", ".join(f"COALESCE(MAX({column}), 0)" for column in columns)
    found: tuple[int, ...] = connection.execute(
        f"SELECT {wanted} FROM pool WHERE id = ?", (pool,)
    ).fetchone()
    return found
