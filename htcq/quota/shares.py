"""Submitters' shares in the first spin of a group's negotiation, with ceilings and floors.

Follows negotiateWithGroup, calculateSubmitterLimit and calculatePieLeft of
src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. Amounts are in the pool's unit. None of
it changes what groups are promised or allocated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Claimant:
    """One submitter with its effective priority (less is better), usage, ceiling and floor.

    Ceiling and floor are whole numbers; None stands for none.
    """

    name: str
    priority: float
    usage: float = 0.0
    ceiling: int | None = None
    floor: int | None = None


@dataclass(frozen=True)
class SubmitterShare:
    """Share of one submitter.

    ``share`` is its part (0 to 1) of ``base``; ``limit`` what it may still be given of that,
    ``headroom`` what its ceiling leaves it (None: it has none). ``floor`` is what it may be
    given before all others, because it uses less than its floor.
    """

    name: str
    share: float
    base: float
    limit: float
    headroom: int | None
    floor: float


@dataclass(frozen=True)
class Pie:
    """The slots that a group's submitters share.

    Its limit, unless it is the root of groups that regroup, and its usage.
    """

    pool_weight: float
    group_limit: float = math.inf
    group_usage: float = 0.0
    consider_preemption: bool = True
    ignore_priorities: bool = False


def shares(claimants: Iterable[Claimant], pie: Pie) -> tuple[SubmitterShare, ...]:
    """Return the share of each submitter that has idle jobs, the best priority first.

    With preemption considered the first spin lets each come to its share whatever the group uses.
    """
    waiting = sorted(claimants, key=lambda each: each.priority)
    whole = sum(1 / each.priority for each in waiting)
    base = max(0.0, min(pie.pool_weight, pie.group_limit))
    found = []
    for claimant in waiting:
        # Where all priorities are infinite, the negotiator divides 0 by 0: nobody gets anything.
        share = 0.0
        if whole:
            share = (1 / claimant.priority) / whole
        found.append(_share(claimant, share, base, pie))
    return tuple(found)


def _share(claimant: Claimant, share: float, base: float, pie: Pie) -> SubmitterShare:
    limit = math.inf
    if not pie.ignore_priorities:
        limit = max(0.0, share * base - claimant.usage)
    if not pie.consider_preemption:
        limit = min(limit, max(0.0, pie.group_limit - pie.group_usage))
    floor = 0.0
    if claimant.floor is not None and claimant.usage < claimant.floor:
        floor = min(float(claimant.floor), limit)
    return SubmitterShare(claimant.name, share, base, limit, ceiling_left(claimant), floor)


def ceiling_left(claimant: Claimant) -> int | None:
    """Return what the ceiling leaves a submitter; None where it has none."""
    if claimant.ceiling is None:
        return None
    return max(0, claimant.ceiling - int(claimant.usage))
