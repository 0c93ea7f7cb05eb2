"""Access points whose own knobs end every run of their jobs, which then begin anew.

A schedd counts each shadow that ends (JobsExited), and why: the job goes on hold (JobsShouldHold)
or back into the queue (JobsShouldRequeue: vacated, or OnExitRemove is false at its end), or has
completed (jobExitCode of src/condor_schedd.V6/schedd.cpp, HTCondor 25.14; seen on 25.14.1). Users
may not change these counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from htcq.classads import Value, as_number, literal
from htcq.expected.unmet import ERROR, LASTS, Observed, Unmet, keys_of, observed_knobs
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import HELD, IDLE, RUNNING
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.set_by_access_point import setters_of
from htcq.units import counted, show_span

_EXITED, _COMPLETED = "RecentJobsExited", "RecentJobsCompleted"
_HELD, _REQUEUED = "RecentJobsShouldHold", "RecentJobsShouldRequeue"
_HOLD, _RELEASE = "SYSTEM_PERIODIC_HOLD", "SYSTEM_PERIODIC_RELEASE"
_VACATE, _LEAVES = "SYSTEM_PERIODIC_VACATE", "OnExitRemove"
#: So many runs, and so many of each job in the queue that has run, are no accident.
_MANY, _TIMES = 10, 3
_NAMED = 3
#: HoldReasonCode of SYSTEM_PERIODIC_HOLD.
_BY_SYSTEM = 26
#: Ends names of knobs that only go with a policy.
_BESIDE = ("_NAMES", "_REASON", "_SUBCODE")


def in_vain(pool: Pool) -> Iterator[Unmet]:
    """Yield the access points whose jobs run again and again, and none completes."""
    for schedd in pool.schedds:
        own, exited = pool.schedd_configuration(schedd.name), schedd.number(_EXITED) or 0
        if own is None or schedd.number(_COMPLETED) != 0 or exited < _MANY:
            continue
        tried = _tried(pool, schedd.name)
        if not tried or exited < _TIMES * tried:
            continue
        for count, knobs, what in _ends(schedd, own, _codes(pool, schedd.name)):
            if count == exited and knobs:
                yield _unmet(pool, schedd, knobs, what)


def end_in_vain(pool: Pool) -> frozenset[str]:
    """Return the access points that end every run themselves: that is no machine's fault."""
    return frozenset(each.subject.rpartition(" ")[2] for each in in_vain(pool))


def _tried(pool: Pool, name: str) -> int:
    """Return how many jobs in the queue of an access point have had a shadow."""
    jobs = (job for job in pool.jobs or () if job.access_point == name)
    return sum((as_number(job.shadow_starts) or 0) > 0 for job in jobs)


def _codes(pool: Pool, name: str) -> frozenset[Value]:
    """Return the reasons for which jobs of an access point are on hold now."""
    jobs = (job for job in pool.jobs or () if job.access_point == name and job.status == HELD)
    return frozenset(job.value("HoldReasonCode") for job in jobs)


def _ends(
    schedd: Record, own: Configuration, codes: AbstractSet[Value]
) -> Iterator[tuple[float, Sequence[Knob], str]]:
    """Yield how many runs ended in one way, the knobs that may do it, and what they do.

    ``codes`` are those of jobs on hold: where another than the policy holds some it may hold all.
    """
    held, requeued = schedd.number(_HELD) or 0, schedd.number(_REQUEUED) or 0
    loop = (*_set(own, _HOLD), *_set(own, _RELEASE))
    if _set(own, _HOLD) and _set(own, _RELEASE) and codes <= {_BY_SYSTEM}:
        yield held, loop, "go on hold and are released"
    keeps = (*setters_of(own, _LEAVES), *_set(own, _VACATE))
    yield requeued, keeps, "go back into the queue"


def _set(own: Configuration, knob: str) -> Sequence[Knob]:
    """Return the knob, and those of its name with a further one, unless it is no policy at all."""
    found = [each for each in own if each.bare.upper().startswith(knob) and each.value]
    policies = [each for each in found if not each.bare.upper().endswith(_BESIDE)]
    return [each for each in policies if literal(each.value) not in (0, False)]


def _unmet(pool: Pool, schedd: Record, knobs: Sequence[Knob], what: str) -> Unmet:
    name, exited = schedd.name, int(schedd.number(_EXITED) or 0)
    jobs = [
        job for job in pool.jobs or () if job.access_point == name and job.status in (IDLE, RUNNING)
    ]
    window = schedd.number("RecentStatsLifetime")
    lately = f"in the last {show_span(window)}" if window else "lately"
    such = f", such as {pool.job_name(jobs[0])}" if jobs else ""
    named = " and ".join(each.name for each in knobs)
    counters = [(each, schedd.number(each)) for each in (_EXITED, _HELD, _REQUEUED, _COMPLETED)]
    return Unmet(
        LASTS,
        f"access point {name}",
        f"{counted(exited, 'run')} of jobs of {name}{such}, ended {lately} and none completed: "
        f"by {named} of {name} they {what}, to begin anew",
        f"{named} of {name}, then condor_reconfig there; for these jobs condor_qedit of what a "
        "transform set. Their machines are sound.",
        (
            *observed_knobs(knobs),
            *(Observed(each, f"{count:.0f}") for each, count in counters if count is not None),
        ),
        keys_of(jobs),
        exited,
        tuple(job.id for job in jobs[:_NAMED]) or (name,),
        ERROR,
    )
