"""Jobs that the schedd leaves to another manager, at an access point where none is.

A schedd starts no job with Managed = "External" (jobExternallyManaged of
src/condor_schedd.V6/schedd.cpp). The job router writes that and, within a moment, RoutedToJobId;
'condor_q -export' writes it with ManagedManager = "Lumberjack". Each takes it back at the end,
unless it is switched off before (HTCondor 25.14; seen on 25.14.1, and the cure tried).
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import UNDEFINED, as_number
from htcq.expected.settled import is_over, settled_before
from htcq.expected.unmet import MISSING, WARNING, Observed, Unmet, keys_of, observed_knobs
from htcq.pool.job import IDLE, UNMATCHED_UNIVERSES, Job
from htcq.pool.pool import Pool
from htcq.units import CPUS, amount_of, counted

_MANAGER, _ROUTED = "ManagedManager", "RoutedToJobId"
#: Exports a queue on purpose.
_EXPORT = "Lumberjack"
_DAEMONS, _ROUTER = "DAEMON_LIST", "ROUTER"
_NAMED = 3


def unmanaged(pool: Pool) -> Iterator[Unmet]:
    """Yield the access points whose idle jobs wait for another manager that is not there."""
    moment = settled_before(pool)
    waiting: dict[str, list[Job]] = {}
    for job in pool.jobs or ():
        if moment is None or not job.managed_externally or job.status != IDLE:
            continue
        if job.universe in UNMATCHED_UNIVERSES or job.value(_ROUTED) is not UNDEFINED:
            continue
        if job.value(_MANAGER) != _EXPORT and is_over(moment, job.queued_at, job.status_since):
            waiting.setdefault(job.access_point, []).append(job)
    for name, jobs in waiting.items():
        # Who else may manage jobs there is not known without its own configuration.
        daemons = pool.access[name].knob(_DAEMONS) if name in pool.access else None
        if daemons is not None and _ROUTER not in daemons.value.upper():
            yield _unmet(pool, name, jobs, observed_knobs([daemons]))


def _unmet(pool: Pool, name: str, jobs: list[Job], knobs: tuple[Observed, ...]) -> Unmet:
    manager = jobs[0].value(_MANAGER)
    by = f" (ManagedManager: {manager})" if isinstance(manager, str) and manager else ""
    have = "has" if len(jobs) == 1 else "have"
    cores = sum(as_number(job.frame.value("RequestCpus")) or 0 for job in jobs)
    return Unmet(
        MISSING,
        f"access point {name}",
        f"{counted(len(jobs), 'idle job')} of {name}, such as {pool.job_name(jobs[0])}, "
        f'with {amount_of(CPUS, cores)} requested, {have} Managed = "External"{by}: the schedd '
        f"offers them to nobody, none was routed, and {name} runs no job router",
        f"The job router of {name}, if one should start them; otherwise condor_qedit -name {name} "
        """-constraint 'Managed == "External"' Managed '"Schedd"', then condor_hold and """
        "condor_release, so that the schedd looks at them anew.",
        (Observed("Managed", "External"), *knobs),
        keys_of(jobs),
        len(jobs),
        tuple(job.id for job in jobs[:_NAMED]),
        # Users may change the ads of their own jobs.
        WARNING,
    )
