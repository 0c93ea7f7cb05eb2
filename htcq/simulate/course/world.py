"""A pool over time: jobs start where they are matched, run, end, and leave their claims.

Follows src/condor_schedd.V6/schedd.cpp (FindRunnableJob) and src/condor_startd.V6/Resource.cpp
(create_dslot), HTCondor 25.14. Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from htcq.classads import UNDEFINED, as_number
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.poolquota.published import Published
from htcq.simulate.course.claims import LEFTOVER, MATCH, REUSED, Base, Claim, Start, amounts_of
from htcq.simulate.course.devices import Devices
from htcq.simulate.course.factories import Factories
from htcq.simulate.course.gathering import Gathering
from htcq.simulate.course.leftovers import Leftovers
from htcq.simulate.course.machines import Fills, machine_of
from htcq.simulate.course.occupancy import Lost, Occupancy
from htcq.simulate.course.pending import Coming
from htcq.simulate.course.runtimes import Dice, RunTime
from htcq.simulate.course.schedds import Schedds
from htcq.simulate.course.shown import Shown
from htcq.simulate.course.slot_totals import SlotTotals
from htcq.simulate.course.suiting import Suiting
from htcq.simulate.course.waiting import Waiting
from htcq.simulate.course.worklife import Worklife
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.schedd_negotiation import Made
from htcq.simulate.slots import Slots
from htcq.units import GPUS


class World:
    """One pool over time.

    ``run_time`` gives the run time of jobs, by ``dice``, unless a job has its own.
    """

    def __init__(self, pool: Pool, run_time: RunTime, dice: Dice) -> None:
        self._moment, self._totals = Published(pool, pool.negotiator).moment, SlotTotals(pool)
        self._pool, self._run_time, self._dice = pool, run_time, dice
        self._slots, self._numbers, self._shown = Slots(), count(1), Shown(pool, self._moment)
        self._ending: list[tuple[float, int, Claim]] = []
        self.now = 0.0
        self._devices, self._occupancy = Devices(), Occupancy(pool, self._moment)
        #: What claims that were preempted have lost, in order.
        self.lost: list[Lost] = []
        self._suiting = Suiting(pool, self._moment)
        self._startds = Startds(pool.execute, True)
        self.waiting, self._coming = Waiting(pool, self._suiting), Coming(pool.arriving)
        #: How long each job waited that has started, in seconds, by submitter.
        self.waited: dict[str, list[float]] = {}
        #: How often anything has changed but the time.
        self.changes = 0
        #: Every start so far, in order.
        self.starts: list[Start] = []
        self._worklife = Worklife(pool)
        self.bases: dict[str, Base] = {}
        self._factories = Factories(pool.jobs or ())
        self._gathering = Gathering()
        #: Jobs that have started, and others have not come into being because of that yet.
        self._started: dict[int, Job] = {}
        self._schedds = Schedds(pool, self._moment)
        self._leftovers = Leftovers(
            pool, self.waiting, self._suiting, self._startds, self._schedds, self._totals,
            self._devices,
        )  # fmt: skip
        self._move_in()
        self._schedds.captured(self.claims())
        self._parts = self._by_machine()
        #: How full the machines were, and which of them have changed since.
        self._fills = Fills()
        self._changed = set(self._parts)
        self._arrive(0.0)

    def _move_in(self) -> None:
        """Take over the slots and claims of the captured pool.

        Who runs there, and for how long, nobody knows.
        """
        slots = self._pool.slots or ()
        for slot in slots:
            if slot.type != DYNAMIC:
                found = self.bases[str(slot.name)] = Base(slot, amounts_of(slot))
                self._devices.move_in(found)
        for slot in slots:
            parent, is_dynamic = str(slot.name), slot.type == DYNAMIC
            if is_dynamic:
                name, _, machine = parent.partition("@")
                parent = f"{name.rpartition('_')[0]}@{machine}"
            base = self.bases.get(parent)
            # A dynamic slot whose parent is a static one, by its name, has none: one of the two ads
            # is wrong.
            if base is None or base.whole == is_dynamic or not (slot.claimed and slot.customer):
                continue
            amounts = amounts_of(slot) if is_dynamic else {}
            schedd = self.waiting.home(slot.customer, slot.remote_schedd)
            limits = slot.concurrency_limits if isinstance(slot.concurrency_limits, str) else ""
            claim = Claim(str(base.slot.name), slot, amounts, slot.customer, schedd, limits, 0.0)
            claim.user = self._schedds.user_of(slot, schedd)
            claim.devices = self._devices.held(base, slot) if amounts.get(GPUS) else ()
            claim.runs_since = -float(as_number(slot.job_seconds) or 0)
            claim.retires_at = float(as_number(slot.retirement_seconds) or 0)
            base.claims[claim] = None
            if base.whole:
                base.slot = self._slots.unclaimed(slot)
            # In Claimed/Cleaning the job is over: the next one starts as soon as the starter is
            # gone.
            self._run(claim, None, MATCH, 0.0 if slot.activity == "Cleaning" else None)

    # What the collector shows
    # ----------------------------------------------------------------------------------------------

    def pool(self) -> Pool:
        """Return the pool as it is now; until anything changes that is the captured one."""
        if not (self.now or self.changes):
            self._totals.begin(self.slots())
            return self._pool
        return self._shown.at(
            self.now,
            self._totals.of(self.slots(), self.now),
            self.waiting,
            tuple(self.claims()),
            self._schedds,
        )

    def slots(self) -> Iterator[Slot]:
        """Return every slot as it is now: what is left of each, and its claims."""
        return self._slots_of(self.bases.values())

    def _slots_of(self, bases: Iterable[Base]) -> Iterator[Slot]:
        for base in bases:
            if not base.whole:
                yield base.shown or self._show(base)
            elif not base.claims:
                yield base.slot
            for claim in base.claims:
                yield self._occupancy.shown(claim, self.now)

    def _show(self, base: Base) -> Slot:
        """Return a partitionable slot with what it has left, the same one until that changes."""
        left = self._slots.left(base.slot, base.left)
        base.shown = left._replace(dynamic_slots=len(base.claims))
        return base.shown

    def fills(self) -> Fills:
        """Return how full the machines are; those alone are added up whose claims have changed."""
        for part in self._changed:
            self._fills.put(part, self._slots_of(self._parts[part]))
        self._changed.clear()
        return self._fills

    def _by_machine(self) -> dict[str, list[Base]]:
        """Return the slots of each machine; all of them as one where a claim is elsewhere."""
        apart = all(
            machine_of(claim.slot) == machine_of(base.slot)
            for base in self.bases.values()
            for claim in base.claims
        )
        found: dict[str, list[Base]] = {}
        for base in self.bases.values():
            base.machine = machine_of(base.slot) if apart else ""
            found.setdefault(base.machine, []).append(base)
        return found

    def claims(self) -> Iterator[Claim]:
        """Yield every claim."""
        for base in self.bases.values():
            yield from base.claims

    def claimed(self, asset: str) -> float:
        """Return how much of an asset is in claims."""
        return sum(claim.has.get(asset, 0) for claim in self.claims())

    def total(self, asset: str) -> float:
        """Return how much of an asset there is."""
        free = sum(
            base.left.get(asset, 0)
            for base in self.bases.values()
            if not (base.whole and base.claims)
        )
        return free + self.claimed(asset)

    # What happens
    # ----------------------------------------------------------------------------------------------

    def take(self, made: Iterable[Made]) -> int:
        """Let the jobs start that were matched, unless a startd refuses; return how many did."""
        asked = tuple(made)
        good = [each for each in asked if not each.claim.refusal]
        held, preempted = {}, list[tuple[Job, list[Claim]]]()
        if any(each.preempts for each in asked):
            held = {str(claim.slot.name): claim for claim in self.claims()}
        answered: list[tuple[Made, Sequence[int]]] = []
        for each in asked:
            devices: Sequence[int] = ()
            # The startd takes these back before it looks at the request.
            gone = [held[name] for name in each.dynamic_slots]
            for claim in gone:
                self._release(claim)
            if each.preempts and not gone and not each.claim.refusal:
                gone = [held[each.slot]]
                self._preempt(held[each.slot], each)
            elif not each.claim.refusal:
                base = self.bases[each.slot]
                amounts = {} if base.whole else each.claim.amounts
                devices = self._start(base, each.job, amounts, each.limits, MATCH)
            answered.append((each, devices))
            if gone:
                preempted.append((each.job, gone))
        rests = self._leftovers.use(
            answered,
            self.bases,
            self.now,
            # Only a match of the negotiator has limits for the access point.
            lambda base, job, amounts: self._start(base, job, amounts, "", LEFTOVER),
            self._materialize,
        )
        # What is left of slots comes with the startd's answer, before the shadow of a preempted job
        # exits: that job is not idle yet.
        for job, claims in preempted:
            for claim in claims:
                self._evict(claim)
            # It starts where they were when they are gone.
            self._materialize(job)
        for claim in list(self._schedds.excess(self.claims)):
            self._evict(claim)
            self._release(claim)
        return len(good) + rests

    def _preempt(self, claim: Claim, made: Made) -> None:
        """Give a claim to another job."""
        base, job = self.bases[claim.of], made.job
        del base.claims[claim]
        # A startd does not note which schedd takes over a claim (request_claim of command.cpp).
        own = claim.slot._replace(remote_schedd=UNDEFINED)
        slot = self._slots.claimed(own, job.submitter, made.limits)
        before = own.concurrency_limits
        self._claim(
            base, job, slot, claim.amounts, made.limits, MATCH, claim.devices,
            before if isinstance(before, str) else "",
        )  # fmt: skip

    def _evict(self, claim: Claim) -> None:
        """Let the job of a claim return to its queue."""
        self._schedds.ended(claim)
        self._gathering.lose(claim)
        self.lost.append(self._occupancy.lost(claim, self.now))
        if claim.job is not None:
            self._coming.came_back(claim.job, self.now)
            self._factories.back(claim.job)
            self.waiting.arrive(claim.job)

    def _start(
        self, base: Base, job: Job, amounts: Mapping[str, Number], limits: str, by: str
    ) -> Sequence[int]:
        """Start a job in a slot; return the places of its GPUs."""
        devices: Sequence[int] = ()
        if base.whole:
            slot = self._slots.claimed(base.slot, job.submitter, limits)
        else:
            request = self._suiting.request(job)
            devices = self._devices.take(base, request, int(amounts.get(GPUS, 0)))
            parent = self._devices.of(base, devices)
            slot = self._slots.dynamic(parent, next(self._numbers), amounts, job.submitter, "")
            # The startd evaluates the limits of the job on the dynamic slot
            # (src/condor_startd.V6/claim.cpp:loadRequestInfo, 23.9 and 25.13). For the access
            # point those of the match count.
            held = self._suiting.limits_in(request, slot, amounts)
            slot = self._slots.claimed(slot, job.submitter, held)
            for asset, amount in amounts.items():
                base.left[asset] -= amount
        schedd = self.waiting.home(job.submitter, job.schedd)
        slot = slot._replace(remote_schedd=schedd or UNDEFINED)
        self._claim(base, job, slot, amounts, limits, by, devices)
        return devices

    def _claim(
        self,
        base: Base,
        job: Job,
        slot: Slot,
        amounts: Mapping[str, Number],
        limits: str,
        by: str,
        devices: Sequence[int],
        preempted_limits: str = "",
    ) -> None:
        self.changes += 1
        base.shown = None
        self._changed.add(base.machine)
        schedd = self.waiting.home(job.submitter, job.schedd)
        slot = self._occupancy.entered(slot, self.now)
        claim = Claim(str(base.slot.name), slot, amounts, job.submitter, schedd, limits, self.now)
        claim.number, claim.preempted_limits = next(self._numbers), preempted_limits
        claim.devices = devices
        base.claims[claim] = None
        self._run(claim, job, by)

    def _run(self, claim: Claim, job: Job | None, by: str, seconds: float | None = None) -> None:
        if job is not None:
            # When it is preempted it returns as it came, without what its schedd shows besides.
            claim.job = self.waiting.start(job)
            claim.user = job.user if isinstance(job.user, str) else ""
            self._occupancy.occupy(claim, job, self.now)
        self._schedds.began(claim)
        together: Sequence[Claim] = (claim,)
        if job is not None:
            together = self._gathering.add(claim, job, self.waiting.has(job))
            if not together:
                return
            self.starts.append(Start(job, self.now, by))
            self._started[id(job)] = job
            self.waited.setdefault(job.submitter, []).append(self.now - self._coming.came_at(job))
            seconds = self._coming.seconds(job)
        seconds = self._run_time(job, self._dice) if seconds is None else seconds
        for each in together:
            each.ends = self.now + seconds
            heapq.heappush(self._ending, (each.ends, next(self._numbers), each))

    def advance(self, until: float) -> None:
        """Let jobs end; others of the same submitter start in their claims, or the claims end."""
        while self._ending and self._ending[0][0] <= until:
            at, _, claim = heapq.heappop(self._ending)
            if claim not in self.bases[claim.of].claims:
                # It was preempted.
                continue
            self.now = at
            self._suiting.advance(at)
            self.changes += 1
            self._schedds.ended(claim)
            self._arrive(self.now)
            ended, job = claim.job, None
            if not self._worklife.is_over(claim, self.now):
                job = self._next(claim)
            if job is not None:
                self._run(claim, job, REUSED)
                self._materialize(job)
            else:
                self._release(claim)
            if ended is not None:
                self._come(self._factories.end(ended))
        self._arrive(until)
        self.now = until
        self._suiting.advance(until)
        self._startds.begin()

    def _arrive(self, until: float) -> None:
        while (job := self._coming.next(until)) is not None:
            self.changes += 1
            self.waiting.arrive(job)

    def _materialize(self, started: Job) -> None:
        """Let the jobs come into being that come because ``started`` has.

        What is left of its slot is not for them: the schedd uses that before it starts the job, and
        makes others after it (JobMaterializeTimerCallback; seen on 23.9.6 and 25.14.1).
        """
        if self._started.pop(id(started), None) is not None:
            self._come(self._factories.start(started))

    def _come(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self._coming.came(job, self.now)
            self.waiting.arrive(job)

    def _next(self, claim: Claim) -> Job | None:
        """Return the next job of the submitter that its schedd can run in a claim."""
        has = claim.amounts or claim.has
        literal = self._schedds.literal_limits(claim.schedd)
        return self.waiting.next(
            claim.submitter,
            claim.schedd,
            lambda like: self._suiting.fits(
                like, claim.slot, has, claim.limits, literal, claim.preempted_limits
            ),
            lambda job: self._schedds.may_start(
                job, claim.schedd, lambda: claim.slot.ad(dict(has)), self.now
            ),
        )

    def _release(self, claim: Claim) -> None:
        base = self.bases[claim.of]
        base.shown = None
        self._changed.add(base.machine)
        del base.claims[claim]
        for asset, amount in claim.amounts.items():
            base.left[asset] += amount
        if base.whole:
            base.slot = self._occupancy.entered(base.slot, self.now)
        self._devices.give_back(base, claim.devices)
