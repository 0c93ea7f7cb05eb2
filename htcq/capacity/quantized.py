"""The quantized model: each asset is divided into Q(a) levels, and a claim takes whole quanta.

A claim takes n(a) = ceil(r(a) Q(a) / V(a)) quanta and gets floor(V(a) n(a) / Q(a)). That depends on
the request alone, and a claim that asks for what it consumes consumes the same: if it depended on
what is left, the negotiator could match what the startd refuses in every cycle
(``htcq.capacity.marks``).

With the rule ``min`` every claim takes at least one quantum of everything and W = min q(a). With
``max`` it may take none of GPUs and custom resources, and W = max q(a) of the other assets, of
which it takes at least one quantum: a claim that took none of the asset that makes W would be
free. Which asset that is must not decide what a claim takes, because it changes with every claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isqrt

from htcq.capacity.marks import Marks
from htcq.capacity.model import Amounts, known_assets, only_modifiable
from htcq.errors import ModelError
from htcq.policy.consumption import LEAVE_REQUEST, MODIFIABLE, NEGOTIATOR, Policy, Terms
from htcq.policy.weight import at_least_one, capped, greatest, least, split_weight
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY


@dataclass(frozen=True)
class Quantized:
    """``levels`` Q(a) per asset; ``rule`` is ``min`` or ``max``."""

    levels: Mapping[str, int]
    rule: str = "min"
    cpu_shares: int = 1
    disk_slop_kb: int = 0
    name: str = "quantized"

    def marks(self, asset: str) -> Marks:
        """Return how ``asset`` is divided."""
        spare = self.disk_slop_kb if asset == DISK else 0
        return Marks(self.levels[asset], spare)

    @property
    def provides(self) -> dict[str, int]:
        """Return no machine resources: the node's own assets count the claims."""
        return {}

    def check(self, total: Amounts) -> None:
        """Refuse unknown assets, and levels that are more than units or leave a quantum over."""
        known_assets(self.levels, total, "--level")
        for asset, levels in self.levels.items():
            have = total[asset]
            if levels < 1:
                raise ModelError(
                    f"--level {asset}={levels}: a level count must be positive",
                    f"try --level {asset}=8",
                )
            if levels > have:
                hint = f"use at most {asset}={have}"
                if asset == CPUS:
                    hint += " or count each core as several with --cpu-shares"
                raise ModelError(
                    f"--level {asset}={levels} is more levels than the node has units of it "
                    f"({have})",
                    hint,
                )
            if not self.marks(asset).are_exact(have):
                raise self._uneven(asset, have)

    def _uneven(self, asset: str, total: int) -> ModelError:
        """Return the error for levels whose roundings add up to a quantum."""
        levels = self.levels[asset]
        unit = {MEMORY: " MiB", DISK: " KiB"}.get(asset, "")
        quantum, rest = divmod(self.marks(asset).divided(total), levels)
        hint = "use --model linear, which has no levels"
        fitting = greatest_divisor(total, levels)
        if fitting > 1:
            hint += f", or --level {asset}={fitting}"
        return ModelError(
            f"--level {asset}={levels}: {levels} claims of one quantum ({quantum}{unit}) leave "
            f"{rest}{unit} of the {total}{unit} of this node, where one more claim fits that "
            "would cost nothing",
            hint,
        )

    def quanta(self, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return q(a), the quanta that are left whole."""
        return {asset: self.marks(asset).left(left[asset], total[asset]) for asset in self.levels}

    def weight(self, left: Amounts, total: Amounts) -> int:
        """Return the smallest or the greatest q(a), by the rule."""
        quanta = self.quanta(left, total)
        counts = [quanta[asset] for asset in self.weighed]
        return min(counts) if self.rule == "min" else max(counts)

    @property
    def weighed(self) -> tuple[str, ...]:
        """The assets that make W, of which every claim takes at least one quantum."""
        always = tuple(asset for asset in self.levels if asset in BUILT_IN_ASSETS)
        return tuple(self.levels) if self.rule == "min" or not always else always

    def taken_quanta(self, request: Amounts, total: Amounts) -> dict[str, int]:
        """Return n(a): what the claim takes of each counted asset."""
        taken = {}
        for asset in self.levels:
            asked = self.marks(asset).asked(request[asset], total[asset])
            taken[asset] = max(int(asset in self.weighed), asked)
        return taken

    def consumption(self, request: Amounts, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return what n(a) quanta are worth, and never less than the request."""
        amounts = dict(request)
        for asset, quanta in self.taken_quanta(request, total).items():
            if quanta:
                given = self.marks(asset).worth(quanta, total[asset])
                amounts[asset] = max(request[asset], given)
        return amounts

    def policy(self, terms: Terms, splitting: str) -> Policy:
        """Return the model as expressions.

        They are relative to what each node has unless the terms are literal.
        """
        modify = dict.fromkeys(MODIFIABLE, LEAVE_REQUEST)
        if splitting != NEGOTIATOR:
            only_modifiable(self.levels, "--level")
            modify = {asset: self._consumption(asset, terms.in_request()) for asset in MODIFIABLE}
        choose = least if self.rule == "min" else greatest
        dominant = [self.marks(asset).standing_text(asset, terms) for asset in self.weighed]
        demand = [self.marks(asset).asked_text(asset, terms.in_job()) for asset in self.weighed]
        if self.rule == "max":
            dominant, demand = [least(dominant)], [least(demand)]
        # No claim is charged more than the empty slot weighs.
        most = self.weight(terms.total, terms.total)
        return Policy(
            name=self.name,
            consumption={asset: self._consumption(asset, terms) for asset in terms.total},
            weight=split_weight(
                choose([self._left(asset, terms) for asset in self.weighed]),
                capped(at_least_one(dominant), str(most)),
            ),
            schedd_weight=at_least_one(demand),
            num_claims=most,
            splitting=splitting,
            modify=modify,
            cpu_shares=self.cpu_shares,
            macros=terms.macros or {},
        )

    def describe(self) -> str:
        """Return the model with its settings in one line."""
        levels = ", ".join(f"{asset}={levels}" for asset, levels in self.levels.items())
        return f"{self.name}, levels {levels}, rule {self.rule}"

    def _left(self, asset: str, terms: Terms) -> str:
        return self.marks(asset).left_text(asset, terms)

    def _consumption(self, asset: str, terms: Terms) -> str:
        wanted = terms.want(asset)
        if asset not in self.levels:
            return wanted
        taken = self.marks(asset).asked_text(asset, terms)
        if asset in self.weighed:
            taken = terms.named("TAKEN", asset, at_least_one([taken]))
        amount = f"max({{{wanted}, {self.marks(asset).worth_text(asset, terms, taken)}}})"
        # A dynamic slot is carved already, and its totals are its own: there a claim takes what the
        # job asks.
        return f"ifThenElse({terms.slot}DynamicSlot =?= true, {wanted}, {amount})"


def proposed_levels(cpus: int) -> dict[str, int]:
    """Return as many levels of cpus, memory and disk as there are cores."""
    return dict.fromkeys(MODIFIABLE, cpus)


def greatest_divisor(number: int, most: int) -> int:
    """Return the greatest divisor of ``number`` that is not above ``most``."""
    pairs = ((each, number // each) for each in range(1, isqrt(number) + 1) if not number % each)
    return max(each for pair in pairs for each in pair if each <= most)
