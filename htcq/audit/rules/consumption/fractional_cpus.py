"""A job can take a fraction of a cpu."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fractions import fractional
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import CPUS


def _find(evidence: Evidence) -> Iterator[Found]:
    return fractional(evidence, lambda asset: asset == CPUS)


RULE = Rule(
    id="fractional-cpus",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="ConsumptionCpus can be a fraction",
    consequence=(
        "The startd carves whole cpus only. The negotiator deducts 1.5, the dynamic slot has 1, "
        "and 1.5 does not fit in it: the claim is refused and the job is matched again, forever, "
        "while its user is charged. With fractions below 1 the negotiator matches more jobs than "
        "the startd can start; each of them gets a whole cpu."
    ),
    advice="Round up in the consumption expression.",
    source=(
        "src/condor_startd.V6/Resource.cpp:create_dslot, command.cpp:activate_claim, 25.14; 0.5 "
        "and 1.5 seen on 25.14.1"
    ),
    find=_find,
)
