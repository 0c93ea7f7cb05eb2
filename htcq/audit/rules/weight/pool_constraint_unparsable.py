"""A constraint of the negotiator is no ClassAd expression."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.classads import parsed
from htcq.poolquota.supply import OLD_POOLSIZE_CONSTRAINT, POOLSIZE_CONSTRAINT, SLOT_CONSTRAINT


def _find(evidence: Evidence) -> Iterator[Found]:
    pool_size = OLD_POOLSIZE_CONSTRAINT
    if evidence.setting(POOLSIZE_CONSTRAINT):
        pool_size = POOLSIZE_CONSTRAINT
    if not _parses(evidence.setting(pool_size)):
        yield _found(evidence, pool_size, "the negotiator ignores it and counts every slot", None)
    if not _parses(evidence.setting(SLOT_CONSTRAINT)):
        yield _found(
            evidence, SLOT_CONSTRAINT, "the negotiator exits as soon as it reads it", Severity.ERROR
        )


def _parses(text: str) -> bool:
    return not text.strip() or parsed(text) is not None


def _found(evidence: Evidence, knob: str, consequence: str, severity: Severity | None) -> Found:
    return Found(
        cause=knob,
        subject=f"knob {knob}",
        message=f"{knob} is not a ClassAd expression: {consequence}",
        facts=(knob_fact(evidence, knob),),
        settings=(central(evidence, knob, ""),),
        severity=severity,
    )


RULE = Rule(
    id="pool-constraint-unparsable",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary=(
        "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT or NEGOTIATOR_SLOT_CONSTRAINT is not a ClassAd "
        "expression"
    ),
    consequence=(
        "A pool-size constraint that does not parse is ignored with one line in the log, and "
        "quotas are shares of all slots. A slot constraint that does not parse makes the "
        "negotiator crash at every start."
    ),
    advice="Remove the constraint until it parses; check brackets and quotes.",
    source="src/condor_negotiator.V6/matchmaker.cpp:reinitialize, 25.14",
    find=_find,
)
