"""Writes one observation into a history, in one transaction."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable

from htcq.drift.kept import texts_of
from htcq.drift.observation import MAX_GAP, DriftObservation, GroupObservation
from htcq.drift.quota_state import QuotaState, states_of
from htcq.errors import HistoryError
from htcq.store.history_clock import moment, note_clock, set_aside, was_ahead
from htcq.store.history_ledger import book
from htcq.store.history_schema import PARTS, plain, transaction

#: Amounts beyond this are kept as this: a day of it, in parts, is still a whole number that SQLite
#: can add up.
_MAX_AMOUNT = 1e10


def record(
    connection: sqlite3.Connection, observation: DriftObservation, live: bool = False
) -> bool:
    """Keep ``observation``; False if that pool and second is there already, which then stays.

    ``live``: it was made just now. Then a newer record is one of a clock that was ahead, or the
    clock is behind now: at a second such look the newer ones are set aside.

    Raises:
        HistoryError: the pool has been observed later than that.
        sqlite3.Error: nothing was recorded.
    """
    late = ""
    with transaction(connection):
        pool, former = _pool(connection, observation)
        if former is not None and former > observation.time:
            if live and was_ahead(connection, pool, former, observation.time):
                former = set_aside(connection, pool, observation.time)
            else:
                late = (
                    f"{plain(observation.pool)} was last observed at {moment(former)}, later than "
                    f"the observation of {moment(observation.time)}"
                )
        if not late and live:
            note_clock(connection, pool, observation.time)
        if not late:
            return _put(connection, observation, pool, former)
    hint = "observations are recorded in their order"
    if live:
        hint = (
            "set the clock right; if it is right now, and was ahead before, the next 'htcq drift "
            "record' sets aside what is more than 2 hours ahead, and records go on"
        )
    raise HistoryError(late, hint)


def _put(
    connection: sqlite3.Connection, observation: DriftObservation, pool: int, former: int | None
) -> bool:
    """Keep ``observation`` of a pool that was observed before it; ``former`` is when.

    False if that is the same second.
    """
    if former == observation.time:
        return False
    states, texts = states_of(observation), texts_of(observation)
    span = 0
    if former is not None and observation.time - former <= MAX_GAP:
        span = observation.time - former
    groups = _groups(connection, pool, (group.name for group in observation.groups))
    rows = {
        groups[plain(group.name)]: _row(group, states.get(group.name, QuotaState()), span)
        for group in observation.groups
    }
    connection.executemany(
        "INSERT INTO sample VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((pool, observation.time, group, span, *row) for group, row in rows.items()),
    )
    if span:
        book(connection, pool, observation.time, span, observation.ledger)
    _keep(
        connection,
        pool,
        observation.time,
        {(kind, plain(name), plain(text)) for kind, name, text in texts},
    )
    connection.execute(
        "UPDATE pool SET last = ?, negotiator = ?, unit = ? WHERE id = ?",
        (observation.time, plain(observation.negotiator), plain(observation.unit), pool),
    )
    return True


def keep_damage(connection: sqlite3.Connection, name: str, text: str, time: int) -> None:
    """Keep that the former file was set aside as ``name``, which concerns every pool."""
    with transaction(connection):
        connection.execute(
            "INSERT INTO kept (pool, kind, name, text, since, until)"
            " VALUES (NULL, 'damage', ?, ?, ?, ?)",
            (plain(name), plain(text), time, time),
        )


def _pool(connection: sqlite3.Connection, observation: DriftObservation) -> tuple[int, int | None]:
    """Return the pool's number and when it was last observed."""
    name = plain(observation.pool)
    found = connection.execute("SELECT id, last FROM pool WHERE name = ?", (name,)).fetchone()
    if found is None:
        added = connection.execute(
            "INSERT INTO pool (name, first, last) VALUES (?, ?, ?)",
            (name, observation.time, observation.time),
        )
        return int(added.lastrowid or 0), None
    pool, last = found
    if not isinstance(last, int):
        raise sqlite3.DatabaseError("malformed: a time is no number")
    return pool, last


def _groups(connection: sqlite3.Connection, pool: int, names: Iterable[str]) -> dict[str, int]:
    known: dict[str, int] = dict(
        connection.execute("SELECT name, id FROM pool_group WHERE pool = ?", (pool,))
    )
    for name in map(plain, names):
        if name not in known:
            added = connection.execute(
                "INSERT INTO pool_group (pool, name) VALUES (?, ?)", (pool, name)
            )
            known[name] = int(added.lastrowid or 0)
    return known


def _row(group: GroupObservation, state: QuotaState, span: int) -> tuple[int | None, ...]:
    usage = _parts(group.usage)
    weight = span or 1
    return (
        _quota(group.effective),
        _quota(group.computed),
        usage * weight,
        usage,
        _parts(group.idle) * weight,
        _parts(group.requested) * weight,
        _parts(group.allocated) * weight,
        span * state.starved,
        span * state.over,
        span * state.lending,
    )


def _quota(amount: float | None) -> int | None:
    if amount is None:
        return None
    return _parts(amount)


def _keep(
    connection: sqlite3.Connection, pool: int, time: int, texts: set[tuple[str, str, str]]
) -> None:
    """End the intervals of texts that no longer hold, and begin those of new ones."""
    held = {
        (kind, name, text): number
        for number, kind, name, text in connection.execute(
            "SELECT id, kind, name, text FROM kept WHERE pool = ? AND until IS NULL", (pool,)
        )
    }
    connection.executemany(
        "UPDATE kept SET until = ? WHERE id = ?",
        [(time, number) for each, number in held.items() if each not in texts],
    )
    connection.executemany(
        "INSERT INTO kept (pool, kind, name, text, since) VALUES (?, ?, ?, ?, ?)",
        [(pool, *each, time) for each in sorted(texts - held.keys())],
    )


def _parts(amount: float) -> int:
    if math.isnan(amount):
        return 0
    return round(max(-_MAX_AMOUNT, min(_MAX_AMOUNT, amount)) * PARTS)
