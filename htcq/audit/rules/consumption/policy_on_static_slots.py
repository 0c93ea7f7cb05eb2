"""CONSUMPTION_POLICY is on for static slots, which ignore it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.nodes import Node, nodes
from htcq.audit.policies import knob_as_fact
from htcq.audit.rule import Fact, Found, Need, Rule, Severity
from htcq.pool.slot import STATIC


def _find(evidence: Evidence) -> Iterator[Found]:
    # A general knob on a machine that has a partitionable slot too is meant for that one.
    divided = {slot.machine for kind in evidence.partitionable for slot in kind.slots}
    for kind in evidence.kinds_of_type(STATIC):
        count = Counter(slot.machine for slot in kind.slots)
        for node in nodes(evidence, kind):
            typed = _typed(node)
            if node.truth("CONSUMPTION_POLICY", False) and (typed or node.slot.machine not in divided):
                knob = node.knob("CONSUMPTION_POLICY")
                yield Found(
                    cause=f"{knob.name} = {knob.value}",
                    subject=f"slot {node.slot.name}",
                    message=f"{knob.name} is on, but the slot is static: the startd ignores the policy without a word",
                    facts=(knob_as_fact(knob), Fact("SlotType", kind.type)),
                    fix=f"SLOT_TYPE_{node.slot_type}_PARTITIONABLE = True" if node.slot_type else "",
                    count=count[node.slot.machine],
                    examples=tuple(str(slot.name) for slot in kind.slots if slot.machine == node.slot.machine)[:3],
                )


def _typed(node: Node) -> bool:
    return f"SLOT_TYPE_{node.slot_type}_CONSUMPTION_POLICY" in node.configuration


RULE = Rule(
    id="policy-on-static-slots",
    severity=Severity.WARNING,
    needs=(Need.SLOTS, Need.EXECUTE),
    summary="CONSUMPTION_POLICY is on for static slots, which have none",
    consequence=(
        "Only partitionable slots can have a consumption policy. A static slot is matched, handed out and charged as a "
        "whole, whatever CONSUMPTION_* says."
    ),
    fix="Make the slot type partitionable, or take CONSUMPTION_POLICY away from it.",
    source="src/condor_startd.V6/Resource.cpp:Resource::Resource, 25.14",
    find=_find,
)
