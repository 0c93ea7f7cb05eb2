"""The configuration of a node and its running startd disagree on the policy or its claims."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.nodes import Node, nodes
from htcq.audit.policies import knob_as_fact, number
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import as_number, literal
from htcq.pool.slot_class import SlotClass


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.partitionable:
        for node in nodes(evidence, kind):
            configured = node.truth("CONSUMPTION_POLICY", False)
            if configured != bool(kind.consumption):
                difference = "the configuration has no consumption policy, the slot has one"
                if configured:
                    difference = "the configuration has a consumption policy, the slot has none"
                yield _found(node, "CONSUMPTION_POLICY", difference, ())
            elif kind.supports_policy:
                yield from _claims(kind, node)


def _claims(kind: SlotClass, node: Node) -> Iterator[Found]:
    wanted = as_number(literal(node.knob("NUM_CLAIMS").value.strip()) or "")
    running = as_number(node.slot.frame.value("NumClaims"))
    if wanted is not None and running is not None and wanted != running:
        difference = (
            f"the configuration has {number(wanted)} claims, the slot has {number(running)}"
        )
        yield _found(node, "NUM_CLAIMS", difference, (Fact("NumClaims", number(running)),))


def _found(node: Node, name: str, difference: str, facts: tuple[Fact, ...]) -> Found:
    knob = node.knob(name)
    return Found(
        cause=f"{knob.name} = {knob.value}",
        subject=f"slot {node.slot.name}",
        message=f"{difference}: the change waits for a restart of the startd",
        facts=(knob_as_fact(knob), *facts),
    )


RULE = Rule(
    id="policy-change-needs-restart",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.EXECUTE),
    summary=(
        "CONSUMPTION_POLICY or NUM_CLAIMS in a node's configuration differs from its running startd"
    ),
    consequence=(
        "Both are read when the startd creates its slots. A reconfig applies new CONSUMPTION_* "
        "and SLOT_WEIGHT, but neither turns the policy on or off nor changes the number of "
        "claims."
    ),
    advice="Run condor_restart -startd on the node, after draining it.",
    source="src/condor_startd.V6/Resource.cpp:Resource::Resource, 25.14",
    find=_find,
)
