"""What the plan of a fleet means for quotas, and what the pool weighs, as sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.capacity.fill import CLOSE, plain
from htcq.capacity.fleet import ChargeFactor, FleetPlan
from htcq.policy.consumption import NEGOTIATOR, SCHEDULER
from htcq.units import show_number

#: A startd before 25.4 adds about a MiB of disk to a claim, which weighs less than this part of it.
_SLIGHT = 1e-3


def _holds(worst: ChargeFactor | None) -> bool:
    return worst is None or abs(worst.factor - 1) <= _SLIGHT


def quotas_hold(fleet: FleetPlan) -> bool:
    """Return whether every charge equals its match cost.

    Without consumption policies a match costs the whole slot.
    """
    if _splittings(fleet):
        return False
    return _holds(fleet.worst()) and _holds(fleet.leakiest())


def _splittings(fleet: FleetPlan) -> set[str]:
    """Return who splits slots without consumption policies."""
    found = {plan.slot.policy.splitting for kind in fleet.kinds for plan in kind.slots}
    return found - {NEGOTIATOR}


def gap_sentences(fleet: FleetPlan) -> Iterator[str]:
    """Yield what the gaps between match costs and standing charges mean for quotas."""
    worst, leakiest = fleet.worst(), fleet.leakiest()
    if worst is None or leakiest is None:
        yield "no job fits anywhere: nothing is known of quotas"
        return
    if quotas_hold(fleet):
        where = ""
        if len(fleet.kinds) > 1:
            where = " on all kinds"
        yield f"every charge equals its match cost: quotas hold{where}"
        return
    splittings = _splittings(fleet)
    if SCHEDULER in splittings:
        yield (
            "the access point fills the slot that a match hands over: a group can exceed its "
            "quota by a whole slot"
        )
    elif splittings:
        yield (
            "a match costs the whole slot until the next cycle: a group can exceed its quota by "
            "one match"
        )
    if math.isinf(worst.factor):
        yield (
            f"quotas do not hold{_where(fleet, worst)}: a match costs nothing there, and its "
            "claim is charged"
        )
    elif worst.factor > 1 + _SLIGHT:
        where = f"{_where(fleet, worst)}{_when_full(fleet, worst)}"
        yield f"quotas can be exceeded up to x{show_number(worst.factor)}{where}"
    if leakiest.factor < 1 - _SLIGHT:
        factor = show_number(leakiest.factor)
        yield (
            f"claims are charged x{factor} of their match cost{_where(fleet, leakiest)}: usage "
            "leaks"
        )


def _when_full(fleet: FleetPlan, worst: ChargeFactor) -> str:
    """Return the factor when all slots are full of one shape, if it is above 1 and another one."""
    factor = max(one.factor for kind in fleet.kinds for one in kind.when_full())
    if not 1 + CLOSE < factor < worst.factor - CLOSE:
        return ""
    return f", x{show_number(factor)} when all slots are full of one shape"


def _where(fleet: FleetPlan, worst: ChargeFactor) -> str:
    jobs = "all jobs in turn"
    if worst.shape is not None:
        jobs = f"job {worst.shape + 1}"
    if fleet.nodes == 1:
        return f" ({jobs})"
    return f" on nodes of kind {worst.kind} ({jobs})"


def weight_sentence(fleet: FleetPlan) -> str:
    """Return what the pool weighs, empty and busy."""
    low, high = (plain(number) for number in fleet.busy())
    what = "node"
    if fleet.nodes > 1:
        what = "pool"
    empty = f"the {what} weighs {show_number(fleet.weight)} empty"
    if abs(high - low) <= CLOSE:
        return f"{empty} and {show_number(high)} busy"
    return f"{empty} and from {show_number(low)} to {show_number(high)} busy"
