"""Submitters that got claims in the last cycles, and that no limit kept from more.

A slot that was free all that time, and that one of their waiting jobs fits, was passed over: the
negotiator goes on with a submitter until it has no request left or comes to a limit. Follows
negotiateWithGroup and negotiate of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.classads import as_number
from htcq.pool.completed_cycles import CompletedCycle
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.simulate.cycle.search import NO_MATCH

#: The access point, and the submitter without the domain, which slots of groups leave out.
Served = tuple[str, str]
#: Of MaxJobsRunning: an access point that runs more may have been full until a job of it ended.
_NEAR = 0.5


def served_without_limit(pool: Pool, since: float, limits: Limits) -> frozenset[Served]:
    """Return the submitters that got a claim ``since`` then, and that no limit may have kept."""
    return frozenset(each for each in _served(pool, since) if not limits.may_keep(*each))


class Limits:
    """The submitters and access points that a limit may have kept from more."""

    def __init__(self, pool: Pool, cycles: Sequence[CompletedCycle]) -> None:
        self._limited = set(_limited(pool, cycles, cycles[-1].begin))
        self._full = {
            schedd.name
            for schedd in pool.schedds
            if (schedd.number("TotalRunningJobs") or 0)
            > _NEAR * (schedd.number("MaxJobsRunning") or float("inf"))
        }

    def may_keep(self, access_point: str, submitter: str) -> bool:
        """Return whether a limit may have kept a submitter at an access point from more."""
        return _plain(submitter) in self._limited or access_point in self._full


def served_by(access_point: str, submitter: str) -> Served:
    """Return what stands for a submitter at an access point."""
    return access_point, _plain(submitter)


def _plain(submitter: str) -> str:
    return submitter.partition("@")[0].lower()


def rejection_since(job: Job, since: float) -> str:
    """Return why the last cycles rejected a job; empty where they did not."""
    moment = as_number(job.rejected_at)
    if moment is None or moment < since or not isinstance(job.last_rejection, str):
        return ""
    return job.last_rejection


def _served(pool: Pool, since: float) -> Iterator[Served]:
    for slot in pool.slots or ():
        began = as_number(slot.state_since)
        if slot.claimed and began is not None and began >= since:
            yield served_by(str(slot.remote_schedd), slot.customer)


def _limited(pool: Pool, cycles: Sequence[CompletedCycle], since: float) -> Iterator[str]:
    """Yield the submitters that a limit or a time limit kept from more."""
    for cycle in cycles:
        named = [name for _, name in cycle.cut_off]
        for name in (*cycle.limited, *named):
            yield _plain(name)
    for job in pool.jobs or ():
        if rejection_since(job, since) not in ("", NO_MATCH):
            yield _plain(job.submitter)
