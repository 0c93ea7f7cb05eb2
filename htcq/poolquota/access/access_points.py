"""What the access points offer: which of their idle jobs the negotiator hears of.

Follows src/condor_schedd.V6/qmgmt.cpp (Runnable), schedd.cpp (service_this_universe, negotiate,
jobCanNegotiate, scheduler_getRequestConstraints) and dedicated_scheduler.cpp
(makeGenericAdFromJobAd), HTCondor 25.14. This is the one place that decides it: what asks why a
job is not offered asks :meth:`AccessPoints.refusals`.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import UNDEFINED, as_number, holds, parsed
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.dedicated import DedicatedSlots
from htcq.poolquota.access.refusals import (
    COOL_DOWN,
    DEDICATED_SCHEDULER,
    DEFERRED,
    JOB_CONSTRAINT,
    START_VANILLA_UNIVERSE,
    USER_MAX_JOBS,
    Refusal,
)
from htcq.poolquota.access.start_vanilla import Owners
from htcq.poolquota.access.user_limits import UserLimits
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.knobs import Knobs

_CONSTRAINT, _BATCH = "NEGOTIATOR_JOB_CONSTRAINT", "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE"
#: Where it is false the negotiator asks for one job at a time (ResourceRequestList).
_COUNTS = "USE_RESOURCE_REQUEST_COUNTS"


def access_points_of(
    pool: Pool, quotas: PoolQuotas, before: AccessPoints | None = None
) -> AccessPoints:
    """Return the access points of ``pool`` for the negotiator with the groups ``quotas``."""
    return AccessPoints(pool, Knobs(quotas.knobs), quotas.published.moment, before)


class AccessPoints:
    """The access points of a pool, by name; one that no schedd ad names offers all of its jobs.

    ``now`` is the time in seconds since 1970 (None: not known), ``knobs`` are those of the
    negotiator. Jobs that it shows in another way than their queue have the frames that they had
    ``before``.
    """

    def __init__(
        self, pool: Pool, knobs: Knobs, now: float | None, before: AccessPoints | None = None
    ) -> None:
        self._constraint, self._now = parsed(knobs.text(_CONSTRAINT)), now
        batch, counts = 1, knobs.boolean(_COUNTS, True)
        if counts:
            batch = int(knobs.number(_BATCH, 200, 1, 2**31 - 1))
        self._asking = asking = batch, counts
        self._configurations = configurations = {
            each.name: pool.schedd_configuration(each.name) for each in pool.schedds
        }
        self._limits = UserLimits(pool.users or ())
        self._dedicated_slots = DedicatedSlots(pool.slots or ())
        self._owners = Owners(pool.users or (), pool.jobs or (), self.name_of)
        self._known = {
            each.name: AccessPoint(
                each.name, each, configurations[each.name], self._limits, self._owners, *asking
            )
            for each in pool.schedds
        }
        #: Whether neither the negotiator nor limits of users keep any job from being asked for.
        self.is_steady = self._constraint is None and not self._limits
        self._frames: dict[tuple[int, str], SharedAttributes] = {}
        self._plain: dict[int, SharedAttributes] = {}
        self._expressions = Expressions()
        if before is not None:
            self._frames, self._plain = before._frames, before._plain
            self._expressions = before._expressions

    def __getitem__(self, name: str) -> AccessPoint:
        if name not in self._known:
            self._known[name] = AccessPoint(
                name, None, None, self._limits, self._owners, *self._asking
            )
        return self._known[name]

    def with_projects(self) -> list[str]:
        """Return the names of those that have records of projects."""
        return [name for name, each in self._known.items() if each.keeps_projects]

    def unread(self) -> list[tuple[str, str]]:
        """Return by schedd the names in its START_VANILLA_UNIVERSE that its ad here lacks."""
        starts = ((name, each.start) for name, each in self._known.items())
        return [
            (name, lacking)
            for name, start in starts
            if start is not None
            for lacking in start.unread
        ]

    def name_of(self, job: Job) -> str:
        """Return the access point whose job it is; empty where the pool does not say."""
        return job.schedd if isinstance(job.schedd, str) else ""

    def words(self) -> set[str]:
        """Return every word of the expressions by which jobs are offered or not."""
        starts = (each.start for each in self._known.values())
        words = set[str]()
        if self._constraint is not None:
            words.update(self._constraint.words())
        return words.union(*(start.words() for start in starts if start is not None))

    def of(self, job: Job) -> AccessPoint:
        """Return the access point whose job it is."""
        return self[self.name_of(job)]

    def configured_like(self, other: AccessPoints) -> bool:
        """Return whether these access points have the configurations of ``other``."""
        return self._configurations == other._configurations

    def shown(self, job: Job, access: AccessPoint) -> Job | None:
        """Return an idle job that ``access``, its schedd, would start now.

        It is as the negotiator sees it, and None where the schedd would not start it.
        """
        if self._is_kept_back(job, access):
            return None
        if job.parallel:
            return self._dedicated(job)
        if access.start is not None and access.start.narrows(job):
            return self._with(job, f"({access.start.condition(job)})")
        return job

    def always_shows(self, job: Job, access: AccessPoint) -> bool:
        """Return whether neither time nor what runs decides how or whether a job is shown.

        ``access`` is its schedd.
        """
        if not self.is_steady or job.parallel:
            return False
        return job.cool_down_until is UNDEFINED and access.start is None

    def _is_kept_back(self, job: Job, access: AccessPoint) -> bool:
        """Return whether the schedd starts this job on no slot at all.

        For most jobs there is nothing that could keep them.
        """
        limit = self._limits.of(job, access.name)
        is_free = access.start is None and job.cool_down_until is UNDEFINED and limit is None
        if is_free and not job.parallel:
            return False
        return any(not each.offered for each in self._own_refusals(job))

    def is_cooling_down(self, job: Job) -> bool:
        """Return whether a job is in its cool-down: the schedd has it in no list."""
        until = as_number(job.cool_down_until)
        return until is not None and self._now is not None and until >= self._now

    def kept_back(self, job: Job) -> Refusal | None:
        """Return the first reason for which an idle job is not offered now; None where it is."""
        return next((each for each in self.refusals(job) if not each.offered), None)

    def refusals(self, job: Job) -> Iterator[Refusal]:
        """Yield what keeps an idle job from being offered now, or narrows the offer.

        The order is that of the schedd.
        """
        yield from self._own_refusals(job)
        at = as_number(job.value("DeferralTime"))
        if at is not None and self._now is not None:
            before = (
                as_number(job.value(name)) or 0 for name in ("DeferralPrepTime", "ScheddInterval")
            )
            until = at - sum(before)
            if until > self._now:
                yield Refusal(DEFERRED, {"until": until}, offered=True)
        if job.parallel:
            yield Refusal(DEDICATED_SCHEDULER, {"submitter": job.submitter}, offered=True)
        else:
            yield from self._conditions(job)
        yield from self[self.name_of(job)].refusals()

    def _own_refusals(self, job: Job) -> Iterator[Refusal]:
        """Yield why the schedd starts this job on no slot at all (Runnable, jobCanNegotiate)."""
        if self.is_cooling_down(job):
            yield Refusal(COOL_DOWN, {"until": as_number(job.cool_down_until) or 0})
        if job.parallel:
            nodes = self._dedicated_slots.of(job.submitter)
            # Where it could get none the request finds none.
            if 0 < nodes.now < job.wanted:
                yield Refusal(DEDICATED_SCHEDULER, {**nodes._asdict(), "requested": job.wanted})
            return
        schedd = self.name_of(job)
        limit = self._limits.of(job, schedd)
        if limit is not None and limit.left == 0:
            yield Refusal(
                USER_MAX_JOBS, {"user": limit.user, "limit": limit.limit, "used": limit.running}
            )
        start = self[schedd].start
        if start is not None and start.offers(job) is False:
            yield Refusal(START_VANILLA_UNIVERSE, {"expression": start.text})

    def _conditions(self, job: Job) -> Iterator[Refusal]:
        """Yield what else the schedd or the negotiator asks of a job, or of its slot."""
        start = self[self.name_of(job)].start
        if start is not None and start.narrows(job):
            yield Refusal(START_VANILLA_UNIVERSE, {"expression": start.text}, offered=True)
        if not self.offers(job):
            assert self._constraint is not None
            yield Refusal(JOB_CONSTRAINT, {"expression": self._constraint.text})

    def _dedicated(self, job: Job) -> Job:
        """Return a job as its dedicated scheduler asks for it.

        It may have only slots that are dedicated to that scheduler.
        """
        name = f'"{job.submitter}"'
        return self._with(
            job, f"TARGET.DedicatedScheduler == {name} && TARGET.RemoteOwner =!= {name}"
        )

    def _with(self, job: Job, condition: str) -> Job:
        """Return a job that asks more of its slot."""
        key = (id(job.frame), condition)
        if key not in self._frames:
            own = job.frame.text("Requirements") or "undefined"
            frame = job.frame.changed(
                {"Requirements": f"{condition} && ({own})"}, self._expressions
            )
            self._frames[key], self._plain[id(frame)] = frame, job.frame
        return job._replace(frame=self._frames[key])

    def plain(self, frame: SharedAttributes) -> SharedAttributes:
        """Return the frame in the queue of a job that :meth:`runnable` yields with ``frame``."""
        return self._plain.get(id(frame), frame)

    def offers(self, job: Job) -> bool:
        """Return whether jobs like this runnable one are asked for.

        The negotiator may want to hear of some alone.

        A schedd may use a match for a job that it was not allowed to ask for.
        """
        return (
            job.parallel or self._constraint is None or holds(self._constraint.evaluate(job.ad()))
        )
