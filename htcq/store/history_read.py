"""Reads what is in a history."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from htcq.drift.observation import MAX_GAP, Kept, QuotaSample
from htcq.settings.durations import DAY
from htcq.store.history_merge import MERGED, NUMBERS, bin_end
from htcq.store.history_schema import PARTS

#: No sample covers more time than this, in seconds: a day, and the gap before its first
#: observation.
_LONGEST = DAY + MAX_GAP


@dataclass(frozen=True)
class KnownPool:
    """A pool with a history: from when to when, and what its last observation said of it."""

    name: str
    negotiator: str
    unit: str
    first: int
    last: int


def pools_of(connection: sqlite3.Connection) -> tuple[KnownPool, ...]:
    """Return all pools, by name."""
    rows = connection.execute("SELECT name, negotiator, unit, first, last FROM pool ORDER BY name")
    return tuple(KnownPool(*row) for row in rows)


def samples_of(
    connection: sqlite3.Connection,
    pool: str,
    since: int,
    until: int,
    groups: Collection[str] | None,
    step: int,
) -> Iterator[QuotaSample]:
    """Yield the samples of ``pool`` that overlap ``since`` to ``until``, ordered by time.

    Of ``groups`` alone where they are given; what is finer than ``step`` seconds is merged into
    bins of as many.
    """
    names = _group_names(connection, pool, groups)
    if not names:
        return
    wanted = ""
    if groups is not None:
        numbers = ", ".join(str(int(number)) for number in names)
        wanted = f"AND pool_group IN ({numbers})"
    which = (
        "WHERE pool = (SELECT id FROM pool WHERE name = ?) AND time >= ? AND time <= ? AND time "
        "- span <= ? "
    ) + wanted
    if step > 1:
        query = (
            f"SELECT MAX(time) AS time, pool_group, {MERGED} FROM sample {which} "
            f"GROUP BY {bin_end(int(step))}, pool_group ORDER BY {bin_end(int(step))}, time, "
            "pool_group"
        )
    else:
        query = (
            f"SELECT time, pool_group, {', '.join(NUMBERS)} FROM sample {which} ORDER BY time, "
            "pool_group"
        )
    for row in connection.execute(query, (pool, since, until + _LONGEST, until)):
        yield _sample(row, names)


def kept_of(
    connection: sqlite3.Connection, pool: str, since: int, until: int, kind: str | None
) -> tuple[Kept, ...]:
    """Return the intervals that overlap ``since`` to ``until``, ordered by their beginning."""
    rows = connection.execute(
        "SELECT kind, name, text, since, until FROM kept "
        "WHERE (pool = (SELECT id FROM pool WHERE name = ?) OR pool IS NULL) "
        "AND since <= ? AND (until IS NULL OR until > ? OR since >= ?) AND (? IS NULL OR kind = ?) "
        "ORDER BY since, kind, name, text",
        (pool, until, since, since, kind, kind),
    )
    return tuple(Kept(*row) for row in rows)


def _group_names(
    connection: sqlite3.Connection, pool: str, groups: Collection[str] | None
) -> dict[int, str]:
    rows = connection.execute(
        "SELECT id, name FROM pool_group WHERE pool = (SELECT id FROM pool WHERE name = ?)", (pool,)
    )
    return {number: name for number, name in rows if groups is None or name in groups}


def _sample(row: tuple[int, ...], names: dict[int, str]) -> QuotaSample:
    time, group, span, looks, effective, computed, *amounts = row
    usage, most, idle, requested, allocated, *seconds = amounts
    try:
        over_time = (span or looks) * PARTS
        return QuotaSample(
            names[group],
            time,
            span,
            looks,
            _quota(effective),
            _quota(computed),
            usage / over_time,
            most / PARTS,
            idle / over_time,
            requested / over_time,
            allocated / over_time,
            *seconds,
        )
    except (TypeError, LookupError, ArithmeticError) as error:
        raise sqlite3.DatabaseError(f"malformed: numbers that no htcq wrote ({error})") from error


def _quota(parts: int | None) -> float | None:
    if parts is None:
        return None
    return parts / PARTS
