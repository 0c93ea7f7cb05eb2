"""The schedd itself warns of Cpus, Memory, Disk and TARGET in SCHEDD_SLOT_WEIGHT (schedd.cpp, 25.14)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool, slot

RULE = "schedd-weight-names-slot"


@pytest.mark.parametrize(
    "weight", ["Cpus", "RequestCpus + Memory/2048", "TARGET.Mips", "RequestCpus + GPUs"]
)
def test_a_weight_that_names_slots_is_found(weight: str) -> None:
    (finding,) = found(RULE, pool(slot(), access={"access1": f"SCHEDD_SLOT_WEIGHT = {weight}\n"}))
    assert finding.evidence[0].value == weight
    assert "RequestCpus, 1" in finding.message


def test_one_that_reckons_with_their_absence_is_told_apart() -> None:
    text = "SCHEDD_SLOT_WEIGHT = Cpus ?: 3*RequestCpus\n"
    (finding,) = found(RULE, pool(slot(), access={"access1": text}))
    assert "still weighs 3" in finding.message


@pytest.mark.parametrize(
    "weight", ["RequestCpus", "max({RequestCpus, ceiling(RequestMemory/2048.0)})", ""]
)
def test_a_weight_of_requests_is_not(weight: str) -> None:
    assert not found(RULE, pool(slot(), access={"access1": f"SCHEDD_SLOT_WEIGHT = {weight}\n"}))
