"""Names of attributes, looked up by hand in HTCondor's manual and in ads of 25.14."""

from __future__ import annotations

import pytest

from htcq.pool.attribute_names import MATCH_NAMES, job_names, slot_names


@pytest.mark.parametrize("asset", ["Cpus", "Tokens", "GPUs"])
def test_every_asset_has_its_names(asset: str) -> None:
    assets = ["cpus", "tokens", "gpus"]
    assert {
        asset,
        f"Total{asset}",
        f"TotalSlot{asset}",
        f"Consumption{asset}",
        f"Assigned{asset}",
    } <= slot_names(assets)
    assert {f"Request{asset}", f"_cp_orig_Request{asset}", f"{asset}Provisioned"} <= job_names(
        assets
    )


def test_the_two_sides_are_told_apart() -> None:
    assert {"Cpus", "KeyboardIdle", "SlotWeight", "OpSysAndVer"} <= slot_names([])
    assert {"RequestCpus", "JobPrio", "Owner"} <= job_names([])
    assert not {"RequestCpus", "JobPrio", "Owner"} & slot_names([])
    assert not {"Cpus", "KeyboardIdle", "OpSysAndVer"} & job_names([])


def test_what_the_negotiator_adds_is_known() -> None:
    assert {"SubmitterUserPrio", "RemoteUserPrio", "SubmitterGroupQuota"} <= MATCH_NAMES
