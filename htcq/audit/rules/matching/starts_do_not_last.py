"""Jobs start on a machine, or of an access point, again and again, and none of them lasts."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.coming_back import coming_back
from htcq.expected.evicting import evicting
from htcq.expected.machines import failing_starts
from htcq.expected.preempting import preempted_again
from htcq.expected.unlike_others import unlike_others
from htcq.expected.unmet import LASTS


def _find(evidence: Evidence) -> Iterator[Found]:
    for look in (failing_starts, evicting, unlike_others, preempted_again, coming_back):
        yield from found_of(look(evidence.pool), LASTS)


RULE = Rule(
    id="starts-do-not-last",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Jobs start on a machine, or of an access point, again and again, and none lasts",
    consequence=(
        "The machine ends what it starts at once: PREEMPT is true, the wrapper of jobs fails, "
        "its directory of jobs cannot be used, its software fails where others run the same "
        "jobs, or RANK and PREEMPTION_REQUIREMENTS take turns. It looks free, so that it is "
        "matched first in each cycle, and the jobs never get anywhere. At an access point "
        "SYSTEM_PERIODIC_HOLD and _RELEASE take turns, or OnExitRemove puts back what ends."
    ),
    advice=(
        "StartLog and StarterLog of the machine say why. VacateReason of the jobs has the reason, "
        "as far as their access point was told. Until it is repaired, 'condor_drain' takes it out "
        "of the pool."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:mark_job_stopped, 25.14; docs/classad-attributes/job: "
        "NumJobStarts, NumJobCompletions, VacateReason; seen on 25.14.1"
    ),
    find=_find,
)
