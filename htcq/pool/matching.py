"""Whether the negotiator would match a job with a slot, and the first thing that stands in the way.

Follows src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, HTCondor 25.14.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from htcq.classads import Ad, as_number, holds, named
from htcq.policy.claim import Lack, Taken, lack, overridden
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute


class Mismatch(enum.Enum):
    """What keeps a job and a slot apart; in the order in which one meets them."""

    NONE = "it matches"
    CONSUMPTION = "the slot's consumption policy yields no number for this job"
    NOTHING = "the slot's consumption policy takes nothing at all, which HTCondor never matches"
    ASSETS = "the slot has too little"
    JOB_REQUIREMENTS = "the job's Requirements do not hold"
    SLOT_REQUIREMENTS = "the slot's Requirements do not hold"


_WALLS = {
    Lack.NO_NUMBER: Mismatch.CONSUMPTION,
    Lack.TOO_LITTLE: Mismatch.ASSETS,
    Lack.NOTHING: Mismatch.NOTHING,
}


def wall(
    kind: SlotClass, jobs: Autocluster, amounts: Mapping[str, Number] | None = None
) -> tuple[Mismatch, str]:
    """Return why a job of ``jobs`` does not match a slot of ``kind`` with ``amounts`` left.

    Without ``amounts``, the slot has all that it had at birth.

    The second part names the asset that is short or has no number; empty where there is none to
    name.
    """
    left = kind.total if amounts is None else amounts
    return wall_of(kind, jobs, left, kind.consumed(jobs.ad(), left) if kind.supports_policy else {})


def wall_of(
    kind: SlotClass, jobs: Autocluster, left: Mapping[str, Number], taken: Taken
) -> tuple[Mismatch, str]:
    """Return the same where the consumption is known.

    ``taken`` is the consumption by the policy of ``kind``, if it has one.
    """
    job = jobs.ad()
    if not kind.supports_policy:
        return _requirements(kind, job, left), ""
    why, asset = lack(left, taken)
    if why is not None:
        return _WALLS[why], asset
    return _requirements(kind, jobs.ad(overridden(job, taken)), left), ""


def _requirements(kind: SlotClass, job: Ad, left: Mapping[str, Number]) -> Mismatch:
    """Return which of the two Requirements does not hold.

    A lack of an asset is reported as such.
    """
    slot = kind.ad(left)
    if not holds(named("Requirements").evaluate(job, slot)):
        short = any(
            (as_number(job.value(f"Request{attribute(asset)}")) or 0) > left[asset]
            for asset in left
        )
        return Mismatch.ASSETS if short else Mismatch.JOB_REQUIREMENTS
    if not holds(named("Requirements").evaluate(slot, job)):
        limits = (
            named("WithinResourceLimits").evaluate(slot, job)
            if "WithinResourceLimits" in slot
            else True
        )
        return Mismatch.SLOT_REQUIREMENTS if holds(limits) else Mismatch.ASSETS
    return Mismatch.NONE
