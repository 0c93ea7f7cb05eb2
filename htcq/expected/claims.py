"""Claims in which no job runs for longer than three cycles: idle ones, and suspended ones.

A claim without a job is normal for the seconds until its shadow runs. Follows StartJobs and
tryNextJob (JOB_START_DELAY) of src/condor_schedd.V6/schedd.cpp, and ResState.cpp of the startd,
HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from htcq.classads import as_number, literal
from htcq.expected.kept_claims import KeptClaims
from htcq.expected.settled import captured_at, is_over, settled_before
from htcq.expected.unmet import (
    ERROR,
    IDLE_CLAIMS,
    INFO,
    LAST,
    START,
    SUSPENDED,
    WARNING,
    JobKey,
    Observed,
    Unmet,
    knobs_on_the_way,
    observed_knobs,
)
from htcq.htcondor.matching import SCHEDD, STARTD
from htcq.htcondor.starting import is_default
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import RUNNING, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.record import Record
from htcq.pool.set_by_access_point import setters_of
from htcq.pool.slot import Slot
from htcq.pool.slot_state import utc
from htcq.units import CPUS, amount_of, counted, first_named

#: A claim that its holder means to keep is idle for less (keep_claim_idle, DAGMAN_HOLD_CLAIM_TIME).
_LONG = 60.0
_DELAYED = "NumJobStartsDelayed"
#: Both make a schedd wait after a start: its own knob, and the attribute of the job that started.
_DELAY, _NEXT = "JOB_START_DELAY", "NextJobStartDelay"
_SUSPEND = "SUSPEND"
_NAMED = 3


@dataclass
class _Claims:
    """Claims of one holder, or on one machine, in which nothing runs."""

    slots: list[Slot] = field(default_factory=list)

    @property
    def since(self) -> float:
        """When the first of them began to stand, in seconds since 1970."""
        return min(float(as_number(each.activity_since) or 0) for each in self.slots)

    @property
    def text(self) -> str:
        """How many there are, with their cores."""
        cores = sum(as_number(each.cpus) or 0 for each in self.slots)
        return f"{counted(len(self.slots), 'claim')} with {amount_of(CPUS, cores)}"

    @property
    def verb(self) -> str:
        """The verb that goes with their number."""
        return "has" if len(self.slots) == 1 else "have"


def standing_claims(pool: Pool) -> Iterator[Unmet]:
    """Yield the claims that have stood without a job that runs through three cycles."""
    moment = settled_before(pool)
    if moment is None:
        return
    now = captured_at(pool, moment)
    kept = dict[str, KeptClaims]()
    idle, suspended = dict[str, _Claims](), dict[str, _Claims]()
    for slot in pool.slots or ():
        since = as_number(slot.activity_since)
        if not slot.claimed or since is None:
            continue
        if slot.activity == "Idle":
            holder = _holder(slot)
            if holder not in kept:
                kept[holder] = KeptClaims(pool, holder)
            keeps = kept[holder]
            if (since < moment or keeps.is_certain) and not keeps.is_meant(slot, now - since):
                idle.setdefault(holder, _Claims()).slots.append(slot)
        elif slot.activity == "Suspended" and since < moment:
            suspended.setdefault(slot.startd, _Claims()).slots.append(slot)
    waits = any(job.wanted for job in pool.jobs or ())
    for holder, claims in idle.items():
        yield from _idle(pool, kept[holder], claims, moment, waits)
    for startd, claims in suspended.items():
        yield _suspended(pool, startd, claims, waits)


def _holder(slot: Slot) -> str:
    """Return the access point that holds a claim, or for whom, where the slot does not say."""
    if isinstance(slot.remote_schedd, str) and slot.remote_schedd:
        return slot.remote_schedd
    return slot.customer


def _idle(
    pool: Pool, kept: KeptClaims, claims: _Claims, moment: float, waits: bool
) -> Iterator[Unmet]:
    """Yield the idle claims of one holder, if he does not mean to keep them."""
    holder = kept.name
    schedd = next((each for each in pool.schedds if each.name == holder), None)
    stuck = list(_without_shadow(pool, holder, moment)) if schedd is not None else []
    delayed = waiting_for_shadows(schedd)
    now = captured_at(pool, moment)
    is_long = kept.is_certain or now - claims.since >= _LONG
    if not (stuck or delayed) and not (waits and is_long):
        return
    text = (
        f"{claims.text} of {holder} {claims.verb} been idle since {utc(claims.since)}: no job runs"
    )
    if stuck:
        text += f"; {counted(len(stuck), 'job')} there that run by their status have no shadow"
    text += kept.why
    observed = [*kept.observed, *([Observed(_DELAYED, str(delayed))] if delayed else [])]
    own_knobs = pool.schedd_configuration(holder) if schedd else None
    slow = _slow(own_knobs)
    if not kept.knobs:
        known = observed_knobs(slow)
        others = knobs_on_the_way(own_knobs, SCHEDD, START, peers=pool.access)
        observed += [*known, *(each for each in others if each not in known)]
    own = [each for each in pool.slots or () if each.claimed and _holder(each) == holder]
    yield Unmet(
        IDLE_CLAIMS,
        f"access point {holder}" if schedd is not None else f"submitter {holder}",
        text,
        kept.cure or _cure(holder, slow),
        tuple(observed),
        tuple(stuck),
        len(claims.slots),
        tuple(str(each.name) for each in claims.slots[:_NAMED]),
        ERROR if 2 * len(claims.slots) >= len(own) else WARNING,
    )


def _slow(own: Configuration | None) -> Sequence[Knob]:
    """Return the knobs by which a schedd waits between two starts."""
    knob = None if own is None else own.knob(_DELAY)
    throttles = knob is not None and not is_default(_DELAY, knob.value)
    return (*setters_of(own, _NEXT), *((knob,) if knob is not None and throttles else ()))


def _cure(holder: str, slow: Sequence[Knob]) -> str:
    logs = f"SchedLog and ShadowLog of {holder} and StartLog of the machines say why"
    if not slow:
        return f"{logs}."
    named = " and ".join(each.name for each in slow)
    verb = "makes" if len(slow) == 1 else "make"
    return (
        f"{named} of {holder}, which {verb} the schedd wait before it starts its next shadow, then "
        f"condor_reconfig there. {logs}."
    )


def waiting_for_shadows(schedd: Record | None) -> int:
    """Return how many jobs with a claim wait for their turn to get a shadow."""
    return 0 if schedd is None else int(schedd.number(_DELAYED) or 0)


def _without_shadow(pool: Pool, access_point: str, moment: float) -> Iterator[JobKey]:
    """Yield the jobs that run by their status since before ``moment``, and never had a shadow."""
    for job in pool.jobs or ():
        if job.status != RUNNING or not job.running or job.access_point != access_point:
            continue
        if not as_number(job.shadow_starts) and is_over(moment, job.status_since):
            yield JobKey(job.access_point, job.id)


def _suspended(pool: Pool, startd: str, claims: _Claims, waits: bool) -> Unmet:
    slots: Sequence[Slot] = claims.slots
    own = of_startd(pool.execute, slots[0])
    names = {str(each.name) for each in slots}
    jobs = [job for job in pool.jobs or () if str(job.remote_host) in names]
    by_users = own is not None and literal(own.value(_SUSPEND)) in (0, False)
    cure = f"SUSPEND, WANT_SUSPEND and CONTINUE of {startd}"
    observed = knobs_on_the_way(own, STARTD, LAST, peers=pool.execute)
    if by_users:
        cure, observed = _continuing(pool, slots, jobs), (Observed(_SUSPEND, "False"),)
    return Unmet(
        SUSPENDED,
        f"machine {startd}",
        f"{claims.text} on {startd} {claims.verb} been suspended since {utc(claims.since)}: their "
        "jobs do not run, and nobody else gets the cores"
        + ("; the startd suspends no job by itself" if by_users else ""),
        f"{cure}.",
        observed,
        count=len(slots),
        examples=tuple(str(each.name) for each in slots[:_NAMED]),
        severity=WARNING if waits else INFO,
    )


def _continuing(pool: Pool, slots: Sequence[Slot], jobs: Sequence[Job]) -> str:
    """Return what lets jobs go on that a condor_suspend has stopped."""
    holders = sorted({_holder(each) for each in slots})
    which = first_named(tuple(map(pool.job_name, jobs)), _NAMED) if jobs else "the jobs"
    return (
        f"condor_continue of {which} at {first_named(holders, _NAMED)}, where condor_suspend was "
        "called"
    )
