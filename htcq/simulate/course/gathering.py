"""Claims that the dedicated scheduler keeps for a job until it has as many as the job wants.

Follows src/condor_schedd.V6/dedicated_scheduler.cpp (satisfyJobs), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Sequence

from htcq.pool.job import Job
from htcq.simulate.course.claims import Claim


class Gathering:
    """Kept claims of jobs that want more, by schedd and job."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], list[Claim]] = {}

    def add(self, claim: Claim, job: Job, wants_more: bool) -> Sequence[Claim]:
        """Keep a claim for a job; return all of its claims once it does not want more."""
        key = (claim.schedd, job.id)
        if wants_more:
            self._kept.setdefault(key, []).append(claim)
            return ()
        return (*self._kept.pop(key, ()), claim)

    def lose(self, claim: Claim) -> None:
        """Keep a claim no more, if it is kept at all."""
        if claim.job is not None:
            kept = self._kept.get((claim.schedd, claim.job.id), [])
            if claim in kept:
                kept.remove(claim)
