"""The journal of reclaim on disk: what was seen and done, each before it counts.

htcq-elastic(1) tells what the kinds of records hold. A line that a crash left half done is
passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from htcq.elastic.reclaim.compaction import essential
from htcq.elastic.reclaim.reclaim_history import (
    OwnCeiling,
    ReclaimHistory,
    Tales,
    after,
    ceilings_from,
    flaw_of,
    past_from,
)
from htcq.errors import JournalError
from htcq.store.event_log import EventLog, Fold
from htcq.store.lines import MAX_BYTES, is_long

_VERSION = 1
Record = Mapping[str, Any]


class ReclaimJournal:
    """The journal at ``path``; whoever adds to it holds its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log: EventLog[Record] = EventLog(path, self._record, _line)
        self._tales: Fold[Record, Tales] = Fold(self._log, dict, after)

    @property
    def lock(self) -> Path:
        """The lock of the file."""
        return self.path.with_name(f"{self.path.name}.lock")

    def records(self) -> Sequence[Record]:
        """Return the records, the oldest first; none where there is no file.

        Raises:
            JournalError: it cannot be read, a newer htcq has written it, or a line holds what no
                htcq wrote.
        """
        return list(self._log.events)

    def past(self, negotiator: str) -> ReclaimHistory:
        """Return what was seen and done with ``negotiator``.

        Raises:
            JournalError: as :meth:`records`.
        """
        return past_from(self._tales.state, negotiator)

    def ceilings(self, negotiator: str) -> dict[str, OwnCeiling]:
        """Return, by submitter, the ceilings at ``negotiator`` that are ours, or might be.

        Raises:
            JournalError: as :meth:`records`.
        """
        return ceilings_from(self._tales.state, negotiator)

    def append(self, record: Record) -> None:
        """Add ``record``; it is on the disk when this returns.

        Raises:
            JournalError: it could not be added.
        """
        self._log.append({"v": _VERSION, **record})

    def shorten(self, seconds: float, most: int = MAX_BYTES) -> Path | None:
        """Begin a shorter journal where it is longer than ``most`` bytes, and return where the former one is kept.

        Of looks it has those of the last ``seconds``. Whoever calls this holds the lock.

        Raises:
            JournalError: it is as it was.
        """
        if not is_long(self.path, most):
            return None
        records = self.records()
        kept = essential(records, seconds)
        # Where nearly all of it counts, it would be begun anew at every look.
        if len(kept) > len(records) / 2:
            return None
        newest = max(float(record.get("time", 0.0)) for record in records)
        return self._log.begin_anew(kept, f"{newest:.0f}")

    def _record(self, line: bytes, number: int) -> Record:
        record = json.loads(line)
        if not isinstance(record, dict):
            raise ValueError("not a record")
        if record.get("v") != _VERSION:
            raise JournalError(
                f"{self.path} has records of another version", "is it that of another htcq?"
            )
        flaw = flaw_of(record)
        if flaw:
            # Without it more might be taken back than a day allows.
            raise JournalError(
                f"{self.path}: line {number} is no record: {flaw}", "fix or remove the line"
            )
        return record


def _line(record: Record) -> str:
    return json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
