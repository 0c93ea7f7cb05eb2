"""The last check of a job before it is vacated: is it still the one that was planned?"""

from __future__ import annotations

from dataclasses import dataclass

from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.elastic.reclaim.reclaim_plan import Eviction
from htcq.pool.job import UNMATCHED_UNIVERSES
from htcq.settings.reclaim import ReclaimLimits

#: A job of this universe has several slots (src/condor_includes/condor_universe.h).
_PARALLEL = 11


@dataclass(frozen=True)
class ClaimNow:
    """What a startd says of a claim: whose it is, its job, since when (seconds since 1970).

    ``ran`` is for how many seconds the job has run, by the startd's own clock.
    """

    submitter: str
    job: JobKey
    started: float
    ran: float


def reason_not_to_vacate(
    planned: Eviction, universe: int | None, claim: ClaimNow | None, limits: ReclaimLimits
) -> str:
    """Return why a planned eviction is not carried out; empty where it is.

    ``universe`` is that of the job (None: its schedd says that it does not run), ``claim`` is that
    of its slot (None: there is none any more). Only these count, and not what the owner of the job
    may have written into it meanwhile: else it could escape each check, and never be counted.
    """
    if universe is None or claim is None:
        return "it no longer runs"
    if claim.job != (planned.schedd, planned.job):
        return "its slot has another job"
    if claim.submitter.lower() != planned.submitter.lower():
        return f"it now belongs to {claim.submitter}"
    if claim.started != planned.started:
        return "it was restarted"
    if universe in UNMATCHED_UNIVERSES or universe == _PARALLEL:
        return f"it is of universe {universe}"
    own = limits.of(planned.group)
    if claim.ran < own.min_runtime:
        return (
            f"by its machine's clock it has run {claim.ran:.0f} s of the {own.min_runtime} s "
            "that are guaranteed"
        )
    return ""
