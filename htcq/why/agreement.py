"""HTCondor's own reasons why jobs were not matched, beside those of the simulated cycle.

The negotiator gives one reason for each autocluster that it rejects, and the schedd keeps it in
the job that the request was made for: LastRejMatchReason, LastRejMatchTime and, since 24.4,
LastRejMatchNegotiator. Follows negotiate of src/condor_negotiator.V6/matchmaker.cpp and
ScheddNegotiate::messageReceived of src/condor_schedd.V6/schedd_negotiate.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from htcq.classads import as_number
from htcq.pool.job import IDLE, UNMATCHED_UNIVERSES, Job
from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.preemption import NO_PREEMPTION
from htcq.simulate.cycle.search import NO_MATCH, OVER_LIMIT
from htcq.why import match_failure as wall

#: What limits a submitter.
_LIMITS = frozenset(
    {wall.SUBMITTER_SHARE, wall.SUBMITTER_CEILING, wall.GROUP_QUOTA, wall.GROUP_ORDER}
)
#: Every reason that a negotiator gives, with the walls that it may stand for. It says "no match
#: found" also of claimed slots whose Rank is lower for the job, and of a submitter beyond its
#: limits: it then looks at claimed slots alone.
REASONS: Mapping[str, frozenset[str]] = {
    NO_MATCH: frozenset({
        wall.REQUIREMENTS, wall.START, wall.SLOT_CONSTRAINT, wall.NO_SUCH_MACHINE, wall.CONSUMPTION,
        wall.OTHER_ACCESS_POINT, wall.NO_ROOM, wall.NO_CLAIMS_LEFT, wall.OUTRANKED, wall.PREEMPTION,
        wall.DEDICATED_SCHEDULER, wall.START_VANILLA_UNIVERSE, wall.DEFERRED,
        wall.CONCURRENCY_LIMIT, wall.DRAINED, wall.STALE, wall.OFFLINE, wall.OWNER, wall.BROKEN,
        wall.ASSET_MISSING, *_LIMITS,
    }),
    OVER_LIMIT: _LIMITS,
    NO_PREEMPTION: frozenset({wall.PREEMPTION}),
    "insufficient priority": frozenset({wall.PREEMPTION}),
    "insufficient bandwidth": frozenset(),
    "network share exceeded": frozenset(),
    "Unknown reason": frozenset(),
}  # fmt: skip
_LIMIT = re.compile(r"concurrency limit (.*) reached\Z")
_LIMIT_WALLS = frozenset({wall.CONCURRENCY_LIMIT})
#: What the simulated cycle says of an autocluster that it does not reject.
STARTS, NOT_ASKED = "all of its jobs are matched", "the negotiator does not reach it"


@dataclass(frozen=True)
class NegotiatorReason:
    """Why a negotiator rejected a job last; ``walls`` are the ids that this may stand for.

    ``time`` is in seconds since 1970, None where the job does not say. ``latest`` tells whether
    it is of the last cycle, as far as that is known.
    """

    reason: str
    negotiator: str
    time: float | None
    latest: bool
    walls: frozenset[str]

    def agrees(self, walls: Iterable[str]) -> bool:
        """Return whether one of the ids ``walls`` may be what the negotiator means."""
        return not self.walls.isdisjoint(walls)


def negotiator_reason(pool: Pool, job: Job) -> NegotiatorReason | None:
    """Return why ``job`` was rejected last; None where its ad does not say."""
    # Before 24.4 the schedd keeps the blank before what it cuts off.
    if not isinstance(job.last_rejection, str):
        return None
    reason = job.last_rejection.strip()
    if not reason:
        return None
    time = as_number(job.rejected_at)
    begun = _begin_of_last_cycle(pool)
    latest = time is None or begun is None or time >= begun
    by = ""
    if isinstance(job.rejected_by, str):
        by = job.rejected_by
    return NegotiatorReason(reason, by, time, latest, walls_of(reason))


def walls_of(reason: str) -> frozenset[str]:
    """Return the ids of the walls that a negotiator's ``reason`` may stand for.

    There is none where it is not known.
    """
    if _LIMIT.match(reason):
        return _LIMIT_WALLS
    return REASONS.get(reason, frozenset())


def _begin_of_last_cycle(pool: Pool) -> float | None:
    """Return when the last cycle began, in seconds since 1970; None where no ad says."""
    known = [each for each in pool.negotiators if pool.negotiator in ("", each.name)]
    begun = [each.number("LastNegotiationCycleTime0") for each in known]
    return max((each for each in begun if each is not None), default=None)


# All autoclusters of a pool
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """One autocluster of a submitter, HTCondor's reason and the simulated one.

    ``autocluster`` is the schedd's number of it, empty where the jobs do not say; ``job`` its
    first idle job.
    """

    access_point: str
    autocluster: str
    submitter: str
    job: str
    idle: int
    reason: str
    simulated: str

    @property
    def agree(self) -> bool:
        """Whether both say the same."""
        return self.reason == self.simulated


@dataclass(frozen=True)
class Agreement:
    """HTCondor's reasons beside the simulated ones.

    ``silent`` autoclusters have no reason, that of ``stale`` ones is older than the last cycle,
    and that of ``others`` is of another negotiator: these are not compared.
    """

    compared: tuple[Compared, ...]
    silent: int
    stale: int
    others: int

    @property
    def agree(self) -> int:
        """How many autoclusters have the same reason in both."""
        return sum(each.agree for each in self.compared)

    @property
    def percentage(self) -> float | None:
        """The part of the compared autoclusters that agree; None where there is none."""
        if not self.compared:
            return None
        return 100.0 * self.agree / len(self.compared)

    @property
    def differing(self) -> tuple[Compared, ...]:
        """The autoclusters whose reasons differ."""
        return tuple(each for each in self.compared if not each.agree)


def agreement(pool: Pool, cycle: Cycle) -> Agreement:
    """Return how far the negotiator's last reasons agree with the finished ``cycle``."""
    matched = {_place(made.job) for made in cycle.talks.made}
    rejected = dict(_rejected(cycle))
    compared = list[Compared]()
    silent = stale = others = 0
    for jobs in _autoclusters(pool, cycle):
        found = [(job, negotiator_reason(pool, job)) for job in jobs]
        given = [(job, reason) for job, reason in found if reason is not None]
        if not given:
            silent += 1
            continue
        job, reason = max(given, key=lambda each: each[1].time or 0.0)
        if pool.negotiator and reason.negotiator and reason.negotiator != pool.negotiator:
            others += 1
        elif not reason.latest:
            stale += 1
        else:
            simulated = _simulated(cycle, jobs, matched, rejected)
            compared.append(_compared(cycle, jobs, job, reason.reason, simulated))
    return Agreement(tuple(compared), silent, stale, others)


def _autoclusters(pool: Pool, cycle: Cycle) -> Iterator[tuple[Job, ...]]:
    """Yield the idle jobs of each autocluster of each submitter."""
    found: dict[tuple[object, ...], list[Job]] = {}
    for job in pool.jobs or ():
        if job.status != IDLE or job.universe in UNMATCHED_UNIVERSES:
            continue
        alike = as_number(job.autocluster)
        if alike is None:
            alike = id(cycle.askers.request_of(job))
        key = (cycle.askers.access.name_of(job), job.submitter, alike)
        found.setdefault(key, []).append(job)
    return map(tuple, found.values())


#: The last rejections of a simulated cycle by access point, submitter and request.
_Rejected = Mapping[tuple[str, str, int], str]


def _rejected(cycle: Cycle) -> Iterator[tuple[tuple[str, str, int], str]]:
    for asking in cycle.askers.every:
        if asking.talk is None:
            continue
        for offered in asking.talk.offered:
            if offered.rejection:
                key = (asking.access.name, asking.submitter.name, id(offered.run.request))
                yield key, offered.rejection


def _simulated(
    cycle: Cycle, jobs: tuple[Job, ...], matched: Collection[object], rejected: _Rejected
) -> str:
    """Return what the simulated cycle says of jobs of one autocluster."""
    for job in jobs:
        where = cycle.askers.access.name_of(job)
        reason = rejected.get((where, job.submitter, id(cycle.askers.request_of(job))))
        if reason is not None:
            return reason
    if all(_place(job) in matched for job in jobs):
        return STARTS
    return NOT_ASKED


def _compared(
    cycle: Cycle, jobs: tuple[Job, ...], rejected: Job, reason: str, simulated: str
) -> Compared:
    number, autocluster = as_number(rejected.autocluster), ""
    if number is not None:
        autocluster = str(number)
    return Compared(
        access_point=cycle.askers.access.name_of(rejected),
        autocluster=autocluster,
        submitter=rejected.submitter,
        job=rejected.id,
        idle=len(jobs),
        reason=reason,
        simulated=simulated,
    )


def _place(job: Job) -> tuple[object, ...]:
    return job.schedd, job.cluster, job.proc
