"""The jobs of a pool in claims and queues as time goes by: they come, start, end, and leave.

Follows src/condor_schedd.V6/schedd.cpp (child_exit, shadowExitCode, FindRunnableJobForClaim,
PeriodicExprEval), HTCondor 23.9 and 25.14: a claim whose job ended or was removed runs another job
of the submitter or waits for one (keep_claim_idle); one whose job is held, or waits again, is
given back. Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from htcq.classads import UNDEFINED
from htcq.errors import InputError
from htcq.pool.job import HELD, IDLE, UNMATCHED_UNIVERSES, Job
from htcq.pool.pool import Pool
from htcq.simulate.course.agenda import Agenda
from htcq.simulate.course.claims import REUSED, Claim, Start
from htcq.simulate.course.factories import Factories
from htcq.simulate.course.gathering import Gathering
from htcq.simulate.course.holdings import Holdings
from htcq.simulate.course.lives import Life, Lives, keeps_claim
from htcq.simulate.course.occupancy import Lost, Occupancy
from htcq.simulate.course.pending import Coming
from htcq.simulate.course.policies import MISSED_DEFERRAL, REMOVED, Act, Verdict
from htcq.simulate.course.policy_timer import PolicyTimer
from htcq.simulate.course.runtimes import Dice, RunTime
from htcq.simulate.course.schedds import Schedds
from htcq.simulate.course.suiting import Suiting
from htcq.simulate.course.waiting import Waiting
from htcq.simulate.course.worklife import Worklife


class Runs:
    """The runs of jobs in the claims of ``holdings``.

    ``run_time`` gives the run time of jobs, by ``dice``, unless a job has its own. ``moment`` is
    when the pool was captured (seconds since 1970; None: nobody knows).
    """

    def __init__(
        self,
        pool: Pool,
        moment: float | None,
        holdings: Holdings,
        occupancy: Occupancy,
        run_time: RunTime,
        dice: Dice,
    ) -> None:
        self._run_time, self._dice = run_time, dice
        self._holdings, self._occupancy = holdings, occupancy
        self.agenda = Agenda()
        self.now = 0.0
        #: How often anything has changed but the time.
        self.changes = 0
        #: What claims that were preempted have lost, in order.
        self.lost: list[Lost] = []
        #: Every start so far, in order, and how long each job waited before it, by submitter.
        self.starts: list[Start] = []
        self.waited: dict[str, list[float]] = {}
        self.suiting = Suiting(pool, moment)
        self.waiting, self._coming = Waiting(pool, self.suiting), Coming(pool.arriving)
        self._worklife = Worklife(pool)
        self._factories = Factories(pool.jobs or ())
        self._gathering = Gathering()
        #: Jobs that have started, and others have not come into being because of that yet.
        self._started: dict[int, Job] = {}
        self.schedds = Schedds(pool, moment)
        self._lives = Lives(pool, moment, self.schedds)
        self._timer = PolicyTimer(self._lives, self.agenda, self._do_queued, self._do_running)
        #: Idle claims that wait for another job, by submitter and access point.
        self._kept: dict[tuple[str, str], list[Claim]] = {}
        for claim in holdings.move_in(self.waiting, self.schedds):
            self._go_on(claim)
        self.schedds.captured(holdings.claims())
        for job in pool.jobs or ():
            if job.status in (IDLE, HELD) and job.universe not in UNMATCHED_UNIVERSES:
                self._enlist(job)
        self._arrive(0.0)

    def _go_on(self, claim: Claim) -> None:
        """Let the job of a captured claim go on; for how long, nobody knows.

        Where jobs themselves say how long they run, and the job is known, that is known as well.
        """
        # In Claimed/Cleaning the job is over: the next one starts as soon as the starter is gone.
        over = claim.slot.activity == "Cleaning"
        seconds = 0.0 if over else self._run_time(None, self._dice)
        job = claim.job
        if job is not None:
            if math.isinf(seconds):
                seconds = self._rest_of(job, claim)
            claim.job = job = job._replace(status=IDLE, current_hosts=0, remote_host=UNDEFINED)
            life = self._lives.of(job, claim.schedd)
            if life is not None:
                self._lives.begins(life, claim.runs_since)
                self._timer.watch(life, claim, claim.runs_since, self.now)
        self.schedds.began(claim)
        self._end_at(claim, self.now + seconds)

    def _rest_of(self, job: Job, claim: Claim) -> float:
        try:
            return max(0.0, self._run_time(job, self._dice) + claim.runs_since)
        except InputError:
            return math.inf

    def advance(self, until: float) -> None:
        """Let jobs come, end and be held, and others start in their claims."""
        while (due := self.agenda.next(until)) is not None:
            at, act = due
            if at > self.now:
                self.now = at
                self.suiting.advance(at)
            act()
        self._arrive(until)
        self.now = until
        self.suiting.advance(until)

    # In claims
    # ----------------------------------------------------------------------------------------------

    def run(self, claim: Claim, job: Job, by: str) -> None:
        """Let a job start in a claim."""
        # When it is preempted it returns as it came, without what its schedd shows besides.
        claim.job = self.waiting.start(job)
        claim.user = job.user if isinstance(job.user, str) else ""
        self._occupancy.occupy(claim, job, self.now)
        self.schedds.began(claim)
        together = self._gathering.add(claim, job, self.waiting.has(job))
        if not together:
            return
        self.starts.append(Start(job, self.now, by))
        self._started[id(job)] = job
        self.waited.setdefault(job.submitter, []).append(self.now - self._coming.came_at(job))
        seconds = self._coming.seconds(job)
        if seconds is None:
            seconds = self._run_time(job, self._dice)
        begins, too_late = self._lives.deferred_until(job, claim.schedd, self.now)
        for each in together:
            self._end_at(each, begins + seconds)
            if too_late:
                self.agenda.note(self.now, partial(self._missed, each, each.run))
        life = self._lives.of(job, claim.schedd)
        if life is not None:
            self._lives.begins(life, self.now)
            self._timer.watch(life, claim, self.now, self.now)

    def _end_at(self, claim: Claim, at: float) -> None:
        claim.run += 1
        claim.runs, claim.ends = True, at
        self.agenda.note(at, partial(self._end, claim, claim.run))

    def _is_over(self, claim: Claim, run: int) -> bool:
        """Return whether a run in a claim is over, or the claim is gone."""
        return claim.run != run or not claim.runs or not self._holdings.has(claim)

    def _end(self, claim: Claim, run: int) -> None:
        """Let the job of a claim end, unless that run is over."""
        if self._is_over(claim, run):
            return
        job, verdict = claim.job, REMOVED
        life = None if job is None else self._lives.of(job, claim.schedd)
        if life is not None:
            verdict = self._lives.ends(life, self.now)
        self._arrive(self.now)
        if verdict.act is Act.STAYS:
            verdict = Verdict(Act.VACATE)
        self._do(claim, verdict)

    def _do(self, claim: Claim, verdict: Verdict, periodic: bool = False) -> None:
        """Do with the job of a claim what its shadow does, at its end or when it looks."""
        self.changes += 1
        if verdict.act is Act.REMOVE:
            ended = self._stop(claim)
            self._reuse(claim, ended)
            if ended is not None:
                self._gone(ended, claim.schedd)
            return
        if verdict.act is Act.VACATE:
            self._return(claim)
        else:
            job = self._stop(claim)
            life = None if job is None else self._lives.of(job, claim.schedd)
            if job is not None:
                self._factories.back(job)
            if life is not None:
                times = self._lives.times_held(claim.schedd) if periodic else 1
                self._lives.held(life, verdict.code, self.now, times)
            if self.schedds.keeps_after_hold(claim.schedd):
                self._reuse(claim)
                return
        self._holdings.remove(claim, self.now)

    def _do_running(self, claim: Claim, verdict: Verdict) -> None:
        if self._holdings.has(claim):
            self._do(claim, verdict, periodic=True)

    def _do_queued(self, life: Life, verdict: Verdict) -> None:
        """Do with a job that waits or is held what its access point does."""
        job = life.job
        self.changes += 1
        if verdict.act is Act.RELEASE:
            self._lives.waits(life, self.now)
            self._wait(job._replace(status=IDLE))
            return
        self.waiting.take_out(job)
        if verdict.act is Act.REMOVE:
            self._come(self._factories.start(job))
            self._gone(job, life.schedd)
        else:
            self._lives.held(life, verdict.code, self.now)

    def _missed(self, claim: Claim, run: int) -> None:
        """Hold a job that comes too late to its slot."""
        if not self._is_over(claim, run):
            self._do(claim, Verdict(Act.HOLD, MISSED_DEFERRAL))

    def _stop(self, claim: Claim) -> Job | None:
        """Note that nothing runs in a claim any more; return the job that did."""
        self.schedds.ended(claim)
        claim.runs, job = False, claim.job
        if job is not None:
            life = self._lives.of(job, claim.schedd)
            if life is not None:
                self._lives.stops(life, self.now)
        return job

    def leave(self, claim: Claim) -> None:
        """End a claim, whether a job runs in it or it waits for one."""
        self.changes += 1
        if claim.waits:
            self._give_up(claim)
        else:
            self.evict(claim)
            self._holdings.remove(claim, self.now)

    def evict(self, claim: Claim) -> None:
        """Let the job of a claim return to its queue."""
        self._gathering.lose(claim)
        if claim.runs:
            self.lost.append(self._occupancy.lost(claim, self.now))
            self._return(claim)

    def _return(self, claim: Claim) -> None:
        """Let the job of a claim return to its queue, where it may have to cool down."""
        job = self._stop(claim)
        if job is None:
            return
        life = self._lives.of(job, claim.schedd)
        ad = job.ad()
        if life is not None:
            self._lives.vacates(life, self.now)
            self._lives.waits(life, self.now)
            ad = self._lives.ad(life, self.now)
        self._factories.back(job)
        self._wait(self.schedds.cooled(job, claim.schedd, ad, self.now))

    def _reuse(self, claim: Claim, ended: Job | None = None) -> None:
        """Start the next job in a claim, or keep it for one, or give it back."""
        over = self._worklife.is_over(claim, self.now)
        over = over or claim.slot.startd in self._holdings.draining.startds
        job = None if over else self._next(claim)
        whose = (claim.submitter, claim.schedd)
        kept = self._kept.get(whose, [])
        if job is not None:
            if claim in kept:
                kept.remove(claim)
                claim.waits = False
            request = self.suiting.request(job)
            limits = self.suiting.limits_in(request, claim.slot, claim.amounts or claim.has)
            claim.slot = claim.slot._replace(concurrency_limits=limits or UNDEFINED)
            self.run(claim, job, REUSED)
            self.materialize(job)
        elif claim in kept:
            return
        elif ended is not None and not over and (seconds := keeps_claim(ended)):
            self._kept.setdefault(whose, []).append(claim)
            claim.waits = True
            self._occupancy.rest(claim, self.now)
            self.agenda.note(self.now + seconds, partial(self._give_up, claim))
        else:
            self._holdings.remove(claim, self.now)

    def _give_up(self, claim: Claim) -> None:
        """Give a claim back that has waited for a job in vain."""
        kept = self._kept.get((claim.submitter, claim.schedd), [])
        if claim in kept:
            self.changes += 1
            kept.remove(claim)
            if self._holdings.has(claim):
                self._holdings.remove(claim, self.now)

    # In queues
    # ----------------------------------------------------------------------------------------------

    def _enlist(self, job: Job) -> None:
        """Let the access point look at the policy of a job from now on, where it has one."""
        life = self._lives.of(job, self.waiting.home(job.submitter, job.schedd))
        if life is not None:
            self._timer.enlist(life, self.now)

    def _wait(self, job: Job) -> None:
        """Put a job that was there before back into its queue."""
        self._coming.came_back(job, self.now)
        self._queue(job)

    def _queue(self, job: Job) -> None:
        """Let a job wait; where a claim waits for one of its submitter, it starts there."""
        self.waiting.arrive(job)
        self._enlist(job)
        whose = (job.submitter, self.waiting.home(job.submitter, job.schedd))
        for claim in self._kept.get(whose, ())[:]:
            self._reuse(claim)

    def _gone(self, job: Job, schedd: str) -> None:
        """Note that a job has left the queue, and let others of its cluster come."""
        life = self._lives.of(job, schedd)
        if life is not None:
            self._lives.forget(life)
        self._come(self._factories.end(job))

    def _arrive(self, until: float) -> None:
        while (job := self._coming.next(until)) is not None:
            self.changes += 1
            self._queue(job)

    def materialize(self, started: Job) -> None:
        """Let the jobs come into being that come because ``started`` has.

        What is left of its slot is not for them: the schedd uses that before it starts the job, and
        makes others after it (JobMaterializeTimerCallback; seen on 23.9.6 and 25.14.1).
        """
        if self._started.pop(id(started), None) is not None:
            self._come(self._factories.start(started))

    def _come(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self._coming.came(job, self.now)
            self._queue(job)

    def _next(self, claim: Claim) -> Job | None:
        """Return the next job of the submitter that its schedd can run in a claim."""
        has = claim.amounts or claim.has
        literal = self.schedds.literal_limits(claim.schedd)
        limits = self.schedds.compared(claim.schedd, claim.limits)
        return self.waiting.next(
            claim.submitter,
            claim.schedd,
            lambda like: self.suiting.fits(
                like, claim.slot, has, limits, literal, claim.preempted_limits, claim.job
            ),
            lambda job: self.schedds.may_start(
                job, claim.schedd, lambda: claim.slot.ad(dict(has)), self.now
            ),
        )
