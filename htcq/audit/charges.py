"""What claims are charged: at the match, on average while they fill a slot, and for as long as they live.

The negotiator charges the match cost W(R) - W(R') (src/condor_utils/consumption_policy.cpp:cp_deduct_assets); from the
next cycle on the accountant charges SlotWeight of the dynamic slot's own ad (Accountant.cpp:CheckMatches). Both are
facts of HTCondor 25.14, the second one was measured there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.audit.trials import Trial, fits
from htcq.classads import as_number
from htcq.pool.kind import Kind, accounted, handed_out
from htcq.pool.slot import Number

#: Weights closer than this are equal: reals lose a little.
CLOSE = 1e-6
#: Most claims that are followed one after the other, where each changes what the next one takes.
_MOST_STEPS = 8


@dataclass(frozen=True)
class Charge:
    """One job on a full slot: match cost, the average over as many such claims as fill the slot, standing charge."""

    trial: Trial
    cost: Number
    mean: Number
    standing: Number


def charges(kind: Kind, trials: tuple[Trial, ...]) -> Iterator[Charge]:
    """Yield what the jobs of ``trials`` that fit on a full slot are charged, one for each amount that they take.

    Those that meet a weight that is no number are left out.
    """
    seen: set[tuple[tuple[str, Number], ...]] = set()
    full = as_number(kind.full_weight)
    if full is None:
        return
    for trial in trials:
        amounts = trial.amounts
        key = tuple(sorted(amounts.items()))
        if key in seen or not trial.fits(kind):
            continue
        seen.add(key)
        rest = as_number(kind.weight(_without(kind.total, amounts, 1)))
        if rest is None:
            continue
        cost, standing = full - rest, accounted(kind.standing_weight(handed_out(amounts)))
        # Only where something looks wrong it is worth while to fill the slot.
        mean = cost if 0 < cost <= standing else _mean(kind, trial, amounts, full)
        if mean is not None:
            yield Charge(trial, cost, mean, standing)


def _mean(kind: Kind, trial: Trial, amounts: Mapping[str, Number], full: Number) -> Number | None:
    """Return the average match cost of such claims as they fill a slot."""
    left, steps = dict(kind.total), 0
    taken: Mapping[str, Number | None] = amounts
    while steps < _MOST_STEPS:
        sure = Trial(trial.jobs, trial.own, taken).amounts
        room = fits(left, sure)
        if not room:
            break
        after = kind.consumed(trial.ad(), _without(left, sure, 1))
        # A policy that takes the same of every state fills the slot in one go.
        many = room if after == taken == kind.consumed(trial.ad(), _without(left, sure, room)) else 1
        left, steps, taken = _without(left, sure, many), steps + many, after
    rest = as_number(kind.weight(left))
    return None if rest is None or not steps else (full - rest) / steps


def _without(left: Mapping[str, Number], taken: Mapping[str, Number], times: int) -> dict[str, Number]:
    return {asset: amount - times * taken.get(asset, 0) for asset, amount in left.items()}
