"""A pool over time: jobs start where they are matched, run, end, and leave their claims.

Follows src/condor_schedd.V6/schedd.cpp (FindRunnableJob) and src/condor_startd.V6/Resource.cpp
(create_dslot), HTCondor
25.14. Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from htcq.classads import Ad, as_number
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.poolquota.access.access_points import AccessPoints
from htcq.poolquota.access.user_limits import UserLimits
from htcq.poolquota.published import Published
from htcq.quota.knobs import Knobs, number_of
from htcq.simulate.course.claims import Base, Claim, amounts_of
from htcq.simulate.course.devices import Devices
from htcq.simulate.course.factories import Factories
from htcq.simulate.course.pending import Coming
from htcq.simulate.course.runtimes import Dice, RunTime
from htcq.simulate.course.shown import Shown
from htcq.simulate.course.slots import Slots
from htcq.simulate.course.suiting import Suiting
from htcq.simulate.course.waiting import Waiting
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.clock import Clock
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.schedd_negotiation import Made
from htcq.units import GPUS

#: For how long a claim is used again, in seconds (CLAIM_WORKLIFE, param_info.in).
_WORKLIFE = 1200.0


#: How a job starts: on a match of its own, in what is left of a slot that another was matched with,
#: in a claim whose job has ended.
MATCH, LEFTOVER, REUSED = "match", "leftover", "claim reused"


class Start(NamedTuple):
    """One start: the job, when it was, and how: one of the three ways."""

    job: Job
    at: float
    by: str


class World:
    """One pool over time.

    ``run_time`` gives the run time of jobs, by ``dice``, unless a job has its own.
    """

    def __init__(self, pool: Pool, run_time: RunTime, dice: Dice) -> None:
        self._moment = Published(pool, pool.negotiator).moment
        self._pool, self._run_time, self._dice = pool, run_time, dice
        self._slots, self._numbers, self._shown = Slots(), count(1), Shown(pool, self._moment)
        self._ending: list[tuple[float, int, Claim]] = []
        self.now = 0.0
        self._devices = Devices()
        self._suiting, self._startds = (
            Suiting(pool, Clock(self._moment)),
            Startds(pool.execute, True),
        )
        self.waiting, self._coming = Waiting(pool, self._suiting), Coming(pool.arriving)
        #: How long each job waited that has started, in seconds, by submitter.
        self.waited: dict[str, list[float]] = {}
        #: Every start so far, in order.
        self.starts: list[Start] = []
        central = pool.central
        self._leftovers = central is None or central.truth("CLAIM_PARTITIONABLE_LEFTOVERS", True)
        life = None if central is None else number_of(central.value("CLAIM_WORKLIFE") or "none")
        self._worklife = _WORKLIFE if life is None else life
        self.bases: dict[str, Base] = {}
        self._factories = Factories(pool.jobs or ())
        self._limits = UserLimits(pool.users or ())
        self._access = AccessPoints(pool, Knobs({}), self._moment)
        #: How many jobs of each user run, by schedd.
        self._running = Counter[tuple[str, str]]()
        self._move_in()
        self._arrive(0.0)

    def _move_in(self) -> None:
        """Take over the slots and claims of the captured pool.

        Who runs there, and for how long, nobody knows.
        """
        slots = self._pool.slots or ()
        for slot in slots:
            if slot.type != DYNAMIC:
                self.bases[str(slot.name)] = Base(slot, amounts_of(slot))
        for slot in slots:
            name, _, machine = str(slot.name).partition("@")
            base = self.bases.get(
                f"{name.rpartition('_')[0]}@{machine}" if slot.type == DYNAMIC else str(slot.name)
            )
            # A dynamic slot whose parent is a static one, by its name, has none: one of the two ads
            # is wrong.
            if (
                base is not None
                and slot.claimed
                and slot.customer
                and base.whole == (slot.type != DYNAMIC)
            ):
                amounts = amounts_of(slot) if slot.type == DYNAMIC else {}
                schedd = self.waiting.home(slot.customer, slot.remote_schedd)
                limits = slot.concurrency_limits if isinstance(slot.concurrency_limits, str) else ""
                claim = Claim(
                    str(base.slot.name), slot, amounts, slot.customer, schedd, limits, 0.0
                )
                claim.user = self._user_of(slot, schedd)
                base.claims[claim] = None
                if base.whole:
                    base.slot = self._slots.unclaimed(slot)
                # In Claimed/Cleaning the job is over: the next one starts as soon as the starter is
                # gone.
                self._run(claim, None, MATCH, 0.0 if slot.activity == "Cleaning" else None)

    def _user_of(self, slot: Slot, schedd: str) -> str:
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

    # What the collector shows
    # ----------------------------------------------------------------------------------------------

    def pool(self) -> Pool:
        """Return the pool as it is now."""
        return self._shown.at(
            self.now, self.slots(), self.waiting, tuple(self.claims()), self._running
        )

    def slots(self) -> Iterator[Slot]:
        """Yield every slot as it is now: what is left of each, and its claims."""
        for base in self.bases.values():
            if not base.whole:
                yield self._slots.left(base.slot, base.left)._replace(
                    dynamic_slots=len(base.claims)
                )
            elif not base.claims:
                yield base.slot
            for claim in base.claims:
                yield claim.slot

    def claims(self) -> Iterator[Claim]:
        """Yield every claim."""
        for base in self.bases.values():
            yield from base.claims

    def claimed(self, asset: str) -> float:
        """Return how much of an asset is in claims."""
        return sum(amounts_of(claim.slot).get(asset, 0) for claim in self.claims())

    def total(self, asset: str) -> float:
        """Return how much of an asset there is."""
        free = sum(
            base.left.get(asset, 0)
            for base in self.bases.values()
            if not (base.whole and base.claims)
        )
        return free + self.claimed(asset)

    def largest(self, asset: str) -> float:
        """Return the most of an asset that is free in any one slot."""
        return max(
            (
                base.left.get(asset, 0)
                for base in self.bases.values()
                if not (base.whole and base.claims)
            ),
            default=0,
        )

    # What happens
    # ----------------------------------------------------------------------------------------------

    def take(self, made: Iterable[Made]) -> int:
        """Let the jobs start that were matched, unless a startd refuses; return how many did."""
        good = [each for each in made if not each.claim.refusal]
        for each in good:
            base = self.bases[each.slot]
            self._start(
                base, each.job, {} if base.whole else each.claim.amounts, each.limits, MATCH
            )
        started = len(good)
        # What is left of a slot that was matched whole comes back to the schedd only when the slot
        # is claimed.
        for each in good if self._leftovers else ():
            base = self.bases[each.slot]
            started += 0 if base.whole or each.policy else self._fill(base, each)
        return started

    def _fill(self, base: Base, made: Made) -> int:
        """Start more jobs of a submitter in the rest of a slot that was matched whole."""
        assets, started = tuple(base.left), 0
        startds, suiting = self._startds, self._suiting
        schedd = self.waiting.home(made.job.submitter, made.job.schedd)

        def suits(request: Request) -> bool:
            some = any(suiting.asked(request, assets).values())
            # What is left comes back without the concurrency limits of the match: it is not for
            # jobs that have any.
            if not some or not suiting.fits(request, base.slot, base.left, ""):
                return False
            return startds.share(base.slot, request, base.left) is not None

        def startable(job: Job) -> bool:
            return self._startable(job, lambda: base.slot.ad(base.left))

        while (job := self.waiting.next(made.job.submitter, schedd, suits, startable)) is not None:
            self._start(
                base,
                job,
                startds.share(base.slot, suiting.request(job), base.left) or {},
                "",
                LEFTOVER,
            )
            started += 1
        return started

    def _start(
        self, base: Base, job: Job, amounts: Mapping[str, Number], limits: str, by: str
    ) -> None:
        if base.whole:
            slot = self._slots.claimed(base.slot, job.submitter, limits)
        else:
            devices = self._bind(base, job, amounts)
            parent = base.slot if devices is None else self._devices.with_only(base.slot, devices)
            slot = self._slots.dynamic(parent, next(self._numbers), amounts, job.submitter, limits)
            for asset, amount in amounts.items():
                base.left[asset] -= amount
            if devices:
                left = Counter(self._devices.listed(base.slot))
                left.subtract(devices)
                base.slot = self._devices.with_only(base.slot, tuple(left.elements()))
        schedd = self.waiting.home(job.submitter, job.schedd)
        claim = Claim(str(base.slot.name), slot, amounts, job.submitter, schedd, limits, self.now)
        base.claims[claim] = None
        self._run(claim, job, by)

    def _bind(self, base: Base, job: Job, amounts: Mapping[str, Number]) -> tuple[str, ...] | None:
        """Return the devices that a dynamic slot gets.

        It is None where the ad of its parent does not list any.
        """
        if "AvailableGPUs" not in base.slot.frame:
            return None
        return self._devices.chosen(
            base.slot, self._suiting.request(job), int(amounts.get(GPUS, 0))
        )

    def _run(self, claim: Claim, job: Job | None, by: str, seconds: float | None = None) -> None:
        if job is not None:
            self.waiting.start(job)
            self.starts.append(Start(job, self.now, by))
            claim.job, claim.user = job, job.user if isinstance(job.user, str) else ""
            self._materialize(self._factories.start(job))
            self.waited.setdefault(job.submitter, []).append(self.now - self._coming.came_at(job))
            seconds = self._coming.seconds(job)
        self._running[claim.schedd, claim.user] += 1
        seconds = self._run_time(job, self._dice) if seconds is None else seconds
        claim.ends = self.now + seconds
        heapq.heappush(self._ending, (claim.ends, next(self._numbers), claim))

    def advance(self, until: float) -> None:
        """Advance the time.

        Jobs end, and others of the same submitter start in their claims, or the claims end.
        """
        while self._ending and self._ending[0][0] <= until:
            self.now, _, claim = heapq.heappop(self._ending)
            self._running[claim.schedd, claim.user] -= 1
            self._arrive(self.now)
            if claim.job is not None:
                self._materialize(self._factories.end(claim.job))
            job = self._next(claim) if self.now - claim.since < self._worklife else None
            if job is not None:
                self._run(claim, job, REUSED)
            else:
                self._release(claim)
        self._arrive(until)
        self.now = until

    def _arrive(self, until: float) -> None:
        while (job := self._coming.next(until)) is not None:
            self.waiting.arrive(job)

    def _materialize(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self._coming.came(job, self.now)
            self.waiting.arrive(job)

    def _next(self, claim: Claim) -> Job | None:
        """Return the next job of the submitter that its schedd can run in a claim."""
        has = claim.amounts or amounts_of(claim.slot)
        return self.waiting.next(
            claim.submitter,
            claim.schedd,
            lambda like: self._suiting.fits(like, claim.slot, has, claim.limits),
            lambda job: self._startable(job, lambda: claim.slot.ad(dict(has))),
        )

    def _startable(self, job: Job, slot: Callable[[], Ad]) -> bool:
        """Tell whether a schedd may start a job in a claim that it has, on a slot with that ad.

        A cool-down, a limit of its user or START_VANILLA_UNIVERSE may keep it from that.
        """
        until = as_number(job.cool_down_until)
        if until is not None and self._moment is not None and until >= self._moment + self.now:
            return False
        schedd = self.waiting.home(job.submitter, job.schedd)
        limit = self._limits.of(job, schedd)
        if limit is not None and self._running[schedd, limit.user] >= limit.limit:
            return False
        return self._access[schedd].can_start_another(job, slot)

    def _release(self, claim: Claim) -> None:
        base = self.bases[claim.of]
        del base.claims[claim]
        for asset, amount in claim.amounts.items():
            base.left[asset] += amount
        back = self._devices.listed(claim.slot) if claim.amounts.get(GPUS) else ()
        if back and all(name in base.slot.frame for name in back):
            devices = (*self._devices.listed(base.slot), *back)
            base.slot = self._devices.with_only(base.slot, tuple(sorted(devices)))
