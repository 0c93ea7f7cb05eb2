"""Jobs on hold for faults of an access point or a machine: their users can do nothing about these.

A full disk is no mistake in a submit file. The reason is a code of condor_holdcodes.h, or the errno
of the system call that failed, which HoldReasonSubCode has and HoldReason spells (HTCondor 25.14).
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Sequence

from htcq.classads import as_number
from htcq.expected.startds import Startds, host_of
from htcq.expected.unmet import (
    ERROR,
    HELD_BY_FAULTS,
    HOLD,
    LASTS,
    START,
    WARNING,
    JobKey,
    Observed,
    Unmet,
    keys_of,
    knobs_on_the_way,
    observed_knobs,
)
from htcq.htcondor.hold_codes import hold_code
from htcq.htcondor.matching import STARTD
from htcq.pool.job import HELD, Job
from htcq.pool.pool import Pool, of_startd
from htcq.units import counted
from htcq.why.factories import stuck_factories

#: Holds that are the machine's, not the job's: a hook, accounts, the container runtime.
OF_MACHINES = frozenset((19, 23, 28, 29, 30, 31, 45, 49))
#: Holds by startds and starters, which a machine makes where no job lasts on it: WANT_HOLD for what
#: no job used too much of, and an execution that fails for what is no mistake in a job's file.
_BY_STARTD, _TOO_MUCH = 21, frozenset((102, 104))
_POLICY = ("WANT_HOLD", "PREEMPT")
_NO_EXECUTION = 6
_OF_EXECUTABLES = frozenset((errno.ENOENT, errno.ENOEXEC, errno.EACCES, errno.ENOTDIR, errno.EPERM))
#: Holds by the user, by policies of job or schedd, for spooled input, and for what a job used.
_MEANT = frozenset((1, 3, 15, 16, 26, 34))
#: Errors of disks and of the operating system, whatever the job asked for, in glibc's words.
_OF_SYSTEMS = {
    errno.ENOSPC: "No space left on device",
    errno.EDQUOT: "Disk quota exceeded",
    errno.EROFS: "Read-only file system",
    errno.EIO: "Input/output error",
    errno.ESTALE: "Stale file handle",
    errno.ENOMEM: "Cannot allocate memory",
    errno.EMFILE: "Too many open files",
    errno.ENFILE: "Too many open files in system",
    errno.ENOTCONN: "Transport endpoint is not connected",
}
MACHINE = "machine "
#: Fewer may be an accident.
_SEVERAL, _NAMED = 3, 3


def held_by_faults(pool: Pool, told: Iterable[Unmet]) -> Iterator[Unmet]:
    """Yield the access points and machines whose faults put jobs on hold; not what is ``told``."""
    told, startds = tuple(told), Startds(pool)
    others = {key for each in told for key in each.jobs}
    # Where no job lasts, for whatever reason, it follows that the startd puts some on hold.
    evicting = {each.subject for each in told if each.id == LASTS}
    found: dict[tuple[str, str], list[Job]] = {}
    for job in pool.jobs or ():
        if job.status != HELD or JobKey(job.access_point, job.id) in others:
            continue
        if is_held_by_startd(job) and f"{MACHINE}{host_of(job)}" in evicting:
            continue
        code, error = as_number(job.value("HoldReasonCode")), system_error(job)
        if host_of(job) and (code in OF_MACHINES or _is_by_machine(job, startds)):
            found.setdefault((f"{MACHINE}{host_of(job)}", error), []).append(job)
        elif error and code not in _MEANT:
            found.setdefault((f"access point {job.access_point}", error), []).append(job)
    for (subject, error), jobs in found.items():
        where, knobs = subject.rpartition(" ")[2], tuple[Observed, ...]()
        if where in startds.slots and subject.startswith(MACHINE):
            slot = startds.slots[where][0]
            own = of_startd(pool.execute, slot)
            knobs = knobs_on_the_way(own, STARTD, HOLD, START, peers=pool.execute)
            if all(map(is_held_by_startd, jobs)) and own is not None:
                # The startd looks at WANT_HOLD once PREEMPT is true (ResState.cpp).
                decides = observed_knobs(own.knob(name) for name in _POLICY)
                knobs = tuple(dict.fromkeys((*decides, *knobs)))
        sure = any(as_number(job.value("HoldReasonCode")) in OF_MACHINES for job in jobs)
        if error or sure or len(jobs) >= _SEVERAL:
            yield unmet_hold(pool, subject, error, jobs, knobs)
    yield from _invalid_factories(pool)


def _invalid_factories(pool: Pool) -> Iterator[Unmet]:
    """Yield the clusters whose schedd cannot make the rest of their jobs."""
    for each in stuck_factories(pool.jobs or (), lambda job: job.access_point):
        if each.is_invalid:
            text = f"{counted(each.jobs, 'job')} of cluster {each.name} cannot be materialized"
            log = f"SchedLog of {each.access_point or 'its access point'} names"
            yield Unmet(
                HELD_BY_FAULTS, f"access point {each.access_point}", f"{text}: {each.why}",
                f"Repair what {log}, then restart the schedd: it reads the cluster's files anew.",
                (), (), each.jobs, (each.cluster,),
            )  # fmt: skip


def _is_by_machine(job: Job, startds: Startds) -> bool:
    """Return whether a machine where no job lasts put it on hold, and not for its own mistake."""
    code = as_number(job.value("HoldReasonCode"))
    subcode = as_number(job.value("HoldReasonSubCode"))
    by_starter = code == _NO_EXECUTION and subcode is not None and subcode not in _OF_EXECUTABLES
    return (is_held_by_startd(job) or by_starter) and startds.fails(host_of(job))


def is_of_job(job: Job) -> bool:
    """Return whether a machine put ``job`` on hold for what the job is, or used too much of."""
    code, subcode = (
        as_number(job.value("HoldReasonCode")),
        as_number(job.value("HoldReasonSubCode")),
    )
    if code == _NO_EXECUTION:
        return subcode in (errno.ENOENT, errno.ENOEXEC)
    return code == _BY_STARTD and subcode in _TOO_MUCH


def is_held_by_startd(job: Job) -> bool:
    """Return whether WANT_HOLD of a machine put ``job`` on hold, for what is not its own use."""
    if job.status != HELD or as_number(job.value("HoldReasonCode")) != _BY_STARTD:
        return False
    return as_number(job.value("HoldReasonSubCode")) not in _TOO_MUCH


def system_error(job: Job) -> str:
    """Return the system's words for what failed; empty where it is none of its faults."""
    subcode, reason = as_number(job.value("HoldReasonSubCode")), str(job.value("HoldReason"))
    for number, words in _OF_SYSTEMS.items():
        if subcode == number or words.lower() in reason.lower():
            return words
    return ""


def unmet_hold(
    pool: Pool, subject: str, error: str, jobs: Sequence[Job], knobs: tuple[Observed, ...]
) -> Unmet:
    """Return what puts ``jobs`` on hold: a machine or an access point, and the words for why."""
    first, where = jobs[0], subject.rpartition(" ")[2]
    hosts = {host_of(job) for job in jobs} - {""}
    code = _code_of(first)
    why = error or hold_code(as_number(first.value("HoldReasonCode"))).words
    why = f"{why} (HoldReasonCode {code})" if why else f"HoldReasonCode {code}"
    text = f"{counted(len(jobs), 'job')}, such as {pool.job_name(first)}, went on hold at {where}"
    text = f"{text}: {why}"
    if subject.startswith(MACHINE):
        text = text.replace(" at ", " on ", 1)
        logs = f"StarterLog of {where}"
    else:
        logs = f"ShadowLog of {where}"
        if len(hosts) == 1:
            text += f"; all of them were on {min(hosts)} last"
            logs += f" and StarterLog of {min(hosts)}"
    observed = [
        Observed(name, str(first.value(name)))
        for name in ("HoldReasonCode", "HoldReasonSubCode", "HoldReason")
        if isinstance(first.value(name), (int, float, str))
    ]
    mend = f"Repair what {logs} names"
    if subject.startswith(MACHINE) and all(map(is_held_by_startd, jobs)):
        mend = f"PREEMPT and WANT_HOLD of {where} are true for these jobs: correct one of them"
    return Unmet(
        HELD_BY_FAULTS, subject, text,
        f"{mend}, then condor_release of the jobs: on hold they stay for good.",
        (*observed, *knobs),
        keys_of(jobs),
        len(jobs),
        tuple(map(pool.job_name, jobs[:_NAMED])),
        ERROR if len(jobs) >= _SEVERAL else WARNING,
    )  # fmt: skip


def _code_of(job: Job) -> str:
    """Return the HoldReasonCode of a job as text."""
    code = as_number(job.value("HoldReasonCode"))
    return "undefined" if code is None else f"{code:g}"
