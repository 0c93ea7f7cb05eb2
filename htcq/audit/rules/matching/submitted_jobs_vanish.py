"""Jobs are submitted at an access point, and its schedd refuses or removes all of them."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.removed import removed_by_policy
from htcq.expected.submissions import submissions
from htcq.expected.unmet import VANISH


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(submissions(evidence.pool), VANISH)
    yield from found_of(removed_by_policy(evidence.pool), VANISH)


RULE = Rule(
    id="submitted-jobs-vanish",
    severity=Severity.ERROR,
    needs=(Input.SCHEDDS,),
    summary="Jobs are submitted at an access point, and its schedd refuses or removes all of them",
    consequence=(
        "The schedd refuses each submission (a submit requirement, a transform, a user map whose "
        "file is missing), or removes the jobs before they have had time to run "
        "(SYSTEM_PERIODIC_REMOVE). Its users see an error or nothing; the pool only looks idle."
    ),
    advice=(
        "condor_submit on that access point and its SchedLog say which requirement is not met, "
        "RemoveReason in its condor_history which expression removed a job. "
        "Where no such knob is set, users may have removed their jobs: that is information."
    ),
    source=(
        "src/condor_schedd.V6/qmgmt.cpp:GetJobQueuedCount, NewProc, checkSubmitRequirements, "
        "schedd.cpp:jobExitCode, 25.14; seen on 25.14.1"
    ),
    find=_find,
)
