"""Nodes, models, slots and requests at random; amounts in HTCondor's units, a slot's cpus in shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

from htcq.capacity.choice import Choice
from htcq.capacity.fixed import TOKEN, Fixed
from htcq.capacity.minimum import MinimumCharge
from htcq.capacity.model import Model, whole_request
from htcq.capacity.quantized import Quantized
from htcq.claims.planned import Charges
from htcq.node import Node
from htcq.policy.consumption import NEGOTIATOR, Policy, Terms
from htcq.units import BUILT_IN_ASSETS, CPUS


@dataclass(frozen=True)
class Case:
    """A model on a slot, as arithmetic and as HTCondor's expressions."""

    model: Model
    total: Mapping[str, int]
    policy: Policy

    @property
    def charges(self) -> Charges:
        return Charges(self.policy, self.total)

    def whole(self, shape: Mapping[str, float]) -> dict[str, int]:
        """Return ``shape`` in whole units of the slot's assets."""
        return whole_request(shape, self.total, self.model.cpu_shares)


@st.composite
def totals(draw: st.DrawFn) -> dict[str, int]:
    """Amounts of a slot: the three built-in assets, GPUs (perhaps none) and now and then a custom resource."""
    amounts = {
        "cpus": draw(st.integers(1, 64)),
        "memory": draw(
            st.integers(64, 400_000) | st.integers(1, 4000).map(lambda each: each * 240)
        ),
        "disk": draw(
            st.integers(2000, 10**10) | st.integers(10, 10**6).map(lambda each: each * 240)
        ),
        "gpus": draw(st.integers(0, 8)),
    }
    if draw(st.booleans()):
        amounts["actuators"] = draw(st.integers(1, 40))
    return amounts


def _some_assets(total: Mapping[str, int]) -> st.SearchStrategy[list[str]]:
    return st.lists(
        st.sampled_from([asset for asset in total if total[asset]]), unique=True, min_size=1
    )


@st.composite
def _minimum(draw: st.DrawFn, total: Mapping[str, int], shares: int) -> MinimumCharge:
    charges = {asset: draw(st.integers(1, total[asset])) for asset in draw(_some_assets(total))}
    return MinimumCharge(charges, draw(st.booleans()), shares)


def _levels(number: int, most: int) -> list[int]:
    """Levels of which the roundings of all claims are less than a quantum."""
    return [each for each in range(1, min(number, most) + 1) if number % each < number // each]


@st.composite
def _quantized(draw: st.DrawFn, total: Mapping[str, int], shares: int) -> Quantized:
    levels = {
        asset: draw(st.sampled_from(_levels(total[asset], 300)))
        for asset in draw(_some_assets(total))
    }
    return Quantized(levels, draw(st.sampled_from(("min", "max"))), shares)


@st.composite
def _fixed(draw: st.DrawFn, total: Mapping[str, int], shares: int) -> Fixed:
    share = draw(st.sampled_from(("even", "request", "none")))
    assets = tuple(draw(_some_assets(total))) if share == "even" else BUILT_IN_ASSETS
    most = min(total[asset] for asset in assets) if share == "even" else total[CPUS]
    claims = st.integers(1, most)
    if share == "even":
        claims = claims.filter(
            lambda claims: any(total[asset] % claims < total[asset] // claims for asset in assets)
        )
    return Fixed(draw(claims), share, assets, shares, forced=share == "none")


@st.composite
def cases(draw: st.DrawFn, kinds: str = "minimum quantized fixed") -> Case:
    """A model that its slot can carry, with its portable or literal policy."""
    shares = draw(st.sampled_from((1, 1, 2, 5)))
    total = draw(totals())
    total[CPUS] *= shares
    build = {"minimum": _minimum, "quantized": _quantized, "fixed": _fixed}
    model = draw(build[draw(st.sampled_from(kinds.split()))](total, shares))
    policy = model.policy(Terms(total, cpu_shares=shares, literal=draw(st.booleans())), NEGOTIATOR)
    whole = {**total, **policy.provides}
    model.check(whole)
    return Case(model, whole, policy)


@st.composite
def states(draw: st.DrawFn, total: Mapping[str, int]) -> dict[str, int]:
    """What may be left of a slot: anything, with a liking for nothing, a little and everything."""
    return {
        asset: draw(
            st.one_of(st.just(amount), st.integers(0, min(3, amount)), st.integers(0, amount))
        )
        for asset, amount in total.items()
    }


@st.composite
def shapes(draw: st.DrawFn, total: Mapping[str, int], most: int = 1) -> dict[str, float]:
    """What a job may ask for: some assets, none of it up to all of it divided by ``most``, sometimes a half more.

    No job knows of the tokens that a policy itself declares.
    """
    asked: dict[str, float] = {}
    for asset in draw(
        st.lists(st.sampled_from([asset for asset in total if asset != TOKEN]), unique=True)
    ):
        amount = draw(st.one_of(st.integers(0, 2), st.integers(0, total[asset] // most)))
        asked[asset] = draw(st.sampled_from((amount, amount, amount + 0.5)))
    return asked


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    """An execution point of any size."""
    amounts = draw(totals())
    custom = {"actuators": amounts["actuators"]} if "actuators" in amounts else {}
    version = draw(st.sampled_from(("", "23.9.6", "25.14.1")))
    disk = max(amounts["disk"], 10**6)
    return Node(
        amounts["cpus"], amounts["memory"], disk, amounts["gpus"], custom, condor_version=version
    )


@st.composite
def choices(draw: st.DrawFn, node: Node) -> Choice:
    """Settings that ``node`` can carry, as a user would give them."""
    kind = draw(st.sampled_from(("proposed", "linear", "minimum", "quantized", "fixed")))
    whole = draw(st.sampled_from(("", "whole_charges")))
    if kind == "proposed":
        return Choice(model=draw(st.sampled_from(("", "minimum-charge", "quantized"))))
    total = node.assets()
    if kind == "linear":
        prices = st.fractions(min_value=Fraction(1, 1000), max_value=100, max_denominator=1000)
        weighed = draw(
            st.lists(
                st.sampled_from([asset for asset in total if asset not in (CPUS, "memory")]),
                unique=True,
            )
        )
        return Choice(weights={asset: draw(prices) for asset in (CPUS, "memory", *weighed)})
    if kind == "minimum":
        model = draw(_minimum(total, 1))
        charges = {asset: Fraction(charge) for asset, charge in model.charges.items()}
        if draw(st.booleans()):
            charges[CPUS] = Fraction(draw(st.integers(1, 3)), draw(st.integers(3, 5)))
        return Choice(charges=charges, whole_charges=bool(whole))
    if kind == "quantized":
        quantized = draw(_quantized(total, 1))
        return Choice(levels=quantized.levels, rule=quantized.rule)
    fixed = draw(_fixed(total, 1))
    chosen = Choice(claims=fixed.claims, share=fixed.share, forced=fixed.forced)
    return replace(chosen, assets=fixed.assets) if fixed.share == "even" else chosen
