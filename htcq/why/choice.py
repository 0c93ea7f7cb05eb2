"""Which jobs somebody asks about: a job, a cluster, a submitter, a group, or all idle ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from htcq.classads import UNDEFINED
from htcq.errors import InputError, PoolError
from htcq.pool.job import HELD, IDLE, Job
from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments
from htcq.poolquota.partial_queues import PARTIAL
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, assigned_group, name_key
from htcq.spelling import meant, near_names
from htcq.units import whole_number
from htcq.why.state import is_to_come

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
        PoolError: none is known, and not all access points answered.
    """
    jobs = pool.jobs or ()
    if _JOB.match(who):
        found = _of_id(jobs, who)
        if not found:
            raise _unknown_job(pool, who)
        return tuple(found)
    found = [job for job in jobs if who.lower() in _spellings(job)]
    if not found:
        found = _of_group(jobs, quotas, who)
    if not found:
        _check_answers(pool, f"no job of '{who}' is known")
        raise InputError(f"no job belongs to '{who}'", _near(jobs, quotas, who))
    return tuple(job for job in found if job.status in (IDLE, HELD)) or tuple(found)


def access_point_in(who: str) -> tuple[str, str]:
    """Return the access point and the job that ``who`` names as ``ACCESS_POINT#JOB``.

    The access point is empty where it names none.
    """
    schedd, mark, job = who.rpartition("#")
    return (schedd, job) if mark and _JOB.match(job) else ("", who)


def several_access_points(jobs: Sequence[Job], who: str, of: _AccessPointOf) -> str:
    """Return how to choose among access points that all have the job ``who``; empty where one has.

    A submitter or a group has jobs at several of them as a rule.
    """
    names = sorted({of(job) for job in jobs} - {""})
    if len(names) < 2 or not _JOB.match(who):
        return ""
    return (
        f"{len(names)} access points have a job {who}; "
        f"{' or '.join(f'{name}#{who}' for name in names)} names one"
    )


def at_access_point(
    jobs: Sequence[Job], name: str, of: _AccessPointOf, pool: Pool
) -> tuple[Job, ...]:
    """Return those of ``jobs`` that wait at the access point ``name``; all where it is empty.

    Raises:
        InputError: no job waits there.
        PoolError: its jobs are not known.
    """
    if not name:
        return tuple(jobs)
    found = tuple(job for job in jobs if of(job).lower() == name.lower())
    if not found:
        unknown = [(what.lower().partition("jobs of ")[2], why) for what, why in pool.failed]
        unknown += [(each.schedd.lower(), each.text) for each in ailments(pool) if each.schedd]
        for schedd, why in unknown:
            if schedd == name.lower():
                raise PoolError(f"the jobs of the access point '{name}' are not known", why)
        names = {each.name for each in pool.schedds}.union(map(of, jobs)) - {""}
        hint = "the pool names no access point"
        if names:
            hint = f"the access points are {', '.join(sorted(names))}"
        raise InputError(f"none of these jobs waits at the access point '{name}'", hint)
    return found


def _of_group(jobs: Iterable[Job], quotas: PoolQuotas, who: str) -> list[Job]:
    """Return the jobs of the group of that name and of all below it."""
    named = [each.name for each in quotas.tree.groups if name_key(each.name) == name_key(who)]
    if not named:
        return []
    below = {ROOT}
    if named[0] != ROOT:
        below = set(quotas.subtree(named[0]))
    groups: dict[str, bool] = {}
    for job in jobs:
        if job.submitter not in groups:
            groups[job.submitter] = assigned_group(quotas.tree, job.submitter).group in below
    return [job for job in jobs if groups[job.submitter]]


def _spellings(job: Job) -> tuple[str, str]:
    """Return the submitter of ``job`` with and without its domain, in lower case."""
    name = job.submitter.lower()
    return name, name.rpartition("@")[0]


def _of_id(jobs: Sequence[Job], who: str) -> list[Job]:
    """Return the job or the jobs of the cluster ``who``.

    Of a cluster that makes its jobs one after another also the next one; a job that it has not
    made yet is like the last one that it made.
    """
    cluster, _, proc = who.partition(".")
    of_cluster = {job.schedd: job for job in jobs if str(job.cluster) == cluster}
    found = [job for job in jobs if who in (job.id, str(job.cluster))]
    number = whole_number(proc)
    if proc and number is None:
        return found
    for last in of_cluster.values():
        following = last.materialize_next
        if number is not None:
            following = number
        job = last._replace(
            proc=following, status=IDLE, last_rejection=UNDEFINED, rejected_at=UNDEFINED
        )
        if is_to_come(job):
            found.append(job)
    return found


def _unknown_job(pool: Pool, who: str) -> InputError:
    """Return the error of a job that no access point has.

    It is unknown where not all of them answered.
    """
    _check_answers(pool, f"the job {who} is not known")
    why = (
        "it may have left the queue since the pool was captured, or no job of its cluster is in "
        "the queue yet"
    )
    return InputError(f"there is no job {who}", why)


def _check_answers(pool: Pool, what: str) -> None:
    """Refuse to say that there is no job where not all queues could be read.

    Raises:
        PoolError: at least one could not.
    """
    found = [each for each in ailments(pool) if each.schedd or each.id == PARTIAL]
    told = {f"jobs of {each.schedd}" for each in found}
    silent = [what for what, _ in pool.failed if what.startswith("jobs") and what not in told]
    silent += [each.text for each in found]
    if silent:
        raise PoolError(what, f"not all access points answered: {', '.join(silent)}")


def _near(jobs: Iterable[Job], quotas: PoolQuotas, who: str) -> str:
    known = {name: job.submitter for job in jobs for name in _spellings(job)}
    known.update((group.name.lower(), group.name) for group in quotas.tree.groups)
    near = [known[each] for each in near_names(who.lower(), known)]
    return meant(near, "give a job's id, a submitter or a group")
