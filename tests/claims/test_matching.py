"""What the negotiator would say to a job and a slot. Cases follow consumption_policy.cpp and matchmaker.cpp, 25.14."""

from __future__ import annotations

import pytest

from htcq.claims.matching import Mismatch, wall
from htcq.pool.autocluster import autoclusters_of
from htcq.pool.slot_class import slot_classes
from tests.audit.sites import Text, job, policy_slot, pool, slot, static_slot


def between(
    slot_text: str, amounts: dict[str, float] | None = None, **asks: Text | None
) -> tuple[Mismatch, str]:
    found = pool(slot_text, jobs=[job(**asks)])
    (kind,), (jobs,) = slot_classes(found.slots or ()), autoclusters_of(found.jobs or ())
    left = None if amounts is None else {**kind.total, **amounts}
    return wall(kind, jobs, left)


@pytest.mark.parametrize("text", [slot(), policy_slot(), static_slot()])
def test_what_fits_matches(text: str) -> None:
    assert between(text) == (Mismatch.NONE, "")


def test_exactly_enough_is_enough() -> None:
    assert between(policy_slot(), {"cpus": 1, "memory": 1024, "disk": 1024}) == (Mismatch.NONE, "")


@pytest.mark.parametrize("asset", ["cpus", "memory", "disk"])
def test_too_little_is_told_with_the_asset_where_consumption_decides(asset: str) -> None:
    assert between(policy_slot(), {asset: 0}) == (Mismatch.ASSETS, asset)


def test_too_little_of_a_plain_slot_is_told_apart_from_other_requirements() -> None:
    assert between(slot(), RequestMemory=20000)[0] is Mismatch.ASSETS
    assert between(slot(), {"cpus": 0})[0] is Mismatch.ASSETS
    assert between(slot(), Requirements='TARGET.Arch == "ppc"')[0] is Mismatch.JOB_REQUIREMENTS


def test_the_slots_own_requirements_may_not_hold() -> None:
    assert between(slot(Start='TARGET.Owner == "ben"'))[0] is Mismatch.SLOT_REQUIREMENTS
    assert between(policy_slot(Start="false"))[0] is Mismatch.SLOT_REQUIREMENTS


@pytest.mark.parametrize("value", ["NoSuchThing", '"1"', "-1", "error", "TARGET.RequestCpus - 2"])
def test_a_consumption_that_is_no_amount_never_matches(value: str) -> None:
    assert between(policy_slot(ConsumptionCpus=value)) == (Mismatch.CONSUMPTION, "cpus")


def test_a_policy_that_takes_nothing_never_matches() -> None:
    free = dict.fromkeys(("ConsumptionCpus", "ConsumptionMemory", "ConsumptionDisk"), 0)

    assert between(policy_slot(**free)) == (Mismatch.NOTHING, "")


def test_for_the_match_a_job_asks_for_what_it_consumes() -> None:
    """1024 MB asked, 4096 consumed: the job's Requirements see 4096, and _cp_orig_RequestMemory what it asked."""
    quantized = {"ConsumptionMemory": "quantize(TARGET.RequestMemory, 4096)"}

    assert between(policy_slot(**quantized), Requirements="RequestMemory == 4096") == (
        Mismatch.NONE,
        "",
    )
    assert between(policy_slot(**quantized, Start="TARGET._cp_orig_RequestMemory == 1024")) == (
        Mismatch.NONE,
        "",
    )
    assert (
        between(policy_slot(**quantized), Requirements="RequestMemory == 1024")[0]
        is Mismatch.JOB_REQUIREMENTS
    )


def test_what_a_job_does_not_ask_is_not_made_up_for_the_match() -> None:
    """The trap of GPUs: their consumption is 0 when it is reckoned, and undefined in WithinResourceLimits."""
    asked, not_asked = "TARGET.RequestGPUs <= MY.GPUs", "MY.ConsumptionGPUs <= MY.GPUs"
    limits = f"ifThenElse(TARGET._cp_orig_RequestGPUs isnt undefined, {asked}, {not_asked})"
    trap = policy_slot(ConsumptionGPUs="TARGET.RequestGPUs", WithinResourceLimits=limits)
    sound = policy_slot(WithinResourceLimits=limits)

    assert between(trap)[0] is Mismatch.ASSETS
    assert between(sound) == (Mismatch.NONE, "")
    assert between(trap, {"gpus": 2}, RequestGPUs=1) == (Mismatch.NONE, "")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("true", True),
        ("5", True),
        ("0.5", True),
        ("0", False),
        ('"yes"', False),
        ("undefined", False),
    ],
)
def test_requirements_hold_when_they_are_true_or_a_number_other_than_0(
    text: str, holds: bool
) -> None:
    assert (between(slot(), Requirements=text)[0] is Mismatch.NONE) is holds


def test_default_requirements_of_25_know_the_version_of_the_slot() -> None:
    """A slot of 25.12 or later answers for its disk itself."""
    newer = '(versionGE(split(TARGET.CondorVersion)[1], "25.12.0") || (TARGET.Disk >= RequestDisk))'

    assert (
        between(slot(Disk=1, TotalSlotDisk=1, WithinResourceLimits="true"), Requirements=newer)[0]
        is Mismatch.NONE
    )
    old = '"$CondorVersion: 23.9.6 2024-08-08 $"'
    assert (
        between(slot(Disk=1, TotalSlotDisk=1, CondorVersion=old), Requirements=newer)[0]
        is Mismatch.ASSETS
    )


def test_memory_as_an_expression_of_usage() -> None:
    asks = {
        "RequestMemory": "ifThenElse(MemoryUsage isnt undefined, MemoryUsage, 1)",
        "MemoryUsage": 20000,
    }

    assert between(policy_slot(), **asks) == (Mismatch.ASSETS, "memory")
    assert between(policy_slot(), **{**asks, "MemoryUsage": None}) == (Mismatch.NONE, "")
