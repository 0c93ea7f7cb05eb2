"""Match of a job with a slot as the negotiator decides it, and the first reason against it.

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
    """Reason why a job and a slot do not match, in the order of the checks."""

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
    slot_class: SlotClass, jobs: Autocluster, amounts: Mapping[str, Number] | None = None
) -> tuple[Mismatch, str]:
    """Return why a job of ``jobs`` does not match a slot of ``slot_class`` with ``amounts`` left.

    Without ``amounts``, the slot has all that it had at birth. The second part names the asset that
    is short or has no number; empty where there is none to name.
    """
    left: Mapping[str, Number] = slot_class.total
    if amounts is not None:
        left = amounts
    taken: Taken = {}
    if slot_class.supports_policy:
        taken = slot_class.consumed(jobs.ad(), left)
    return wall_of(slot_class, jobs, left, taken)


def wall_of(
    slot_class: SlotClass, jobs: Autocluster, left: Mapping[str, Number], taken: Taken
) -> tuple[Mismatch, str]:
    """Return the same where the consumption is known.

    ``taken`` is the consumption by the policy of ``slot_class``, if it has one.
    """
    job = jobs.ad()
    if not slot_class.supports_policy:
        return _requirements(slot_class, job, left), ""
    why, asset = lack(left, taken)
    if why is not None:
        return _WALLS[why], asset
    return _requirements(slot_class, jobs.ad(overridden(job, taken)), left), ""


def fits(
    slot_class: SlotClass, jobs: Autocluster, left: Mapping[str, Number], taken: Taken
) -> bool:
    """Return whether nothing keeps the jobs from the slots; :func:`wall_of` says what does."""
    job = jobs.ad()
    if slot_class.supports_policy:
        if lack(left, taken)[0] is not None:
            return False
        job = jobs.ad(overridden(job, taken))
    slot, requirements = slot_class.ad(left), named("Requirements")
    return holds(requirements.evaluate(job, slot)) and holds(requirements.evaluate(slot, job))


def _requirements(slot_class: SlotClass, job: Ad, left: Mapping[str, Number]) -> Mismatch:
    """Return which of the two Requirements does not hold.

    A lack of an asset is reported as such.
    """
    slot = slot_class.ad(left)
    requirements = named("Requirements")
    if not holds(requirements.evaluate(job, slot)):
        for asset, amount in left.items():
            request = as_number(job.value(f"Request{attribute(asset)}")) or 0
            if request > amount:
                return Mismatch.ASSETS
        return Mismatch.JOB_REQUIREMENTS
    if holds(requirements.evaluate(slot, job)):
        return Mismatch.NONE
    if "WithinResourceLimits" in slot:
        limits = named("WithinResourceLimits").evaluate(slot, job)
        if not holds(limits):
            return Mismatch.ASSETS
    return Mismatch.SLOT_REQUIREMENTS
