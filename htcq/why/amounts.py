"""Amounts of assets in the words of a sentence."""

from __future__ import annotations

from htcq.pool.slot import Number
from htcq.units import CPUS, GPUS, show_amount, show_number

_COUNTED = {CPUS: "core", GPUS: "GPU"}


def amount_of(asset: str, amount: Number) -> str:
    """Return an amount with its asset: ``1 GPU``, ``8 cores``, ``16 GiB memory``."""
    one = _COUNTED.get(asset)
    if one is None:
        return f"{show_amount(asset, amount)} {asset}"
    return f"{show_number(amount)} {one if amount == 1 else one + 's'}"


def most_of(asset: str, largest: Number) -> str:
    """Return what the largest slot has."""
    if not largest:
        return "no slot offers one" if asset == GPUS else f"no slot has any {asset}"
    return f"the largest slot has {amount_of(asset, largest)}"
