"""What schedds start as jobs come and go, and what their ads and the records of users say of it.

Follows src/condor_schedd.V6/schedd.cpp (canSpawnShadow, claimedStartd, timeout, preempt,
count_jobs) and qmgmt.cpp (Runnable), HTCondor 25.14; of a cool-down shadowExitCode of schedd.cpp.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from htcq.classads import Ad, Expr, as_number, parsed
from htcq.htcondor.releases import GIVEN_BACK_AT_HOLD, KEPT_LIMITS, LONGER_COOL_DOWN
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import Slot
from htcq.pool.slot_types import integer
from htcq.poolquota.access.access_point import shadows_of
from htcq.poolquota.access.access_points import AccessPoints
from htcq.poolquota.access.user_limits import UserLimits
from htcq.quota.knobs import Knobs
from htcq.simulate.course.claims import Claim

#: For how many seconds a job that left its slot is not offered.
_COOL_DOWN = "SYSTEM_ON_VACATE_COOL_DOWN"
#: The least that it lasts where it lasts at all.
_LEAST_COOL_DOWN, _USUAL_COOL_DOWN = "SYSTEM_COOLDOWN_DURATION", 20
#: Whether a claim is used again for jobs with the same concurrency limits alone.
_CONSIDERS = "CLAIM_RECYCLING_CONSIDER_LIMITS"


class Schedds:
    """The schedds of ``pool``, which was captured at ``moment`` (seconds since 1970, if known)."""

    def __init__(self, pool: Pool, moment: float | None) -> None:
        self._pool, self._moment = pool, moment
        self._limits = UserLimits(pool.users or ())
        self._access = AccessPoints(pool, Knobs({}), moment)
        self._cool_downs: dict[str, tuple[Expr | None, int]] = {}
        self._considers: dict[str, bool] = {}
        #: How many jobs run in claims, by schedd and user, and by schedd.
        self._of_user = Counter[tuple[str, str]]()
        self._jobs = Counter[str]()
        #: How many jobs of a schedd run in no claim that is known: in another pool, say.
        self._elsewhere: dict[str, int] = {}
        #: How many run at a schedd without a shadow.
        self._without = {
            each.name: int(each.number("TotalRunningJobs") or 0) - shadows_of(each)
            for each in pool.schedds
        }

    def captured(self, claims: Iterable[Claim]) -> None:
        """Take note of the claims of the captured pool, once each runs a job."""
        known = Counter(claim.schedd for claim in claims)
        for each in self._pool.schedds:
            self._elsewhere[each.name] = max(0, shadows_of(each) - known[each.name])
        # Jobs of a user that run in no claim that is known count against the user's limit, too.
        for record in self._pool.users or ():
            key = (record.text("ScheddName"), record.text("User"))
            running = record.number("NumRunning") or 0
            self._of_user[key] = max(self._of_user[key], int(running))

    def user_of(self, slot: Slot, schedd: str) -> str:
        """Return whose job runs in a claim of the captured pool, as a record names the user.

        Empty if none does.
        """
        names = {
            each.text("User")
            for each in self._pool.users or ()
            if each.text("ScheddName") == schedd
        }
        return next(
            (str(name) for name in (slot.remote_owner, slot.remote_user) if name in names), ""
        )

    def began(self, claim: Claim) -> None:
        """Count a job that starts in a claim."""
        self._of_user[claim.schedd, claim.user] += 1
        self._jobs[claim.schedd] += 1

    def ended(self, claim: Claim) -> None:
        """Count no longer the job of a claim."""
        self._of_user[claim.schedd, claim.user] -= 1
        self._jobs[claim.schedd] -= 1

    def may_start(self, job: Job, schedd: str, slot: Callable[[], Ad], now: float) -> bool:
        """Return whether a schedd may start a job in a claim that it has, on a slot with that ad.

        A cool-down, a limit of its user or START_VANILLA_UNIVERSE may keep it from that.
        """
        until = as_number(job.cool_down_until)
        if until is not None and self._moment is not None and until >= self._moment + now:
            return False
        limit = self._limits.of(job, schedd)
        if limit is not None and self._of_user[schedd, limit.user] >= limit.limit:
            return False
        return self._access[schedd].can_start_another(job, slot)

    def literal_limits(self, schedd: str) -> bool:
        """Return whether to a schedd concurrency limits that are no plain string are none."""
        return self._access[schedd].literal_limits

    def version(self, schedd: str) -> tuple[int, ...]:
        """Return the version of a schedd; empty where it is not known."""
        return self._access[schedd].version

    def cooled(self, job: Job, schedd: str, ad: Ad, now: float) -> Job:
        """Return a job that has left its slot, with the end of its cool-down if it has one.

        ``ad`` is that of the job as it is by then (SYSTEM_ON_VACATE_COOL_DOWN).
        """
        if schedd not in self._cool_downs:
            self._cool_downs[schedd] = self._cool_down(schedd)
        expression, least = self._cool_downs[schedd]
        if expression is None or self._moment is None:
            return job
        seconds = int(as_number(expression.evaluate(ad)) or 0)
        if seconds <= 0:
            return job
        return job._replace(cool_down_until=int(self._moment + now + max(seconds, least)))

    def _cool_down(self, schedd: str) -> tuple[Expr | None, int]:
        """Return the expression of cool-downs of a schedd, and the least that one lasts."""
        configuration = self._pool.schedd_configuration(schedd)
        if configuration is None:
            return None, 0
        least = 0
        if LONGER_COOL_DOWN.holds(self.version(schedd)):
            least = integer(configuration, _LEAST_COOL_DOWN, _USUAL_COOL_DOWN)
        return parsed(configuration.value(_COOL_DOWN)), least

    def keeps_after_hold(self, schedd: str) -> bool:
        """Return whether a schedd uses the claim of a job for the next one when that is held."""
        return not GIVEN_BACK_AT_HOLD.holds(self.version(schedd))

    def kept_limits(self, schedd: str, limits: str) -> str:
        """Return the concurrency limits that a schedd notes of a claim that was made with these.

        Before 24.7 it loses those of a match when the slot's ad comes with the claim.
        """
        return limits if KEPT_LIMITS.holds(self.version(schedd)) else ""

    def compared(self, schedd: str, limits: str) -> str | None:
        """Return the limits by which a claim with these is used again; None: whatever they are."""
        if schedd not in self._considers:
            configuration = self._pool.schedd_configuration(schedd)
            self._considers[schedd] = configuration is None or configuration.truth(_CONSIDERS, True)
        return limits if self._considers[schedd] else None

    def uses_rest(self, schedd: str, asked_in_vain: int) -> bool:
        """Return whether a schedd starts another job in what is left of a slot that it has claimed.

        It does not count the job of that claim, so it may come to one job more than
        MAX_JOBS_RUNNING. It counts claims that are asked for in vain until they are refused.
        """
        limit = self._max_jobs(schedd)
        return limit is None or self._running(schedd) + asked_in_vain - 1 < limit

    def excess(self, claims: Callable[[], Iterable[Claim]]) -> Iterator[Claim]:
        """Yield the claims whose jobs a schedd evicts for having more than MAX_JOBS_RUNNING.

        Those whose shadows are the oldest: shadows of one age in the order of their start.
        """
        for each in self._pool.schedds:
            limit, running = self._max_jobs(each.name), self._running(each.name)
            if limit is None or running <= limit:
                continue
            held = [claim for claim in claims() if claim.schedd == each.name]
            # The shadow stays the same when a claim is used again.
            held.sort(key=lambda claim: (claim.since or claim.runs_since, claim.number))
            yield from held[: running - limit]

    def _running(self, schedd: str) -> int:
        return self._jobs[schedd] + self._elsewhere.get(schedd, 0)

    def _max_jobs(self, schedd: str) -> int | None:
        return self._access[schedd].max_jobs

    def records(self) -> tuple[Record, ...]:
        """Return the schedd ads with what runs now, which counts against MAX_JOBS_RUNNING."""
        found = []
        for each in self._pool.schedds:
            shadows = self._running(each.name)
            total = shadows + self._without[each.name]
            values = {**each.values, "totalrunningjobs": total, "shadowsrunning": shadows}
            found.append(replace(each, values=values))
        return tuple(found)

    def users(self) -> tuple[Record, ...] | None:
        """Return the records of users with what they run now, which counts against their limits."""
        if self._pool.users is None:
            return None
        found = []
        for each in self._pool.users:
            jobs = self._of_user[each.text("ScheddName"), each.text("User")]
            values = {**each.values, "numrunning": jobs, "numsuspended": 0}
            found.append(replace(each, values=values))
        return tuple(found)
