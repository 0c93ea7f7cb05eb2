"""Weights that are linear in the assets: every unit of an asset has one price on every slot.

Such a weight is additive: for every claim the match cost, the standing charge and what the
machine loses are the same amount. The text is not analysed: SlotWeight is evaluated on the slot
with different amounts left, and on dynamic slots of different sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.charges import CLOSE
from htcq.claims.claim import dynamic_weight
from htcq.classads import as_number
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass

#: The advice of the rules on weights that do not add up, or that count the wrong asset.
LINEAR_WEIGHTS = (
    "Give every slot one weight that is linear in the assets, and the access points the same "
    "weight of the requests; "
    "check the quotas, which count in its unit. 'htcq plan' finds the prices for the nodes of a "
    "pool, and 'htcq emit' "
    "writes the configuration of all roles."
)
#: The parts of a slot that are left in the states that are compared; odd parts show rounding.
_PARTS = (1.0, 0.9, 0.61, 0.37, 0.12, 0.0)
#: Two digits of a double are lost in sums of some terms.
_RELATIVE = 1e-9


def prices(kind: SlotClass) -> Mapping[str, float] | None:
    """Return the weight of one unit of each asset (cpu, MB, KiB, device).

    None is returned where SlotWeight is not linear, or does not depend on any asset.
    """
    full = as_number(kind.full_weight)
    if full is None:
        return None
    found: dict[str, float] = {}
    for asset, whole in kind.total.items():
        rest = as_number(kind.weight({**kind.total, asset: 0}))
        if rest is None:
            return None
        found[asset] = 0.0
        if whole > 0:
            found[asset] = (full - rest) / whole
    if not any(found.values()) or min(found.values()) < 0:
        return None
    close = CLOSE + _RELATIVE * abs(full)
    for amounts in _states(kind.total):
        expected = sum(found[asset] * amount for asset, amount in amounts.items())
        for weight in (as_number(kind.weight(amounts)), as_number(dynamic_weight(kind, amounts))):
            if weight is None or abs(weight - expected) > close:
                return None
    return found


def _states(total: Mapping[str, Number]) -> Iterator[dict[str, Number]]:
    """Yield different amounts: parts of all assets together, and of one asset, the rest full."""
    for part in _PARTS:
        yield {asset: int(whole * part) for asset, whole in total.items()}
        for asset, whole in total.items():
            yield {**total, asset: int(whole * part)}
