"""Of SLOT<n>_<NAME> the startd reads attributes of STARTD_ATTRS and few knobs (Resource.cpp, 25.13; seen on 25.14.1)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool, slot

RULE = "slot-knob-ignored"


@pytest.mark.parametrize("knob", ["SLOT1_RANK", "slot2_Start", "STARTD.SLOT1_CLAIM_WORKLIFE"])
def test_a_knob_of_one_slot_that_nothing_reads_is_found(knob: str) -> None:
    (finding,) = found(RULE, pool(slot(), execute={"node1": f"{knob} = 5\n"}))
    assert finding.subject == f"knob {knob}"


@pytest.mark.parametrize(
    "text",
    [
        "SLOT1_EXECUTE = /scratch",
        "SLOT1_CPU_AFFINITY = 0,1",
        "SLOT1_RANK = 5\nSTARTD_ATTRS = Rank, Kind",
        "SLOT1_RANK = 5\nSLOT1_STARTD_ATTRS = Rank",
        "SLOT_TYPE_1_RANK = 5",
        "SLOT1_RANK =",
        "SLOT1_RANK = 5\nSLOT_TYPE_1_RANK = $(SLOT1_RANK)",
        "SLOT1_OF_THE_SITE = 5",
    ],
)
def test_what_is_read_is_not(text: str) -> None:
    assert not found(RULE, pool(slot(), execute={"node1": f"{text}\n"}))
