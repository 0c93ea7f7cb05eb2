"""What a schedd can guess with follows schedd.cpp:guessJobSlotWeight: Cpus, Memory and Disk, and nothing else."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool, slot

RULE = "schedd-guesses-weight"


@pytest.mark.parametrize(
    "weight", ["Cpus + 8*GPUs", "floor(8*Cpus/TotalSlotCpus)", "Tokens", "Cpus + (GPUs ?: 0)"]
)
def test_a_weight_that_names_other_attributes_is_found(weight: str) -> None:
    (finding,) = found(RULE, pool(slot(), access={"access1": f"SLOT_WEIGHT = {weight}\n"}))
    assert finding.subject == "access point access1"
    assert finding.evidence[0].value == weight


def test_a_schedd_weight_that_is_no_expression_leaves_it_to_guesses() -> None:
    text = "SCHEDD_SLOT_WEIGHT = max({RequestCpus\nSLOT_WEIGHT = Memory/1024\n"
    (finding,) = found(RULE, pool(slot(), access={"access1": text}))
    assert "not a ClassAd expression" in finding.message


def test_the_same_weight_on_many_access_points_is_one_finding() -> None:
    text = "SLOT_WEIGHT = Cpus + GPUs\n"
    (finding,) = found(RULE, pool(slot(), access={f"access{number}": text for number in range(4)}))
    assert finding.count == 4


@pytest.mark.parametrize(
    "text",
    [
        "SLOT_WEIGHT = Cpus\n",
        "SLOT_WEIGHT = max({Cpus, Memory/2048, Disk/100000})\n",
        "SLOT_WEIGHT = Cpus + GPUs\nSCHEDD_SLOT_WEIGHT = RequestCpus + (RequestGPUs ?: 0)\n",
        "SLOT_WEIGHT = Cpus + GPUs\nSCHEDD_USE_SLOT_WEIGHT = False\n",
    ],
)
def test_what_needs_no_guess_or_can_be_guessed_is_not(text: str) -> None:
    assert not found(RULE, pool(slot(), access={"access1": text}))
