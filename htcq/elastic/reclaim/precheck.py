"""The last check of a job before it is vacated: is it still the one that was planned?"""

from __future__ import annotations

from typing import Protocol

from htcq.elastic.reclaim.reclaim_plan import Eviction
from htcq.pool.job import UNMATCHED_UNIVERSES
from htcq.settings.reclaim import ReclaimLimits

#: A job of this universe has several slots (src/condor_includes/condor_universe.h).
_PARALLEL = 11


class CheckedJob(Protocol):
    """What a schedd says of a running job; times are in seconds, by the schedd's own clock."""

    @property
    def submitter(self) -> str:
        """The submitter that is charged."""

    @property
    def slot(self) -> str:
        """The slot that it runs in."""

    @property
    def started(self) -> float:
        """When it started, in seconds since 1970."""

    @property
    def ran(self) -> float:
        """How long it has run, in seconds."""

    @property
    def universe(self) -> int:
        """JobUniverse."""

    @property
    def left(self) -> float | None:
        """How long it still runs, in seconds; None where the job does not say."""


def reason_not_to_vacate(planned: Eviction, now: CheckedJob | None, limits: ReclaimLimits) -> str:
    """Return why a planned eviction is not carried out; empty where it is.

    Whoever protects the job now is too late: protection counts from the next plan on, which sees
    whether the min pays for it. Else a job could have it at each check, and never be counted.

    ``now`` is the job as it runs now; None: it does not run.
    """
    if now is None:
        return "it no longer runs"
    if now.submitter.lower() != planned.submitter.lower():
        return f"it now belongs to {now.submitter}"
    if now.slot != planned.slot or now.started != planned.started:
        return "it was restarted"
    if now.universe in UNMATCHED_UNIVERSES or now.universe == _PARALLEL:
        return f"it is of universe {now.universe}"
    own = limits.of(planned.group)
    if now.ran < own.min_runtime:
        return (
            f"by its schedd's clock it has run {now.ran:.0f} s of the {own.min_runtime} s "
            "that are guaranteed"
        )
    if now.left is not None and now.left <= own.grace:
        return f"it ends within {max(0.0, now.left):.0f} s"
    return ""
