"""The offers of one access point and the jobs that it never starts.

Follows src/condor_schedd.V6/schedd.cpp (shadowsSpawnLimit, negotiate, jobCanNegotiate), HTCondor
25.14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from htcq.classads import Ad, Missing, holds, parsed
from htcq.htcondor.releases import EVALUATED_LIMITS, OFFER_LIMIT, SCHEDD_SCOPE, SINGLE_REQUESTS
from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.pool.record import Record
from htcq.pool.versions import version as version_of
from htcq.poolquota.access.offer_budget import OfferBudget
from htcq.poolquota.access.refusals import CURB_MATCHMAKING, MAX_JOBS_RUNNING, Refusal
from htcq.poolquota.access.significant_lists import SignificantLists, significant_lists
from htcq.poolquota.access.start_vanilla import Owners, StartVanilla
from htcq.poolquota.access.user_limits import UserLimit, UserLimits
from htcq.quota.knobs import Knobs

#: The knob that switches the limit of offers off, and what MAX_CONCURRENT_UPLOADS is by default: a
#: fifth of it is the limit.
_LIMITED, _UPLOADS = "SCHEDD_ENABLE_PER_USER_MATCH_LIMITS", 100
_NO_LIMIT = 2**31 - 1
_CURB, _START = "CURB_MATCHMAKING", "START_VANILLA_UNIVERSE"
_PROJECTS = "PERSISTENT_PROJECT_RECORDS"
#: How many requests a negotiator asks for at a time (NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE,
#: param_info.in).
_BATCH = 200


class AccessPoint:
    """One schedd.

    ``record`` is its ad, None where it has none. ``configuration`` is None where it is unknown.

    ``limits`` and ``owners`` are those of all users, ``batch`` is how many requests the
    negotiator asks for at a time; ``counts`` tells whether each is for all jobs that are alike.
    """

    def __init__(
        self,
        name: str,
        record: Record | None,
        configuration: Configuration | None,
        limits: UserLimits,
        owners: Owners,
        batch: int = _BATCH,
        counts: bool = True,
    ) -> None:
        self.name, self._record, self._limits, self._batch = name, record, limits, batch
        self._owners, self.counts = owners, counts
        self.configuration = configuration
        self._knobs = Knobs({} if configuration is None else configuration.texts())
        self._matched = 0

    @cached_property
    def literal_limits(self) -> bool:
        """Whether to this schedd concurrency limits that are no plain string are none."""
        return not EVALUATED_LIMITS.holds(self.version)

    @cached_property
    def version(self) -> tuple[int, ...]:
        """The version of the schedd; empty where it is not known."""
        if self._record is None:
            return ()
        return version_of(self._record.value("CondorVersion"))

    @property
    def batch(self) -> int:
        """How many requests the negotiator asks for at a time."""
        return self._batch

    @property
    def sends_single_jobs(self) -> bool:
        """Whether it sends requests for one job where it is asked for one at a time."""
        return SINGLE_REQUESTS.holds(self.version)

    @property
    def lists_one(self) -> bool:
        """Whether the negotiator asks for one request at a time (SEND_JOB_INFO)."""
        return self._batch == 1

    @property
    def max_offered(self) -> int | None:
        """How many jobs of one submitter it offers in one talk that begins now.

        It is None where it offers all.

        From 25.11 on it is as many as one submitter may transfer at once, whatever is transferred.
        """
        if self._curbed:
            return 0
        limits = list[int]()
        if self.per_submitter is not None:
            limits.append(self.per_submitter)
        left = self.startable_now
        # It looks at that again with each list, and before the talk begins.
        if left is not None and (left == 0 or not self.lists_one):
            limits.append(left)
        return min(limits, default=None)

    @property
    def startable_now(self) -> int | None:
        """How many more jobs it may start after the matches of this cycle; None: any number."""
        return None if self.startable is None else max(0, self.startable - self._matched)

    def budget(self) -> OfferBudget:
        """Return what it offers with the first list of a talk that begins now."""
        return self._offers(self.max_offered)

    def later_budget(self) -> OfferBudget:
        """Return what it offers after the first list, before it looks at what it may start."""
        return self._offers(self.per_submitter)

    def _offers(self, jobs: int | None) -> OfferBudget:
        return OfferBudget(jobs, OFFER_LIMIT.holds(self.version))

    @cached_property
    def per_submitter(self) -> int | None:
        """How many jobs of one submitter it offers in one talk, whatever else limits them.

        None means all.
        """
        limited = bool(self.version) and OFFER_LIMIT.holds(self.version)
        if not limited or not self._knobs.boolean(_LIMITED, True):
            return None
        uploads = int(self._knobs.number("MAX_CONCURRENT_UPLOADS", _UPLOADS, 0, _NO_LIMIT))
        each = int(
            self._knobs.number("MAX_CONCURRENT_UPLOADS_PER_USER", uploads // 5, 0, _NO_LIMIT)
        )
        if each <= 0:
            return None
        return each

    @cached_property
    def startable(self) -> int | None:
        """How many more jobs it may start before it has MAX_JOBS_RUNNING.

        It is None where nobody says.
        """
        if self._record is None:
            return None
        if self.max_jobs is None:
            return None
        return max(0, self.max_jobs - shadows_of(self._record))

    @property
    def max_jobs(self) -> int | None:
        """MAX_JOBS_RUNNING.

        It is None where nobody says.
        """
        limit = None
        if self._record is not None:
            limit = self._record.number("MaxJobsRunning")
        return None if limit is None else int(limit)

    @cached_property
    def _curbed(self) -> bool:
        """Whether CURB_MATCHMAKING holds in the schedd's own ad: then it offers nothing."""
        if self._record is None:
            return False
        expression = parsed(self._knobs.text(_CURB))
        if expression is None:
            return holds(self._record.value("CurbMatchmaking"))
        values = self._record.values.items()
        return holds(
            expression.evaluate(
                Ad({name: value for name, value in values if not isinstance(value, Missing)})
            )
        )

    def refusals(self) -> Iterator[Refusal]:
        """Yield why it offers none of its jobs when the cycle begins."""
        if self._curbed:
            yield Refusal(
                CURB_MATCHMAKING, {"expression": self._knobs.text(_CURB) or "CurbMatchmaking"}
            )
        if self.startable == 0 and self._record is not None:
            limit = int(self._record.number("MaxJobsRunning") or 0)
            used = shadows_of(self._record)
            yield Refusal(MAX_JOBS_RUNNING, {"limit": limit, "used": used})

    def user_limit(self, job: Job) -> UserLimit | None:
        """Return the limit of the user of ``job``, which no request for it exceeds.

        It is None where there is none, and where START_VANILLA_UNIVERSE is true without a look at
        the slot: there the schedd forgets the limit (scheduler_getRequestConstraints).
        """
        limit = self._limits.of(job, self.name)
        if limit is None or (self.start is not None and self.start.is_decided(job)):
            return None
        return limit

    @cached_property
    def keeps_projects(self) -> bool:
        """Whether it has records of projects, each with a limit of its own.

        No snapshot holds them.
        """
        return self._knobs.boolean(_PROJECTS, False)

    @property
    def is_full(self) -> bool:
        """Whether it has all the matches that it may start in this cycle.

        It gives all other matches back.

        More may be matched: what it offers all of its submitters was fixed before the matches.
        """
        return self.startable is not None and self._matched >= self.startable

    def note_match(self) -> None:
        """Count a match that it uses, whatever becomes of the claim."""
        self._matched += 1

    def may_run(self, job: Job) -> bool:
        """Start a job that has its claim; False where its user runs as many as allowed already."""
        return self._limits.start(job, self.name)

    @cached_property
    def start(self) -> StartVanilla | None:
        """START_VANILLA_UNIVERSE of the schedd.

        It is None where it is not set or is broken, which to the schedd is the same.
        """
        expression = parsed(self._knobs.text(_START))
        if expression is None:
            return None
        finds_schedd = SCHEDD_SCOPE.holds(self.version)
        return StartVanilla(expression, self.name, self._record, self._owners, finds_schedd)

    @cached_property
    def significant(self) -> SignificantLists:
        """Significant attributes of its jobs, beside those that the negotiator names."""
        names: frozenset[str] = frozenset()
        if self.start is not None:
            names = self.start.names_of_jobs
        return significant_lists(self._knobs, self.version, names)

    def can_start(self, job: Job, slot: Callable[[], Ad]) -> bool:
        """Return whether START_VANILLA_UNIVERSE starts ``job`` on a match with that slot ad."""
        return self.start is None or job.parallel or self.start.starts(job, slot)

    def can_start_another(self, job: Job, slot: Callable[[], Ad]) -> bool:
        """Return whether ``job`` may start on a claim for which the schedd picks a job."""
        if self.start is None or job.parallel:
            return True
        return self.start.looks_up(job, slot) and self.start.starts(job, slot)


def shadows_of(record: Record) -> int:
    """Return how many jobs count against MAX_JOBS_RUNNING in a schedd's ad, 0 where it says none.

    Those with shadows: jobs of the scheduler, local and grid universes run without one
    (add_shadow_rec).
    """
    shadows = record.number("ShadowsRunning")
    if shadows is not None:
        return int(shadows)
    names = ("TotalRunningJobs", "TotalSchedulerJobsRunning", "TotalLocalJobsRunning")
    running, of_scheduler, of_local = (int(record.number(name) or 0) for name in names)
    return max(0, running - of_scheduler - of_local)
