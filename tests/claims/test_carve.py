"""What the startd hands out, against the numbers of real startds."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.claims.planned import Carved, Charges, carve, job_ad
from htcq.classads import Expr
from htcq.policy.defaults import disk_slop, version_tuple
from tests.claims.policies import charges_of
from tests.golden_cases import golden

SLOT: dict[str, Any] = {"total": {"cpus": 8, "memory": 16384, "disk": 1000_000, "gpus": 2}}
REQUESTED = {asset: f"target.Request{asset} ?: 0" for asset in SLOT["total"]}


def _carve_all(charges: Charges, case: dict[str, Any]) -> list[Carved]:
    """Carve what the jobs of ``case`` ask for until the startd refuses or START says no."""
    start, left, carved = Expr(case.get("start", "true")), case["total"], []
    for running in range(case["offered"]):
        each = carve(charges, left, case["job"], "25.14.1", running)
        if each.refusal or start.evaluate(charges.pslot(left)) is not True:
            break
        carved.append(each)
        left = each.left
    return carved


@golden("carve")
def test_real_startds_carve_the_same(case: dict[str, Any]) -> None:
    """As many dynamic slots, of the same amounts and weights, and the same left over."""
    charges = charges_of(case)
    carved = _carve_all(charges, case)
    left = carved[-1].left if carved else case["total"]

    assert case["running"] == len(carved)
    for each in carved:
        assert case["dslot"] == {asset: each.amounts[asset] for asset in case["dslot"]}
        assert case["dslot_weight"] == charges.weight(charges.dynamic_ad(each.amounts))
    assert case["left"] == {asset: left[asset] for asset in case["left"]}
    assert case["weight_left"] == charges.weight(charges.pslot(left))


@golden("carve")
def test_real_negotiators_charge_the_same(case: dict[str, Any]) -> None:
    """The cost of the first match, whatever the startd makes of it."""
    charges = charges_of(case)
    taken = charges.consumed(charges.pslot(case["total"]), job_ad(case["job"]))
    if None not in taken.values():
        assert case["costs"] == charges.cost(case["total"], taken)
    else:
        assert case["running"] == 0


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        ({"cpus": "9"}, "cpus: 9 needed, 8 left"),
        ({"memory": "NoSuchThing"}, "memory: its consumption is undefined"),
        ({"disk": "-1"}, "disk: its consumption is negative"),
        ({"memory": "100.5"}, "memory: 100.5 is consumed, but the startd hands out whole units"),
        ({"gpus": "0.5"}, "gpus: 0.5 is consumed, but the startd hands out whole units"),
    ],
)
def test_a_refusal_names_the_asset_and_leaves_the_slot_alone(
    changed: dict[str, str], refusal: str
) -> None:
    consumption = {"cpus": "1", "memory": "1", "disk": "1", "gpus": "0", **changed}
    carved = carve(charges_of(SLOT, consumption=consumption), SLOT["total"], {"cpus": 1})

    assert refusal == carved.refusal
    assert SLOT["total"] == carved.left
    assert carved.amounts == {}


def test_a_consumption_of_nothing_is_refused() -> None:
    consumption = dict.fromkeys(SLOT["total"], "0")

    assert (
        "consumes nothing"
        in carve(charges_of(SLOT, consumption=consumption), SLOT["total"], {"cpus": 1}).refusal
    )


def test_fractions_of_disk_are_rounded_up() -> None:
    consumption = {"cpus": "1", "memory": "1", "disk": "10.2", "gpus": "0"}

    assert (
        carve(charges_of(SLOT, consumption=consumption), SLOT["total"], {"cpus": 1}).amounts["disk"]
        == 11
    )


def test_without_a_consumption_policy_the_modified_request_is_carved() -> None:
    charges = charges_of(
        SLOT, splitting="scheduler", modify={"memory": "max({2048, RequestMemory})"}
    )
    carved = carve(charges, SLOT["total"], {"cpus": 2, "memory": 100, "disk": 10})

    assert carved.amounts == {"cpus": 2, "memory": 2048, "disk": 10, "gpus": 0}
    assert carved.left == {"cpus": 6, "memory": 14336, "disk": 999_990, "gpus": 2}


def test_without_a_consumption_policy_an_empty_asset_closes_the_slot() -> None:
    charges = charges_of(SLOT, splitting="scheduler")

    shape = {"cpus": 1, "memory": 1, "disk": 0}

    assert carve(charges, {**SLOT["total"], "disk": 0}, shape).refusal == "disk: 1 needed, 0 left"


def test_a_startd_before_25_4_adds_slop_to_the_disk() -> None:
    """Since 25.4 (HTCONDOR-3302) disk is an absolute amount; before, max(1024, TotalDisk/1048576) KiB came on top."""
    charges = charges_of(SLOT, consumption=REQUESTED)
    shape = {"cpus": 1, "memory": 1, "disk": 5000}

    assert carve(charges, SLOT["total"], shape, "25.4.0").amounts["disk"] == 5000
    assert carve(charges, SLOT["total"], shape, "23.9.6").amounts["disk"] in (6024, 6025)
    assert "slop" in carve(charges, SLOT["total"], {**shape, "disk": 1000_000}, "23.9.6").refusal


@pytest.mark.parametrize(
    ("machine", "version", "expected"),
    [(10**6, "25.4.0", 0), (10**6, "", 0), (10**6, "25.3.9", 1024), (2**20 * 5000, "23.9", 5000)],
)
def test_slop_by_version_and_size(machine: int, version: str, expected: int) -> None:
    assert expected == disk_slop(machine, version_tuple(version))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("25.14.1", (25, 14, 1)), ("", (999,)), ("unknown", (999,)), ("23.9", (23, 9))],
)
def test_versions_compare_as_numbers(text: str, expected: tuple[int, ...]) -> None:
    assert expected == version_tuple(text)
