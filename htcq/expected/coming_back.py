"""Access points whose jobs start again and again, since something puts each of them back.

The schedd counts how each shadow ended: with a job that goes on hold, or with one that goes back
into the queue (JOB_SHOULD_HOLD and JOB_SHOULD_REQUEUE in jobExitCode of
src/condor_schedd.V6/schedd.cpp, HTCondor 25.14). A hold that the system's policy lifts at once, and
an OnExitRemove that is true for failures alone, use slots for ever and end no job.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.classads import as_number
from htcq.expected.set_by_access_point import setters_of
from htcq.expected.unmet import ERROR, LASTS, WARNING, Observed, Unmet, keys_of, observed_knobs
from htcq.pool.job import HELD, IDLE, RUNNING, UNMATCHED_UNIVERSES, Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.units import counted, show_span

_HELD, _REQUEUED, _EXITED = "RecentJobsShouldHold", "RecentJobsShouldRequeue", "RecentJobsExited"
_COMPLETED, _WINDOW = "RecentJobsCompleted", "RecentStatsLifetime"
#: So many ends that were none, almost all that there were, are no accident of one job.
_MANY, _MOST = 10, 0.8
#: A job that went on hold or ended as often comes back by itself.
_TIMES = 3
_NAMED = 3
_HOLDS = ("SYSTEM_PERIODIC_HOLD", "SYSTEM_PERIODIC_RELEASE")


def coming_back(pool: Pool) -> Iterator[Unmet]:
    """Yield the access points where jobs run again and again, and none completes."""
    queues: dict[str, list[Job]] = {}
    for job in pool.jobs or ():
        if job.status in (IDLE, RUNNING, HELD) and job.universe not in UNMATCHED_UNIVERSES:
            queues.setdefault(job.access_point, []).append(job)
    for schedd in pool.schedds:
        jobs = queues.get(schedd.name, [])
        if jobs and schedd.number(_COMPLETED) == 0:
            yield from _held_again(pool, schedd, jobs)
            yield from _requeued(pool, schedd, jobs)


def _held_again(pool: Pool, schedd: Record, jobs: Sequence[Job]) -> Iterator[Unmet]:
    """Yield that holds end what starts, and that something releases the jobs again."""
    held = _counted(schedd, _HELD)
    holds = [as_number(job.value("NumHolds")) or 0 for job in jobs]
    again = [job for job, times in zip(jobs, holds) if times >= _TIMES]
    if not held or not again or len(again) < sum(times > 0 for times in holds) / 2:
        return
    own = pool.schedd_configuration(schedd.name)
    knobs = [each for each in own or () if each.bare.upper().startswith(_HOLDS) and each.value]
    cure = f"{' and '.join(_HOLDS)} of {schedd.name}, then condor_reconfig there"
    if not knobs:
        cure = "HoldReason in 'condor_q -hold', and periodic_release of the jobs"
    yield _unmet(
        pool, schedd, again, held,
        f"{counted(held, 'start')} of jobs at {schedd.name} {_lately(schedd)} ended on hold, and "
        "none completed: the jobs are released, and start again",
        f"{cure}. Their machines are sound.",
        (*observed_knobs(knobs), Observed(_HELD, str(held))),
        ERROR if knobs else WARNING,
    )  # fmt: skip


def _requeued(pool: Pool, schedd: Record, jobs: Sequence[Job]) -> Iterator[Unmet]:
    """Yield that jobs which come to their end go back into the queue."""
    count = _counted(schedd, _REQUEUED)
    # Jobs that are preempted go back as well, and have not come to their end.
    again = [job for job in jobs if (as_number(job.completions) or 0) >= _TIMES]
    if not count or not again:
        return
    knobs = setters_of(pool.schedd_configuration(schedd.name), "OnExitRemove")
    text = life.text("OnExitRemove") if (life := again[0].life) is not None else ""
    cure = f"{knobs[0].name} of {schedd.name}, then condor_reconfig there" if knobs else ""
    yield _unmet(
        pool, schedd, again, count,
        f"{counted(count, 'job')} of {schedd.name} that came to their end {_lately(schedd)} went "
        "back into the queue, and none left it: OnExitRemove is false for them",
        f"{cure or 'on_exit_remove in their submit file'}; for these jobs condor_qedit of "
        "OnExitRemove to true. Their machines are sound.",
        (*observed_knobs(knobs), *([Observed("OnExitRemove", text)] if text else ()),
         Observed(_REQUEUED, str(count))),
        ERROR if knobs else WARNING,
    )  # fmt: skip


def _counted(schedd: Record, name: str) -> int:
    """Return a counter of the schedd where that is almost all of what ended there; else 0."""
    count, ended = schedd.number(name), schedd.number(_EXITED)
    if count is None or ended is None or count < _MANY:
        return 0
    return int(count) if count >= _MOST * ended else 0


def _lately(schedd: Record) -> str:
    window = schedd.number(_WINDOW)
    return f"in the last {show_span(window)}" if window else "lately"


def _unmet(
    pool: Pool, schedd: Record, jobs: Sequence[Job], count: int, text: str, cure: str,
    observed: tuple[Observed, ...], severity: str,
) -> Unmet:  # fmt: skip
    return Unmet(
        LASTS,
        f"access point {schedd.name}",
        text,
        cure,
        observed,
        keys_of(jobs),
        count,
        tuple(map(pool.job_name, jobs[:_NAMED])),
        severity,
    )
