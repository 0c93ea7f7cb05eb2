"""How long jobs run, by the finished jobs of a history.

Each as long as one of those that are most like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from htcq.errors import InputError
from htcq.pool.job import Job
from htcq.pool.past import Past
from htcq.simulate.course.runtimes import Dice, RunTime


def run_time_of(past: Iterable[Past]) -> RunTime:
    """Return what draws from the finished jobs.

    Of the same submitter and with the same requests, if there are any.

    Else from those of the same submitter, else from all. Requests are the same if they read the
    same, whatever they come to: RequestDisk may name what a job has used in the end. What was not
    finished is left out.

    Raises:
        InputError: none of the jobs was finished.
    """
    known: dict[tuple[object, ...], list[float]] = {}
    for job, seconds in past:
        if seconds is None:
            continue
        for kind in _kinds(job):
            known.setdefault(kind, []).append(seconds)
    if not known:
        raise InputError("a history without a finished job", "condor_history -long prints them")
    kinds: dict[tuple[int, str], Sequence[float]] = {}

    def drawn(job: Job | None, dice: Dice) -> float:
        # A claim of the captured pool has a job of which nothing is known.
        like = known[()] if job is None else kinds.get((id(job.frame), job.submitter), ())
        if not like and job is not None:
            like = next(known[kind] for kind in _kinds(job) if kind in known)
            kinds[id(job.frame), job.submitter] = like
        return like[dice.randrange(len(like))]

    return drawn


def _kinds(job: Job) -> tuple[tuple[object, ...], ...]:
    """Return what a job is like, the nearest first."""
    texts = job.frame.texts
    requests = tuple(
        sorted((name, text) for name, text in texts.items() if name.startswith("request"))
    )
    return (job.submitter, requests), (job.submitter,), ()
