"""The clock of the machine that records: its steps, and records from its future.

Beside the time of a record stands how long the machine was up, and the id of its boot: a step of
the clock changes one of them alone (clock_gettime(2), random(4)). Records that a clock made which
was ahead are set aside: not lost, and not believed. One look decides nothing, for the clock may be
wrong now, and have been right then. Two looks of a live pool in a row, both of them before its
newest record, say that it was ahead then.
"""

from __future__ import annotations

import sqlite3
import time
from datetime import datetime, timezone
from pathlib import Path

import htcq
from htcq.clock import SKEW, Clock
from htcq.settings.durations import HOUR

#: Kinds of texts that are reported as changes: records that were set aside, a step of the clock.
AHEAD, STEP = "clock", "clock-step"
#: What a first look leaves, and when the machine was started by its clock.
_LOOK, _BOOT = "clock-look", "clock-boot"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
#: A clock that was ahead by less is waited for: no more of a history lacks its records.
WAIT = 2 * HOUR
#: Ends the name of a series that was set aside.
_ASIDE = ", by a clock that was ahead, set aside "
#: What belongs to one observation: the table, that with its names, their columns.
_TABLES = (("sample", "pool_group", "name"), ("ledger", "account", "name, dimension"))
#: The columns of a pool that its new series has as well.
_OF_POOL = "negotiator, unit"


def clock_now() -> Clock:
    """Return what this machine's clock says, with the boot and the seconds since that.

    A clock that is before the installation of htcq is wrong now.
    """
    try:
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        # Without /proc nothing but the clock itself tells the time.
        boot = ""
    now, up = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME)
    return Clock(now, boot, up, now >= _installed())


def _installed() -> float:
    return Path(htcq.__file__).stat().st_mtime


def note_clock(connection: sqlite3.Connection, pool: int, now: int) -> None:
    """Keep when this machine was started by its clock, and by how much that differs from before.

    ``now`` is the time of a record of ``pool`` that was made just now.
    """
    clock = clock_now()
    if not clock.boot:
        return
    boot, started = clock.boot, round(clock.now - clock.up)
    where = "WHERE pool = ? AND kind = ?"
    found = connection.execute(f"SELECT name, text FROM kept {where}", (pool, _BOOT)).fetchone()
    connection.execute(
        f"DELETE FROM kept {where} OR pool = ? AND kind = ?", (pool, _BOOT, pool, _LOOK)
    )
    row = "INSERT INTO kept (pool, kind, name, text, since, until) VALUES (?, ?, ?, ?, ?, ?)"
    connection.execute(row, (pool, _BOOT, boot, str(started), now, now))
    if found is not None and found[0] == boot:
        step = started - int(found[1])
        if abs(step) > SKEW:
            connection.execute(row, (pool, STEP, "", str(step), now, now))


def was_ahead(connection: sqlite3.Connection, pool: int, last: int, now: int) -> bool:
    """Return whether a clock that was ahead made the newest record of ``pool``, of ``last``.

    ``now`` is the time of this look, in seconds since 1970 as ``last`` is. A first look leaves a
    text, which the next one finds. A clock that is before the installation of htcq is wrong now.
    The caller has begun a transaction.
    """
    if last - now <= WAIT or now < _installed():
        return False
    found = connection.execute(
        "SELECT since FROM kept WHERE pool = ? AND kind = ?", (pool, _LOOK)
    ).fetchone()
    if found is not None and found[0] < now:
        return True
    if found is None:
        connection.execute(
            "INSERT INTO kept (pool, kind, name, text, since, until) VALUES (?, ?, '', '', ?, ?)",
            (pool, _LOOK, now, now),
        )
    return False


def set_aside(connection: sqlite3.Connection, pool: int, now: int) -> int | None:
    """Move what ``pool`` has from after ``now`` into a series of its own.

    Return the time of the newest record that stays; None where none does. The caller has begun a
    transaction.
    """
    name, last = connection.execute("SELECT name, last FROM pool WHERE id = ?", (pool,)).fetchone()
    aside = f"{name}{_ASIDE}{moment(now)}"
    added = connection.execute(
        f"INSERT INTO pool (name, first, last, {_OF_POOL}) "
        f"SELECT ?, ?, last, {_OF_POOL} FROM pool WHERE id = ?",
        (aside, now, pool),
    )
    new = int(added.lastrowid or 0)
    for table, whose, names in _TABLES:
        connection.execute(
            f"INSERT INTO {whose} (pool, {names}) SELECT ?, {names} FROM {whose} WHERE pool = ?",
            (new, pool),
        )
        same = " AND ".join(f"theirs.{each} = ours.{each}" for each in names.split(", "))
        connection.execute(
            f"UPDATE {table} SET pool = ?, {whose} = (SELECT theirs.id "
            f"FROM {whose} AS ours JOIN {whose} AS theirs ON theirs.pool = ? AND {same} "
            f"WHERE ours.id = {table}.{whose}) WHERE pool = ? AND time > ?",
            (new, new, pool, now),
        )
    connection.execute("UPDATE kept SET pool = ? WHERE pool = ? AND since > ?", (new, pool, now))
    # What held when the clock went ahead holds on, as far as anybody knows.
    connection.execute("UPDATE kept SET until = NULL WHERE pool = ? AND until > ?", (pool, now))
    connection.execute(
        "INSERT INTO kept (pool, kind, name, text, since, until) VALUES (?, ?, ?, ?, ?, ?)",
        (pool, AHEAD, aside, moment(last), now, now),
    )
    (newest,) = connection.execute(
        "SELECT MAX(time) FROM sample WHERE pool = ?", (pool,)
    ).fetchone()
    connection.execute(
        "UPDATE pool SET last = ?, first = MIN(first, ?), hours_to = MIN(hours_to, ?), "
        "days_to = MIN(days_to, ?) WHERE id = ?",
        (now if newest is None else newest, now, now, now, pool),
    )
    return None if newest is None else int(newest)


def is_set_aside(name: str) -> bool:
    """Return whether a series has the name of one that was set aside."""
    return _ASIDE in name


def moment(seconds: int) -> str:
    """Return a time as it is written in names and messages."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
