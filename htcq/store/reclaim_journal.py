"""The record of reclaim on disk: one JSON object a line, only ever added, each on the disk before what it announces.

htcq-elastic(1) tells what the kinds of records hold. A line that a crash left half done is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq.elastic.reclaim.compaction import essential
from htcq.elastic.reclaim.reclaim_history import flaw_of
from htcq.errors import JournalError
from htcq.store.lines import MAX_BYTES, add_line, begin_anew, is_long

_VERSION = 1


@dataclass(frozen=True)
class ReclaimJournal:
    """The file; whoever adds to it holds its lock."""

    path: Path

    @property
    def lock(self) -> Path:
        """The lock of the file."""
        return self.path.with_name(f"{self.path.name}.lock")

    def records(self) -> list[dict[str, Any]]:
        """Return the records, the oldest first; none where there is no file.

        Raises:
            JournalError: it cannot be read, a newer htcq has written it, or a line holds what no htcq wrote.
        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise JournalError(
                f"{self.path} cannot be read: {error.strerror}", "it must be readable for you"
            ) from error
        found = []
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line) if line else None
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                if record.get("v") != _VERSION:
                    raise JournalError(f"{self.path} has records of another version", "is it that of another htcq?")
                flaw = flaw_of(record)
                if flaw:
                    # Without it more might be taken back than a day allows.
                    raise JournalError(f"{self.path}: line {number} is no record: {flaw}", "fix or remove the line")
                found.append(record)
        return found

    def append(self, record: Mapping[str, Any]) -> None:
        """Add ``record``; it is on the disk when this returns.

        Raises:
            JournalError: it could not be added.
        """
        add_line(self.path, _line({"v": _VERSION, **record}))

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
        return begin_anew(self.path, "".join(map(_line, kept)), f"{newest:.0f}")


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
