"""A journal of reclaim that was shortened comes to what the long one came to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.elastic.reclaim.compaction import compacted
from htcq.elastic.reclaim.reclaim_events import (
    CANCELLED,
    CANCELLING,
    REFUSED,
    SET,
    SETTING,
    BatchEvent,
    BatchOutcomeEvent,
    CeilingEvent,
    IntentEvent,
    MeasurementEvent,
    ObservationEvent,
    OwnEvent,
    ReclaimEvent,
    ResumeEvent,
    StopEvent,
    event_from,
)
from htcq.elastic.reclaim.reclaim_history import DAY, Measured, history_of

KINDS: tuple[type[OwnEvent], ...] = (
    ObservationEvent,
    IntentEvent,
    BatchEvent,
    BatchOutcomeEvent,
    MeasurementEvent,
    CeilingEvent,
    StopEvent,
    ResumeEvent,
)
NEGOTIATORS = ("", "second")
SECONDS = 600.0
GROUPS = ("a", "b")
SUBMITTERS = ("a.ann@site", "b.ben@site")
#: Times between two records: within a look's reach, and so long that all before is forgotten but
#: what lasts.
PAUSES = (0.0, 100.0, 700.0, DAY, 91 * DAY)


def jobs(*names: str) -> list[dict[str, str]]:
    return [{"schedd": "access1", "job": name} for name in names]


@st.composite
def journals(draw: st.DrawFn) -> list[ReclaimEvent]:
    records: list[ReclaimEvent] = []
    actions: list[str] = []
    time = 1000.0
    for number in range(draw(st.integers(0, 25))):
        time += draw(st.sampled_from(PAUSES))
        kind = draw(st.sampled_from(KINDS))
        told: dict[str, Any] = {"negotiator": draw(st.sampled_from(NEGOTIATORS))}
        groups = st.lists(st.sampled_from(GROUPS), unique=True)
        if kind is ObservationEvent:
            told.update(over=draw(groups), needs=draw(groups))
        elif kind is IntentEvent:
            actions.append(f"action{number}")
            told.update(
                action=actions[-1],
                jobs=jobs(*draw(st.lists(st.sampled_from(("1.0", "1.1")), unique=True))),
            )
        elif kind is CeilingEvent:
            step = draw(st.sampled_from((SETTING, SET, CANCELLING, CANCELLED, REFUSED)))
            told.update(
                submitter=draw(st.sampled_from(SUBMITTERS)), group="a", step=step, ceiling=number
            )
        elif kind in (BatchOutcomeEvent, MeasurementEvent, BatchEvent):
            told["action"] = draw(st.sampled_from(actions)) if actions else "none"
            if kind is MeasurementEvent:
                told.update(taken=draw(st.booleans()))
                if draw(st.booleans()):
                    told.update(withdrawn={"b.ben@site": draw(st.integers(0, 3))})
            else:
                told.update(failed=jobs("1.0"))
        records.append(event_from({"kind": kind.kind, "time": time, "reclaim": told}))
    return records


def meaning(records: Sequence[ReclaimEvent], negotiator: str, gap: float) -> tuple[object, ...]:
    """Return all that a look asks of what was before."""
    past = history_of(records, negotiator)
    now = past.last + 10
    return (
        past.ceilings,
        past.resumed,
        past.last,
        past.unmeasured,
        past.useless({}),
        past.useless({action.id: Measured(False) for action in past.unmeasured}),
        list(past.lost_today(now)),
        past.useful_in_a_row({}, now - 3600),
        past.withdrawn_today({}, now),
        [past.seconds_over(group, now, gap) for group in GROUPS],
        [past.seconds_in_need(group, now, gap) for group in GROUPS],
    )


@given(journals(), st.sampled_from((50.0, 150.0, 800.0)))
def test_it_comes_to_the_same(records: list[ReclaimEvent], gap: float) -> None:
    short = compacted(records, SECONDS)
    remaining = iter(records)
    assert all(each in remaining for each in short), "the order is kept"
    for negotiator in NEGOTIATORS:
        *whole, over, need = meaning(records, negotiator, gap)
        *rest, short_over, short_need = meaning(short, negotiator, gap)
        assert rest == whole
        for long, less in ((over, short_over), (need, short_need)):
            assert isinstance(long, list)
            assert isinstance(less, list)
            # What lasts longer than the looks that are kept is known to last as long as they do,
            # less one gap.
            assert all(b == a or SECONDS - gap <= b <= a for a, b in zip(long, less))


@pytest.mark.parametrize("count", [10, 5000])
def test_looks_go_and_what_was_done_stays(count: int) -> None:
    told = {"negotiator": ""}
    looks = [
        event_from(
            {"kind": ObservationEvent.kind, "time": 60.0 * each, "reclaim": {**told, "over": ["a"]}}
        )
        for each in range(count)
    ]
    planned = {**told, "action": "x", "jobs": jobs("1.0")}
    action = event_from({"kind": IntentEvent.kind, "time": 1.0, "reclaim": planned})
    taken = {**told, "action": "x", "taken": True}
    measured = event_from({"kind": MeasurementEvent.kind, "time": 2.0, "reclaim": taken})
    other = event_from({"kind": "of somebody else", "time": 3.0})
    short = compacted([action, measured, other, *looks], 120)
    assert short == (action, measured, other, *looks[-3:])
    assert history_of(short, "").times_vacated(("access1", "1.0")) == 1
