"""A constraint of the negotiator leaves no slot to share out."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.supply import SLOT_CONSTRAINT


def _find(evidence: Evidence) -> Iterator[Found]:
    supply = evidence.quotas.supply
    knob = supply.emptied_by
    if knob == SLOT_CONSTRAINT:
        yield _found(evidence, knob, len(evidence.slots), "the negotiator sees no slots")
    elif knob:
        nothing = "the pool weighs 0, and so do all quotas and fair shares of it"
        yield _found(evidence, knob, len(supply.slots), nothing)


def _found(evidence: Evidence, knob: str, slots: int, consequence: str) -> Found:
    return Found(
        cause=f"{knob} = {evidence.setting(knob)}",
        subject=f"knob {knob}",
        message=f"{knob} is true for none of {counted(slots, 'slot')}: {consequence}",
        facts=(knob_fact(evidence, knob),),
        settings=(central(evidence, knob, ""),),
        is_root=True,
    )


RULE = Rule(
    id="pool-constraint-matches-nothing",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.CENTRAL, Input.POOL),
    summary="NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT or NEGOTIATOR_SLOT_CONSTRAINT is true for no slot",
    consequence=(
        "The negotiator adds up the weight of the slots for which the constraint is true. If "
        "there are none, the pool weighs 0: every quota and every fair share is 0 and nothing is "
        "matched. The log has at most one warning."
    ),
    advice=(
        "Remove the constraint, or write one that is true for some slots; undefined counts as "
        "false."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:negotiationTime, 25.14",
    find=_find,
)
