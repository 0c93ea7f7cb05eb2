"""Which jobs somebody asks about: a job, a cluster, a submitter, a group, or all idle ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence

from htcq.errors import InputError
from htcq.negotiate.groups import PoolQuotas
from htcq.pool.job import HELD, IDLE, Job
from htcq.pool.pool import Pool
from htcq.quota.tree import ROOT, assigned_group, name_key

_JOB = re.compile(r"[0-9]+(\.[0-9]+)?\Z")
_AccessPointOf = Callable[[Job], str]


def all_idle(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Return every idle job."""
    return tuple(job for job in jobs if job.status == IDLE)


def jobs_of(pool: Pool, quotas: PoolQuotas, who: str) -> tuple[Job, ...]:
    """Return the jobs that ``who`` names: ``CLUSTER.PROC``, ``CLUSTER``, a submitter, or a group.

    Of a submitter or a group those that wait: idle or on hold, or all where none does.

    Raises:
        InputError: there are none, with the near name.
    """
    jobs = pool.jobs or ()
    if _JOB.match(who):
        found = [job for job in jobs if who in (job.id, str(job.cluster))]
        if not found:
            raise InputError(f"there is no job {who}", _unknown_job(pool))
        return tuple(found)
    found = [job for job in jobs if who.lower() in _spellings(job)]
    if not found:
        found = _of_group(jobs, quotas, who)
    if not found:
        raise InputError(f"no job belongs to '{who}'", _near(jobs, quotas, who))
    return tuple(job for job in found if job.status in (IDLE, HELD)) or tuple(found)


def at_access_point(jobs: Sequence[Job], name: str, of: _AccessPointOf, known: Iterable[str]) -> tuple[Job, ...]:
    """Return those of ``jobs`` that wait at the access point ``name``; all where it is empty.

    Raises:
        InputError: no job waits there.
    """
    if not name:
        return tuple(jobs)
    found = tuple(job for job in jobs if of(job).lower() == name.lower())
    if not found:
        names = sorted({*known, *map(of, jobs)} - {""})
        hint = f"the access points are {', '.join(names)}" if names else "the pool names no access point"
        raise InputError(f"none of these jobs waits at the access point '{name}'", hint)
    return found


def _of_group(jobs: Iterable[Job], quotas: PoolQuotas, who: str) -> list[Job]:
    """Return the jobs of the group of that name and of all below it."""
    group = next((each.name for each in quotas.tree.groups if name_key(each.name) == name_key(who)), None)
    if group is None:
        return []
    below = set(quotas.subtree(group)) if group != ROOT else {ROOT}
    groups: dict[str, bool] = {}
    for job in jobs:
        if job.submitter not in groups:
            groups[job.submitter] = assigned_group(quotas.tree, job.submitter).group in below
    return [job for job in jobs if groups[job.submitter]]


def _spellings(job: Job) -> tuple[str, str]:
    """Return the submitter of ``job`` with and without its domain, in lower case."""
    name = job.submitter.lower()
    return name, name.rpartition("@")[0]


def _unknown_job(pool: Pool) -> str:
    silent = [what for what, _ in pool.failed if "jobs" in what]
    if silent:
        return f"not all access points answered: {', '.join(silent)}"
    return "it may have left the queue since the pool was captured, or may not have come to it yet (max_idle)"


def _near(jobs: Iterable[Job], quotas: PoolQuotas, who: str) -> str:
    known = {name: job.submitter for job in jobs for name in _spellings(job)}
    known.update((group.name.lower(), group.name) for group in quotas.tree.groups)
    near = difflib.get_close_matches(who.lower(), known, 1)
    return f"did you mean {known[near[0]]}?" if near else "give a job's id, a submitter or a group"
