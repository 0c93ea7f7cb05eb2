"""Each event of the journal of reclaim is written with the keys that the manual describes, and read back as it was."""

from __future__ import annotations

import pytest

from htcq.elastic.reclaim.reclaim_events import (
    CANCELLED,
    REFUSED,
    SETTING,
    BatchEvent,
    BatchOutcomeEvent,
    CeilingEvent,
    ForeignEvent,
    IntentEvent,
    MeasurementEvent,
    ObservationEvent,
    Origin,
    OwnCeiling,
    ReclaimEvent,
    ResumeEvent,
    StopEvent,
    event_from,
    record_of,
    time_of,
)
from htcq.elastic.reclaim.reclaim_fields import FailedJob, JobEntry

ORIGIN = Origin(12.5, "root", "negotiator")
JOB = JobEntry("access1", "1.0", "a", "a.ann@site", 2.5)
KEYS = {
    "schedd": "access1", "job": "1.0", "group": "a", "submitter": "a.ann@site", "lost_weight_hours": 2.5,
}  # fmt: skip
FAILED = {**KEYS, "why": "gone"}
EVENTS = [
    (
        ObservationEvent(ORIGIN, ("a",), ("b",), 8, 2, 8.0),
        "look",
        {"over": ["a"], "needs": ["b"], "slots": 8, "schedds": 2, "pool_weight": 8.0},
    ),
    (
        IntentEvent(
            ORIGIN, "x", (JOB,), ("slot1",), ("b",), (("access1", "2.0"),), {"b.ben@site": 2}
        ),
        "intent",
        {
            "action": "x",
            "jobs": [KEYS],
            "places": ["slot1"],
            "needy": ["b"],
            "there": [{"schedd": "access1", "job": "2.0"}],
            "wanted": {"b.ben@site": 2},
        },
    ),
    (BatchEvent(ORIGIN, "x", (JOB,)), "batch", {"action": "x", "jobs": [KEYS]}),
    (
        BatchOutcomeEvent(ORIGIN, "x", (JOB,), (FailedJob(JOB, "gone"),), ()),
        "outcome",
        {"action": "x", "done": [KEYS], "failed": [FAILED], "doubtful": []},
    ),
    (MeasurementEvent(ORIGIN, "x", False), "measured", {"action": "x", "taken": False}),
    (
        MeasurementEvent(ORIGIN, "x", True, {"b.ben@site": 1}),
        "measured",
        {"action": "x", "taken": True, "withdrawn": {"b.ben@site": 1}},
    ),
    (
        ObservationEvent(ORIGIN, ending=(("access1", "2.0"),)),
        "look",
        {
            "over": [],
            "needs": [],
            "slots": 0,
            "schedds": 0,
            "pool_weight": 0.0,
            "ending": [{"schedd": "access1", "job": "2.0"}],
        },
    ),
    (
        CeilingEvent(ORIGIN, "a.ann@site", SETTING, OwnCeiling("a", 4)),
        "ceiling",
        {"submitter": "a.ann@site", "step": "setting", "group": "a", "ceiling": 4, "until": None},
    ),
    (
        CeilingEvent(ORIGIN, "a.ann@site", CANCELLED),
        "ceiling",
        {"submitter": "a.ann@site", "step": "cancelled"},
    ),
    (
        CeilingEvent(ORIGIN, "a.ann@site", REFUSED, why="silent"),
        "ceiling",
        {"submitter": "a.ann@site", "step": "refused", "of": "setting", "why": "silent"},
    ),
    (StopEvent(ORIGIN, "useless"), "stopped", {"why": "useless"}),
    (ResumeEvent(ORIGIN), "resumed", {}),
]


@pytest.mark.parametrize(("event", "kind", "payload"), EVENTS)
def test_an_event_is_written_and_read(
    event: ReclaimEvent, kind: str, payload: dict[str, object]
) -> None:
    record = {
        "kind": f"reclaim-{kind}",
        "time": 12.5,
        "operator": "root",
        "reclaim": {"negotiator": "negotiator", **payload},
    }
    assert record_of(event) == record
    assert event_from(record) == event
    assert time_of(event) == 12.5


@pytest.mark.parametrize("record", [{"kind": "intent", "time": "soon"}, {"kind": "reclaim-look"}])
def test_a_record_of_others_is_kept_as_it_is(record: dict[str, object]) -> None:
    event = event_from(record)
    assert event == ForeignEvent(record)
    assert record_of(event) == record
    assert time_of(event) == 0
