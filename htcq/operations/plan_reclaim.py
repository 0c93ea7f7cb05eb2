"""One observation of a pool for ``htcq elastic reclaim``, and the plan of reclaim."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.elastic.journal import PoolSeen
from htcq.errors import JournalError, PoolError
from htcq.operations.elastic_quotas import read_tree
from htcq.operations.handed_over import record_of
from htcq.operations.health import check_configuration, told_ailments
from htcq.operations.observe_and_plan import SIMULATED
from htcq.operations.pool_source import evaluated_from, open_source, read_open
from htcq.operations.reclaim_record import NeedyClaim, ObservedReclaim, check_observed
from htcq.pool.files import COLLECTOR_ADS
from htcq.store.reclaim_journal import ReclaimJournal
from htcq.store.snapshot import snapshot_of

if TYPE_CHECKING:
    from htcq.elastic.journal import JournalState
    from htcq.elastic.pool_health import PoolHealth
    from htcq.elastic.reclaim.reclaim_events import ReclaimEvent
    from htcq.elastic.reclaim.reclaim_fields import JobKey
    from htcq.elastic.records import ElasticObservation
    from htcq.elastic.usage_check import UsageLook
    from htcq.live.captured import Captured
    from htcq.live.userprio import UserPriorities
    from htcq.operations.pool_source import OpenSource, Source
    from htcq.pool.literal_claims import LiteralClaims
    from htcq.pool.pool import Pool
    from htcq.pool.slot_ages import SlotAges
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
class Reclaiming:
    """What is observed, and the daemons that are there (None: of a snapshot)."""

    found: ObservedReclaim
    daemons: Captured | None


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


def plan_reclaim(source: Source, wanted: ReclaimRequest) -> Reclaiming:
    """Read the pool and return what would be taken back now.

    The pool is evaluated in a confined process; this one, which may act, takes plain values.

    Raises:
        HtcqError: the pool or the journal cannot be read, or what was found is refused.
    """
    opened = open_source(source)
    events = wanted.journal.events()
    asked = _asked(opened, wanted)
    writer = _looked_up(wanted, events)
    found: ObservedReclaim = record_of(
        ObservedReclaim,
        evaluated_from([opened], lambda: _look(opened, wanted, events, asked, writer), SIMULATED),
    )
    captured = opened.captured
    negotiator = "" if captured is None else source.negotiator or captured.negotiator
    groups, limits, journal = wanted.quotas.groups, wanted.limits, wanted.journal
    check_observed(found, groups, limits, journal, _claims_of(opened, found), negotiator)
    return Reclaiming(found, opened.captured)


def _claims_of(opened: OpenSource, found: ObservedReclaim) -> LiteralClaims | None:
    """Return what slots say of their claims; None where nothing is to be vacated.

    Nor of a snapshot: an archive may mean harm, and nobody acts on it.
    """
    from htcq.pool.literal_claims import literal_claims

    if opened.captured is None or not found.plan.evictions:
        return None
    chunks = snapshot_of(opened.files).chunks(COLLECTOR_ADS)
    return literal_claims(() if chunks is None else chunks())


@dataclass(frozen=True)
class _Answers:
    """What daemons of a live pool say when they are asked.

    ``allowed`` has for how many seconds jobs may run, ``ceilings`` those of submitters; ``why``
    says why these are not known.
    """

    allowed: Mapping[JobKey, float] = field(default_factory=dict)
    ages: SlotAges | None = None
    ceilings: Mapping[str, int] = field(default_factory=dict)
    why: str = ""


def _asked(opened: OpenSource, wanted: ReclaimRequest) -> _Answers:
    from htcq.live.reconfig import Negotiator
    from htcq.live.userprio import UserPriorities
    from htcq.live.vacating import queues_of

    source, captured = opened.source, opened.captured
    if captured is None:
        return _Answers()
    silent = {what.partition("jobs of ")[2] for what, _ in captured.failed}
    heard = [each for each in captured.schedds if each["Name"] not in silent]
    queues = queues_of(heard, source.pool, source.timeout)
    asked = _Answers(
        queues.allowed_times(wanted.limits.wall_time),
        Negotiator(source.pool, source.negotiator, source.timeout).slot_ages(),
    )
    priorities = UserPriorities(source.pool, source.negotiator, timeout=source.timeout)
    try:
        there = priorities.ceilings()
    except PoolError as error:
        return replace(asked, why=f"the ceilings of submitters are not known: {error}")
    return replace(asked, ceilings={who: each.ceiling for who, each in there.items()})


def _look(
    opened: OpenSource,
    wanted: ReclaimRequest,
    events: Sequence[ReclaimEvent],
    asked: _Answers,
    writer: _Writer,
) -> ObservedReclaim:
    """Evaluate the pool and plan."""
    from htcq.audit.elastic import refuse_unsound
    from htcq.elastic.fitted_runtime import fitted_runtimes
    from htcq.elastic.invariants import violations
    from htcq.elastic.observation import observe
    from htcq.elastic.pool_health import health_of
    from htcq.elastic.reclaim import planner
    from htcq.elastic.reclaim.free_space import FreeSpaces
    from htcq.pool.pool import seconds_of

    source = opened.source
    pool = read_open(opened)
    check_configuration(pool)
    ailing = told_ailments(pool)
    now = time.time()
    if source.snapshot:
        now = seconds_of(pool.taken_at) or now
    wanted = wanted.at(now)
    observation = observe(pool, wanted.quotas, source.negotiator)
    quotas = wanted.quotas.of(observation.demand.total)
    refuse_unsound(quotas, "the quotas with all open windows")
    fitted = fitted_runtimes(quotas, observation)
    ends = ends_of(observation, asked.allowed)
    health = health_of(
        pool, source.negotiator, observation.pool_weight, asked.ages, observation.usage
    )
    refused = list(_refusals(source, wanted, health, observation, writer, pool))
    refused += [
        f"the computation contradicts itself: {wrong}" for wrong in violations(fitted.computed)
    ]
    if pool.jobs is None:
        refused.append("the queues are not known")
    refused += filter(None, [asked.why])
    planned = planner.plan_reclaim(
        fitted.outcome, observation, pool, wanted.limits, events, ends, asked.ceilings
    )
    spaces = FreeSpaces(pool)
    in_need = {each.group for each in planned.needs}
    return ObservedReclaim(
        planned,
        {each.slot: spaces.place(each.slot) for each in planned.evictions},
        len(observation.claims),
        tuple(
            NeedyClaim(each.group, each.schedd, each.job, spaces.place(each.slot))
            for each in observation.claims
            if each.group in in_need
        ),
        PoolSeen(
            health.slots, health.schedds, health.pool_weight, usage=_usage_after(writer, health)
        ),
        tuple(refused),
        ailing,
    )


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


@dataclass(frozen=True)
class _Writer:
    """The state of the writer of quotas, and the text of its file; ``why`` it is not known.

    ``stopped`` says why no job may be vacated.
    """

    state: JournalState | None = None
    present: str | None = None
    why: str = ""
    stopped: str = ""


def _looked_up(wanted: ReclaimRequest, events: Iterable[ReclaimEvent]) -> _Writer:
    try:
        state, present = _state_of_writer(wanted.gates, events)
    except (JournalError, OSError) as error:
        return _Writer(why=f"it is not known whether elastic quotas are on: {error}")
    return _Writer(state, present, stopped=why_stopped(wanted))


def _refusals(
    source: Source,
    wanted: ReclaimRequest,
    health: PoolHealth,
    observation: ElasticObservation,
    writer: _Writer,
    pool: Pool,
) -> Iterator[str]:
    """Yield why nothing may be done: what holds the writer back holds reclaim back too."""
    from htcq.elastic.gates import ignored_faults, refusals, several, undeclared
    from htcq.operations.observe_and_plan import retired_groups
    from htcq.quota.elastic.window import expected_part
    from htcq.report.printable import tell

    state, present = writer.state, writer.present
    if state is None:
        yield writer.why
        return
    if writer.stopped:
        yield writer.stopped
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
    return activity.sentence


def _state_of_writer(
    gates: WriteSettings, events: Iterable[ReclaimEvent]
) -> tuple[JournalState, str | None]:
    """Return the state of the writer's journal, and the text of its file.

    Where the writer has accepted no observation, reclaim's last one says how large the pool was.
    """
    from htcq.elastic.journal import PoolSeen
    from htcq.elastic.reclaim.reclaim_events import ObservationEvent
    from htcq.elastic.usage_check import ahead, believed
    from htcq.report.printable import tell
    from htcq.store.elastic_journal import read_journal

    state = read_journal(Path(gates.journal)).state
    own = PoolSeen(0, 0, 0.0)
    for event in events:
        if isinstance(event, ObservationEvent):
            own = PoolSeen(event.slots, event.schedds, event.pool_weight, usage=event.usage)
    seen = state.seen or own
    # Both compare usage with the accountant's, each at its own looks.
    looks, now = (own.usage, seen.usage), time.time()
    for told in dict.fromkeys(filter(None, (ahead(each, now) for each in looks))):
        tell(f"htcq: {told}")
    newest = max((believed(each, now) for each in looks), key=lambda each: each.time)
    state = replace(state, seen=replace(seen, usage=newest))
    present = None
    if state.in_force is not None:
        with contextlib.suppress(FileNotFoundError):
            path = Path(gates.directory) / gates.file
            present = path.read_bytes().decode("utf-8", "replace")
    return state, present


def _usage_after(writer: _Writer, health: PoolHealth) -> UsageLook:
    """Return what this look leaves for the next comparison with the accountant."""
    from htcq.elastic.usage_check import UsageLook, look_of

    before = UsageLook()
    if writer.state is not None and writer.state.seen is not None:
        before = writer.state.seen.usage
    if health.taken_at is None:
        return before
    return look_of(health.usage, health.taken_at, before, health.cycle_seconds)


def priorities_of(source: Source, daemons: Captured, negotiator: str) -> UserPriorities:
    """Return the negotiator's record of submitters, and whether it lends ceilings."""
    from htcq.htcondor.releases import LENT_CEILINGS
    from htcq.live.userprio import UserPriorities
    from htcq.pool.versions import version

    named = [each for each in daemons.negotiators if each.get("Name") == negotiator]
    found = named or list(daemons.negotiators)
    running = version(found[0].get("CondorVersion", "")) if found else ()
    leases = bool(running) and LENT_CEILINGS.holds(running)
    return UserPriorities(source.pool, source.negotiator, leases, source.timeout)
