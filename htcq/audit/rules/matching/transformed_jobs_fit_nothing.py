"""A transform changes all jobs of an access point so that they fit no slot."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import MATCHLESS


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, MATCHLESS)


RULE = Rule(
    id="transformed-jobs-fit-nothing",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS, Input.ACCESS, Input.BALANCE),
    summary="A transform or a default request makes all jobs of an access point fit no slot",
    consequence=(
        "Whoever submits there waits for ever: the schedd, or condor_submit with "
        "JOB_DEFAULT_REQUESTMEMORY, writes Requirements or requests into each job that no slot "
        "meets, even an empty one."
    ),
    advice=(
        "Correct the transform or the default. Jobs that are in the queue keep what it wrote: "
        "condor_qedit, or "
        "submit them again."
    ),
    source="src/condor_schedd.V6/job_transforms.cpp:transformJob, 25.14; seen on 25.14.1",
    find=_find,
)
