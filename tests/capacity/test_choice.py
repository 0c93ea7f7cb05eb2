"""Choosing a model: contradictions are refused, nothing is guessed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from htcq.capacity.choice import Choice, common_shares, realise, startd_charges
from htcq.capacity.fixed import Fixed
from htcq.capacity.linear import Linear
from htcq.capacity.minimum import MinimumCharge
from htcq.capacity.quantized import Quantized
from htcq.errors import ModelError

TOTAL = {"cpus": 8, "memory": 16384, "disk": 20_000_000, "gpus": 0}
HALF = {"cpus": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "unknown"}, "--model unknown: unknown"),
        ({"share": "odd"}, "--share odd: unknown"),
        ({"rule": "mean"}, "--rule mean: unknown"),
        ({"splitting": "nobody"}, "--splitting nobody: unknown"),
        ({"model": "fixed", "preset": "simple"}, "--model and --preset contradict each other"),
        ({"model": "fixed", "levels": {"cpus": 1}}, "--level contradicts --model fixed"),
        ({"model": "quantized", "claims": 3}, "--claims contradicts --model quantized"),
        (
            {"preset": "simple", "whole_charges": True},
            "--whole-charges contradicts --preset simple",
        ),
        (
            {"claims": 3, "levels": {"cpus": 1}},
            "settings of --model fixed and --model quantized contradict each other",
        ),
        (
            {"claims": 3, "share": "request", "assets": ("cpus",)},
            "--asset contradicts --share request",
        ),
        ({"cpu_shares": 0}, "--cpu-shares 0: must be positive"),
        ({"charges": {"memory": Fraction(0)}}, "--charge memory=0: a charge must be above 0"),
        ({"weights": {"cpus": Fraction(0), "memory": Fraction(0)}}, "--weight: every weight is 0"),
        ({"scale": Fraction(0)}, "--scale 0: must be above 0"),
        ({"scale": Fraction(-1)}, "--scale -1: must be above 0"),
        (
            {"model": "fixed", "weights": {"cpus": Fraction(1)}},
            "--weight contradicts --model fixed",
        ),
        (
            {"charges": {"cpus": Fraction(1)}, "scale": Fraction(2)},
            "settings of --model linear and --model minimum",
        ),
    ],
)
def test_contradictions_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as refused:
        _ = Choice(**settings).kind

    assert message in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "linear"),
        ({"weights": {"cpus": Fraction(1)}}, "linear"),
        ({"scale": Fraction(2)}, "linear"),
        ({"claims": 3}, "fixed"),
        ({"rule": "max"}, "quantized"),
        ({"whole_charges": True}, "minimum-charge"),
    ],
)
def test_settings_say_which_model_is_meant(settings: dict[str, Any], expected: str) -> None:
    assert expected == Choice(**settings).kind


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"claims": 3}, Fixed(3)),
        ({"claims": 3, "share": "request"}, Fixed(3, "request")),
        ({"levels": {"memory": 4}, "rule": "max"}, Quantized({"memory": 4}, "max")),
        ({"model": "quantized"}, Quantized({"cpus": 8, "memory": 8, "disk": 8})),
        ({"charges": {"memory": Fraction(2048)}}, MinimumCharge({"memory": 2048})),
        ({"weights": {"cpus": Fraction(1)}}, Linear({"cpus": Fraction(1)})),
        ({}, Linear({"cpus": Fraction(1, 2), "memory": Fraction(1, 4096)})),
    ],
)
def test_a_choice_becomes_its_model(settings: dict[str, Any], expected: object) -> None:
    assert expected == realise(Choice(**settings), TOTAL, 1, "25.14.1", TOTAL)


def test_the_fixed_model_needs_a_number() -> None:
    with pytest.raises(ModelError, match="needs a number of claims"):
        realise(Choice(model="fixed"), TOTAL, 1, "", TOTAL)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 1),
        ({"charges": HALF}, 2),
        ({"charges": HALF, "cpu_shares": 4}, 4),
        ({"cpu_shares": 3}, 3),
    ],
)
def test_a_fraction_of_a_cpu_makes_a_core_count_as_several(
    settings: dict[str, Any], expected: int
) -> None:
    assert expected == Choice(**settings).shares_per_core()


def test_shares_that_do_not_make_the_charge_whole_are_refused() -> None:
    with pytest.raises(ModelError, match=r"--cpu-shares 3 does not make --charge cpus=0\.5 whole"):
        Choice(charges=HALF, cpu_shares=3).shares_per_core()


def test_all_slot_types_share_one_number_of_cpus() -> None:
    third = Choice(charges={"cpus": Fraction(1, 3)})

    assert common_shares((Choice(charges=HALF), third)) == 6
    with pytest.raises(ModelError, match="different cpu_shares"):
        common_shares((Choice(cpu_shares=2), Choice(cpu_shares=3)))


def test_charges_are_whole_units_or_even_shares() -> None:
    assert startd_charges({"cpus": Fraction(1, 2), "memory": Fraction(2048)}, 2) == {
        "cpus": 1,
        "memory": 2048,
    }
    assert startd_charges({"memory": Fraction(24105, 16)}, 1) == {"memory": Fraction(24105, 16)}
    with pytest.raises(ModelError, match="less than the startd can hand out"):
        startd_charges({"memory": Fraction(1, 2)}, 1)
    with pytest.raises(ModelError, match="is not a whole number"):
        startd_charges({"gpus": Fraction(1, 2)}, 2)


def test_no_job_is_made_to_take_a_gpu() -> None:
    total = {**TOTAL, "gpus": 2}
    with pytest.raises(ModelError, match="every job would take a GPU") as refused:
        realise(Choice(charges={"gpus": Fraction(1)}), total, 1, "", total)

    assert "--weight gpus=8" in refused.value.hint
    assert realise(
        Choice(charges={"gpus": Fraction(1)}, forced=True), total, 1, "", total
    ) == MinimumCharge({"gpus": 1})
