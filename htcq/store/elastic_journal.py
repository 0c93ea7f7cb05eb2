"""The journal of the quota writer on disk: lines that are only ever added, each of them on the disk before it counts.

A line that a crash or a full disk left half done is told of and left behind: what it would have announced was not done.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from htcq.elastic.journal import Record, State, essential, state_of
from htcq.elastic.journal_lines import line_of, record_from
from htcq.errors import JournalError
from htcq.store.lines import MAX_BYTES, add_line, begin_anew, is_long


@dataclass(frozen=True)
class Journal:
    """What the journal says; ``damaged`` has the numbers of the lines that hold no record."""

    path: Path
    records: tuple[Record, ...] = ()
    damaged: tuple[int, ...] = ()

    @property
    def state(self) -> State:
        """What its records come to."""
        return state_of(self.records)

    def doubts(self) -> tuple[str, ...]:
        """Return, as sentences, what of the journal cannot be read."""
        if not self.damaged:
            return ()
        lines = ", ".join(str(number) for number in self.damaged)
        return (f"{self.path}: no record in line {lines}: it was written in part, and nothing was done after it",)


def read_journal(path: Path) -> Journal:
    """Return the journal at ``path``; an empty one where there is none.

    Raises:
        JournalError: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Journal(path)
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}", "it must be readable for you") from error
    records, damaged = [], []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line:
            continue
        try:
            records.append(record_from(line.decode("utf-8")))
        except (ValueError, RecursionError):
            damaged.append(number)
    return Journal(path, tuple(records), tuple(damaged))


def append(path: Path, record: Record) -> None:
    """Add ``record``; it is on the disk when this returns.

    Raises:
        JournalError: it could not be added, and the journal is as it was.
    """
    add_line(path, line_of(record))


def shorten(path: Path, most: int = MAX_BYTES) -> Path | None:
    """Begin a shorter journal where it is longer than ``most`` bytes, and return where the former one is kept.

    What is in force, and what was before, is known from the new one too. Whoever calls this holds the lock.

    Raises:
        JournalError: it is as it was.
    """
    if not is_long(path, most):
        return None
    records = read_journal(path).records
    kept = essential(records)
    if len(kept) == len(records):
        return None
    return begin_anew(path, "".join(map(line_of, kept)), str(records[-1].number))
