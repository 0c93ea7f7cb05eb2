"""The history of ``htcq drift``: what was observed of pools, for years, in one SQLite file.

Reading creates and changes nothing, not even the files that SQLite itself would make. What was
recorded is on the disk when :meth:`History.record` returns, whatever happens then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from htcq import time_limit
from htcq.drift.ledger import Booking
from htcq.drift.observation import DriftObservation, Kept, QuotaSample
from htcq.drift.retention import Retention
from htcq.errors import HistoryError
from htcq.store.history_clock import is_set_aside
from htcq.store.history_errors import explained, is_damage
from htcq.store.history_ledger import bookings_of
from htcq.store.history_open import connect_anew, connect_writer, connected_reader
from htcq.store.history_prune import prune
from htcq.store.history_read import KnownPool, kept_of, pools_of, samples_of
from htcq.store.history_record import record

#: For how many seconds to wait for others that write.
PATIENCE = 30.0


class History:
    """An open history. Every method raises HistoryError where the file cannot be read or written.

    ``set_aside`` is where the former file lies if it was damaged and this is a new one.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, number: int | None, timeout: float
    ) -> None:
        self.path = path
        self.set_aside: Path | None = None
        self._connection = connection
        #: The file's, where it is written: another htcq may have set it aside.
        self._number = number
        self._timeout = timeout

    def record(self, observation: DriftObservation, live: bool = False) -> bool:
        """Keep ``observation``, completely or not at all; False if that pool and second is there.

        ``live``: it was made just now, and not taken from a snapshot.

        Raises:
            HistoryError: nothing was recorded; also where the pool has been observed later than
                that.
        """
        try:
            with self._explained():
                return record(self._connection, observation, live)
        except HistoryError as error:
            if self._number is None or not is_damage(error.__cause__):
                raise
            self._begin_anew(self._number, str(error.__cause__))
        with self._explained():
            return record(self._connection, observation, live)

    def prune(self, now: int, retention: Retention) -> int:
        """Merge and drop what is older than ``retention`` allows at ``now``; return the rows saved.

        The file itself is smaller when the history is closed.
        """
        with self._explained():
            return prune(self._connection, now, retention)

    def pools(self) -> tuple[str, ...]:
        """Return the names of all pools that were observed, in order."""
        with self._explained():
            return tuple(pool.name for pool in pools_of(self._connection))

    def pool(self, name: str) -> KnownPool | None:
        """Return what is known of a pool itself; None if it was never observed."""
        with self._explained():
            return next((pool for pool in pools_of(self._connection) if pool.name == name), None)

    def first_and_last(self, pool: str) -> tuple[int, int] | None:
        """Return the times of the first and the last observation of ``pool``.

        None if there is none.
        """
        found = self.pool(pool)
        if found is None:
            return None
        return found.first, found.last

    def newest(self) -> int | None:
        """Return the time of the newest observation of any pool; None if there is none.

        Not of those that were set aside, as the clock was ahead.
        """
        with self._explained():
            pools = pools_of(self._connection)
            return max((each.last for each in pools if not is_set_aside(each.name)), default=None)

    def samples(
        self,
        pool: str,
        since: int,
        until: int,
        groups: Collection[str] | None = None,
        step: int = 1,
    ) -> Iterator[QuotaSample]:
        """Yield, by time, the samples that overlap ``since`` to ``until``, fine or merged.

        Of ``groups`` alone where they are given. ``step`` merges what is finer into bins of so
        many seconds, which takes less time than to read it.
        """
        with self._explained():
            yield from samples_of(self._connection, pool, since, until, groups, step)

    def ledger(self, pool: str, since: int, until: int, step: int = 1) -> Iterator[Booking]:
        """Yield the ledger rows that overlap ``since`` to ``until``, fine or merged, in no order.

        What lies in one part of ``step`` seconds, counted from ``since``, is added up, which
        takes less time.
        """
        with self._explained():
            yield from bookings_of(self._connection, pool, since, until, step)

    def kept(self, pool: str, since: int, until: int, kind: str | None = None) -> tuple[Kept, ...]:
        """Return the texts that held at any time from ``since`` to ``until``.

        They are of one kind, or of all.
        """
        with self._explained():
            return kept_of(self._connection, pool, since, until, kind)

    def close(self) -> None:
        """Bring everything into the one file, unless somebody reads it."""
        self._connection.close()

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self.path, self._number is not None)

    def _begin_anew(self, damaged: int, why: str) -> None:
        self._connection.close()
        with self._explained():
            self._connection, self.set_aside = connect_anew(self.path, self._timeout, damaged, why)
            self._number = self.path.stat().st_ino


@contextmanager
def open_history(
    path: Path, writable: bool = False, timeout: float = PATIENCE
) -> Iterator[History]:
    """Open the history at ``path``, waiting ``timeout`` seconds for others.

    To be written, it is made if it is not there, brought to today's tables, looked through for
    damage, and set aside if it is damaged: then ``set_aside`` of the new one says where it lies.
    Keep it open only as long as you read or write, and once in a process.

    Raises:
        HistoryError: it cannot be read or written, or is something else.
    """
    timeout = time_limit.within(timeout)
    try:
        path = path.resolve()
    except (
        OSError,
        RuntimeError,
    ) as error:  # Python before 3.13 has the latter for links that go round
        raise HistoryError(
            f"{path} cannot be found: {error}", "give the history another file"
        ) from error
    if not writable:
        with connected_reader(path, timeout) as connection:
            yield History(path, connection, None, timeout)
        return
    with explained(path, True):
        connection, aside = connect_writer(path, timeout)
        history = History(path, connection, path.stat().st_ino, timeout)
        history.set_aside = aside
    with closing(history):
        yield history
