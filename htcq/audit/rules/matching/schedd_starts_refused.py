"""A schedd refuses to start jobs of the scheduler or local universe, or tries in vain."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import SCHEDD_REFUSES


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, SCHEDD_REFUSES)


RULE = Rule(
    id="schedd-starts-refused",
    severity=Severity.ERROR,
    needs=(Input.JOBS, Input.BALANCE),
    summary="A schedd refuses to start jobs of the scheduler or local universe, or tries in vain",
    consequence=(
        "The schedd starts these jobs itself, condor_dagman among them: no free slot helps them. "
        "It is a warning where such jobs run, and information where the knob has HTCondor's "
        "default: a limit does what it is for."
    ),
    advice=(
        "START_SCHEDULER_UNIVERSE, START_LOCAL_UNIVERSE or MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER "
        "of the access point, then condor_reconfig there. Where it tries in vain its SchedLog says "
        "why; STARTER_LOCAL starts jobs of the local universe."
    ),
    source=("src/condor_schedd.V6/schedd.cpp:IsLocalJobEligibleToRun, AddRunnableLocalJobs, 25.14"),
    find=_find,
)
