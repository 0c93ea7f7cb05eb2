"""Events of the journal of reclaim, each with its reader and its writer.

A record of the journal is an object with ``kind``, ``time``, ``operator`` and, under ``reclaim``,
the ``negotiator`` and the fields of its kind. htcq-elastic(1), "The journal of reclaim", describes
them. A reader takes what is under ``reclaim``; a writer returns it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Union

from htcq.clock import Stamp
from htcq.elastic.journal_lines import look_from, look_keys
from htcq.elastic.reclaim.reclaim_fields import (
    FailedJob,
    JobEntry,
    JobKey,
    Payload,
    counts_from,
    entries_from,
    failures_from,
    key_fields,
    keys_from,
    names_from,
    number_from,
    text_from,
)
from htcq.elastic.usage_check import UsageLook

#: The key of a record that holds the fields of reclaim.
PAYLOAD = "reclaim"
#: Steps of a ceiling. After ``setting`` and before ``set`` nobody knows whether it is in force.
SETTING, SET, CANCELLING, CANCELLED, REFUSED = (
    "setting",
    "set",
    "cancelling",
    "cancelled",
    "refused",
)
#: The steps after which a ceiling is, or may be, in force.
_IN_FORCE = (SETTING, SET)


@dataclass(frozen=True)
class Origin:
    """Time, operator and negotiator of an event; ``time`` is in seconds since 1970.

    ``up`` is in seconds since the ``boot`` began.
    """

    time: float
    operator: str
    negotiator: str
    boot: str = ""
    up: float = 0.0


@dataclass(frozen=True)
class ObservationEvent:
    """One observation: the groups that were over their runtime, and those in need.

    ``slots``, ``schedds`` and ``pool_weight`` are the size of the pool that was seen (0: unknown).
    ``ending`` are the jobs that were left alone because they say that they end soon, ``usage`` is
    what it leaves for the next comparison with the accountant.
    """

    kind: ClassVar[str] = "reclaim-look"
    origin: Origin
    over: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    slots: int = 0
    schedds: int = 0
    pool_weight: float = 0.0
    ending: tuple[JobKey, ...] = ()
    usage: UsageLook = field(default_factory=UsageLook)

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> ObservationEvent:
        """Return the event with the fields of ``payload``."""
        size = [number_from(payload.get(name, 0)) for name in ("slots", "schedds", "pool_weight")]
        over, needs = names_from(payload, "over"), names_from(payload, "needs")
        ending = keys_from(payload, "ending")
        usage = look_from(payload.get("usage"))
        return cls(origin, over, needs, int(size[0]), int(size[1]), float(size[2]), ending, usage)

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind."""
        return {
            "over": list(self.over),
            "needs": list(self.needs),
            "slots": self.slots,
            "schedds": self.schedds,
            "pool_weight": self.pool_weight,
            **({"ending": [key_fields(job) for job in self.ending]} if self.ending else {}),
            **({"usage": look_keys(self.usage)} if self.usage.time else {}),
        }


@dataclass(frozen=True)
class IntentEvent:
    """Jobs that are to be vacated together, and the ``places`` that they free.

    ``needy`` are the groups in need, ``there`` the jobs of these groups that already ran at the
    places. ``wanted`` has, by submitter, for how many of his idle jobs it is done.
    """

    kind: ClassVar[str] = "reclaim-intent"
    origin: Origin
    action: str
    jobs: tuple[JobEntry, ...] = ()
    places: tuple[str, ...] = ()
    needy: tuple[str, ...] = ()
    there: tuple[JobKey, ...] = ()
    wanted: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> IntentEvent:
        """Return the event with the fields of ``payload``."""
        if "action" not in payload:
            raise ValueError("action is missing")
        return cls(
            origin,
            text_from(payload, "action"),
            jobs=entries_from(payload, "jobs"),
            places=names_from(payload, "places"),
            needy=names_from(payload, "needy"),
            there=keys_from(payload, "there"),
            wanted=counts_from(payload, "wanted"),
        )

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind."""
        return {
            "action": self.action,
            "jobs": [job.fields() for job in self.jobs],
            "places": list(self.places),
            "needy": list(self.needy),
            "there": [key_fields(job) for job in self.there],
            "wanted": dict(self.wanted),
        }


@dataclass(frozen=True)
class BatchEvent:
    """Jobs of one schedd that are vacated next; the outcome follows as an event of its own."""

    kind: ClassVar[str] = "reclaim-batch"
    origin: Origin
    action: str
    jobs: tuple[JobEntry, ...] = ()

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> BatchEvent:
        """Return the event with the fields of ``payload``."""
        return cls(origin, text_from(payload, "action"), entries_from(payload, "jobs"))

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind."""
        return {"action": self.action, "jobs": [job.fields() for job in self.jobs]}


@dataclass(frozen=True)
class BatchOutcomeEvent:
    """The outcome of a batch; it is unknown whether the ``doubtful`` jobs were vacated."""

    kind: ClassVar[str] = "reclaim-outcome"
    origin: Origin
    action: str
    done: tuple[JobEntry, ...] = ()
    failed: tuple[FailedJob, ...] = ()
    doubtful: tuple[FailedJob, ...] = ()

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> BatchOutcomeEvent:
        """Return the event with the fields of ``payload``."""
        return cls(
            origin,
            text_from(payload, "action"),
            done=entries_from(payload, "done"),
            failed=failures_from(payload, "failed"),
            doubtful=failures_from(payload, "doubtful"),
        )

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind."""
        return {
            "action": self.action,
            "done": [job.fields() for job in self.done],
            "failed": [job.fields() for job in self.failed],
            "doubtful": [job.fields() for job in self.doubtful],
        }


@dataclass(frozen=True)
class MeasurementEvent:
    """Whether the groups in need got the slots that an action freed.

    ``withdrawn`` has, by submitter, how many jobs he withdrew; None where groups in need did not
    take the slots and still wait.
    """

    kind: ClassVar[str] = "reclaim-measured"
    origin: Origin
    action: str
    taken: bool
    withdrawn: Mapping[str, int] | None = None

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> MeasurementEvent:
        """Return the event with the fields of ``payload``."""
        withdrawn = counts_from(payload, "withdrawn") if "withdrawn" in payload else None
        return cls(origin, text_from(payload, "action"), bool(payload.get("taken")), withdrawn)

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind."""
        fields: dict[str, Any] = {"action": self.action, "taken": self.taken}
        if self.withdrawn is not None:
            fields["withdrawn"] = dict(self.withdrawn)
        return fields


@dataclass(frozen=True)
class OwnCeiling:
    """A ceiling of a submitter of ``group`` that htcq has set, or may have set.

    ``until`` is when its lease ends, in seconds since 1970; None where it is no lease.
    """

    group: str
    ceiling: int
    until: float | None = None


@dataclass(frozen=True)
class CeilingEvent:
    """One step of the ceiling of a submitter.

    ``own`` is the ceiling of the steps ``setting`` and ``set``, ``why`` the reason of ``refused``.
    """

    kind: ClassVar[str] = "reclaim-ceiling"
    origin: Origin
    submitter: str
    step: str
    own: OwnCeiling | None = None
    why: str = ""

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> CeilingEvent:
        """Return the event with the fields of ``payload``."""
        step = text_from(payload, "step")
        own = None
        if step in _IN_FORCE:
            own = OwnCeiling(
                text_from(payload, "group"),
                int(payload.get("ceiling", 0)),
                _until_from(payload),
            )
        return cls(origin, text_from(payload, "submitter"), step, own, str(payload.get("why", "")))

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind."""
        payload: dict[str, Any] = {"submitter": self.submitter, "step": self.step}
        if self.own is not None:
            payload["group"] = self.own.group
            payload["ceiling"] = self.own.ceiling
            payload["until"] = self.own.until
        if self.step == REFUSED:
            payload["of"] = SETTING
            payload["why"] = self.why
        return payload


def _until_from(payload: Payload) -> float | None:
    until = payload.get("until")
    if until is None:
        return None
    return number_from(until)


@dataclass(frozen=True)
class StopEvent:
    """Reclaim stopped by itself; ``why`` is the reason."""

    kind: ClassVar[str] = "reclaim-stopped"
    origin: Origin
    why: str

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> StopEvent:
        """Return the event with the fields of ``payload``."""
        return cls(origin, str(payload.get("why", "")))

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind."""
        return {"why": self.why}


@dataclass(frozen=True)
class ResumeEvent:
    """A person resumed reclaim after a stop."""

    kind: ClassVar[str] = "reclaim-resumed"
    origin: Origin

    @classmethod
    def read(cls, origin: Origin, payload: Payload) -> ResumeEvent:
        """Return the event; it has no fields of its own."""
        return cls(origin)

    def write(self) -> dict[str, Any]:
        """Return the fields of this kind: none."""
        return {}


@dataclass(frozen=True)
class ForeignEvent:
    """A record that is not reclaim's; it is kept as it is."""

    record: Mapping[str, Any]


ActionEvent = Union[IntentEvent, BatchEvent, BatchOutcomeEvent, MeasurementEvent]
OwnEvent = Union[ObservationEvent, ActionEvent, CeilingEvent, StopEvent, ResumeEvent]
ReclaimEvent = Union[OwnEvent, ForeignEvent]

_READERS: Mapping[str, Callable[[Origin, Payload], OwnEvent]] = {
    ObservationEvent.kind: ObservationEvent.read,
    IntentEvent.kind: IntentEvent.read,
    BatchEvent.kind: BatchEvent.read,
    BatchOutcomeEvent.kind: BatchOutcomeEvent.read,
    MeasurementEvent.kind: MeasurementEvent.read,
    CeilingEvent.kind: CeilingEvent.read,
    StopEvent.kind: StopEvent.read,
    ResumeEvent.kind: ResumeEvent.read,
}


def event_from(record: Mapping[str, Any]) -> ReclaimEvent:
    """Return the event that a record of the journal holds.

    Raises:
        ValueError: no htcq has written this record.
    """
    kind = record.get("kind")
    payload = record.get(PAYLOAD)
    if not isinstance(kind, str) or kind not in _READERS or not isinstance(payload, Mapping):
        return ForeignEvent(record)
    try:
        origin = Origin(
            number_from(record.get("time", 0.0)),
            str(record.get("operator", "")),
            text_from(payload, "negotiator"),
            str(record.get("boot", "")),
            number_from(record.get("up", 0.0)),
        )
        return _READERS[kind](origin, payload)
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def record_of(event: ReclaimEvent) -> Mapping[str, Any]:
    """Return the record of ``event`` in the journal."""
    if isinstance(event, ForeignEvent):
        return event.record
    return {
        "kind": event.kind,
        "time": event.origin.time,
        "operator": event.origin.operator,
        **({"boot": event.origin.boot, "up": event.origin.up} if event.origin.boot else {}),
        PAYLOAD: {"negotiator": event.origin.negotiator, **event.write()},
    }


def stamp_of(event: ReclaimEvent) -> Stamp:
    """Return when ``event`` was recorded."""
    if isinstance(event, ForeignEvent):
        return Stamp(time_of(event))
    return Stamp(event.origin.time, event.origin.boot, event.origin.up)


def with_stamp(event: ReclaimEvent, stamp: Stamp) -> ReclaimEvent:
    """Return ``event`` with another time; a foreign record stays as it is."""
    if isinstance(event, ForeignEvent):
        return event
    origin = replace(event.origin, time=stamp.time, boot=stamp.boot, up=stamp.up)
    return replace(event, origin=origin)


def time_of(event: ReclaimEvent) -> float:
    """Return the time of ``event`` in seconds since 1970; 0 where a foreign record has none."""
    if not isinstance(event, ForeignEvent):
        return event.origin.time
    time = event.record.get("time")
    if isinstance(time, (int, float)) and math.isfinite(time):
        return float(time)
    return 0.0
