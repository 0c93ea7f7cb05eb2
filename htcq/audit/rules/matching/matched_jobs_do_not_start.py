"""Jobs are matched again and again, and none of them starts: a machine or an access point fails."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.executing import unbegun
from htcq.expected.machines import failing_starts
from htcq.expected.unmet import STARTS


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of((*failing_starts(evidence.pool), *unbegun(evidence.pool)), STARTS)


RULE = Rule(
    id="matched-jobs-do-not-start",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Jobs are matched again and again and never begin to run",
    consequence=(
        "A machine that takes jobs and starts none looks free, so that it is matched first in "
        "each cycle: it takes the turns of its users' jobs, and can empty a queue into holds."
    ),
    advice=(
        "StartLog and StarterLog of the machine and ShadowLog of the access point say why. Until "
        "it is repaired, 'condor_drain' or 'condor_off -startd -peaceful -name MACHINE' takes it "
        "out of the pool."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:mark_job_stopped (LastRemoteHost), 25.14; "
        "src/condor_shadow.V6.1/remoteresource.cpp:beginExecution; "
        "docs/classad-attributes/job: NumJobMatches, NumShadowStarts, NumJobStarts"
    ),
    find=_find,
)
