"""What becomes of submitters.

Their ceilings, floors, usage, and the priorities that are made of earlier usage.

Follows src/condor_negotiator.V6/Accountant.cpp (UpdatePriorities, SetCeiling, SetFloor),
HTCondor 25.14: a real priority follows usage and halves its distance to it in PRIORITY_HALFLIFE;
ceilings and floors are whole numbers.
"""

from __future__ import annotations

import math

from htcq.pool.record import Record
from htcq.poolquota.factors import BEST_PRIORITY
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import assigned_group
from htcq.simulate.migration.quotas import scaled_limit
from htcq.simulate.migration.records import Amount, SubmitterMove

#: A stored priority counts as right again when it is off by no more than this part.
_CLOSE = 0.1


def submitter_moves(
    before: PoolQuotas, after: PoolQuotas, factor: float
) -> tuple[SubmitterMove, ...]:
    """Return the submitters with an account or demand, the largest users first."""
    names = dict.fromkeys(
        [*before.accounts, *(each.name for each in before.submitters), *before.supply.charged]
    )
    people = [name for name in names if "@" in name]
    moves = [_move(name, before, after, factor) for name in people]
    return tuple(sorted(moves, key=lambda move: (-move.usage.after, move.name)))


def _move(name: str, before: PoolQuotas, after: PoolQuotas, factor: float) -> SubmitterMove:
    record = before.published.account(name)
    usage = Amount(float(before.used_by(name)), float(after.used_by(name)))
    priority_factor = before.factor(name)
    stored = _number(record, "Priority")
    # Earlier usage was in jobs like those that run now; where none run, like the pool's.
    ratio = usage.after / usage.before if usage.before > 0 else factor
    priority = None
    if stored is not None and stored > 0:
        real = max(BEST_PRIORITY, stored / priority_factor)
        priority = Amount(real, BEST_PRIORITY + (real - BEST_PRIORITY) * ratio)
    return SubmitterMove(
        name=name,
        group=assigned_group(before.tree, name).group,
        usage=usage,
        ceiling=_scaled(record, "Ceiling", factor, least=0),
        floor=_scaled(record, "Floor", factor, least=1),
        priority=priority,
        factor=priority_factor,
        until_seconds=_until(priority, usage.after, before.halflife),
    )


def _number(record: Record | None, name: str) -> float | None:
    found = None if record is None else record.number(name)
    return None if found is None else float(found)


def _scaled(record: Record | None, name: str, factor: float, least: int) -> Amount | None:
    amount = _number(record, name)
    if amount is None or amount < least:
        return None
    return Amount(amount, float(scaled_limit(amount, factor)))


def _until(priority: Amount | None, usage: float, halflife: float) -> float:
    """Return after how many seconds a stored priority is nearly right, if usage stays as it is now.

    After a time in which ``left`` of what was stored is left, it is stored * left + usage * (1 -
    left); without usage it falls to the best priority, where there is no difference any more.
    """
    if priority is None:
        return 0.0
    off = abs(priority.before - priority.after) - _CLOSE * priority.after
    if off <= 0:
        return 0.0
    least = _CLOSE * max(usage, BEST_PRIORITY)
    left = least / (off + least)
    return -halflife * math.log2(left)
