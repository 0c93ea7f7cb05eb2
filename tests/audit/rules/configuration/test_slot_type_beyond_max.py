"""Valid slot types are 0 to MAX_SLOT_TYPES, which is 10 unless set (ResMgr.cpp, 25.14)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, lines, pool, slot

RULE = "slot-type-beyond-max"


@pytest.mark.parametrize(
    "knob",
    ["SLOT_TYPE_11", "NUM_SLOTS_TYPE_11", "SLOT_TYPE_11_PARTITIONABLE", "STARTD.NUM_SLOTS_TYPE_11"],
)
def test_a_slot_type_beyond_the_last_is_found(knob: str) -> None:
    (finding,) = found(RULE, pool(slot(), execute={"node1": f"{knob} = 1\n"}))
    assert (finding.subject, lines(finding)) == ("slot type 11", ["MAX_SLOT_TYPES = 11"])


def test_all_knobs_of_a_type_are_one_finding_for_all_machines() -> None:
    text = "MAX_SLOT_TYPES = 2\nSLOT_TYPE_3 = 100%\nNUM_SLOTS_TYPE_3 = 1\n"
    (finding,) = found(RULE, pool(slot(), execute={"node1": text, "node2": text}))
    assert finding.count == 2
    assert [fact.attribute for fact in finding.evidence] == ["SLOT_TYPE_3", "NUM_SLOTS_TYPE_3"]


@pytest.mark.parametrize(
    "text", ["SLOT_TYPE_10 = 100%", "MAX_SLOT_TYPES = 20\nSLOT_TYPE_20 = 1", "MY_SLOT_TYPE_99 = 1"]
)
def test_slot_types_up_to_the_last_are_not(text: str) -> None:
    assert not found(RULE, pool(slot(), execute={"node1": f"{text}\n"}))
