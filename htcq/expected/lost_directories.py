"""Access points where every job that runs goes on hold for the files of the access point.

A directory that was purged, or that users may no longer write to, is the same for each of them:
output that the shadow cannot write (TransferOutputError), an initial directory that it cannot enter
(IwdError, src/condor_shadow.V6.1/baseshadow.cpp), a log that it cannot open (UnableToInitUserLog).
The subcode is the errno of the call that failed (condor_holdcodes.h, HTCondor 25.14; seen on
25.14.1). Where other jobs of the access point run or complete, each is its user's mistake.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator

from htcq.classads import as_number
from htcq.expected.held import system_error
from htcq.expected.settled import since_first
from htcq.expected.unmet import ERROR, HELD_BY_FAULTS, WARNING, Observed, Unmet, keys_of
from htcq.pool.job import HELD, Job
from htcq.pool.pool import Pool
from htcq.poolquota.ailment import ObservedPool
from htcq.units import counted, listed

_OUTPUT, _INPUT, _DIRECTORY, _LOG = 12, 13, 14, 22
_WHAT = {
    _OUTPUT: "output of {} cannot be written", _INPUT: "input of {} cannot be sent",
    _DIRECTORY: "initial directory of {} cannot be entered", _LOG: "log of {} cannot be opened",
}  # fmt: skip
#: Fewer may be an accident.
_SEVERAL, _NAMED = 3, 3
#: Jobs that were left on hold for longer tell nothing of today.
_DAY = 86400


def lost_directories(pool: Pool) -> Iterator[Unmet]:
    """Yield the access points whose jobs all went on hold for its own files."""
    now = ObservedPool(pool).now
    completed = {each.name: each.number("RecentJobsCompleted") for each in pool.schedds}
    ran: dict[str, list[Job]] = {}
    for job in pool.jobs or ():
        if as_number(job.shadow_starts):
            ran.setdefault(job.access_point, []).append(job)
    for name, jobs in ran.items():
        # Where the schedd does not say, other jobs may have completed.
        if len(jobs) < _SEVERAL or completed.get(name) != 0 or not all(map(_is_of_files, jobs)):
            continue
        last = max(float(as_number(job.status_since) or 0) for job in jobs)
        if any(map(_is_certain, jobs)) and (now is None or not last or now - last < _DAY):
            yield _unmet(pool, name, jobs)


def _code(job: Job) -> int:
    return int(as_number(job.value("HoldReasonCode")) or 0)


def _is_of_files(job: Job) -> bool:
    # A full disk, say, is told as that.
    return job.status == HELD and _code(job) in _WHAT and not system_error(job)


def _is_certain(job: Job) -> bool:
    """Return whether it is the access point that failed: no output is what a job did not write."""
    subcode = as_number(job.value("HoldReasonSubCode"))
    if _code(job) == _OUTPUT:
        return subcode is not None and subcode > 0 and subcode != errno.ENOENT
    return _code(job) in (_DIRECTORY, _LOG)


def _unmet(pool: Pool, name: str, jobs: list[Job]) -> Unmet:
    kinds: dict[int, list[Job]] = {}
    for job in jobs:
        kinds.setdefault(_code(job), []).append(job)
    why = listed(
        f"the {_WHAT[code].format(len(of_it))} (HoldReasonCode {code})"
        for code, of_it in kinds.items()
    )
    when = since_first(job.status_since for job in jobs)
    owners = {str(job.user) for job in jobs}
    observed = [
        Observed(attribute, str(value))
        for attribute in ("HoldReasonCode", "HoldReasonSubCode", "Iwd", "HoldReason")
        if isinstance(value := jobs[0].value(attribute), (int, float, str))
    ]
    return Unmet(
        HELD_BY_FAULTS,
        f"access point {name}",
        f"{counted(len(jobs), 'job')} of {name}, such as {pool.job_name(jobs[0])}, went on hold"
        f"{when}, all of its jobs that had a slot: {why}",
        f"The directories of {listed(sorted(owners))} at {name}, which 'condor_q -hold' names: the "
        "file system, its mount and who may write there; then condor_release of the jobs.",
        tuple(observed),
        keys_of(jobs),
        len(jobs),
        tuple(job.id for job in jobs[:_NAMED]),
        # One user may have removed his own directory.
        ERROR if len(owners) > 1 else WARNING,
    )
