"""The journal of the quota writer on disk: intents and outcomes, written before they count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from htcq.clock import Clock, sane_times
from htcq.elastic.journal import (
    JournalRecord,
    JournalState,
    after,
    compacted_records,
    silent_for,
)
from htcq.elastic.journal_lines import line_of, record_from
from htcq.store.event_log import EventLog, Fold
from htcq.store.history_clock import clock_now
from htcq.store.lines import MAX_BYTES, is_long


class Journal:
    """The journal at ``path``, and the state after its records.

    Whoever adds to it holds the lock of the file that it is about.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log: EventLog[JournalRecord] = EventLog(path, _record, line_of)
        self._fold: Fold[JournalRecord, JournalState] = Fold(self._log, JournalState, after)

    @property
    def records(self) -> tuple[JournalRecord, ...]:
        """Its records, the oldest first.

        Raises:
            JournalError: it cannot be read.
        """
        return tuple(self._log.events)

    @property
    def state(self) -> JournalState:
        """The state after its records.

        Raises:
            JournalError: it cannot be read.
        """
        return self._fold.state

    @property
    def damaged(self) -> tuple[int, ...]:
        """The numbers of the lines that hold no record."""
        return self._log.damaged

    def warnings(self) -> tuple[str, ...]:
        """Return, as sentences, the lines of the journal that cannot be read."""
        if not self.damaged:
            return ()
        lines = ", ".join(str(number) for number in self.damaged)
        return (
            (
                f"{self.path}: no record in line {lines}: it was written in part, and nothing was "
                "done after it"
            ),
        )

    def silent_for(self, clock: Clock) -> float | None:
        """Return for how many seconds nothing has succeeded; None where nobody can tell.

        Raises:
            JournalError: it cannot be read.
        """
        return silent_for(self.records, clock)

    def since(self, seconds: float, clock: Clock) -> list[JournalRecord]:
        """Return the records of the last ``seconds``.

        Raises:
            JournalError: it cannot be read.
        """
        records = self.records
        times = sane_times([record.stamp for record in records], clock)
        return [each for each, time in zip(records, times) if time > clock.now - seconds]

    def append(self, record: JournalRecord) -> None:
        """Add ``record``, with the boot; it is on the disk when this returns.

        Raises:
            JournalError: it could not be added, and the journal is as it was.
        """
        stamp = clock_now().stamped(record.time)
        self._log.append(replace(record, boot=stamp.boot, up=stamp.up))

    def shorten(self, most: int = MAX_BYTES) -> Path | None:
        """Begin a shorter journal where it has more than ``most`` bytes.

        Return where the former one is kept; None where the journal stays.

        The new one has what is in force and what was before. The caller holds the lock.

        Raises:
            JournalError: the journal is unchanged.
        """
        if not is_long(self.path, most):
            return None
        records = self.records
        kept = compacted_records(records)
        if len(kept) == len(records):
            return None
        return self._log.begin_anew(kept, str(records[-1].number))


def read_journal(path: Path) -> Journal:
    """Return the journal at ``path``; an empty one where there is none.

    Raises:
        JournalError: it cannot be read.
    """
    journal = Journal(path)
    _ = journal.records
    return journal


def _record(line: bytes, _: int) -> JournalRecord:
    return record_from(line.decode("utf-8"))
