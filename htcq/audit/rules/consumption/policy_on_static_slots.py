"""CONSUMPTION_POLICY is on for static slots, which ignore it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import node
from htcq.audit.nodes import Node, nodes
from htcq.audit.policies import knob_as_fact, on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.slot import STATIC
from htcq.pool.slot_class import SlotClass


def _find(evidence: Evidence) -> Iterator[Found]:
    # A general knob on a machine that has a partitionable slot too is meant for that one.
    divided = {slot.machine for kind in evidence.partitionable for slot in kind.slots}
    for kind in evidence.slot_classes_of_type(STATIC):
        on: dict[str, list[Node]] = {}
        for each in nodes(evidence, kind):
            meant = _typed(each) or each.slot.machine not in divided
            if meant and each.truth("CONSUMPTION_POLICY", False):
                knob = each.knob("CONSUMPTION_POLICY")
                on.setdefault(f"{knob.name} = {knob.value}", []).append(each)
        for cause, found in on.items():
            yield _found(evidence, kind, cause, found)


def _found(evidence: Evidence, kind: SlotClass, cause: str, found: list[Node]) -> Found:
    machines = {each.slot.machine for each in found}
    knob = found[0].knob("CONSUMPTION_POLICY")
    return on_slots(
        kind,
        cause=cause,
        message=(
            f"{knob.name} is on, but the slot is static: the startd silently ignores the policy"
        ),
        facts=(knob_as_fact(knob), Fact("SlotType", kind.type)),
        settings=_partitionable(evidence, found),
        slots=[slot for slot in kind.slots if slot.machine in machines],
    )


def _partitionable(evidence: Evidence, found: list[Node]) -> tuple[Setting, ...]:
    return tuple(
        node(evidence, str(each.slot.machine), f"SLOT_TYPE_{each.slot_type}_PARTITIONABLE", "True")
        for each in found
        if each.slot_type
    )


def _typed(each: Node) -> bool:
    return f"SLOT_TYPE_{each.slot_type}_CONSUMPTION_POLICY" in each.configuration


RULE = Rule(
    id="policy-on-static-slots",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.EXECUTE),
    summary="CONSUMPTION_POLICY is on for static slots, where it has no effect",
    consequence=(
        "Only partitionable slots can have a consumption policy. A static slot is matched, "
        "claimed and charged as a whole, whatever CONSUMPTION_* says."
    ),
    advice=(
        "Make the slot type partitionable and restart the startd, or remove CONSUMPTION_POLICY "
        "from it."
    ),
    source="src/condor_startd.V6/Resource.cpp:Resource::Resource, 25.14",
    find=_find,
)
