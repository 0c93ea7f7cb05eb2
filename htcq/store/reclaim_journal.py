"""The journal of reclaim on disk: each event is in it before the next action.

htcq-elastic(1), "The journal of reclaim", describes the records. An incomplete line, which a crash
leaves, is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from htcq.clock import sane_times
from htcq.elastic.reclaim.compaction import compacted
from htcq.elastic.reclaim.reclaim_events import (
    ForeignEvent,
    OwnCeiling,
    ReclaimEvent,
    event_from,
    record_of,
    stamp_of,
    time_of,
    with_stamp,
)
from htcq.elastic.reclaim.reclaim_fields import JobEntry
from htcq.elastic.reclaim.reclaim_history import ReclaimHistories, ReclaimHistory
from htcq.errors import JournalError
from htcq.store.event_log import EventLog
from htcq.store.history_clock import clock_now
from htcq.store.lines import MAX_BYTES, is_long

_VERSION = 1


class ReclaimJournal:
    """The journal at ``path``; whoever adds to it holds its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log: EventLog[ReclaimEvent] = EventLog(path, self._read, _line_of)

    @property
    def lock(self) -> Path:
        """The lock of the file."""
        return self.path.with_name(f"{self.path.name}.lock")

    def events(self) -> Sequence[ReclaimEvent]:
        """Return the events, the oldest first; none where there is no file.

        Their times are those that can be believed (htcq.clock.sane_times).

        Raises:
            JournalError: the file cannot be read, another version of htcq has written it, or a line
                holds a record that no htcq wrote.
        """
        return self._believed(list(self._log.events))

    def _believed(self, events: Sequence[ReclaimEvent]) -> Sequence[ReclaimEvent]:
        stamps = [stamp_of(event) for event in events]
        times = sane_times(stamps, clock_now())
        return [
            event if time == stamp.time else with_stamp(event, replace(stamp, time=time))
            for event, stamp, time in zip(events, stamps, times)
        ]

    def _histories(self) -> ReclaimHistories:
        histories = ReclaimHistories()
        for event in self.events():
            histories.after(event)
        return histories

    def history(self, negotiator: str) -> ReclaimHistory:
        """Return what was observed and done with ``negotiator``.

        Raises:
            JournalError: as :meth:`events`.
        """
        return self._histories().of(negotiator)

    def ceilings(self, negotiator: str) -> dict[str, OwnCeiling]:
        """Return, by submitter, the ceilings at ``negotiator`` that htcq has set, or may have set.

        Raises:
            JournalError: as :meth:`events`.
        """
        return self._histories().ceilings(negotiator)

    def negotiators_with_ceilings(self) -> tuple[str, ...]:
        """Return the negotiators at which htcq has set ceilings, or may have.

        Raises:
            JournalError: as :meth:`events`.
        """
        return self._histories().lent_to

    def lost_today(self, now: float) -> Iterator[JobEntry]:
        """Yield the jobs vacated in the 24 hours before ``now``, with any negotiator.

        Raises:
            JournalError: as :meth:`events`.
        """
        for history in self._histories().every:
            yield from history.lost_today(now)

    def append(self, event: ReclaimEvent) -> None:
        """Add ``event``, with the boot; it is on the disk when this returns.

        Raises:
            JournalError: it could not be added.
        """
        if not isinstance(event, ForeignEvent):
            event = with_stamp(event, clock_now().stamped(event.origin.time))
        self._log.append(event)

    def shorten(self, seconds: float, max_bytes: int = MAX_BYTES) -> Path | None:
        """Begin a shorter journal where it has more than ``max_bytes``.

        Of the observations it has those of the last ``seconds``. The caller holds the lock. Return
        where the former journal is kept; None where the journal stays.

        Raises:
            JournalError: the journal could not be replaced, and is unchanged.
        """
        if not is_long(self.path, max_bytes):
            return None
        raw = list(self._log.events)
        events = self._believed(raw)
        counting = {id(event) for event in compacted(events, seconds)}
        # What one look at the clock says of their times is not written.
        kept = [event for event, sane in zip(raw, events) if id(sane) in counting]
        # Where nearly all of it counts, it would be begun anew each time.
        if len(kept) > len(events) / 2:
            return None
        newest = max(map(time_of, events))
        return self._log.begin_anew(kept, f"{newest:.0f}")

    def _read(self, line: bytes, number: int) -> ReclaimEvent:
        record = json.loads(line)
        if not isinstance(record, dict):
            raise ValueError("not a record")
        if record.pop("v", None) != _VERSION:
            raise JournalError(
                f"{self.path} has records of another version", "is it that of another htcq?"
            )
        try:
            return event_from(record)
        except ValueError as error:
            # Without it more might be taken back than a day allows.
            raise JournalError(
                f"{self.path}: line {number} is no record: {error}", "fix or remove the line"
            ) from error


def _line_of(event: ReclaimEvent) -> str:
    record = {"v": _VERSION, **record_of(event)}
    return json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
