"""One observation of a pool for ``htcq elastic reclaim``, and the plan of reclaim."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.errors import JournalError, PoolError
from htcq.operations.elastic_quotas import read_tree
from htcq.operations.health import check_configuration, told_ailments
from htcq.operations.pool_source import read
from htcq.store.reclaim_journal import ReclaimJournal

if TYPE_CHECKING:
    from htcq.elastic.journal import JournalState, PoolSeen
    from htcq.elastic.pool_health import PoolHealth
    from htcq.elastic.reclaim.reclaim_events import ReclaimEvent
    from htcq.elastic.reclaim.reclaim_fields import JobKey
    from htcq.elastic.reclaim.reclaim_history import ReclaimHistory
    from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
    from htcq.elastic.records import ElasticObservation
    from htcq.elastic.usage_check import UsageLook
    from htcq.live.userprio import UserPriorities
    from htcq.operations.pool_source import Source
    from htcq.pool.pool import Pool
    from htcq.quota.elastic.declaration import ElasticQuotas
    from htcq.quota.elastic.window import Window
    from htcq.settings.elastic_write import WriteSettings
    from htcq.settings.reclaim import ReclaimLimits


@dataclass(frozen=True)
class ReclaimRequest:
    """The quotas of one negotiator, the limits of reclaim there, its journal, and the windows.

    ``elsewhere`` says which other central manager acts, empty where this one does.
    """

    quotas: ElasticQuotas
    limits: ReclaimLimits
    gates: WriteSettings
    journal: ReclaimJournal
    windows: tuple[Window, ...] = ()
    elsewhere: str = ""

    def at(self, now: float) -> ReclaimRequest:
        """Return the request with the windows that are open at ``now`` and their quotas."""
        from htcq.quota.elastic.window import changed_quotas, open_windows

        windows = open_windows(self.windows, now)
        return replace(self, quotas=changed_quotas(self.quotas, windows), windows=windows)


@dataclass(frozen=True)
class ObservedReclaim:
    """One observation of a pool and the plan of reclaim.

    ``places`` has, by slot, the slot that is there once it is free. ``seen`` is the size of the
    pool. ``refusals`` are the reasons why nothing may be done.
    """

    plan: ReclaimPlan
    pool: Pool
    observation: ElasticObservation
    history: ReclaimHistory
    places: Mapping[str, str]
    seen: PoolSeen
    refusals: tuple[str, ...] = ()


def read_request(name: str, negotiator: str, journal: str | None) -> ReclaimRequest:
    """Return the request that the file of quotas ``name`` makes.

    ``journal``, if any, replaces the journal that the file names.

    Raises:
        InputError: the quotas cannot be read, are refused, or have several trees and ``negotiator``
            names none of them.
    """
    file, chosen = read_tree(name, negotiator)
    limits = file.reclaims[chosen]
    if journal:
        limits = replace(limits, journal=str(Path(journal).absolute()))
    return ReclaimRequest(
        file.trees[chosen], limits, file.writes[chosen], ReclaimJournal(Path(limits.journal)),
        file.windows[chosen],
    )  # fmt: skip


def plan_reclaim(source: Source, wanted: ReclaimRequest) -> ObservedReclaim:
    """Read the pool and return what would be taken back now.

    Raises:
        HtcqError: the pool or the journal cannot be read.
    """
    from htcq.elastic.fitted_runtime import fitted_runtimes
    from htcq.elastic.invariants import violations
    from htcq.elastic.journal import PoolSeen
    from htcq.elastic.observation import observe
    from htcq.elastic.pool_health import health_of
    from htcq.elastic.reclaim import planner
    from htcq.elastic.reclaim.free_space import FreeSpaces
    from htcq.live.reconfig import Negotiator
    from htcq.live.vacating import queues_of
    from htcq.pool.pool import seconds_of

    pool = read(source)
    check_configuration(pool)
    told_ailments(pool)
    now = time.time()
    if source.snapshot:
        now = seconds_of(pool.taken_at) or now
    wanted = wanted.at(now)
    observation = observe(pool, wanted.quotas, source.negotiator)
    fitted = fitted_runtimes(wanted.quotas, observation)
    events = wanted.journal.events()
    live = source.snapshot is None
    ends: Mapping[JobKey, float] = {}
    ages = None
    if live:
        silent = {what.partition("jobs of ")[2] for what, _ in pool.failed}
        heard = [schedd for schedd in pool.schedds if schedd.name not in silent]
        queues = queues_of(heard, source.pool, source.timeout)
        ends = ends_of(observation, queues.allowed_times(wanted.limits.wall_time))
        ages = Negotiator(source.pool, source.negotiator, source.timeout).slot_ages()
    health = health_of(pool, source.negotiator, observation.pool_weight, ages, observation.usage)
    refused = list(_refusals(source, wanted, health, observation, events, pool))
    refused += [
        f"the computation contradicts itself: {wrong}" for wrong in violations(fitted.computed)
    ]
    if pool.jobs is None:
        refused.append("the queues are not known")
    ceilings: Mapping[str, int] = {}
    if live:
        try:
            there = priorities_of(source, pool, observation.negotiator).ceilings()
            ceilings = {who: each.ceiling for who, each in there.items()}
        except PoolError as error:
            refused.append(f"the ceilings of submitters are not known: {error}")
    planned = planner.plan_reclaim(
        fitted.outcome, observation, pool, wanted.limits, events, ends, ceilings
    )
    spaces = FreeSpaces(pool)
    places = {str(slot.name): spaces.place(str(slot.name)) for slot in pool.slots or ()}
    history = wanted.journal.history(observation.negotiator)
    seen = PoolSeen(
        health.slots, health.schedds, health.pool_weight, usage=_usage_after(wanted, events, health)
    )
    return ObservedReclaim(planned, pool, observation, history, places, seen, tuple(refused))


def ends_of(
    observation: ElasticObservation, allowed: Mapping[JobKey, float]
) -> dict[JobKey, float]:
    """Return in how many seconds jobs end that may run for ``allowed`` seconds."""
    ends = {}
    for claim in observation.claims:
        key = (claim.schedd, claim.job)
        if claim.started is not None and key in allowed:
            ends[key] = allowed[key] - (observation.taken_at - claim.started)
    return ends


def _refusals(
    source: Source,
    wanted: ReclaimRequest,
    health: PoolHealth,
    observation: ElasticObservation,
    events: Iterable[ReclaimEvent],
    pool: Pool,
) -> Iterator[str]:
    """Yield why nothing may be done: what holds the writer back holds reclaim back too."""
    from htcq.elastic.gates import ignored_faults, refusals, several, undeclared
    from htcq.operations.observe_and_plan import retired_groups
    from htcq.quota.elastic.window import expected_part
    from htcq.report.printable import tell

    try:
        state, present = _state_of_writer(wanted.gates, events)
    except (JournalError, OSError) as error:
        yield f"it is not known whether elastic quotas are on: {error}"
        return
    stopped = why_stopped(wanted)
    if stopped:
        yield stopped
    clock = time.time()
    if source.snapshot:
        clock = health.taken_at or observation.taken_at
    for warning in ignored_faults(health, state, wanted.gates, clock):
        tell(f"htcq: {warning}")
    refused = [
        *several(health, source.negotiator),
        *refusals(
            health, state, present, wanted.gates, clock, expected=expected_part(wanted.windows)
        ),
        *undeclared(
            health, [group.name for group in wanted.quotas.groups], retired_groups(pool, state)
        ),
    ]
    for each in refused:
        if each.hint:
            yield f"{each.message} ({each.hint})"
        else:
            yield each.message


def why_stopped(wanted: ReclaimRequest) -> str:
    """Return why no job may be vacated by the writer's journal, empty where one may."""
    from htcq.elastic.activity import activity_of
    from htcq.store.elastic_journal import read_journal

    if wanted.elsewhere:
        return wanted.elsewhere
    try:
        state = read_journal(Path(wanted.gates.journal)).state
    except (JournalError, OSError) as error:
        return f"it is not known whether elastic quotas are on: {error}"
    activity = activity_of(state, wanted.gates.max_failures)
    if activity.vacates:
        return ""
    return f"elastic quotas are {activity.word}: {activity.why}"


def _state_of_writer(
    gates: WriteSettings, events: Iterable[ReclaimEvent]
) -> tuple[JournalState, str | None]:
    """Return the state of the writer's journal, and the text of its file.

    Where the writer has accepted no observation, reclaim's last one says how large the pool was.
    """
    from htcq.elastic.journal import PoolSeen
    from htcq.elastic.reclaim.reclaim_events import ObservationEvent
    from htcq.store.elastic_journal import read_journal

    state = read_journal(Path(gates.journal)).state
    own = PoolSeen(0, 0, 0.0)
    for event in events:
        if isinstance(event, ObservationEvent):
            own = PoolSeen(event.slots, event.schedds, event.pool_weight, usage=event.usage)
    seen = state.seen or own
    # Both compare usage with the accountant's, each at its own looks.
    newest = max(own.usage, seen.usage, key=lambda each: each.time)
    state = replace(state, seen=replace(seen, usage=newest))
    present = None
    if state.in_force is not None:
        with contextlib.suppress(FileNotFoundError):
            path = Path(gates.directory) / gates.file
            present = path.read_bytes().decode("utf-8", "replace")
    return state, present


def _usage_after(
    wanted: ReclaimRequest, events: Iterable[ReclaimEvent], health: PoolHealth
) -> UsageLook:
    """Return what this look leaves for the next comparison with the accountant."""
    from htcq.elastic.usage_check import UsageLook, look_of

    before = UsageLook()
    with contextlib.suppress(JournalError, OSError):
        state, _ = _state_of_writer(wanted.gates, events)
        if state.seen is not None:
            before = state.seen.usage
    if health.taken_at is None:
        return before
    return look_of(health.usage, health.taken_at, before, health.cycle_seconds)


def priorities_of(source: Source, pool: Pool, negotiator: str) -> UserPriorities:
    """Return the negotiator's record of submitters, and whether it lends ceilings."""
    from htcq.htcondor.releases import LENT_CEILINGS
    from htcq.live.userprio import UserPriorities
    from htcq.pool.versions import version

    named = [each for each in pool.negotiators if each.name == negotiator]
    found = named or list(pool.negotiators)
    running = version(found[0].value("CondorVersion")) if found else ()
    leases = bool(running) and LENT_CEILINGS.holds(running)
    return UserPriorities(source.pool, source.negotiator, leases, source.timeout)
