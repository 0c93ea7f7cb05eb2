"""Jobs are submitted at an access point, and none of them is in its queue or has run."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.submissions import submissions
from htcq.expected.unmet import VANISH


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(submissions(evidence.pool), VANISH)


RULE = Rule(
    id="submitted-jobs-vanish",
    severity=Severity.ERROR,
    needs=(Input.SCHEDDS,),
    summary=("Jobs are submitted at an access point, and none of them is in its queue or has run"),
    consequence=(
        "The schedd refuses each submission (a submit requirement, a transform, a user map whose "
        "file is missing), or takes the jobs away at once (SYSTEM_PERIODIC_REMOVE). Its users see "
        "an error or nothing; the pool only looks idle."
    ),
    advice=(
        "condor_submit on that access point and its SchedLog say which requirement is not met. "
        "Where no such knob is set, users may have removed their jobs: that is information."
    ),
    source=(
        "src/condor_schedd.V6/qmgmt.cpp:GetJobQueuedCount, NewProc, checkSubmitRequirements, "
        "25.14; seen on 25.14.1"
    ),
    find=_find,
)
