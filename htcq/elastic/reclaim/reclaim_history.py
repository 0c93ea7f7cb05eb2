"""What earlier observations and actions of reclaim left in the journal.

Every time is one of the observations' own clock: nothing is compared with the clock of another
machine. Records of others in the same journal are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from htcq.elastic.reclaim.reclaim_events import (
    CANCELLED,
    BatchOutcomeEvent,
    CeilingEvent,
    ForeignEvent,
    IntentEvent,
    MeasurementEvent,
    ObservationEvent,
    OwnCeiling,
    OwnEvent,
    ReclaimEvent,
    ResumeEvent,
)
from htcq.elastic.reclaim.reclaim_fields import JobEntry, JobKey

#: Reclaim stops after so many actions in a row that freed nothing for those in need.
MAX_USELESS = 2
#: Seconds.
DAY = 86400.0


@dataclass(frozen=True)
class ReclaimAction:
    """Jobs that were vacated together; an intent without an outcome counts as done.

    ``needy`` are the groups in need, ``there`` the jobs of these groups that already ran at the
    freed ``places``. ``taken``: whether the groups in need got the places; None where that is not
    known yet. ``wanted`` has, by submitter, for how many idle jobs it was done, ``withdrawn`` how
    many of these he withdrew (None: it is not known yet, or they still wait). ``lost`` are the jobs
    with the work that they lose. It is unknown whether those of ``doubtful`` were vacated.
    """

    id: str
    time: float
    jobs: frozenset[JobKey]
    places: frozenset[str] = frozenset()
    needy: frozenset[str] = frozenset()
    there: frozenset[JobKey] = frozenset()
    taken: bool | None = None
    lost: tuple[JobEntry, ...] = ()
    doubtful: frozenset[JobKey] = frozenset()
    wanted: Mapping[str, int] = field(default_factory=dict)
    withdrawn: Mapping[str, int] | None = None

    def measured(self, now: Mapping[str, Measured]) -> ReclaimAction:
        """Return the action with what ``now`` has measured of it, by action."""
        found = now.get(self.id)
        if found is None or self.taken is not None:
            return self
        return replace(self, taken=found.taken, withdrawn=found.withdrawn)

    @property
    def useful(self) -> bool:
        """Whether the groups in need took all that was freed for them."""
        return bool(self.taken) and not any((self.withdrawn or {}).values())

    @property
    def useless(self) -> bool:
        """Whether others got what was freed while the groups in need wait."""
        return self.taken is False and self.withdrawn is None


@dataclass(frozen=True)
class Measured:
    """What came of an action: the groups in need took the slots, or withdrew, or neither.

    ``withdrawn`` is as in :class:`ReclaimAction`.
    """

    taken: bool
    withdrawn: Mapping[str, int] | None = None


@dataclass(frozen=True)
class ReclaimHistory:
    """Observations and actions with one negotiator, the oldest first."""

    observations: tuple[ObservationEvent, ...] = ()
    actions: tuple[ReclaimAction, ...] = ()
    #: By submitter.
    ceilings: Mapping[str, OwnCeiling] = field(default_factory=dict)
    resumed: float = 0.0
    last: float = 0.0

    def seconds_over(self, group: str, now: float, max_gap: float) -> float:
        """Return for how long ``group`` has been over without a break, in seconds."""
        states = ((each.origin.time, group in each.over) for each in reversed(self.observations))
        return _seconds(states, now, max_gap)

    def seconds_in_need(self, group: str, now: float, max_gap: float) -> float:
        """Return for how long ``group`` has been in need without a break, in seconds."""
        states = ((each.origin.time, group in each.needs) for each in reversed(self.observations))
        return _seconds(states, now, max_gap)

    def lost_today(self, now: float) -> Iterator[JobEntry]:
        """Yield the jobs that were vacated in the 24 hours before ``now``."""
        for action in self.actions:
            if action.time > now - DAY:
                yield from (each for each in action.lost if each.key in action.jobs)

    def useful_in_a_row(self, measured: Mapping[str, Measured], since: float) -> int:
        """Return how many of the last actions were of use, as far back as ``since``.

        ``measured`` has the actions that were measured just now.
        """
        count = 0
        for each in reversed(self.actions):
            action = each.measured(measured)
            if not action.jobs or action.taken is None:
                continue
            if not action.useful or action.time < since:
                break
            count += 1
        return count

    def withdrawn_today(self, measured: Mapping[str, Measured], now: float) -> dict[str, int]:
        """Return, by submitter, for how many withdrawn jobs others' jobs were vacated.

        It is in the 24 hours before ``now``; ``measured`` has what was measured just now.
        """
        found: dict[str, int] = {}
        for each in self.actions:
            if each.time > now - DAY:
                for who, count in (each.measured(measured).withdrawn or {}).items():
                    found[who] = found.get(who, 0) + count
        return found

    def ending_since(self, job: JobKey) -> float | None:
        """Return when ``job`` was first left alone because it said that it ends soon, if it was."""
        return next((each.origin.time for each in self.observations if job in each.ending), None)

    def times_vacated(self, job: JobKey) -> int:
        """Return how often ``job`` was vacated by reclaim."""
        return sum(job in action.jobs for action in self.actions)

    @property
    def unmeasured(self) -> tuple[ReclaimAction, ...]:
        """Actions of which it is not known yet whether they were of use."""
        return tuple(action for action in self.actions if action.taken is None and action.jobs)

    def useless(self, measured: Mapping[str, Measured]) -> bool:
        """Return whether other groups got what the last actions freed.

        ``measured`` has the actions that were measured just now. What was withdrawn says nothing.
        """
        known: list[bool] = []
        for each in self.actions:
            action = each.measured(measured)
            if not action.jobs or action.time <= self.resumed or action.taken is None:
                continue
            if action.taken or action.useless:
                known.append(action.useless)
        return len(known) >= MAX_USELESS and all(known[-MAX_USELESS:])


def _seconds(states: Iterator[tuple[float, bool]], now: float, max_gap: float) -> float:
    """Return for how many seconds the newest of ``states`` have been true.

    They come newest first. Nothing is known of the time before a gap that is longer than
    ``max_gap``.
    """
    since = now
    for time, state in states:
        if time > now:
            continue
        if since - time > max_gap or not state:
            break
        since = time
    return now - since


@dataclass
class _Collected:
    """What was read so far of one negotiator."""

    observations: list[ObservationEvent] = field(default_factory=list)
    actions: dict[str, ReclaimAction] = field(default_factory=dict)
    ceilings: dict[str, OwnCeiling] = field(default_factory=dict)
    resumed: float = 0.0
    last: float = 0.0

    def add(self, event: OwnEvent) -> None:
        """Count ``event``, the newest."""
        self.last = max(self.last, event.origin.time)
        if isinstance(event, ObservationEvent):
            self.observations.append(event)
        elif isinstance(event, IntentEvent):
            self.actions[event.action] = _action_of(event)
        elif isinstance(event, BatchOutcomeEvent):
            self._end_batch(event)
        elif isinstance(event, MeasurementEvent):
            self._measure(event)
        elif isinstance(event, CeilingEvent):
            self._step(event)
        elif isinstance(event, ResumeEvent):
            self.resumed = event.origin.time

    def _end_batch(self, event: BatchOutcomeEvent) -> None:
        action = self.actions.get(event.action)
        if action is not None:
            failed = {each.entry.key for each in event.failed}
            doubtful = {each.entry.key for each in event.doubtful}
            self.actions[action.id] = replace(
                action, jobs=action.jobs - failed, doubtful=action.doubtful | doubtful
            )

    def _measure(self, event: MeasurementEvent) -> None:
        action = self.actions.get(event.action)
        if action is not None:
            self.actions[action.id] = replace(action, taken=event.taken, withdrawn=event.withdrawn)

    def _step(self, event: CeilingEvent) -> None:
        if event.own is not None:
            self.ceilings[event.submitter] = event.own
        elif event.step == CANCELLED:
            self.ceilings.pop(event.submitter, None)


def _action_of(event: IntentEvent) -> ReclaimAction:
    return ReclaimAction(
        event.action,
        event.origin.time,
        frozenset(job.key for job in event.jobs),
        frozenset(event.places),
        frozenset(event.needy),
        frozenset(event.there),
        lost=event.jobs,
        wanted=event.wanted,
    )


class ReclaimHistories:
    """Histories by negotiator, collected event by event."""

    def __init__(self) -> None:
        self._collected: dict[str, _Collected] = {}

    def after(self, event: ReclaimEvent) -> ReclaimHistories:
        """Count ``event``, the newest, and return these histories."""
        if not isinstance(event, ForeignEvent):
            self._collected.setdefault(event.origin.negotiator, _Collected()).add(event)
        return self

    def of(self, negotiator: str) -> ReclaimHistory:
        """Return the history with ``negotiator``."""
        found = self._collected.get(negotiator, _Collected())
        return ReclaimHistory(
            tuple(found.observations),
            tuple(found.actions.values()),
            dict(found.ceilings),
            found.resumed,
            found.last,
        )

    def ceilings(self, negotiator: str) -> dict[str, OwnCeiling]:
        """Return, by submitter, the ceilings at ``negotiator`` that are ours, or may be."""
        if negotiator not in self._collected:
            return {}
        return dict(self._collected[negotiator].ceilings)

    @property
    def every(self) -> tuple[ReclaimHistory, ...]:
        """The histories with all negotiators."""
        return tuple(self.of(name) for name in sorted(self._collected))

    @property
    def lent_to(self) -> tuple[str, ...]:
        """The negotiators that have ceilings of ours, or may have."""
        return tuple(name for name, each in sorted(self._collected.items()) if each.ceilings)


def history_of(events: Iterable[ReclaimEvent], negotiator: str) -> ReclaimHistory:
    """Return what ``events``, the oldest first, say of reclaim with ``negotiator``."""
    histories = ReclaimHistories()
    for event in events:
        histories.after(event)
    return histories.of(negotiator)
