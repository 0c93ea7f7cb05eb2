"""The dangers that htcq finds are those that stopped real daemons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from htcq.capacity.minimum import MinimumCharge
from htcq.claims.planned import Charges, job_ad
from htcq.claims.safety import dangers, job_grid
from htcq.policy.consumption import NEGOTIATOR, Policy, Terms
from tests.golden_cases import golden

TOTAL = {"cpus": 8, "memory": 16384, "disk": 1_000_000, "gpus": 2}
SOUND = {
    "name": "sound",
    "consumption": {asset: f"ceiling(target.Request{asset} ?: 0)" for asset in TOTAL},
    "weight": "Cpus",
    "schedd_weight": "max({1, RequestCpus ?: 1})",
    "num_claims": 8,
}


def _charges(case: dict[str, Any]) -> Charges:
    changed = {key: case[key] for key in ("weight", "schedd_weight", "num_claims") if key in case}
    consumption = {**SOUND["consumption"], **case.get("consumption", {})}
    changed["consumption"] = {
        asset: text for asset, text in consumption.items() if text is not None
    }
    return Charges(Policy(**{**SOUND, **changed}), TOTAL)


def test_a_sound_policy_has_no_dangers() -> None:
    assert dangers(_charges({})) == []


@golden("dangers")
def test_what_stops_a_daemon_is_a_danger(case: dict[str, Any]) -> None:
    found = dangers(_charges(case))

    assert len(found) >= 1
    assert case["says"] in found[0]


@golden("dangers", having="demand")
def test_a_real_schedd_counts_the_same_demand(case: dict[str, Any]) -> None:
    assert case["demand"] == case["count"] * _charges(case).schedd_weight(job_ad(case["jobs"]))


def test_a_pole_in_the_weight_is_met_by_the_next_claim() -> None:
    """64/(Cpus-7) is 64 on 8 cpus and nothing on 7."""
    charges = _charges({"weight": "64/(Cpus-7)"})

    assert charges.weight(charges.pslot(TOTAL)) == 64
    assert charges.cost(TOTAL, {"cpus": 1}) is None


@pytest.mark.parametrize("missing", sorted(TOTAL))
def test_a_weight_that_only_an_empty_asset_breaks_is_a_danger(missing: str) -> None:
    found = dangers(_charges({"weight": f"ifThenElse({missing} == 0, undefined, 1)"}))

    assert found != []
    assert "SLOT_WEIGHT is no number" in found[0]


def test_scheduler_splitting_needs_no_consumption() -> None:
    policy = Policy(**{**SOUND, "consumption": {}, "num_claims": 0, "splitting": "scheduler"})

    assert dangers(Charges(policy, TOTAL)) == []


def test_the_grid_has_a_job_that_asks_for_nothing_and_one_with_fractions() -> None:
    grid = list(job_grid(TOTAL))

    assert {} in grid
    assert any(amount != int(amount) for shape in grid for amount in shape.values())


def test_looking_for_dangers_leaves_the_slot_full() -> None:
    model = MinimumCharge({"cpus": 1})
    charges = Charges(model.policy(Terms(TOTAL), "negotiator"), TOTAL)

    assert dangers(charges) == []
    assert charges.weight(charges.pslot({})) == 8


def test_a_consumption_that_grows_on_what_a_claim_leaves_is_a_danger() -> None:
    total = {"cpus": 96, "memory": 385_117, "disk": 20_000_000}
    sound = MinimumCharge({"cpus": 1, "memory": 4011}).policy(Terms(total), NEGOTIATOR)
    grows = replace(
        sound,
        consumption={
            **sound.consumption,
            "memory": "TARGET.RequestMemory + (MY.Memory < 385117 ? 1 : 0)",
        },
    )

    assert dangers(Charges(sound, total)) == []
    assert any(
        "on what that leaves: the startd would refuse" in each
        for each in dangers(Charges(grows, total))
    )


@pytest.mark.parametrize("asked", ["0", "TARGET.RequestDisk"])
def test_a_request_of_nothing_that_takes_something_once_the_slot_fills_is_a_danger(
    asked: str,
) -> None:
    """Seen late only: the first claims of a node of 96 cpus take no disk."""
    total = {"cpus": 96, "memory": 385_117, "disk": 20_000_000}
    sound = MinimumCharge({"cpus": 1, "memory": 4011}).policy(Terms(total), NEGOTIATOR)
    grows = replace(
        sound,
        consumption={**sound.consumption, "disk": f"{asked} + (MY.Cpus < 2 ? 100 : 0)"},
    )

    assert any(
        "CONSUMPTION_DISK is 0 for a job that asks for cpus=0, memory=0, disk=0, and 100" in each
        for each in dangers(Charges(grows, total))
    )
