"""The ledger of elastic quotas in a history: written by observation, read as sums over time.

A row has one group in one dimension over the ``span`` seconds that end at its time, as everywhere
in a history. An observation that covers no time has no rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from htcq.drift.ledger import AMOUNTS, Booking, LedgerEntry
from htcq.drift.observation import MAX_GAP
from htcq.settings.durations import DAY
from htcq.store.history_merge import BOOKED
from htcq.store.history_schema import plain

#: Amounts beyond this are kept as this: a day of it is still a whole number that SQLite can add up.
_MAX_AMOUNT = 10**14
#: No row covers more time than this, in seconds.
_LONGEST = DAY + MAX_GAP
_BITS = 20
#: The rows that overlap the time from :since to :until, and how far into it they begin and end.
_ROWS = f"""SELECT account, time - span AS begun, time AS ended, {", ".join(BOOKED)} FROM ledger
    WHERE pool = (SELECT id FROM pool WHERE name = :pool)
    AND time > :since AND time <= :until + {_LONGEST} AND time - span < :until"""
#: The sums of several rows, each in two parts: years of the KiB of a large pool are more than
#: SQLite can add up.
_TOGETHER = ", ".join(
    f"SUM({column} >> {_BITS}), SUM({column} & {2**_BITS - 1})" for column in BOOKED
)
#: Whether a row lies in one of the parts of :step seconds that begin at :since; division cuts what
#: is below 0 to 0.
_WITHIN = (
    "begun >= :since AND ended <= :until AND (begun - :since) / :step = (ended - 1 - :since) / "
    ":step"
)


def book(
    connection: sqlite3.Connection, pool: int, time: int, span: int, entries: Iterable[LedgerEntry]
) -> None:
    """Write the entries at ``time``, in the transaction of its observation."""
    known = {
        (name, dimension): number
        for name, dimension, number in connection.execute(
            "SELECT name, dimension, id FROM account WHERE pool = ?", (pool,)
        )
    }
    rows = {}
    for each in entries:
        key = plain(each.group), plain(each.dimension)
        if key not in known:
            added = connection.execute(
                "INSERT INTO account (pool, name, dimension) VALUES (?, ?, ?)", (pool, *key)
            )
            known[key] = int(added.lastrowid or 0)
        rows[known[key]] = [
            span * max(-_MAX_AMOUNT, min(_MAX_AMOUNT, getattr(each, amount))) for amount in AMOUNTS
        ]
    connection.executemany(
        "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((pool, time, account, span, *row) for account, row in rows.items()),
    )


def bookings_of(
    connection: sqlite3.Connection, pool: str, since: int, until: int, step: int
) -> Iterator[Booking]:
    """Yield the bookings that overlap the time from ``since`` to ``until``.

    Rows within one part of ``step`` seconds, counted from ``since``, are added up.
    """
    wanted = {"pool": pool, "since": since, "until": until, "step": step}
    accounts = {
        number: (name, dimension)
        for number, name, dimension in connection.execute(
            (
                "SELECT id, name, dimension FROM account WHERE pool = (SELECT id FROM pool WHERE "
                "name = ?)"
            ),
            (pool,),
        )
    }
    part = "(begun - :since) / :step * :step + :since"
    together = connection.execute(
        f"SELECT account, {part}, MIN(:until, {part} + :step), {_TOGETHER} FROM ({_ROWS}) WHERE "
        f"{_WITHIN} "
        f"GROUP BY account, {part}",
        wanted,
    )
    for account, begun, ended, *halves in together:
        sums = ((high << _BITS) + low for high, low in zip(halves[::2], halves[1::2]))
        yield _booking((account, begun, ended, *sums), accounts)
    for row in connection.execute(f"SELECT * FROM ({_ROWS}) WHERE NOT ({_WITHIN})", wanted):
        yield _booking(row, accounts)


def _booking(row: tuple[int, ...], accounts: dict[int, tuple[str, str]]) -> Booking:
    account, since, until, seconds, *amounts = row
    if account not in accounts or not all(isinstance(each, int) for each in row[1:]):
        raise sqlite3.DatabaseError("malformed: numbers that no htcq wrote")
    return Booking(LedgerEntry(*accounts[account], *amounts), since, until, seconds)
