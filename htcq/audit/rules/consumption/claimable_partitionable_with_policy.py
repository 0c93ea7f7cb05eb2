"""Access points claim partitionable slots as such, which slots with a consumption policy refuse."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import access
from htcq.audit.nodes import effective, nodes
from htcq.audit.policies import knob_as_fact, on_slots
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS"


def _find(evidence: Evidence) -> Iterator[Found]:
    every = [each for each in evidence.access.items() if each[1].truth(_KNOB, False)]
    if not every:
        return
    asking = every[0]
    settings = access(evidence, _KNOB, "False", [name for name, _ in every])
    for kind in evidence.with_policy:
        for node in nodes(evidence, kind):
            if node.configuration.truth(_KNOB, False):
                yield on_slots(
                    kind,
                    cause=_KNOB,
                    message=(
                        f"{_KNOB} is on here and at access point {asking[0]}: each request to "
                        "claim the whole slot is refused"
                    ),
                    settings=settings,
                    facts=(
                        knob_as_fact(effective(node.configuration, _KNOB)),
                        knob_as_fact(effective(asking[1], _KNOB)),
                    ),
                )
                break


RULE = Rule(
    id="claimable-partitionable-with-policy",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.ACCESS, Input.EXECUTE),
    summary=(
        "ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS is on at access points and at nodes with a "
        "consumption policy"
    ),
    consequence=(
        "Access points then request the whole partitionable slot, which a slot with a "
        "consumption policy refuses: no claim is ever made, but users are charged for the "
        "matches."
    ),
    advice="Turn it off at the access points: without it they claim dynamic slots only.",
    source="src/condor_startd.V6/command.cpp:request_claim, 25.14; seen on 25.14.1",
    find=_find,
)
