"""What of a long journal of reclaim still counts: the rest can go without any later look coming to something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from htcq.elastic.reclaim.reclaim_history import (
    CEILING,
    DAY,
    KINDS,
    LOOKED,
    MAX_USELESS,
    RESUMED,
    STOPPED,
    past_of,
    told_by,
)

#: Seconds for which is remembered how often a job was vacated: longer than jobs wait and run.
_REMEMBERED = 90 * DAY
_OF_ACTIONS = frozenset(KINDS) - {LOOKED, CEILING, RESUMED, STOPPED}


def essential(
    records: Sequence[Mapping[str, Any]], seconds: float
) -> tuple[Mapping[str, Any], ...]:
    """Return, in their order, the records that count.

    These are looks of the last ``seconds``, actions of the last 90 days and whichever last ones
    tell whether they are of use, the last word on each ceiling that may be ours, the last
    resume, and the last record of all.
    """
    kept: set[int] = set()
    for negotiator in {
        str(told.get("negotiator", "")) for told in map(told_by, records) if told is not None
    }:
        kept.update(_of(records, negotiator, seconds))
    return tuple(
        record for number, record in enumerate(records) if number in kept or told_by(record) is None
    )


def _of(records: Sequence[Mapping[str, Any]], negotiator: str, seconds: float) -> Iterator[int]:
    past = past_of(records, negotiator)
    actions = {action.id for action in past.actions if action.time > past.last - _REMEMBERED}
    actions |= {action.id for action in past.unmeasured}
    known = [action for action in past.actions if action.jobs and action.taken is not None]
    actions |= {action.id for action in known[-MAX_USELESS:]}
    lasts: dict[tuple[object, ...], int] = {}
    for number, record in enumerate(records):
        told = told_by(record)
        if told is None or told.get("negotiator", "") != negotiator:
            continue
        kind, time = record["kind"], float(record.get("time", 0.0))
        if kind == CEILING:
            if told.get("submitter") in past.ceilings:
                lasts[kind, told["submitter"], told.get("step")] = number
        elif kind in _OF_ACTIONS:
            if told.get("action") in actions:
                yield number
        elif kind != LOOKED:
            lasts[kind,] = number
        elif time >= past.last - seconds:
            yield number
        if time == past.last:
            lasts["last",] = number
    yield from lasts.values()
