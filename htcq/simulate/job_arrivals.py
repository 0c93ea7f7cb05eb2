"""A captured pool to which jobs come later.

Those of a file, in the rhythm in which they were once submitted.

Times are in seconds since the capture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from htcq.classads import UNDEFINED, Value, as_number
from htcq.errors import InputError
from htcq.pool.job import IDLE, UNMATCHED_UNIVERSES, Job
from htcq.pool.past import Arrival, Past
from htcq.pool.pool import Pool
from htcq.pool.record import SUBMITTER, Record

#: What a job must ask for, or no slot ever fits it (ResAttributes.cpp:withinLimitsExpression,
#: 25.14).
_ASKED = ("RequestCpus", "RequestMemory")


def with_arrivals(pool: Pool, name: str) -> Pool:
    """Return ``pool`` with its ``past`` jobs arriving.

    The first at once, each other as much later as it was queued.

    They are idle then, behind the jobs that are there, and have new numbers. A submitter without an
    ad gets one. Its ``damage`` tells which jobs of the file ``name`` are left out, and why.

    Raises:
        InputError: none is left.
    """
    good, told = _sorted_out(pool.past, name)
    if not good:
        raise InputError(
            told[0] if told else f"--arrivals {name}: no job in it",
            "condor_history -long prints them",
        )
    first = min(_queued_at(job) for job, _ in good)
    numbers = 1 + max(
        (each.cluster for each in pool.jobs or () if isinstance(each.cluster, int)), default=0
    )
    schedds = _Schedds(pool)
    ordered = sorted(good, key=lambda each: (_queued_at(each.job), *_number(each.job)))
    arriving = tuple(
        Arrival(_queued_at(job) - first, _idle(job, cluster, schedds.of(job)), seconds)
        for cluster, (job, seconds) in enumerate(ordered, numbers)
    )
    records = (
        *pool.submitters,
        *_new_records(arriving, {record.name for record in pool.submitters}),
    )
    return replace(
        pool,
        arriving=arriving,
        records={**(pool.records or {}), SUBMITTER: records},
        damage=(*pool.damage, *told),
    )


def _sorted_out(past: Iterable[Past], name: str) -> tuple[list[Past], list[str]]:
    good: list[Past] = []
    flawed: dict[str, list[str]] = {}
    for each in past:
        flaw = _flaw(each.job)
        if flaw:
            flawed.setdefault(flaw, []).append(each.job.id)
        else:
            good.append(each)
    warnings = []
    for flaw, jobs in flawed.items():
        if len(jobs) == 1:
            which = f"job {jobs[0]} is"
        else:
            which = f"{len(jobs)} jobs, such as {jobs[0]}, are"
        warnings.append(f"--arrivals {name}: {which} left out: {flaw}")
    return good, warnings


def _flaw(job: Job) -> str:
    """Return why a job cannot arrive; empty where it can."""
    if job.universe in UNMATCHED_UNIVERSES:
        return "the negotiator never sees jobs of its universe"
    if as_number(job.queued_at) is None:
        return "no QDate"
    if not isinstance(job.user, str) and not isinstance(job.owner, str):
        return "no User"
    missing = [name for name in _ASKED if name not in job.frame]
    return f"no {missing[0]}" if missing else ""


def _queued_at(job: Job) -> float:
    return float(as_number(job.queued_at) or 0)


def _number(job: Job) -> tuple[float, ...]:
    return tuple(float(as_number(each) or 0) for each in (job.cluster, job.proc))


def _idle(job: Job, cluster: int, schedd: Value) -> Job:
    return job._replace(
        cluster=cluster,
        status=IDLE,
        max_hosts=1,
        current_hosts=0,
        remote_host=UNDEFINED,
        schedd=schedd,
    )


class _Schedds:
    """Where the jobs of a submitter wait.

    Those that come must wait there too, or they would be another queue.
    """

    def __init__(self, pool: Pool) -> None:
        self._found: dict[str, list[Value]] = {}
        for job in pool.jobs or ():
            if job.wanted:
                self._add(job.submitter, job.schedd)
        known = set(self._found)
        for record in pool.submitters:
            if record.name not in known:
                self._add(record.name, record.text("ScheddName"))
        self._any = next((record.text("ScheddName") for record in pool.submitters), "")

    def _add(self, submitter: str, schedd: Value) -> None:
        found = self._found.setdefault(submitter, [])
        if schedd not in found:
            found.append(schedd)

    def of(self, job: Job) -> Value:
        """Return the schedd of a job: its own, if the submitter is known there, else the first."""
        found: Sequence[Value] = self._found.get(job.submitter, ())
        if not found:
            return job.schedd if isinstance(job.schedd, str) else self._any
        return job.schedd if job.schedd in found else found[0]


def _new_records(arriving: Iterable[Arrival], known: set[str]) -> Iterable[Record]:
    new = {
        each.job.submitter: each.job.schedd
        for each in reversed(tuple(arriving))
        if each.job.submitter not in known
    }
    for name in sorted(new):
        yield Record(
            SUBMITTER, {"name": name, "scheddname": new[name], "idlejobs": 0, "runningjobs": 0}
        )
