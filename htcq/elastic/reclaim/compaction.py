"""Compaction of a long journal of reclaim: the events that later observations still depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.elastic.reclaim.reclaim_events import (
    BatchEvent,
    BatchOutcomeEvent,
    CeilingEvent,
    ForeignEvent,
    IntentEvent,
    MeasurementEvent,
    ObservationEvent,
    ReclaimEvent,
)
from htcq.elastic.reclaim.reclaim_history import DAY, MAX_USELESS, ReclaimHistory, history_of

#: How often a job was vacated is kept for so many seconds: longer than jobs wait and run.
_REMEMBERED = 90 * DAY
_OF_ACTIONS = (IntentEvent, BatchEvent, BatchOutcomeEvent, MeasurementEvent)


def compacted(events: Sequence[ReclaimEvent], seconds: float) -> tuple[ReclaimEvent, ...]:
    """Return, in their order, the events that count.

    These are the observations of the last ``seconds``; the actions of the last 90 days, and the
    last ones that show whether reclaim is of use; the last event of each step of a ceiling that
    may be in force; the last resume; and the last event of all. Foreign records are kept.
    """
    negotiators = {
        event.origin.negotiator for event in events if not isinstance(event, ForeignEvent)
    }
    kept: set[int] = set()
    for negotiator in negotiators:
        kept.update(_counting(events, negotiator, seconds))
    return tuple(
        event
        for number, event in enumerate(events)
        if number in kept or isinstance(event, ForeignEvent)
    )


def _counting(events: Sequence[ReclaimEvent], negotiator: str, seconds: float) -> Iterator[int]:
    """Yield the indices of the events with ``negotiator`` that count."""
    history = history_of(events, negotiator)
    actions = _actions_that_count(history)
    lasts: dict[tuple[str, ...], int] = {}
    for number, event in enumerate(events):
        if isinstance(event, ForeignEvent) or event.origin.negotiator != negotiator:
            continue
        if isinstance(event, CeilingEvent):
            if event.submitter in history.ceilings:
                lasts[event.kind, event.submitter, event.step] = number
        elif isinstance(event, _OF_ACTIONS):
            if event.action in actions:
                yield number
        elif isinstance(event, ObservationEvent):
            if event.origin.time >= history.last - seconds:
                yield number
        else:
            lasts[event.kind,] = number
        if event.origin.time == history.last:
            lasts["last",] = number
    yield from lasts.values()


def _actions_that_count(history: ReclaimHistory) -> set[str]:
    recent = {each.id for each in history.actions if each.time > history.last - _REMEMBERED}
    unmeasured = {each.id for each in history.unmeasured}
    measured = [each.id for each in history.actions if each.jobs and each.taken is not None]
    return recent | unmeasured | set(measured[-MAX_USELESS:])
