"""A pool over time: jobs start where they are matched, run, end, and leave their claims.

Follows src/condor_schedd.V6/schedd.cpp (FindRunnableJob) and src/condor_startd.V6/Resource.cpp
(create_dslot), HTCondor 25.14. Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count

from htcq.classads import UNDEFINED
from htcq.pool.job import Job
from htcq.pool.past import PlannedDrain
from htcq.pool.pool import Pool
from htcq.pool.slot import Number, Slot
from htcq.poolquota.published import Published
from htcq.simulate.course.advertised import Advertised
from htcq.simulate.course.claims import LEFTOVER, MATCH, Base, Claim
from htcq.simulate.course.conflicts import Conflicts
from htcq.simulate.course.defrag import Defrag, defrag_of
from htcq.simulate.course.devices import Devices
from htcq.simulate.course.draining import GRACEFUL, Drain
from htcq.simulate.course.drains import SOON, Drains
from htcq.simulate.course.holdings import Holdings
from htcq.simulate.course.leftovers import Leftovers
from htcq.simulate.course.occupancy import Occupancy
from htcq.simulate.course.runs import Runs
from htcq.simulate.course.runtimes import Dice, RunTime
from htcq.simulate.course.shown import Shown
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.schedd_negotiation import Made
from htcq.units import GPUS


class World:
    """One pool over time.

    ``run_time`` gives the run time of jobs, by ``dice``, unless a job has its own.
    """

    def __init__(self, pool: Pool, run_time: RunTime, dice: Dice) -> None:
        moment = Published(pool, pool.negotiator).moment
        self._pool, self._advertised, self._shown = pool, Advertised(pool), Shown(pool, moment)
        self._numbers = count(1)
        self._devices, self._occupancy = Devices(), Occupancy(pool, moment)
        self._startds, self._conflicts = Startds(pool.execute, True), Conflicts(pool)
        #: Every slot, and the claims on it.
        self.holdings = Holdings(pool, self._occupancy, self._devices)
        #: The jobs, in claims and queues.
        self.runs = Runs(pool, moment, self.holdings, self._occupancy, run_time, dice)
        self._leftovers = Leftovers(
            pool, self.runs.waiting, self.runs.suiting, self._startds, self.runs.schedds,
            self._advertised, self._devices,
        )  # fmt: skip
        self._drains = Drains(self.runs, self.holdings)
        for drain in pool.drains:
            self._plan(drain)
        self._defrag = defrag_of(pool, moment, dice)
        if self._defrag is not None and math.isfinite(self._defrag.first):
            self.runs.agenda.note(self._defrag.first, partial(self._poll, self._defrag))

    def pool(self) -> Pool:
        """Return the pool as the collector and the schedds show it now.

        Until anything changes that is the captured one.
        """
        runs, slots = self.runs, self.holdings.slots(self.runs.now)
        if not (runs.now or runs.changes):
            self._advertised.begin(slots)
            return self._pool
        return self._shown.at(
            runs.now,
            self._advertised.of(slots, runs.now),
            runs.waiting,
            tuple(self.holdings.claims()),
            runs.schedds,
        )

    def advance(self, until: float) -> None:
        """Let time go by until the next cycle."""
        self.runs.advance(until)
        self._startds.begin()

    def take(self, made: Iterable[Made]) -> None:
        """Let the jobs start that were matched, unless a startd refuses.

        Then schedds and startds end the claims that they do not keep.
        """
        self.begin(made)
        self._leave()

    def begin(self, made: Iterable[Made]) -> None:
        """Let the jobs start that were matched, unless a startd refuses."""
        asked = tuple(made)
        held, preempted = {}, list[tuple[Job, list[Claim]]]()
        if any(each.preempts for each in asked):
            held = {str(claim.slot.name): claim for claim in self.holdings.claims()}
        answered: list[tuple[Made, Sequence[int]]] = []
        for each in asked:
            devices: Sequence[int] = ()
            own = (each.slot,) if each.preempts and not each.dynamic_slots else ()
            if not held.keys() >= {*each.dynamic_slots, *own}:
                # Another match of this cycle has a claim of these: the startd knows it no more.
                continue
            # The startd takes these back before it looks at the request.
            gone = [held.pop(name) for name in each.dynamic_slots]
            for claim in gone:
                self.holdings.remove(claim, self.runs.now)
            if own and not each.claim.refusal:
                gone = [held.pop(each.slot)]
                self._preempt(gone[0], each)
            elif not each.claim.refusal:
                base = self.holdings.bases[each.slot]
                amounts = {} if base.whole else each.claim.amounts
                devices = self._start(base, each.job, amounts, each.limits, MATCH)
            answered.append((each, devices))
            if gone:
                preempted.append((each.job, gone))
        self._leftovers.use(
            answered,
            self.holdings.bases,
            self.runs.now,
            # Only a match of the negotiator has limits for the access point.
            lambda base, job, amounts: self._start(base, job, amounts, "", LEFTOVER),
            self.runs.materialize,
        )
        # What is left of slots comes with the startd's answer, before the shadow of a preempted job
        # exits: that job is not idle yet.
        for job, claims in preempted:
            for claim in claims:
                self.runs.evict(claim)
            # It starts where they were when they are gone.
            self.runs.materialize(job)

    def _leave(self) -> None:
        """Let the claims end that schedds and startds end by themselves."""
        for claim in dict.fromkeys(self._leaving()):
            self.runs.evict(claim)
            self.holdings.remove(claim, self.runs.now)

    def _leaving(self) -> Iterator[Claim]:
        """Yield the claims that schedds and startds end by themselves."""
        yield from list(self.runs.schedds.excess(self.holdings.claims))
        for beside in self.holdings.beside.values():
            yield from list(self._conflicts.leaving(beside))

    def _plan(self, planned: PlannedDrain) -> None:
        """Note when the startds of a machine are to drain, and until when."""
        bases = self.holdings.bases.values()
        drain = Drain("planned", False)
        for startd in {base.slot.startd for base in bases if base.slot.machine == planned.machine}:
            begin = partial(self._drains.begin, startd, drain, True)
            self.runs.agenda.note(max(planned.at, SOON), begin)
            if math.isfinite(planned.until):
                self.runs.agenda.note(planned.until, partial(self._drains.end, startd))

    def _poll(self, defrag: Defrag) -> None:
        """Let condor_defrag drain machines, and end drains."""
        now = self.runs.now
        slots, claims = self.holdings.slots(now), tuple(self.holdings.claims())
        choice = defrag.poll(slots, claims, now)
        for startd in choice.cancelled:
            self._drains.end(startd)
        for startd in choice.drained:
            self._drains.begin(startd, Drain(defrag.reason, True), defrag.schedule == GRACEFUL)
        self.runs.agenda.note(now + defrag.interval, partial(self._poll, defrag))

    def notes(self) -> Iterator[str]:
        """Yield what was left open."""
        if self._defrag is not None:
            yield from dict.fromkeys(self._defrag.open)

    def _preempt(self, claim: Claim, made: Made) -> None:
        """Give a claim to another job."""
        base, job = self.holdings.bases[claim.of], made.job
        del base.claims[claim]
        # A startd does not note which schedd takes over a claim (request_claim of command.cpp).
        own = claim.slot._replace(remote_schedd=UNDEFINED)
        slot = self.holdings.slots_of_claims.claimed(own, job.submitter, made.limits)
        before = own.concurrency_limits
        self._claim(
            base, job, slot, claim.amounts, made.limits, MATCH, claim.devices,
            before if isinstance(before, str) else "",
        )  # fmt: skip

    def _start(
        self, base: Base, job: Job, amounts: Mapping[str, Number], limits: str, by: str
    ) -> Sequence[int]:
        """Start a job in a slot; return the places of its GPUs."""
        devices: Sequence[int] = ()
        made = self.holdings.slots_of_claims
        if base.whole:
            slot = made.claimed(base.slot, job.submitter, limits)
        else:
            request = self.runs.suiting.request(job)
            devices = self._devices.take(base, request, int(amounts.get(GPUS, 0)))
            parent = self._devices.of(base, devices)
            slot = made.dynamic(parent, next(self._numbers), amounts, job.submitter, "")
            # The startd evaluates the limits of the job on the dynamic slot
            # (src/condor_startd.V6/claim.cpp:loadRequestInfo, 23.9 and 25.13). For the access
            # point those of the match count.
            held = self.runs.suiting.limits_in(request, slot, amounts)
            slot = made.claimed(slot, job.submitter, held)
            for asset, amount in amounts.items():
                base.left[asset] -= amount
        schedd = self.runs.waiting.home(job.submitter, job.schedd)
        slot = slot._replace(remote_schedd=schedd or UNDEFINED)
        kept = self.runs.schedds.kept_limits(schedd, limits)
        self._claim(base, job, slot, amounts, kept, by, devices)
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
        self.runs.changes += 1
        schedd = self.runs.waiting.home(job.submitter, job.schedd)
        slot = self._occupancy.entered(slot, self.runs.now)
        claim = Claim(
            str(base.slot.name), slot, amounts, job.submitter, schedd, limits, self.runs.now
        )
        claim.number, claim.preempted_limits = next(self._numbers), preempted_limits
        claim.devices = devices
        self.holdings.add(base, claim)
        self.runs.run(claim, job, by)
