"""Jobs are matched again and again, and none of them starts: a machine or an access point fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.classads import as_number
from htcq.pool.job import IDLE, Job

#: A start that fails once or twice may be an accident of the network.
_OFTEN = 3
_BUSY = "Busy"


@dataclass
class _Failing:
    """Jobs that did not start on one machine, or of one access point, and how often they tried."""

    jobs: list[Job] = field(default_factory=list)
    tries: int = 0


#: By what failed: the machines, and the access points of jobs whose claims or shadows failed.
_MACHINE, _CLAIM, _SHADOW = "machine", "claim", "shadow"


def _find(evidence: Evidence) -> Iterator[Found]:
    # The user writes his job's ad: a machine where jobs run is believed, whatever the ads say.
    works = {slot.startd for slot in evidence.slots if slot.activity == _BUSY and slot.claimed}
    idle = {slot.startd for slot in evidence.slots} - works
    for (what, where), failing in _failing(evidence).items():
        tries = f"{failing.tries} times"
        if what == _MACHINE and where in idle:
            text = (
                f"were sent to {where} {tries}, and none of them began to run; no other job runs "
                "there"
            )
            yield _found(f"machine {where}", failing, text)
        elif what != _MACHINE and not _runs(evidence, where):
            text = f"of {where} were matched {tries}, and no claim was granted"
            if what == _SHADOW:
                text = f"of {where} were matched {tries}, and their shadows never reached a machine"
            yield _found(f"access point {where}", failing, text)


def _failing(evidence: Evidence) -> dict[tuple[str, str], _Failing]:
    """Return the jobs that were matched often and did not start, by what failed and where."""
    found: dict[tuple[str, str], _Failing] = {}
    for job in evidence.pool.jobs or ():
        is_idle = job.status == IDLE and job.wanted > 0
        if not (is_idle or job.running):
            continue
        shadows = as_number(job.shadow_starts) or 0
        tries = shadows - (as_number(job.starts) or 0)
        where = (_SHADOW, job.access_point)
        if isinstance(job.last_host, str):
            where = (_MACHINE, job.last_host.partition("@")[2])
        if is_idle and shadows == 0:
            tries = as_number(job.matched) or 0
            where = (_CLAIM, job.access_point)
        if tries >= _OFTEN:
            failing = found.setdefault(where, _Failing())
            failing.jobs.append(job)
            failing.tries += int(tries)
    return found


def _runs(evidence: Evidence, access_point: str) -> bool:
    """Return whether a job of the access point has begun to run, and runs."""
    return any(
        job.running and as_number(job.starts) and job.access_point == access_point
        for job in evidence.pool.jobs or ()
    )


def _found(subject: str, failing: _Failing, what: str) -> Found:
    first = failing.jobs[0]
    return Found(
        cause=subject,
        subject=subject,
        message=f"{counted(len(failing.jobs), 'waiting job')}, such as {first.id}, {what}",
        facts=(
            Fact("NumJobMatches", str(first.matched)),
            Fact("NumShadowStarts", str(first.shadow_starts)),
            Fact("NumJobStarts", str(first.starts)),
        ),
        count=len(failing.jobs),
        harm=Harm(jobs=len(failing.jobs)),
        examples=tuple(job.id for job in failing.jobs[:3]),
    )


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
        "docs/classad-attributes/job: NumJobMatches, NumShadowStarts, NumJobStarts"
    ),
    find=_find,
)
