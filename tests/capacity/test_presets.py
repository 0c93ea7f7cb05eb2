"""Every published example, reproduced amount by amount."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.presets import NAMES, find_preset
from htcq.claims.planned import job_ad
from htcq.classads import Expr, as_number
from htcq.errors import ModelError
from htcq.node import Node
from tests.golden_cases import golden, read

NODE = Node(12, 98304, 10**8)
#: Whole requests of each asset: small, at a step of some example, beside one, large.
GRID = {
    "cpus": (1, 2, 5, 12),
    "memory": (1, 32, 33, 256, 257, 1024, 1025, 50_000, 98_304),
    "disk": (1, 128, 129, 10**6, 10**7),
    "tokens": (0, 1),
    "actuators": (0, 1, 8),
}


def _slot(preset: str, literal: bool = False) -> Slot:
    return lay_out(NODE, (SlotType(Choice(preset=preset)),), literal)[0]


def _requests(case: dict[str, Any]) -> list[dict[str, int]]:
    assets = ["cpus", "memory", "disk", *case.get("resources", {})]
    return [
        dict(zip(assets, amounts))
        for amounts in itertools.product(*(GRID[asset] for asset in assets))
    ]


def test_every_preset_has_its_published_example() -> None:
    assert sorted(NAMES) == sorted(case["name"] for case in read("published"))


@golden("published")
@pytest.mark.parametrize("literal", [False, True])
def test_each_claim_consumes_what_the_published_expressions_say(
    case: dict[str, Any], literal: bool
) -> None:
    """For every whole request, except for the assets of which the preset says that it changed them."""
    slot = _slot(case["name"], literal)
    charges = slot.charges()
    published = {
        asset: Expr(text)
        for asset, text in case["consumption"].items()
        if asset not in case["changed"]
    }
    pslot = charges.pslot(slot.total)
    for request in _requests(case):
        job = job_ad(request)
        taken = charges.consumed(pslot, job)
        expected = {
            asset: as_number(text.evaluate(pslot, job)) for asset, text in published.items()
        }
        assert expected == {asset: taken[asset] for asset in published}, request


@golden("published", having="resources")
def test_the_declared_resources_are_the_published_ones(case: dict[str, Any]) -> None:
    assert case["resources"] == dict(_slot(case["name"]).policy.provides)


@golden("published")
def test_the_weight_of_a_partitionable_slot_is_the_published_one(case: dict[str, Any]) -> None:
    """With anything left of it; a static slot's 1 becomes 0 once it is taken, which the preset says."""
    slot = _slot(case["name"])
    charges, published = slot.charges(), Expr(case["weight"])
    parts = [0.0, 0.3, 0.5, 1.0] if "weight_changed" not in case else [1.0]
    for cpus, rest in itertools.product(parts, parts):
        left = {
            asset: int(amount * (cpus if asset == "cpus" else rest))
            for asset, amount in slot.total.items()
        }
        pslot = charges.pslot(left)
        assert as_number(published.evaluate(pslot)) == charges.weight(pslot), left


@golden("published")
def test_what_was_changed_is_said(case: dict[str, Any]) -> None:
    said = " ".join(f"{what}: {why}" for what, why in _slot(case["name"]).policy.changes)

    assert [asset for asset in case["changed"] if asset not in said] == []
    assert ("SLOT_WEIGHT is 1 on the untouched slot, 0 once it is taken" in said) == (
        "weight_changed" in case
    )
    assert "requests are read as ceiling(target.RequestX ?: 0)" in said


def test_a_job_that_does_not_ask_takes_no_actuators() -> None:
    charges = _slot("missing-request").charges()

    assert charges.consumed(charges.pslot(charges.total), job_ad({"cpus": 1}))["actuators"] == 0


def test_a_static_slot_is_taken_once() -> None:
    slot = _slot("static-slot")
    charges = slot.charges()
    taken = charges.consumed(charges.pslot(slot.total), job_ad({"cpus": 1}))

    assert charges.cost(slot.total, taken) == 1
    assert charges.weight(charges.dynamic_ad(taken)) == 1


@pytest.mark.parametrize("preset", sorted(set(NAMES) - {"static-slot", "extensible"}))
def test_a_claim_from_the_full_slot_stands_for_its_match_cost(preset: str) -> None:
    """The published weights leak here; ours do not, where the claim takes what limits the slot."""
    slot = _slot(preset)
    charges = slot.charges()
    memory = {"memory-centric": 98_304, "multi-centric": 12 * 256}.get(preset, 1)
    shape = {"cpus": 12, "memory": memory}
    taken = charges.consumed(charges.pslot(slot.total), job_ad(shape))

    assert charges.cost(slot.total, taken) == charges.weight(charges.dynamic_ad(taken))


def test_a_resource_that_the_node_has_is_not_declared_again() -> None:
    node = Node(4, 8192, 10**7, custom={"tokens": 2})
    slot = lay_out(node, (SlotType(Choice(preset="extensible")),))[0]

    assert dict(slot.policy.provides) == {}
    assert slot.counted.weight(slot.total, slot.total) == 2


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(ModelError) as refused:
        find_preset("fancy", {})

    assert str(refused.value) == "--preset fancy: there is no such preset"
    assert "choose one of simple" in refused.value.hint


def test_tokens_need_the_negotiator() -> None:
    with pytest.raises(ModelError, match="which --splitting scheduler has not"):
        lay_out(NODE, (SlotType(Choice(preset="extensible", splitting="scheduler")),))
