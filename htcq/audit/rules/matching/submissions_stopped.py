"""An access point was busy for hours, and nothing is submitted there any more."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.submissions import submissions
from htcq.expected.unmet import STOPPED


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(submissions(evidence.pool), STOPPED)


RULE = Rule(
    id="submissions-stopped",
    severity=Severity.WARNING,
    needs=(Input.SCHEDDS,),
    summary="An access point was busy for hours, and nothing is submitted there any more",
    consequence=(
        "Its queue is empty and no job was submitted in the last 20 minutes, while other access "
        "points go on. Users may be unable to submit."
    ),
    advice=(
        "Submit a job there. Where the site has moved its users elsewhere, ignore the rule in the "
        "site file."
    ),
    source="src/condor_schedd.V6/schedd_stats.cpp, 25.14",
    find=_find,
)
