"""A job can take a fraction of a MB of memory."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fractions import fractional
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import MEMORY


def _find(evidence: Evidence) -> Iterator[Found]:
    return fractional(evidence, lambda asset: asset == MEMORY)


RULE = Rule(
    id="fractional-memory",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="ConsumptionMemory can be a fraction",
    consequence=(
        "The startd truncates memory to whole MB: the dynamic slot has slightly less than the "
        "job consumes, and the job does not fit in it. The claim is refused and the job is "
        "matched again, forever, while its user is charged. A factor such as 1.1 is enough to "
        "cause this."
    ),
    advice="Round up in the consumption expression.",
    source=(
        "src/condor_startd.V6/Resource.cpp:create_dslot, command.cpp:activate_claim, 25.14; seen "
        "on 25.14.1"
    ),
    find=_find,
)
