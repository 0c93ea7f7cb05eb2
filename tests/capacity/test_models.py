"""The three models against the numbers of their published design."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.capacity.fixed import Fixed
from htcq.capacity.minimum import MinimumCharge
from htcq.capacity.model import Model, limiting, match_cost, whole_request
from htcq.capacity.quantized import Quantized
from htcq.claims.planned import Charges, job_ad
from htcq.policy.consumption import NEGOTIATOR, Terms
from tests.golden_cases import golden

MODELS = {"fixed": Fixed, "quantized": Quantized, "minimum-charge": MinimumCharge}


@golden("models")
def test_the_published_numbers(case: dict[str, Any]) -> None:
    """W, what a claim takes and what it costs, as arithmetic."""
    model: Model = MODELS[case["model"]](**case["settings"])
    total, left = case["total"], case.get("left", case["total"])
    taken = model.consumption(case["request"], left, total)

    assert case["weight"] == model.weight(left, total)
    assert case["taken"] == {asset: taken[asset] for asset in case["taken"]}
    assert case["cost"] == match_cost(model, case["request"], left, total)


@golden("models")
def test_the_published_numbers_in_classads(case: dict[str, Any]) -> None:
    """The same three as HTCondor evaluates them."""
    model: Model = MODELS[case["model"]](**case["settings"])
    left = case.get("left", case["total"])
    assets = {asset: amount for asset, amount in case["total"].items() if asset != "htcqclaims"}
    charges = Charges(model.policy(Terms(assets), NEGOTIATOR), case["total"])
    taken = charges.consumed(charges.pslot(left), job_ad(case["request"]))

    assert case["weight"] == charges.weight(charges.pslot(left))
    assert case["taken"] == {asset: taken[asset] for asset in case["taken"]}
    assert case["cost"] == charges.cost(left, taken)


@pytest.mark.parametrize(
    ("request_", "shares", "expected"),
    [
        ({}, 1, {"cpus": 1, "memory": 1, "disk": 0}),
        ({"cpus": 1.5, "memory": 100.2, "disk": 3}, 1, {"cpus": 2, "memory": 101, "disk": 3}),
        ({"cpus": 0.3}, 4, {"cpus": 2, "memory": 1, "disk": 0}),
        ({"gpus": 1}, 1, {"cpus": 1, "memory": 1, "disk": 0}),
    ],
)
def test_requests_become_whole_units(
    request_: dict[str, float], shares: int, expected: dict[str, int]
) -> None:
    """At least the cpu and the MB that the startd hands out; cpus in shares."""
    assert expected == whole_request(request_, {"cpus": 8, "memory": 100, "disk": 100}, shares)


@pytest.mark.parametrize(
    ("quanta", "weight", "expected"),
    [
        ({"cpus": 8, "memory": 4}, 4, "memory"),
        ({"cpus": 4, "memory": 4}, 4, "cpus"),
        ({"cpus": 3, "disk": 2}, 9, ""),
    ],
)
def test_what_limits_a_slot(quanta: dict[str, int], weight: int, expected: str) -> None:
    assert expected == limiting(quanta, weight)


@pytest.mark.parametrize("rule", ["min", "max"])
def test_a_claim_of_nothing_takes_a_quantum_of_each_asset_that_makes_the_weight(rule: str) -> None:
    """The published corner case of the rule max: a claim that would take nothing of anything."""
    total = {"cpus": 4, "memory": 4000, "disk": 4000, "gpus": 2}
    model = Quantized({"memory": 4, "disk": 8, "gpus": 2}, rule)
    nothing = {"cpus": 1, "memory": 0, "disk": 0, "gpus": 0}
    of_gpus = int(rule == "min")

    assert match_cost(model, nothing, total, total) == 1
    assert model.taken_quanta(nothing, total) == {"memory": 1, "disk": 1, "gpus": of_gpus}


def test_by_the_rule_max_free_gpus_are_no_claims() -> None:
    """Once memory is gone nothing can match, whatever GPUs are left."""
    total = {"cpus": 4, "memory": 4000, "disk": 4000, "gpus": 2}

    assert Quantized({"memory": 4, "gpus": 2}, "max").weight({**total, "memory": 0}, total) == 0
    assert Quantized({"gpus": 2}, "max").weight({**total, "memory": 0}, total) == 2


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (MinimumCharge({"cpus": 1, "memory": 2048}), "minimum-charge, charges cpus=1, memory=2GiB"),
        (MinimumCharge({"cpus": 1}, True, 2), "minimum-charge, charges cpus=0.5, whole charges"),
        (Quantized({"memory": 8}, "max"), "quantized, levels memory=8, rule max"),
        (Fixed(4), "fixed, 4 claims, share even"),
    ],
)
def test_a_model_is_described_in_one_line(model: Model, expected: str) -> None:
    assert expected == model.describe()
