"""Jobs start on a machine again and again, and none of them lasts."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.evicting import evicting
from htcq.expected.in_vain import in_vain
from htcq.expected.machines import failing_starts
from htcq.expected.preempting import preempted_again
from htcq.expected.unlike_others import unlike_others
from htcq.expected.unmet import LASTS


def _find(evidence: Evidence) -> Iterator[Found]:
    pool = evidence.pool
    failing = tuple(failing_starts(pool))
    found = (
        *failing, *in_vain(pool), *evicting(pool, failing), *unlike_others(pool, failing),
        *preempted_again(pool),
    )  # fmt: skip
    yield from found_of(found, LASTS)


RULE = Rule(
    id="starts-do-not-last",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Jobs start again and again, of an access point or on a machine, and none lasts",
    consequence=(
        "The machine ends what it starts at once: PREEMPT is true, the wrapper of jobs fails, "
        "its directory of jobs cannot be used, its software fails where others run the same "
        "jobs, or RANK and PREEMPTION_REQUIREMENTS take turns. It looks free, so that it is "
        "matched first in each cycle, and the jobs never get anywhere. Or the access point ends "
        "each run itself: SYSTEM_PERIODIC_HOLD and _RELEASE, or a transform of OnExitRemove."
    ),
    advice=(
        "StartLog and StarterLog of the machine say why. VacateReason of the jobs has the reason, "
        "as far as their access point was told. Until it is repaired, 'condor_drain' takes it out "
        "of the pool."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:mark_job_stopped, 25.14; docs/classad-attributes/job: "
        "NumJobStarts, NumJobCompletions, VacateReason; jobExitCode; seen on 25.14.1"
    ),
    find=_find,
)
