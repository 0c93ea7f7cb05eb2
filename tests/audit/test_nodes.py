"""Knobs of slot types, and what a startd makes of a request (Resource.cpp, 25.14)."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.audit.nodes import Node, modifications, nodes
from tests.audit.sites import dynamic_slot, job, policy_slot, pool, slot


def _node(text: str, **changes: str | int) -> Node:
    evidence = Evidence(pool(slot(**changes), execute={"node1": text}))
    (node,) = nodes(evidence, evidence.slot_classes[0])
    return node


def test_the_slot_types_knob_comes_before_the_general_one() -> None:
    node = _node("SLOT_WEIGHT = Cpus\nSLOT_TYPE_1_SLOT_WEIGHT = Memory\nNUM_CLAIMS = 3\n")
    assert (node.knob("SLOT_WEIGHT").name, node.knob("SLOT_WEIGHT").value) == (
        "SLOT_TYPE_1_SLOT_WEIGHT",
        "Memory",
    )
    assert node.knob("NUM_CLAIMS").value == "3"


def test_htcondors_default_is_the_last_resort() -> None:
    node = _node("NUM_CPUS = 8\n")
    assert node.knob("SLOT_WEIGHT").value == "Cpus"
    assert node.knob("NUM_CLAIMS").value == ""
    assert node.expression("NUM_CLAIMS") is None


def test_a_truth_value_of_the_slot_type_that_is_none_does_not_count() -> None:
    general = "CONSUMPTION_POLICY = True\nSLOT_TYPE_1_CONSUMPTION_POLICY = "
    assert _node(f"{general}perhaps\n").truth("CONSUMPTION_POLICY", False)
    assert not _node(f"{general}1 > 2\n").truth("CONSUMPTION_POLICY", True)


def test_a_dynamic_slot_has_its_parents_type() -> None:
    evidence = Evidence(
        pool(dynamic_slot(SlotTypeID=-2), execute={"node1": "SLOT_TYPE_2_NUM_CLAIMS = 5\n"})
    )
    (node,) = nodes(evidence, evidence.slot_classes[0])
    assert node.knob("NUM_CLAIMS").value == "5"


def test_a_machine_counts_once_for_each_slot_type() -> None:
    slots = [slot("slot1@node1"), slot("slot2@node1"), slot("slot1@node2"), slot("slot1@node3")]
    evidence = Evidence(pool(*slots, execute={"node1": "A = 1\n", "node2": "A = 1\n"}))
    assert [node.slot.name for node in nodes(evidence, evidence.slot_classes[0])] == [
        "slot1@node1",
        "slot1@node2",
    ]


def test_requests_are_rounded_as_htcondor_does_by_default() -> None:
    """RequestMemory 100 became 128 on 25.14.1."""
    evidence = Evidence(pool(policy_slot(), jobs=[job(RequestMemory=100, RequestDisk=1025)]))
    (kind,) = evidence.slot_classes
    (assumed,) = modifications(evidence, kind)
    assert assumed.changed(kind, evidence.trials.own(kind)[0]) == {
        "RequestMemory": 128,
        "RequestDisk": 2048,
    }
    assert not list(modifications(evidence, kind, assumed=False))


def test_a_knob_that_is_no_number_leaves_the_request_alone() -> None:
    text = "".join(
        f"MODIFY_REQUEST_EXPR_REQUEST{asset} = UNDEFINED\n" for asset in ("CPUS", "MEMORY", "DISK")
    )
    evidence = Evidence(pool(policy_slot(), jobs=[job(RequestMemory=100)], execute={"node1": text}))
    (kind,) = evidence.slot_classes
    (known,) = modifications(evidence, kind)
    assert known.changed(kind, evidence.trials.own(kind)[0]) == {}
