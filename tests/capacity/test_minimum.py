"""The minimum-charge model."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.capacity.minimum import MinimumCharge, proposed_charges
from htcq.errors import ModelError
from htcq.policy.consumption import NEGOTIATOR, SCHEDULER, Terms

TOTAL = {"cpus": 8, "memory": 16384, "disk": 20_000_000, "gpus": 0}


@pytest.mark.parametrize(
    ("charges", "message", "hint"),
    [
        ({"gpus": 1}, "--charge gpus: this node has none", "it has cpus, memory, disk"),
        ({"railguns": 1}, "--charge railguns: unknown asset", "this node has cpus, memory, disk"),
        (
            {"memory": 16385},
            "--charge memory: 16385 MiB is more than the node has",
            "not one claim would fit",
        ),
    ],
)
def test_a_charge_that_the_node_cannot_carry_is_refused(
    charges: dict[str, int], message: str, hint: str
) -> None:
    with pytest.raises(ModelError) as refused:
        MinimumCharge(charges).check(TOTAL)

    assert message == str(refused.value)
    assert hint in refused.value.hint


def test_a_charge_of_everything_is_one_claim() -> None:
    model = MinimumCharge({"memory": 16384})
    model.check(TOTAL)

    assert model.weight(TOTAL, TOTAL) == 1


@pytest.mark.parametrize(("whole", "expected"), [(False, 2100), (True, 4096)])
def test_whole_charges_round_up(whole: bool, expected: int) -> None:
    model = MinimumCharge({"memory": 2048}, whole)

    assert expected == model.consumption({"cpus": 1, "memory": 2100}, TOTAL, TOTAL)["memory"]


def test_the_expressions_depend_on_charges_alone() -> None:
    """The same text on every node, so that one file suits a whole pool."""
    model = MinimumCharge({"cpus": 1, "memory": 2048})
    small, large = Terms(TOTAL), Terms({asset: amount * 3 for asset, amount in TOTAL.items()})
    policies = [model.policy(terms, NEGOTIATOR) for terms in (small, large)]

    assert policies[0].consumption == policies[1].consumption
    assert policies[0].weight == policies[1].weight
    assert policies[0].fleet_claims == "$(NUM_CPUS)"


def test_scheduler_splitting_rounds_the_request_and_takes_no_gpus() -> None:
    policy = MinimumCharge({"memory": 2048}).policy(Terms(TOTAL), SCHEDULER)

    assert policy.modify["memory"] == "max({2048, ceiling(RequestMemory ?: 0)})"
    with pytest.raises(
        ModelError, match="--charge gpus cannot be enforced with --splitting scheduler"
    ):
        MinimumCharge({"gpus": 1}).policy(Terms(TOTAL), SCHEDULER)


@pytest.mark.parametrize(
    ("total", "cpus"),
    [
        (TOTAL, 8),
        ({"cpus": 16, "memory": 65536, "disk": 10**8}, 8),
        ({"cpus": 64, "memory": 100, "disk": 64}, 64),
        ({"cpus": 3, "memory": 1000, "disk": 999_999}, 3),
    ],
)
def test_proposed_charges_make_as_many_claims_as_cores(total: dict[str, int], cpus: int) -> None:
    charges = proposed_charges(total, cpus)

    assert list(charges) == ["cpus", "memory"]
    assert cpus == MinimumCharge(charges).weight(total, total)


def test_a_proposed_charge_is_an_even_share_of_all() -> None:
    assert proposed_charges({"cpus": 8, "memory": 64_000, "disk": 10**9}, 8) == {
        "cpus": 1,
        "memory": 8000,
    }
    assert proposed_charges({"cpus": 16, "memory": 24_105, "disk": 10**9}, 16) == {
        "cpus": 1,
        "memory": Fraction(24_105, 16),
    }
