"""Jobs are matched again and again, and none of them starts: a machine or an access point fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
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


def _find(evidence: Evidence) -> Iterator[Found]:
    # The user writes his job's ad: a machine where jobs run is believed, whatever the ads say.
    works = {slot.startd for slot in evidence.slots if slot.activity == _BUSY and slot.claimed}
    known = {slot.startd for slot in evidence.slots}
    machines: dict[str, _Failing] = {}
    refused: dict[str, _Failing] = {}
    for job in evidence.pool.jobs or ():
        if job.status != IDLE or job.wanted == 0:
            continue
        starts = as_number(job.starts) or 0
        shadows = as_number(job.shadow_starts) or 0
        if shadows - starts >= _OFTEN:
            machine = str(job.last_host).partition("@")[2]
            if machine in known - works:
                _add(machines, machine, job, int(shadows - starts))
        elif shadows == 0 and (as_number(job.matched) or 0) >= _OFTEN:
            _add(refused, job.access_point, job, int(as_number(job.matched) or 0))
    for machine, failing in machines.items():
        yield _found(
            f"machine {machine}",
            failing,
            f"were sent to {machine} {failing.tries} times, and none of them began to run; no "
            "other job runs there",
        )
    for access_point, failing in refused.items():
        if not _runs(evidence, access_point):
            yield _found(
                f"access point {access_point}",
                failing,
                f"of {access_point} were matched {failing.tries} times, and no claim was granted",
            )


def _runs(evidence: Evidence, access_point: str) -> bool:
    return any(job.running and job.access_point == access_point for job in evidence.pool.jobs or ())


def _add(found: dict[str, _Failing], where: str, job: Job, tries: int) -> None:
    failing = found.setdefault(where, _Failing())
    failing.jobs.append(job)
    failing.tries += tries


def _found(subject: str, failing: _Failing, what: str) -> Found:
    first = failing.jobs[0]
    return Found(
        cause=subject,
        subject=subject,
        message=f"{counted(len(failing.jobs), 'idle job')}, such as {first.id}, {what}",
        facts=(
            Fact("NumJobMatches", str(first.matched)),
            Fact("NumShadowStarts", str(first.shadow_starts)),
            Fact("NumJobStarts", str(first.starts)),
        ),
        count=len(failing.jobs),
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
