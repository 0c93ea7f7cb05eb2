"""An access point takes more than an hour to start the jobs that have a slot."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import DELAYED


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, DELAYED)


RULE = Rule(
    id="job-starts-delayed",
    severity=Severity.WARNING,
    needs=(Input.JOBS, Input.BALANCE),
    summary="JOB_START_DELAY makes jobs with a slot wait for more than an hour",
    consequence=(
        "The schedd starts JOB_START_COUNT jobs, then none for JOB_START_DELAY seconds. The slots "
        "of the others are claimed and stand idle, and the accountant charges their users."
    ),
    advice=(
        "A smaller JOB_START_DELAY or a larger JOB_START_COUNT of the access point, then "
        "condor_reconfig there."
    ),
    source="src/condor_schedd.V6/schedd.cpp:jobThrottle, 25.14",
    find=_find,
)
