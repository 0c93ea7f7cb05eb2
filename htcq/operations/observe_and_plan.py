"""One observation of a pool and the next step of its elastic quotas.

The step comes with the reasons why it must not be taken.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from htcq.elastic.gates import GateRefusal
from htcq.elastic.handover import (
    Handover,
    handover_from,
    handover_json,
    with_known_weight,
    wrong_groups,
)
from htcq.errors import RefusedError
from htcq.live.reconfig import Negotiator
from htcq.operations.handed_over import record_of
from htcq.operations.health import check_configuration, told_ailments
from htcq.operations.pool_source import (
    OpenSource,
    Source,
    evaluated_from,
    open_source,
    read_open,
)
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.elastic.journal import JournalState, PoolSeen
    from htcq.elastic.next_step import NextStep
    from htcq.elastic.pool_health import PoolHealth
    from htcq.elastic.records import ElasticObservation
    from htcq.operations.elastic_quotas import Declared
    from htcq.pool.pool import Pool
    from htcq.pool.slot_ages import SlotAges


@dataclass(frozen=True)
class Captured:
    """A pool that is open, with the ages of the slots of a live one (None: of a snapshot)."""

    opened: OpenSource
    ages: SlotAges | None


#: How many times as long as a report it takes: the plan is tried in simulated cycles.
SIMULATED = 4
#: A window says that at least such a part of the pool is there, for what it can be taken to weigh.
_LEAST_PART = 0.01


@dataclass(frozen=True)
class Observed:
    """One look: the next step, what was seen, and why it must not be taken.

    ``seen`` is what the journal keeps of it.
    """

    step: NextStep
    sight: PoolHealth
    refusals: tuple[GateRefusal, ...]
    pool: Pool
    observation: ElasticObservation
    seen: PoolSeen

    def handover(self, state: JournalState) -> Handover:
        """Return what is to be written, as a step after ``state``."""
        plan = self.step.plan
        over = len(plan.over)
        return Handover(
            plan.id,
            plan.inputs,
            state.last,
            plan.negotiator,
            plan.file,
            self.step.static,
            self.seen,
            over,
        )


def capture(source: Source, declared: Declared) -> Captured:
    """Open the files of the pool, a live one after it was asked; nothing of it is evaluated.

    Raises:
        HtcqError: there is none, or it cannot be asked.
    """
    opened, ages = open_source(source), None
    if not source.snapshot:
        ages = Negotiator(source.pool, declared.negotiator, source.timeout).slot_ages()
    return Captured(opened, ages)


@dataclass(frozen=True)
class PlannedStep:
    """The next step, and why it must not be taken; a cycle takes ``cycle_seconds``."""

    given: Handover
    changes: bool
    refusals: tuple[GateRefusal, ...]
    cycle_seconds: float


@dataclass(frozen=True)
class _StepRecord:
    """A planned step as the confined process hands it over; ``given`` is a handover as JSON."""

    given: object
    changes: bool
    refusals: tuple[GateRefusal, ...]
    cycle_seconds: float


def observe_and_plan(
    source: Source,
    declared: Declared,
    state: JournalState,
    present: str | None,
    now: float,
    accept_loss: bool = False,
) -> PlannedStep:
    """Return the next step of the pool as of ``now``; it is evaluated in a confined process.

    Raises:
        RefusedError: the step is not one of the declared groups.
        HtcqError: as :func:`plan_of`.
    """
    captured = capture(source, declared)

    def look() -> _StepRecord:
        found = plan_of(captured, declared, state, present, now, accept_loss)
        given = handover_json(found.handover(state))
        changes = bool(found.step.plan.changes)
        return _StepRecord(given, changes, found.refusals, found.sight.cycle_seconds)

    record = record_of(_StepRecord, evaluated_from([captured.opened], look, SIMULATED))
    given = handover_from(record.given, "the plan")
    for wrong in wrong_groups(given, declared.quotas.groups):
        raise RefusedError(wrong.message, wrong.hint)
    if state.seen is not None and not accept_loss:
        given = with_known_weight(given, state)
    return PlannedStep(given, record.changes, record.refusals, record.cycle_seconds)


def plan_of(
    captured: Captured,
    declared: Declared,
    state: JournalState,
    present: str | None,
    now: float,
    accept_loss: bool = False,
) -> Observed:
    """Read the pool and return its next step as of ``now``.

    ``present`` is the text of the file that is in force.

    Raises:
        HtcqError: the pool cannot be read, or what is computed contradicts itself.
    """
    from htcq.audit.elastic import refuse_unsound
    from htcq.elastic import gates, group_names, guarantee_gates
    from htcq.elastic.next_step import next_step
    from htcq.elastic.observation import observe
    from htcq.elastic.pool_health import health_of
    from htcq.pool.pool import seconds_of
    from htcq.quota.elastic.window import changed_quotas, expected_part, open_windows

    name, source = declared.negotiator, captured.opened.source
    pool = read_open(captured.opened)
    check_configuration(pool)
    told_ailments(pool)
    clock = time.time()
    if source.snapshot:
        clock = seconds_of(pool.taken_at) or now
    windows = open_windows(declared.windows, clock)
    quotas = changed_quotas(declared.quotas, windows)
    expected = expected_part(windows)
    observation = observe(pool, quotas, name)
    total = observation.demand.total
    quotas, base = quotas.of(total), declared.quotas.of(total)
    for each in (base, quotas):
        refuse_unsound(each, "the quotas with all open windows")
    sight = health_of(pool, name, observation.pool_weight, captured.ages, observation.usage)
    for told in gates.ignored_faults(sight, state, declared.settings, clock):
        tell(f"htcq: {told}")
    found = [
        *gates.several(sight, name),
        *gates.refusals(sight, state, present, declared.settings, clock, accept_loss, expected),
        *gates.undeclared(
            sight, [group.name for group in declared.quotas.groups], retired_groups(pool, state)
        ),
    ]
    step = next_step(quotas, observation, sight, state, declared.settings, now, base)
    found += gates.negotiator_specific(sight.configured or {}, step.plan.file)
    found += guarantee_gates.unguaranteed(step.broken, observation.settings)
    mins = [(each.group, each.target.guaranteed) for each in step.plan.groups]
    found += guarantee_gates.overshoots(observation.settings)
    found += guarantee_gates.below_a_match(mins, observation.heaviest)
    found += group_names.unwritable(quotas.groups)
    found += group_names.unnamed_parents(quotas.groups)
    seen = seen_of(sight, state, expected, accept_loss)
    return Observed(step, sight, tuple(found), pool, observation, seen)


def seen_of(
    sight: PoolHealth, state: JournalState, expected: float, accepted: bool = False
) -> PoolSeen:
    """Return what the journal keeps: the whole pool, as long as a part of it is away by plan.

    ``accepted``: a person has accepted the pool as it is.
    """
    from htcq.elastic.journal import PoolSeen
    from htcq.elastic.usage_check import look_of

    busy, before = tuple(sorted(sight.schedd_ads.busy)), state.seen
    seen = PoolSeen(sight.slots, sight.schedds, sight.pool_weight, busy)
    if before is None or accepted:
        seen = replace(seen, accepted=sight.pool_weight / max(expected, _LEAST_PART))
    else:
        seen = replace(seen, accepted=before.known_weight)
    if sight.taken_at is not None:
        earlier = seen.usage if before is None else before.usage
        usage = look_of(sight.usage, sight.taken_at, earlier, sight.cycle_seconds)
        seen = replace(seen, usage=usage)
    if before is None or expected >= 1:
        return seen
    return replace(
        seen,
        slots=max(seen.slots, before.slots),
        pool_weight=max(seen.pool_weight, before.pool_weight),
    )


def retired_groups(pool: Pool, state: JournalState) -> list[str]:
    """Return the groups of our own file that have no submitter with jobs in the pool."""
    if state.in_force is None:
        return []
    busy = set()
    for record in pool.submitters:
        jobs = (record.number(name) or 0 for name in ("IdleJobs", "RunningJobs", "HeldJobs"))
        if any(jobs):
            busy.add((record.text("Name") or "").lower())
    return [
        name
        for name in state.in_force.quotas
        if not any(each.startswith(f"{name.lower()}.") for each in busy)
    ]
