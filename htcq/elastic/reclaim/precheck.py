"""Whether a job is still the one that was planned, just before it is vacated."""

from __future__ import annotations

from typing import Protocol

from htcq.elastic.reclaim.reclaim_plan import Eviction
from htcq.pool.job import UNMATCHED_UNIVERSES
from htcq.settings.reclaim import ReclaimLimits

#: A job of this universe has several slots (src/condor_includes/condor_universe.h).
_PARALLEL = 11


class CheckedJob(Protocol):
    """What a schedd says of a job that runs; times are in seconds by its own clock."""

    @property
    def submitter(self) -> str:
        """Who it is charged to."""

    @property
    def slot(self) -> str:
        """Where it runs."""

    @property
    def started(self) -> float:
        """When it started."""

    @property
    def ran(self) -> float:
        """How long it has run."""

    @property
    def universe(self) -> int:
        """JobUniverse."""

    @property
    def protected(self) -> bool:
        """Whether it says that it must not be taken back."""

    @property
    def left(self) -> float | None:
        """How long it still runs; None where it does not say."""


def unlike(victim: Eviction, now: CheckedJob | None, limits: ReclaimLimits) -> str:
    """Return why ``victim`` is not to be vacated as it is ``now`` (None: it does not run); empty where it is."""
    if now is None:
        return "it no longer runs"
    if now.submitter.lower() != victim.submitter.lower():
        return f"it now belongs to {now.submitter}"
    if now.slot != victim.slot or now.started != victim.started:
        return "it was restarted"
    if now.universe in UNMATCHED_UNIVERSES or now.universe == _PARALLEL:
        return f"it is of universe {now.universe}"
    if now.protected:
        return "it now has HtcqProtected = true"
    if now.ran < limits.min_runtime:
        return (
            f"by its schedd's clock it has run {now.ran:.0f} s of the {limits.min_runtime} s "
            "that are guaranteed"
        )
    if now.left is not None and now.left <= limits.grace:
        return f"it ends within {max(0.0, now.left):.0f} s"
    return ""
