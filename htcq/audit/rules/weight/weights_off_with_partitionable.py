"""Slot weights are off in a pool with partitionable slots."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "NEGOTIATOR_USE_SLOT_WEIGHTS"


def _find(evidence: Evidence) -> Iterator[Found]:
    kinds = evidence.partitionable
    if evidence.quotas.supply.weighted or not kinds:
        return
    count = sum(kind.count for kind in kinds)
    dynamic = sum(1 for _ in evidence.dynamic)
    yield Found(
        cause=_KNOB,
        subject=f"knob {_KNOB}",
        message=(
            f"{_KNOB} is off: each of {dynamic} dynamic slots counts 1 whatever its size, and "
            f"each of {count} partitionable slots counts its free cpus"
        ),
        facts=(knob_fact(evidence, _KNOB),),
        settings=(central(evidence, _KNOB, "True"),),
        count=count,
        examples=tuple(name for kind in kinds for name in kind.examples)[:3],
        is_root=True,
    )


RULE = Rule(
    id="weights-off-with-partitionable",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="NEGOTIATOR_USE_SLOT_WEIGHTS is off and there are partitionable slots",
    consequence=(
        "A dynamic slot of 64 cpus is charged like one of 1 cpu. The pool's size shrinks while "
        "its slots are split, and dynamic quotas shrink with it."
    ),
    advice="Use slot weights, and write quotas in the unit of SLOT_WEIGHT.",
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:count_effective_slots, "
        "Accountant.cpp:GetSlotWeight, 25.14"
    ),
    find=_find,
)
