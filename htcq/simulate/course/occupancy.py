"""What the ad of a claimed slot says of the job on it, and what is lost where a claim is preempted.

Follows src/condor_startd.V6/Resource.cpp (evalRetirementRemaining), claim.cpp (publish) and
ResState.cpp, HTCondor 25.14.
A job that is preempted leaves at once: how long it takes to vacate is not looked at.
"""

from __future__ import annotations

from typing import NamedTuple

from htcq.classads import Value, as_number, literal, named
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import frames_of
from htcq.pool.slot import Slot
from htcq.quota.knobs import Knobs
from htcq.simulate.course.claims import Claim
from htcq.simulate.course.shown import names_any
from htcq.simulate.cycle.preemption import preemption_texts
from htcq.simulate.cycle.startd_rank import StartdRanks
from htcq.units import CPUS

_RETIREMENT = "MY.MaxJobRetirementTime"
_SECONDS_IN_HOUR = 3600.0


class Lost(NamedTuple):
    """What a submitter loses with one claim: the hours of cpus for which its job has run.

    ``job`` returns to its queue; None: nobody knows which jobs ran when the pool was captured.
    """

    submitter: str
    cpu_hours: float
    job: Job | None
    at: float


class Occupancy:
    """Shows the claims of ``pool`` as a negotiator sees them that might preempt them.

    The pool was captured at ``moment`` (seconds since 1970; None: nobody knows).
    """

    def __init__(self, pool: Pool, moment: float | None) -> None:
        #: When the pool was captured, if any expression looks at how old a state is.
        self._moment: float | None = None
        if names_any(pool, "EnteredCurrentState", "EnteredCurrentActivity"):
            self._moment = moment
        self._ranks = StartdRanks(pool.execute)
        knobs = Knobs({} if pool.central is None else pool.central.texts())
        is_on = knobs.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        requirements = preemption_texts(knobs)[0]
        #: Whether any claim may be preempted: then it matters for how long a job has run. A job's
        #: Rank matters to startds without RANK, where it may be less than 0.
        self.matters = is_on and (
            literal(requirements) is not False
            or any(_varies(frame.text("Rank")) for frame in frames_of(pool.slots or ()))
            or any("-" in frame.text("Rank") for frame in frames_of(pool.jobs or ()))
        )

    def occupy(self, claim: Claim, job: Job, now: float) -> None:
        """Note that ``job`` begins to run in ``claim``."""
        slot = claim.slot
        if slot.activity != "Busy":
            slot = slot._replace(activity="Busy")
        if isinstance(job.user, str) and slot.remote_user != job.user:
            slot = slot._replace(remote_user=job.user, remote_owner=job.user)
        if self._moment is not None:
            slot = slot._replace(activity_since=int(self._moment + now))
        if self.matters:
            rank = self._ranks.of(slot, job)
            if slot.current_rank != rank:
                slot = slot._replace(current_rank=rank)
        claim.slot = slot
        claim.shown, claim.runs_since = None, now
        claim.retires_at = now + self._retirement(claim.slot, job)

    def rest(self, claim: Claim, now: float) -> None:
        """Note that nothing runs in ``claim``, which waits for another job."""
        slot = claim.slot._replace(activity="Idle")
        if self._moment is not None:
            slot = slot._replace(activity_since=int(self._moment + now))
        claim.slot, claim.shown = slot, None

    def entered(self, slot: Slot, now: float) -> Slot:
        """Return a slot that enters its state now."""
        if self._moment is None:
            return slot
        since = int(self._moment + now)
        return slot._replace(state_since=since, activity_since=since)

    def _retirement(self, slot: Slot, job: Job) -> float:
        """Return for how many seconds after its start a job keeps its slot at least."""
        text = slot.frame.text("MaxJobRetirementTime")
        if not text or literal(text) == 0:
            return 0.0
        seconds = _number(named(_RETIREMENT).evaluate(slot.ad(), job.ad()))
        wanted = as_number(named(_RETIREMENT).evaluate(job.ad(), slot.ad()))
        if wanted is None:
            return seconds
        return min(seconds, float(wanted))

    def shown(self, claim: Claim, now: float) -> Slot:
        """Return the slot of a claim as it is now."""
        if not self.matters:
            return claim.slot
        if claim.shown is None or claim.shown_at != now:
            seconds = int(now - claim.runs_since)
            remaining = max(0, int(claim.retires_at - now))
            claim.shown_at = now
            claim.shown = claim.slot._replace(job_seconds=seconds, retirement_seconds=remaining)
        return claim.shown

    def lost(self, claim: Claim, now: float) -> Lost:
        """Return what is lost where a claim is preempted now."""
        hours = float(claim.has.get(CPUS, 0)) * (now - claim.runs_since) / _SECONDS_IN_HOUR
        return Lost(claim.submitter, hours, claim.job, now)


def _varies(text: str) -> bool:
    """Return whether a rank may be another one than 0."""
    return bool(text) and literal(text) != 0


def _number(value: Value) -> float:
    return float(as_number(value) or 0)
