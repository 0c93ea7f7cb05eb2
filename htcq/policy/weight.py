"""Slot weights that stay true for the whole life of a claim.

The negotiator charges the weight that a partitionable slot loses; two cycles later the
accountant charges the weight of the dynamic slot's own ad. One expression must answer both: the
number of claims left on the one, the dominant charge of the claim on the other. Published
policies that use the first for both leak accounting.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from htcq.units import PER_GIB, decimal_text


def split_weight(left: str, dominant: str) -> str:
    """Return SLOT_WEIGHT: ``dominant`` on a dynamic slot, else ``left``, but never negative."""
    return f"ifThenElse(DynamicSlot =?= true, {dominant}, max({{0, {left}}}))"


def least(terms: Sequence[str]) -> str:
    """Return the smallest of ``terms`` (one term needs no list)."""
    if len(terms) == 1:
        return terms[0]
    return f"min({{{', '.join(terms)}}})"


def greatest(terms: Sequence[str]) -> str:
    """Return the greatest of ``terms``."""
    if len(terms) == 1:
        return terms[0]
    return f"max({{{', '.join(terms)}}})"


def at_least_one(terms: Sequence[str]) -> str:
    """Return the greatest of 1 and ``terms``: a claim is never free and a demand never zero."""
    return f"max({{1, {', '.join(terms)}}})"


def capped(dominant: str, most: str) -> str:
    """Return ``dominant``, but at most ``most``.

    A claim is charged no more than the empty slot weighs.
    """
    return f"min({{{most}, {dominant}}})"


def weight_text(asset: str, amount: str, price: Fraction) -> str:
    """Return ``amount`` (a text) times ``price``.

    The factor is a real number where the product need not be whole.
    """
    if price == 1:
        return amount
    if price.denominator == 1:
        return f"{price} * {amount}"
    if price.numerator == 1:
        return f"{amount} / {price.denominator}.0"
    per_gib = PER_GIB.get(asset, 1)
    factor = decimal_text(price * per_gib)
    if not factor:
        return f"{amount} * {price.numerator}.0 / {price.denominator}.0"
    if "." not in factor:
        factor += ".0"
    if per_gib == 1:
        return f"{amount} * {factor}"
    return f"{amount} * {factor} / {per_gib}.0"
