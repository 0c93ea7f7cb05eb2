"""The minimum-charge model: every claim is charged at least C(a) of each asset.

q(a) = floor(v(a)/C(a)), W = min over q(a), c(a) = max(r(a), C(a)); with whole charges c(a) is
rounded up to a multiple of C(a), so that the weights of a machine add up to the same number at
every moment, as long as the same asset dominates in all its claims. A claim counts claims of its
dominant asset: where claims of different assets dominate, and on nodes of another shape than the
charges were made for, they add up to more than W. The linear model has no such limit.

C(a) may be a fraction of a unit: an even share of V units among N claims is V/N. The weight
counts floor(v N / V) then, and consumption is cut to whole units, so that all N claims fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from htcq.capacity.model import Amounts, Share, known_assets, only_modifiable
from htcq.errors import ModelError
from htcq.policy.consumption import LEAVE_REQUEST, MODIFIABLE, NEGOTIATOR, Policy, Terms
from htcq.policy.weight import at_least_one, capped, least, split_weight
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY, show_amount


@dataclass(frozen=True)
class MinimumCharge:
    """The minimum-charge model.

    ``charges`` C(a) are in HTCondor's units (cpus in whole shares); ``whole`` rounds consumption up
    to multiples.
    """

    charges: Mapping[str, Share]
    whole: bool = False
    cpu_shares: int = 1
    disk_slop_kb: int = 0
    name: str = "minimum-charge"

    @property
    def provides(self) -> dict[str, int]:
        """Return no machine resources: the node's own assets count the claims."""
        return {}

    def check(self, total: Amounts) -> None:
        """Refuse unknown assets, and charges that are more than the node has."""
        known_assets(self.charges, total, "--charge")
        for asset, charge in self.charges.items():
            if charge > total[asset]:
                shown = show_amount(asset, float(charge))
                raise ModelError(
                    f"--charge {asset}: {shown} is more than the node has",
                    f"it has {show_amount(asset, total[asset])}; not one claim would fit",
                )

    def quanta(self, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return floor(v(a)/C(a)), never negative."""
        found = {}
        for asset, charge in self.charges.items():
            found[asset] = floor(max(0, left[asset]) / Fraction(charge))
        return found

    def weight(self, left: Amounts, total: Amounts) -> int:
        """Return the smallest q(a)."""
        return min(self.quanta(left, total).values())

    def consumption(self, request: Amounts, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return max(r(a), C(a)), in whole charges if asked."""
        taken = dict(request)
        for asset, charge in self.charges.items():
            amount = max(request[asset], floor(charge))
            if self.whole:
                amount = floor(ceil(amount / Fraction(charge)) * charge)
            taken[asset] = amount
        return taken

    def policy(self, terms: Terms, splitting: str) -> Policy:
        """Return the model as expressions.

        They depend on the charges alone, not on the node.
        """
        in_job = terms.in_job()
        modify = dict.fromkeys(MODIFIABLE, LEAVE_REQUEST)
        if splitting != NEGOTIATOR:
            only_modifiable(self.charges, "--charge")
            modify = {asset: self._charge(asset, terms.in_request()) for asset in MODIFIABLE}
        left, dominant, demand = [], [], []
        for asset, charge in self.charges.items():
            left.append(_quanta(terms.have(asset), charge))
            dominant.append(self._dominant(asset, terms))
            demand.append(_charges(in_job.ask(asset), charge))
        standing = self._capped(at_least_one(dominant), terms)
        return Policy(
            name=self.name,
            consumption={asset: self._charge(asset, terms) for asset in terms.total},
            weight=split_weight(least(left), standing),
            schedd_weight=at_least_one(demand),
            num_claims=max(1, self.weight(terms.total, terms.total)),
            fleet_claims=_fleet_claims(self.charges.get(CPUS, 1), terms),
            splitting=splitting,
            modify=modify,
            cpu_shares=self.cpu_shares,
        )

    def describe(self) -> str:
        """Return the model with its settings in one line; charges of cpus in cores."""
        settings = []
        for asset, charge in self.charges.items():
            of_unit = Fraction(charge)
            if asset == CPUS:
                of_unit /= self.cpu_shares
            settings.append(f"{asset}={_typed(asset, of_unit)}")
        text = f"{self.name}, charges {', '.join(settings)}"
        if self.whole:
            text += ", whole charges"
        return text

    def _capped(self, dominant: str, terms: Terms) -> str:
        """Return ``dominant``, but at most the weight of the empty slot.

        Every slot says what its machine has.
        """
        counted = [asset for asset in MODIFIABLE if asset in self.charges]
        if not counted:
            return dominant
        whole = [_quanta(terms.birth(asset), self.charges[asset]) for asset in counted]
        return capped(dominant, at_least_one([least(whole)]))

    def _charge(self, asset: str, terms: Terms) -> str:
        if asset not in self.charges:
            return terms.want(asset)
        charge = Fraction(self.charges[asset])
        charged = f"max({{{floor(charge)}, {terms.ask(asset)}}})"
        if not self.whole or charge <= 1:
            return charged
        if charge.denominator == 1:
            return f"quantize({charged}, {charge})"
        return f"{_charges(charged, charge)} * {charge.numerator} / {charge.denominator}"

    def _dominant(self, asset: str, terms: Terms) -> str:
        have = terms.have(asset)
        if asset == DISK and self.disk_slop_kb:
            # A startd before 25.4 hands out some disk beyond the consumption; it must not look like
            # another charge.
            have = f"({have} - {self.disk_slop_kb})"
        return _charges(have, self.charges[asset])


def _quanta(amount: str, charge: Share) -> str:
    share = Fraction(charge)
    if share == 1:
        return amount
    if share.denominator == 1:
        return f"floor({amount} / {share})"
    return f"floor({amount} * {share.denominator} / {share.numerator})"


def _charges(amount: str, charge: Share) -> str:
    share = Fraction(charge)
    if share == 1:
        return amount
    if share.denominator == 1:
        return f"ceiling({amount} / {share}.0)"
    return f"ceiling({amount} * {share.denominator} / {share.numerator}.0)"


def _fleet_claims(cpu_charge: Share, terms: Terms) -> str:
    """Return an expression of the most claims of a slot: each takes its charge of cpus."""
    cpus = terms.cpus_of_node()
    if not cpus or cpu_charge <= 1:
        return cpus
    return f"max({{1, {cpus} / {cpu_charge}}})"


def proposed_charges(total: Amounts, cores: int) -> dict[str, Share]:
    """Return charges that split the node evenly: one core, and the memory that goes with it.

    Disk is left out: its free space changes all the time, and a charge must not.
    """
    memory: Share = Fraction(max(total[MEMORY], cores), cores)
    if memory.denominator == 1:
        memory = int(memory)
    return {CPUS: total[CPUS] // cores, MEMORY: memory}


def _typed(asset: str, charge: Fraction) -> str:
    """Return ``charge`` as a site file takes it; an even share as an amount divided by claims."""
    if asset in BUILT_IN_ASSETS and asset != CPUS and charge.denominator > 1:
        return f"{show_amount(asset, charge.numerator).replace(' ', '')}/{charge.denominator}"
    return show_amount(asset, float(charge)).replace(" ", "")
