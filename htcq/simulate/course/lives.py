"""The lives of jobs that have a policy: what their ads say as they wait, run and are held.

Follows src/condor_schedd.V6/schedd.cpp (add_shadow_rec, mark_job_stopped, holdJob, releaseJob,
PeriodicExprEval), src/condor_utils/condor_user_policy.cpp and src/condor_shadow.V6.1/
remoteresource.cpp (updateFromStarter), HTCondor 23.9 and 25.14. A schedd looks at jobs that wait
or are held, a shadow at the job that it runs: each at its PERIODIC_EXPR_INTERVAL, a shadow besides
when the starter reports. When a schedd looked last no ad tells: it is taken to look at the moment
of the capture. Jobs are taken to succeed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from htcq.classads import UNDEFINED, Ad, Value, as_number
from htcq.pool.configuration import Configuration
from htcq.pool.job import HELD, IDLE, PLACES, RUNNING, Job
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.quota.knobs import Knobs
from htcq.simulate.course.policies import Policies, Policy, System, Verdict, system_of
from htcq.simulate.course.schedds import Schedds

_MOST = 2.0**31
#: From this version on a starter that ends reports once more.
_THREE_REPORTS = (25,)
#: Of what a schedd and a starter read where nobody configured it, in seconds (param_info.in).
_INTERVAL, _FIRST_REPORT, _REPORT = 60, 8, 300


@dataclass(eq=False)
class Life:
    """A job with its policy, and the attributes that are not as its ad says any more."""

    job: Job
    policy: Policy
    schedd: str
    values: dict[str, Value] = field(default_factory=dict)

    def number(self, name: str) -> float:
        """Return an attribute that is a number; 0 where it is none."""
        value = self.values.get(name)
        if value is None:
            value = self.policy.frame.value(name)
            place = PLACES.get(name.lower())
            if place is not None:
                value = cast("Value", self.job[place])
        return as_number(value) or 0

    def count(self, *names: str) -> None:
        """Add one to some attributes."""
        for name in names:
            self.values[name] = int(self.number(name)) + 1


class Lives:
    """The lives of the jobs of ``pool``, which was captured at ``moment`` (seconds since 1970).

    A capture takes its time: the clock of a schedd is that of its answer (ServerTime).
    """

    def __init__(self, pool: Pool, moment: float | None, schedds: Schedds) -> None:
        self._pool, self._schedds, self._policies = pool, schedds, Policies()
        self._systems: dict[str, System] = {}
        self._has: dict[tuple[int, int, str], Policy | None] = {}
        self._known: dict[tuple[str, str], Life] = {}
        self._moment = int(_latest(pool) if moment is None else moment)
        self._clocks = _clocks(pool)

    def of(self, job: Job, schedd: str) -> Life | None:
        """Return the life of a job; None where it has no policy."""
        system = self._systems.get(schedd)
        if system is None:
            system = self._systems[schedd] = system_of(
                self._pool.schedd_configuration(schedd), self._schedds.version(schedd)
            )
        if job.life is None and not system.any:
            return None
        found = self._known.get((schedd, job.id))
        if found is None:
            key = (id(job.frame), id(job.life), schedd)
            if key not in self._has:
                policy = self._policies.of(job, system)
                self._has[key] = policy if policy.is_any else None
            has = self._has[key]
            if has is None:
                return None
            found = self._known[schedd, job.id] = Life(job, has, schedd)
        return found

    def forget(self, life: Life) -> None:
        """Forget a job that has left the queue."""
        self._known.pop((life.schedd, life.job.id), None)

    def schedds(self) -> Iterator[str]:
        """Yield the access points that have policies to look at."""
        seen = {life.schedd for life in self._known.values() if life.policy.is_periodic}
        # Jobs that come later may have a policy as well.
        yield from sorted(seen | {name for name, system in self._systems.items() if system.any})

    def in_queue(self, schedd: str) -> Iterator[Life]:
        """Yield the jobs of a schedd with a policy that wait or are held."""
        for life in list(self._known.values()):
            status = life.values.get("JobStatus", life.job.status)
            if life.schedd == schedd and life.policy.is_periodic and status in (IDLE, HELD):
                yield life

    def _at(self, schedd: str, now: float) -> int:
        """Return the time on the clock of a schedd, in seconds since 1970."""
        return self._clocks.get(schedd, self._moment) + int(now)

    # What happens to a job
    # ----------------------------------------------------------------------------------------------

    def begins(self, life: Life, now: float) -> None:
        """Note that the job starts."""
        at = self._at(life.schedd, now)
        if not life.number("JobStartDate"):
            life.values["JobStartDate"] = at
        self._enters(life, RUNNING, now)
        life.values.update(
            JobCurrentStartDate=at, JobCurrentStartExecutingDate=at, ShadowBday=at, CurrentHosts=1,
            LastMatchTime=at,
        )  # fmt: skip
        life.count("NumJobStarts", "NumShadowStarts", "NumJobMatches", "JobRunCount")

    def runs(self, life: Life, since: float) -> None:
        """Note that the job has run since a moment before the capture."""
        life.values.update(ShadowBday=self._at(life.schedd, since))

    def stops(self, life: Life, now: float) -> None:
        """Note that the job runs no more."""
        at = self._at(life.schedd, now)
        ran = at - int(life.number("ShadowBday") or at)
        life.values.update(
            RemoteWallClockTime=life.number("RemoteWallClockTime") + ran,
            LastRemoteWallClockTime=float(ran), ShadowBday=UNDEFINED, CurrentHosts=0,
        )  # fmt: skip

    def waits(self, life: Life, now: float) -> None:
        """Note that the job waits again."""
        self._enters(life, IDLE, now)
        life.values["HoldReasonCode"] = UNDEFINED

    def vacates(self, life: Life, now: float) -> None:
        """Note that the job was evicted."""
        life.count("NumVacates")
        life.values["LastVacateTime"] = self._at(life.schedd, now)

    def held(self, life: Life, code: int, now: float, times: int = 1) -> None:
        """Note that the job is held, which counts so many ``times``."""
        self._enters(life, HELD, now)
        for _ in range(times):
            life.count("NumHolds")
        life.values.update(HoldReasonCode=code, HoldReasonSubCode=0)

    def times_held(self, schedd: str) -> int:
        """Return how often a shadow's hold is counted: with each report of the starter that ends.

        Seen on 23.9.6 and 25.14.1.
        """
        version = self._schedds.version(schedd)
        return 2 if version and version < _THREE_REPORTS else 3

    def _enters(self, life: Life, status: int, now: float) -> None:
        life.values.update(
            LastJobStatus=life.values.get("JobStatus", life.job.status), JobStatus=status,
            EnteredCurrentStatus=self._at(life.schedd, now),
        )  # fmt: skip

    # What is done with it
    # ----------------------------------------------------------------------------------------------

    def looked_at(self, life: Life, now: float) -> Verdict:
        """Return what is done with the job when its policy is looked at."""
        at = self._at(life.schedd, now)
        return life.policy.periodic(life.job, self._as_of(life, now), at)

    def ends(self, life: Life, now: float) -> Verdict:
        """Return what is done with the job at its end."""
        at = self._at(life.schedd, now)
        code = as_number(life.job.value("JobSuccessExitCode"))
        life.count("NumJobCompletions")
        values = dict(self._as_of(life, now))
        values.update(ExitCode=int(code or 0), ExitBySignal=False, CompletionDate=at)
        return life.policy.at_exit(life.job, values, at)

    def _as_of(self, life: Life, now: float) -> dict[str, Value]:
        born = life.values.get("ShadowBday")
        if not isinstance(born, int):
            return life.values
        ran = self._at(life.schedd, now) - born
        return {
            **life.values,
            "RemoteWallClockTime": life.number("RemoteWallClockTime") + ran,
        }

    def ad(self, life: Life, now: float) -> Ad:
        """Return the ad of the job as it is now."""
        own = {**dict(life.job.own()), **self._as_of(life, now)}
        return life.policy.frame.ad(own.items())

    def deferred_until(self, job: Job, schedd: str, now: float) -> tuple[float, bool]:
        """Return when a job that starts now begins to run, and whether it comes too late."""
        value = job.value("DeferralTime")
        at = as_number(value)
        if at is None:
            # The starter takes a time that is no number for one that the job has missed.
            return now, value is not UNDEFINED
        window = as_number(job.value("DeferralWindow")) or 0
        due = float(at) - self._at(schedd, 0.0)
        return max(now, due), due + float(window) < now

    # When somebody looks
    # ----------------------------------------------------------------------------------------------

    def interval(self, schedd: str) -> float:
        """Return PERIODIC_EXPR_INTERVAL of an access point; inf where nobody looks."""
        every = _number(
            self._pool.schedd_configuration(schedd), "PERIODIC_EXPR_INTERVAL", _INTERVAL
        )
        return every if every > 0 else float("inf")

    def looks(self, schedd: str, slot: Slot) -> Iterator[float]:
        """Yield how many seconds after its start a shadow looks at its job on ``slot``."""
        every, startd = self.interval(schedd), self._pool.startd_configuration(slot)
        report = _number(startd, "STARTER_INITIAL_UPDATE_INTERVAL", _FIRST_REPORT)
        reports = max(1.0, _number(startd, "STARTER_UPDATE_INTERVAL", _REPORT))
        due = every
        while every < _MOST:
            if report <= due:
                yield report
                due, report = report + every, report + reports
            else:
                yield due
                due += every


def keeps_claim(job: Job) -> float:
    """Return for how many seconds the claim of a job is kept after it (keep_claim_idle)."""
    return max(0.0, float(as_number(job.value("KeepClaimIdle")) or 0))


def _number(configuration: Configuration | None, knob: str, otherwise: int) -> float:
    texts = {} if configuration is None else {knob: configuration.value(knob)}
    return Knobs(texts).number(knob, otherwise, 0, _MOST)


def _clocks(pool: Pool) -> dict[str, int]:
    """Return the clock of each schedd when it listed its jobs, where these say so."""
    lives = {(job.access_point, id(job.life)): job.life for job in pool.jobs or () if job.life}
    found: dict[str, int] = {}
    for (schedd, _), life in lives.items():
        at = as_number(life.value("ServerTime"))
        if at is not None:
            found[schedd] = max(found.get(schedd, 0), int(at))
    return found


def _latest(pool: Pool) -> float:
    """Return the last time that a job tells, for a pool that does not say when it was captured."""
    return max((float(as_number(job.status_since) or 0) for job in pool.jobs or ()), default=0.0)
