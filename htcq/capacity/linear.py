"""The linear model: a weight for each unit of each asset, and a slot weighs the sum of what it has.

W(R) = sum of w(a) v(a). A linear function is additive: match cost, standing charge and the weight
that the node loses are one number, on every node and beside every other job. So one expression
serves every slot of every node, and quotas hold on mixed hardware. Slurm's TRESBillingWeights are
the same idea. Consumption is what the job asks for, in the whole units that the startd carves.

The schedd cuts what a job weighs to a whole number (src/condor_schedd.V6/schedd.cpp,
count_a_job, HTCondor 25.14): here it rounds up before, so that demand is never below the match
cost, and less than 1 above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from htcq.capacity.model import Amounts
from htcq.errors import ModelError
from htcq.policy.consumption import (
    LEAVE_REQUEST,
    MIN_REQUEST,
    MODIFIABLE,
    Number,
    Policy,
    Terms,
    as_requested,
)
from htcq.policy.weight import weight_text
from htcq.units import BUILT_IN_ASSETS, CPUS, GPUS, asset_hint, show_weight

#: Stands between ``gpus`` and a word of the name of a card, as in ``gpus:a100``.
CARD = ":"


@dataclass(frozen=True)
class Linear:
    """The linear model: ``weights`` w(a) per HTCondor unit, all of them times ``scale``.

    A unit is a core, a MB, a KiB, one of anything else.

    ``card`` is the name of the node's GPUs, empty where it has none or several kinds.
    ``optional`` are custom resources that only some nodes of the fleet have.
    """

    weights: Mapping[str, Fraction]
    scale: Fraction = Fraction(1)
    cpu_shares: int = 1
    card: str = ""
    optional: tuple[str, ...] = ()
    name: str = "linear"

    @property
    def provides(self) -> dict[str, int]:
        """Return no machine resources."""
        return {}

    def check(self, total: Amounts) -> None:
        """Refuse unknown assets, and weights under which some claims are free."""
        for asset in self.weights:
            base = asset.partition(CARD)[0]
            known = (*BUILT_IN_ASSETS, GPUS, *self.optional)
            if base not in known and total.get(base, 0) <= 0:
                only = "name it in optional_assets if only other nodes have it"
                hint = asset_hint(base, (*total, *self.optional), only)
                raise ModelError(f"--weight {asset}: unknown asset", hint)
        if not any(self.weights.get(asset) for asset in MIN_REQUEST):
            raise ModelError(
                "--weight: neither cpus nor memory has a weight above 0, "
                "so that a job which asks for nothing else would be free",
                "such as --weight cpus=1 --weight memory=0.25/GiB",
            )

    def price(self, asset: str) -> Fraction:
        """Return the weight of one unit of ``asset`` on this node.

        A unit of cpus is one share where cores count as several.
        """
        weight = self.weights.get(asset, Fraction(0))
        if asset == GPUS:
            weight = self._card_weight(weight)
        if asset == CPUS:
            weight /= self.cpu_shares
        return weight * self.scale

    def _card_weight(self, otherwise: Fraction) -> Fraction:
        """Return the weight of the node's cards: that of the longest word in their name."""
        words = [word for word in self._cards() if word and word in self.card.lower()]
        if not words:
            return otherwise
        return self.weights[f"{GPUS}{CARD}{max(words, key=len)}"]

    def _cards(self) -> list[str]:
        """Return the words that name cards with a weight of their own."""
        beginning = f"{GPUS}{CARD}"
        cards = [asset for asset in self.weights if asset.startswith(beginning)]
        return [asset[len(beginning) :] for asset in cards]

    def quanta(self, left: Amounts, total: Amounts) -> dict[str, Number]:
        """Return the weight of ``left`` by asset."""
        found = {}
        for asset in total:
            price = self.price(asset)
            if price:
                found[asset] = _plain(price * left.get(asset, 0))
        return found

    def weight(self, left: Amounts, total: Amounts) -> Number:
        """Return the weight of ``left``."""
        whole = Fraction(0)
        for asset, amount in left.items():
            whole += self.price(asset) * amount
        return _plain(whole)

    def consumption(self, request: Amounts, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return the request."""
        return dict(request)

    def policy(self, terms: Terms, splitting: str) -> Policy:
        """Return the model as expressions.

        They are the same on every node, but for the weight of its cards.
        """
        in_job = terms.in_job()
        parts, demands = [], []
        for asset in self._weighed():
            price = self.price(asset)
            if price:
                parts.append(weight_text(asset, terms.have(asset), price))
            demands.append(weight_text(asset, in_job.want(asset), self._dearest(asset)))
        demand = " + ".join(demands)
        return Policy(
            name=self.name,
            consumption=as_requested(terms, terms.total),
            weight=" + ".join(parts),
            schedd_weight=f"max({{1, ceiling({demand})}})",
            num_claims=max(1, terms.total[CPUS]),
            fleet_claims=terms.cpus_of_node(),
            splitting=splitting,
            modify=dict.fromkeys(MODIFIABLE, LEAVE_REQUEST),
            cpu_shares=self.cpu_shares,
        )

    def _weighed(self) -> list[str]:
        """Return the assets that weigh anything, in the order of the settings."""
        bases = dict.fromkeys(asset.partition(CARD)[0] for asset in self.weights)
        return [asset for asset in bases if self.price(asset) or self._dearest(asset)]

    def _dearest(self, asset: str) -> Fraction:
        """Return the highest weight that one of ``asset`` has on any node.

        A schedd does not know which card a job will get.
        """
        if asset != GPUS:
            return self.price(asset)
        cards = [self.weights[f"{GPUS}{CARD}{word}"] for word in self._cards()]
        return max([self.weights.get(GPUS, Fraction(0)), *cards]) * self.scale

    def describe(self) -> str:
        """Return the model with its settings in one line, as they can be typed."""
        settings = [f"{asset}={show_weight(asset, each)}" for asset, each in self.weights.items()]
        text = f"{self.name}, weights {', '.join(settings)}"
        if self.scale != 1:
            text += f", scale {show_weight(CPUS, self.scale)}"
        return text


def _plain(number: Fraction) -> Number:
    if number.denominator == 1:
        return int(number)
    return float(number)
