"""The journal of the quota writer on disk: intents and outcomes, written before they count."""

from __future__ import annotations

from pathlib import Path

from htcq.elastic.journal import JournalRecord, JournalState, after, compacted_records
from htcq.elastic.journal_lines import line_of, record_from
from htcq.store.event_log import EventLog, Fold
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

    def append(self, record: JournalRecord) -> None:
        """Add ``record``; it is on the disk when this returns.

        Raises:
            JournalError: it could not be added, and the journal is as it was.
        """
        self._log.append(record)

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
