"""What a claim consumes and costs, against the numbers of HTCondor's own tests."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.claims.planned import Asking, job_ad
from htcq.classads import Ad
from htcq.errors import PolicyError
from htcq.policy.claim import deduct, lack, modified, supports
from tests.claims.policies import charges_of
from tests.golden_cases import golden

SLOT: dict[str, Any] = {"total": {"cpus": 8, "memory": 16384, "disk": 1000, "gpus": 0}}


@golden("supports")
def test_which_slots_have_a_consumption_policy(case: dict[str, Any]) -> None:
    assert case["expected"] is supports(Ad(case["slot"]))


def test_swap_needs_no_consumption() -> None:
    slot = Ad({"PartitionableSlot": True, "MachineResources": "Cpus, Swap", "ConsumptionCpus": 1})

    assert supports(slot)


@golden("compute")
def test_what_a_job_consumes(case: dict[str, Any]) -> None:
    charges = charges_of(case)

    assert case["expected"] == charges.consumed(charges.pslot(case["slot"]), job_ad(case["job"]))


@golden("sufficient")
def test_what_is_sufficient(case: dict[str, Any]) -> None:
    why, _ = lack(case["left"], case["taken"])

    assert case["expected"] is (why is None)


@golden("deduct")
def test_what_a_match_costs_and_leaves(case: dict[str, Any]) -> None:
    charges = charges_of(case)

    assert case["cost"] == charges.cost(case["slot"], case["taken"])
    assert case["left"] == deduct(case["slot"], case["taken"])


def test_asking_for_the_cost_leaves_the_slot_as_it_was() -> None:
    charges = charges_of(SLOT, weight="Cpus")
    slot = charges.pslot(SLOT["total"])

    assert charges.cost(SLOT["total"], {"cpus": 3}) == 3
    assert charges.weight(slot) == 8


@pytest.mark.parametrize("weight", ["NoSuchThing", "error", '"8"', "Cpus / 0"])
def test_a_weight_that_is_no_number_costs_none(weight: str) -> None:
    charges = charges_of(SLOT, weight=weight)

    assert charges.cost(SLOT["total"], {"cpus": 1}) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RequestCpus", 4),
        ("RequestMemory / 4096.0", 0),
        ("Cpus", 4),
        ('"text"', 4),
        ("2.9", 2),
        ("true", 1),
    ],
)
def test_the_schedd_cuts_weights_and_falls_back_to_cpus(text: str, expected: int) -> None:
    charges = charges_of(SLOT, schedd_weight=text)

    assert expected == charges.schedd_weight(job_ad({"cpus": 4, "memory": 1024}))


def test_the_startd_modifies_requests_to_integers_and_ignores_failures() -> None:
    modify = {
        "cpus": "RequestCpus * 1.5",
        "memory": "quantize(RequestMemory, {128})",
        "disk": "UNDEFINED",
    }
    charges = charges_of(SLOT, modify=modify)
    job = Asking({"cpus": 1, "memory": 100, "disk": 7})
    changed = modified(charges.startd(""), charges.pslot(SLOT["total"]), job)

    assert changed == {"RequestCpus": 1, "RequestMemory": 128}


@pytest.mark.parametrize(
    ("version", "changed"),
    [
        ("23.9.6", {"RequestDisk": 8}),
        ("24.0.15", {"RequestDisk": 8}),
        ("24.0.16", {"RequestCpus": 1, "RequestMemory": 150, "RequestDisk": 8}),
        ("25.5.1", {"RequestDisk": 8}),
        ("25.14.1", {"RequestCpus": 1, "RequestMemory": 150, "RequestDisk": 8}),
    ],
)
def test_an_older_startd_takes_no_number_with_a_fraction(
    version: str, changed: dict[str, int]
) -> None:
    """A slot of 1000 MB on 23.9.6 and of 1500 MB on 25.14.1, for RequestMemory * 1.5 of a job of 1000 MB."""
    modify = {
        "cpus": "RequestCpus > 0",
        "memory": "RequestMemory * 1.5",
        "disk": "RequestDisk + 1",
    }
    charges = charges_of(SLOT, modify=modify)
    job = Asking({"cpus": 3, "memory": 100, "disk": 7})

    assert modified(charges.startd(version), charges.pslot(SLOT["total"]), job) == changed


def test_a_startd_modifies_disk_after_cpus_and_memory_after_both() -> None:
    """Each change is seen by the next (Resource.cpp:create_dslot)."""
    modify = {"cpus": "RequestCpus * 2", "memory": "RequestDisk", "disk": "RequestCpus * 10"}
    job = Asking({"cpus": 1, "memory": 100, "disk": 7})
    charges = charges_of(SLOT, modify=modify)
    changed = modified(charges.startd(""), charges.pslot(SLOT["total"]), job)

    assert changed == {"RequestCpus": 2, "RequestDisk": 20, "RequestMemory": 20}


def test_a_dynamic_slot_has_its_own_totals() -> None:
    charges = charges_of(SLOT, weight="ifThenElse(DynamicSlot =?= true, TotalSlotCpus, 0)")

    assert charges.weight(charges.dynamic_ad({"cpus": 2, "memory": 1, "disk": 1, "gpus": 0})) == 2
    assert charges.weight(charges.pslot(SLOT["total"])) == 0


def test_an_expression_that_does_not_parse_is_refused_by_name() -> None:
    with pytest.raises(PolicyError, match=r"not a ClassAd expression: max\("):
        charges_of(SLOT, weight="max(")
