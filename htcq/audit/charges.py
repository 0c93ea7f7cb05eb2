"""The charges of claims: match cost, average match cost of a full slot, and standing charge.

At the match the negotiator charges the match cost W(R) - W(R')
(src/condor_utils/consumption_policy.cpp:cp_deduct_assets). From the next cycle on the accountant
charges SlotWeight of the dynamic slot's own ad (Accountant.cpp:CheckMatches). Both are facts of
HTCondor 25.14; the second one was measured there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.audit.trials import Trial, fits
from htcq.claims.claim import Claims, matched_amounts
from htcq.classads import as_number
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass

#: Weights closer than this are equal: reals lose a little.
CLOSE = 1e-6
#: Charges closer than this part are equal to a quota: startds before 25.4 round disk up, by which
#: a claim is charged some millionths more (disk-slop says what that costs a slot).
_NEGLIGIBLE = 1e-3
#: Most claims that are followed one after the other, where each changes what the next one takes.
_MAX_STEPS = 8
#: From this factor on a charge above the match cost is an error: quotas are exceeded by half or
#: more.
BY_HALF = 1.5


@dataclass(frozen=True)
class Charge:
    """The charges of one job on a full slot.

    ``cost`` is its match cost, ``mean`` the average match cost of as many such claims as fill the
    slot, and ``standing`` the charge while the claim lives.
    """

    trial: Trial
    cost: Number
    mean: Number
    standing: Number

    @property
    def falls(self) -> bool:
        """Whether the running claim is charged less than its match cost: accounting leaks."""
        return is_above(self.mean, self.standing)

    @property
    def rises(self) -> bool:
        """Whether the running claim is charged more than its match cost: quotas can be exceeded."""
        return is_above(self.standing, self.mean)

    @property
    def factor(self) -> float:
        """The standing charge in match costs: above 1, quotas can be exceeded by this factor."""
        if self.mean > 0:
            return self.standing / self.mean
        return math.inf

    @property
    def match_text(self) -> str:
        """The match cost for a sentence: of the first claim, or the average where others differ."""
        cost = f"{self.mean:.4g}"
        if abs(self.cost - self.mean) <= CLOSE:
            return cost
        return f"{cost} on average"


def is_above(charge: Number, other: Number) -> bool:
    """Return whether ``charge`` is above ``other`` by more than a quota would show."""
    return charge - other > max(CLOSE, _NEGLIGIBLE * other)


def charges(
    claims: Claims, kind: SlotClass, trials: tuple[Trial, ...], constant: bool = False
) -> Iterator[Charge]:
    """Yield the charges of the jobs of ``trials`` that fit on a full slot.

    Jobs that take the same amounts have one charge. Jobs for which a weight is no number are left
    out. ``constant`` says that the slot's policy refers to nothing of its slot: each claim takes
    the same, however full the slot is.
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
        claim = claims.of(kind, trial.jobs)
        cost, standing = claim.cost, claim.standing
        if cost is None or standing is None:
            continue
        if constant:
            mean = _mean_of_equals(kind, amounts, full, cost)
        else:
            mean = _mean(claims, kind, trial, full)
        if mean is not None:
            yield Charge(trial, cost, mean, standing)


def _mean_of_equals(
    kind: SlotClass, amounts: Mapping[str, Number], full: Number, cost: Number
) -> Number | None:
    """Return the average match cost of claims that all take ``amounts``.

    ``cost`` is the match cost of the first one.
    """
    many = fits(kind.total, amounts)
    if many == 1:
        return cost
    rest = as_number(kind.weight(_without(kind.total, amounts, many)))
    if rest is None:
        return None
    return (full - rest) / many


def _mean(claims: Claims, kind: SlotClass, trial: Trial, full: Number) -> Number | None:
    """Return the average match cost of the claims of ``trial`` that fill a slot."""
    left, steps = dict(kind.total), 0
    taken: Mapping[str, Number | None] = trial.amounts
    while steps < _MAX_STEPS:
        sure = matched_amounts(taken)
        room = fits(left, sure)
        if not room:
            break
        after = claims.taken(kind, trial.jobs, _without(left, sure, 1))
        many = 1
        if after == taken == claims.taken(kind, trial.jobs, _without(left, sure, room)):
            # A policy that takes the same in every state of the slot fills it in one step.
            many = room
        left, steps, taken = _without(left, sure, many), steps + many, after
    rest = as_number(kind.weight(left))
    if rest is None or not steps:
        return None
    return (full - rest) / steps


def _without(
    left: Mapping[str, Number], taken: Mapping[str, Number], times: int
) -> dict[str, Number]:
    return {asset: amount - times * taken.get(asset, 0) for asset, amount in left.items()}
