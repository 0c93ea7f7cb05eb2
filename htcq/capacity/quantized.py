"""The quantized model: each asset is divided into Q(a) levels, and a claim takes whole quanta.

A claim takes n(a) = ceil(r(a) Q(a) / V(a)) quanta. With the rule ``min`` every claim takes at least one quantum of
everything and W = min q(a). With ``max`` it may take none of some assets and W = max q(a).

V(a) need not be divisible by Q(a): the V mod Q quanta that are taken first are worth one unit more than the others, so
that all Q quanta together are exactly V, and nothing is lost or invented in whatever order claims come and go. A claim
is given what its quanta are worth, and never less than it asks. Larger quanta must come first: the startd computes the
consumption again on what is left and refuses a claim that would have grown (Resource.cpp, command.cpp, 25.14).

Under ``max`` a claim takes at least one quantum of each asset that has the most quanta left. Without that, a claim that
takes none of those would leave W as it is and be free; a claim that takes nothing of anything is the extreme case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.capacity.model import Amounts, known_assets, only_modifiable
from htcq.errors import ModelError
from htcq.policy.consumption import LEAVE_REQUEST, MODIFIABLE, NEGOTIATOR, Policy, Terms
from htcq.policy.weight import at_least_one, greatest, least, split_weight
from htcq.units import CPUS


def mark(quanta: int, total: int, levels: int) -> int:
    """Return the units that ``quanta`` quanta are worth; the last to be taken are the smaller ones."""
    unit, larger = divmod(total, levels)
    return quanta * unit + max(0, quanta - (levels - larger))


def quanta_in(amount: int, total: int, levels: int) -> int:
    """Return the largest q whose mark is not above ``amount``."""
    unit, larger = divmod(total, levels)
    smaller = levels - larger
    have = max(0, amount)
    return have // unit if have <= smaller * unit else smaller + (have - smaller * unit) // (unit + 1)


def given(quanta: int, amount: int, total: int, levels: int) -> int:
    """Return what a claim of ``quanta`` takes of ``amount``: all above the mark that it leaves; too much if none."""
    return amount - mark(quanta_in(amount, total, levels) - quanta, total, levels)


def quanta_text(asset: str, terms: Terms, levels: int) -> str:
    """Return :func:`quanta_in` of what the slot has left, as an expression."""
    have, unit = f"max({{0, {terms.have(asset)}}})", _unit(asset, terms, levels)
    if _is_even(asset, terms, levels):
        return terms.named("LEFT", asset, f"{have} / {unit}")
    smaller = _smaller(asset, terms, levels)
    larger = f"{smaller} + ({have} - {smaller} * {unit}) / ({unit} + 1)"
    return terms.named("LEFT", asset, f"min({{{have} / {unit}, {larger}}})")


def given_text(asset: str, terms: Terms, levels: int, quanta: str) -> str:
    """Return :func:`given` for ``quanta`` (a text), as an expression."""
    rest = f"({quanta_text(asset, terms, levels)} - {quanta})"
    keeps = f"{rest} * {_unit(asset, terms, levels)}"
    if not _is_even(asset, terms, levels):
        keeps = f"{keeps} - max({{0, {rest} - {_smaller(asset, terms, levels)}}})"
    return f"{terms.have(asset)} - {keeps}"


def _is_even(asset: str, terms: Terms, levels: int) -> bool:
    return terms.literal and terms.total[asset] % levels == 0


def _unit(asset: str, terms: Terms, levels: int) -> str:
    """What a quantum is worth, or the smaller of two sizes."""
    if terms.literal:
        return str(terms.total[asset] // levels)
    return terms.named("QUANTUM", asset, f"{terms.whole(asset)} / {levels}")


def _smaller(asset: str, terms: Terms, levels: int) -> str:
    """How many quanta are of the smaller size."""
    if terms.literal:
        return str(levels - terms.total[asset] % levels)
    return terms.named("SMALLER", asset, f"{levels} - {terms.whole(asset)} % {levels}")


@dataclass(frozen=True)
class Quantized:
    """``levels`` Q(a) per asset; ``rule`` is ``min`` or ``max``."""

    levels: Mapping[str, int]
    rule: str = "min"
    cpu_shares: int = 1
    name: str = "quantized"

    def check(self, total: Amounts) -> None:
        """Refuse unknown assets and more levels than units."""
        known_assets(self.levels, total, "--level")
        for asset, levels in self.levels.items():
            if levels < 1:
                raise ModelError(f"--level {asset}={levels}: a level count must be positive", f"try --level {asset}=8")
            if levels > total[asset]:
                more = " or count each core as several with --cpu-shares" if asset == CPUS else ""
                raise ModelError(
                    f"--level {asset}={levels} is more levels than the node has units of it ({total[asset]})",
                    f"use at most {asset}={total[asset]}{more}",
                )

    def quanta(self, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return q(a), the quanta that are left whole."""
        return {asset: quanta_in(left[asset], total[asset], levels) for asset, levels in self.levels.items()}

    def weight(self, left: Amounts, total: Amounts) -> int:
        """Return the smallest or the greatest q(a), by the rule."""
        quanta = self.quanta(left, total).values()
        return min(quanta) if self.rule == "min" else max(quanta)

    def taken_quanta(self, request: Amounts, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return n(a): what the claim takes of each counted asset."""
        quanta = self.quanta(left, total)
        top = max(quanta.values())
        return {
            asset: max(int(self.rule == "min" or quanta[asset] == top), -(-request[asset] * levels // total[asset]))
            for asset, levels in self.levels.items()
        }

    def consumption(self, request: Amounts, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return what is above the mark of q(a) - n(a), and never less than the request."""
        amounts = dict(request)
        for asset, n in self.taken_quanta(request, left, total).items():
            if n:
                amounts[asset] = max(request[asset], given(n, left[asset], total[asset], self.levels[asset]))
        return amounts

    def policy(self, terms: Terms, splitting: str) -> Policy:
        """Return the model as expressions, relative to what each node has unless the terms are literal."""
        modify = dict.fromkeys(MODIFIABLE, LEAVE_REQUEST)
        if splitting != NEGOTIATOR:
            only_modifiable(self.levels, "--level")
            modify = {asset: self._consumption(asset, terms.in_request()) for asset in MODIFIABLE}
        choose = least if self.rule == "min" else greatest
        dominant = [f"floor({terms.have(asset)} * {q} / {terms.birth(asset)} + 0.5)" for asset, q in self._real()]
        in_job = terms.in_job()
        demand = [f"ceiling({in_job.want(asset)} * {q} / {in_job.whole(asset)})" for asset, q in self._real()]
        if self.rule == "max":
            dominant, demand = [least(dominant)], [least(demand)]
        return Policy(
            name=self.name,
            consumption={asset: self._consumption(asset, terms) for asset in terms.total},
            weight=split_weight(choose([self._left(asset, terms) for asset in self.levels]), at_least_one(dominant)),
            schedd_weight=at_least_one(demand),
            num_claims=self.weight(terms.total, terms.total),
            splitting=splitting,
            modify=modify,
            cpu_shares=self.cpu_shares,
            macros=terms.macros or {},
        )

    def describe(self) -> str:
        """Return the model with its settings in one line."""
        levels = ", ".join(f"{asset}={levels}" for asset, levels in self.levels.items())
        return f"{self.name}, levels {levels}, rule {self.rule}"

    def _real(self) -> list[tuple[str, str]]:
        return [(asset, f"{levels}.0") for asset, levels in self.levels.items()]

    def _left(self, asset: str, terms: Terms) -> str:
        return quanta_text(asset, terms, self.levels[asset])

    def _taken(self, asset: str, terms: Terms) -> str:
        fewest = "1"
        if self.rule == "max":
            lefts = [self._left(each, terms) for each in self.levels]
            fewest = f"ifThenElse({self._left(asset, terms)} == {greatest(lefts)}, 1, 0)"
        asked = f"ceiling({terms.want(asset)} * {self.levels[asset]}.0 / {terms.whole(asset)})"
        return terms.named("TAKEN", asset, f"max({{{fewest}, {asked}}})")

    def _consumption(self, asset: str, terms: Terms) -> str:
        wanted = terms.want(asset)
        if asset not in self.levels:
            return wanted
        taken = self._taken(asset, terms)
        amount = f"max({{{wanted}, {given_text(asset, terms, self.levels[asset], taken)}}})"
        if self.rule == "max":
            amount = f"ifThenElse({taken} == 0, {wanted}, {amount})"
        # A dynamic slot is carved already, and its totals are its own: there a claim takes what the job asks.
        return f"ifThenElse({terms.slot}DynamicSlot =?= true, {wanted}, {amount})"


def proposed_levels(cpus: int) -> dict[str, int]:
    """Return as many levels of cpus, memory and disk as there are cores."""
    return dict.fromkeys(MODIFIABLE, cpus)
