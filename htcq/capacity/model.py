"""The claim-capacity model: the protocol of every model.

A resource R (a partitionable slot) has an amount v(a) left of each asset a, out of V(a) at birth. A
model counts it in quanta q(a) and says W(R), the number of claims that R can still carry. A claim
takes a consumption c(a); the cost of the match is W(R) - W(R'). All amounts here are whole numbers
in HTCondor's units; where one core counts as several cpu shares, the asset cpus is counted in
shares.

The linear model counts no claims: there W(R) is a weight, and q(a) what the amount of one asset
weighs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil
from typing import Protocol, Union

from htcq.errors import ModelError
from htcq.policy.consumption import MIN_REQUEST, MODIFIABLE, Number, Policy, Terms
from htcq.units import BUILT_IN_ASSETS, CPUS, GPUS, asset_hint

Amounts = Mapping[str, int]
#: An amount, or an even share of one.
Share = Union[int, Fraction]
Request = Mapping[str, Union[int, float, Fraction]]


class Counted(Protocol):
    """A model or a preset: it counts claims on a slot and can be written as a policy."""

    @property
    def name(self) -> str:
        """Return the name that ``--model`` takes."""

    @property
    def cpu_shares(self) -> int:
        """Return how many Cpus one core counts as."""

    @property
    def provides(self) -> Mapping[str, int]:
        """Return the machine resources that it declares itself."""

    def check(self, total: Amounts) -> None:
        """Raise :class:`ModelError` where a slot of ``total`` cannot carry the model."""

    def quanta(self, left: Amounts, total: Amounts) -> Mapping[str, Number]:
        """Return q(a) for every asset that the model counts."""

    def weight(self, left: Amounts, total: Amounts) -> Number:
        """Return W(R), never negative."""

    def policy(self, terms: Terms, splitting: str) -> Policy:
        """Return the same as HTCondor's expressions."""

    def describe(self) -> str:
        """Return the name and the settings in one line."""


class Model(Counted, Protocol):
    """One claim-capacity model with its settings."""

    def consumption(self, request: Amounts, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return c(a) for every asset; more than is left where the claim does not fit."""


def whole_request(request: Request, total: Amounts, cpu_shares: int = 1) -> dict[str, int]:
    """Return ``request`` in whole units for every asset of ``total``.

    It is at least what the startd hands out.
    """
    whole = {}
    for asset in total:
        amount = Fraction(request.get(asset, 0))
        if asset == CPUS:
            amount *= cpu_shares
        whole[asset] = max(MIN_REQUEST.get(asset, 0), ceil(amount))
    return whole


def match_cost(model: Model, request: Amounts, left: Amounts, total: Amounts) -> Number:
    """Return W(R) - W(R') for a claim that fits."""
    taken = model.consumption(request, left, total)
    rest = {asset: left[asset] - taken[asset] for asset in left}
    return model.weight(left, total) - model.weight(rest, total)


def limiting(quanta: Mapping[str, Number], weight: Number) -> str:
    """Return the asset that decides W(R).

    The first with exactly that many quanta, else the one with the fewest.

    Empty where W(R) is a sum.
    """
    if weight > max(quanta.values()):
        return ""
    for asset, count in quanta.items():
        if count == weight:
            return asset
    return min(quanta, key=lambda asset: quanta[asset])


def known_assets(chosen: Mapping[str, object], total: Amounts, flag: str) -> None:
    """Refuse assets that the node does not have.

    Raises:
        ModelError: one of ``chosen`` is not among ``total``.
    """
    for asset in chosen:
        if total.get(asset, 0) <= 0:
            known = ", ".join(name for name, amount in total.items() if amount > 0)
            if asset in (*BUILT_IN_ASSETS, GPUS) or asset in total:
                raise ModelError(f"{flag} {asset}: this node has none", f"it has {known}")
            hint = asset_hint(asset, total, f"this node has {known}")
            raise ModelError(f"{flag} {asset}: unknown asset", hint)


def only_modifiable(assets: Iterable[str], flag: str) -> None:
    """Refuse assets whose requests the startd cannot round up, as scheduler splitting would need.

    Raises:
        ModelError: one of ``assets`` is not cpus, memory or disk.
    """
    for asset in assets:
        if asset not in MODIFIABLE:
            raise ModelError(
                f"{flag} {asset} cannot be enforced with --splitting scheduler",
                "the startd rounds up requests for cpus, memory and disk only; "
                "use --splitting negotiator",
            )
