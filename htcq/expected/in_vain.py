"""Access points whose own knobs end every run of their jobs, which then begin anew.

A schedd counts each shadow that ends (JobsExited), and why: the job goes on hold (JobsShouldHold)
or back into the queue (JobsShouldRequeue: vacated, or OnExitRemove is false at its end), or has
completed (jobExitCode of src/condor_schedd.V6/schedd.cpp, HTCondor 25.14; seen on 25.14.1). Users
may not change these counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from htcq.classads import Value, as_number
from htcq.expected.recent import counters, lately
from htcq.expected.unmet import ERROR, LASTS, Unmet, keys_of, observed_knobs
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import HELD, IDLE, RUNNING
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.set_by_access_point import policies_of, setters_of
from htcq.pool.versions import version
from htcq.units import counted

_EXITED, _COMPLETED = "RecentJobsExited", "RecentJobsCompleted"
_HELD, _REQUEUED = "RecentJobsShouldHold", "RecentJobsShouldRequeue"
_COUNTERS = (_EXITED, _HELD, _REQUEUED, _COMPLETED)
_HOLD, _RELEASE = "SYSTEM_PERIODIC_HOLD", "SYSTEM_PERIODIC_RELEASE"
_VACATE, _LEAVES = "SYSTEM_PERIODIC_VACATE", "OnExitRemove"
#: So many runs, and so many of each job in the queue that has run, are no accident.
_MANY, _TIMES = 10, 3
_NAMED = 3
#: HoldReasonCode of SYSTEM_PERIODIC_HOLD.
_BY_SYSTEM = 26


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
    loop = (*policies_of(own, _HOLD), *policies_of(own, _RELEASE))
    if policies_of(own, _HOLD) and policies_of(own, _RELEASE) and codes <= {_BY_SYSTEM}:
        yield held, loop, "go on hold and are released"
    takes = version(schedd.value("CondorVersion"))
    keeps = (*setters_of(own, _LEAVES, takes), *policies_of(own, _VACATE))
    yield requeued, keeps, "go back into the queue"


def _unmet(pool: Pool, schedd: Record, knobs: Sequence[Knob], what: str) -> Unmet:
    name, exited = schedd.name, int(schedd.number(_EXITED) or 0)
    jobs = [
        job for job in pool.jobs or () if job.access_point == name and job.status in (IDLE, RUNNING)
    ]
    such = f", such as {pool.job_name(jobs[0])}," if jobs else ""
    named = " and ".join(each.name for each in knobs)
    return Unmet(
        LASTS,
        f"access point {name}",
        f"{counted(exited, 'run')} of jobs of {name}{such} ended {lately(schedd)} and none "
        f"completed: by {named} of {name} they {what}, to begin anew",
        f"{named} of {name}, then condor_reconfig there; for these jobs condor_qedit of what a "
        "transform set. Their machines are sound.",
        (*observed_knobs(knobs), *counters(schedd, _COUNTERS)),
        keys_of(jobs),
        exited,
        tuple(job.id for job in jobs[:_NAMED]) or (name,),
        ERROR,
    )
