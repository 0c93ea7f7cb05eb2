"""Access points, and machines, all of whose jobs are on hold with one HoldReasonCode.

One such job may be its user's mistake. Where nearly all of them go on hold for one reason, none
runs and none completes, the place is at fault: what it sets in jobs, or what it lacks. Codes that
one user's mistake gives accuse a place if jobs of several users have them, or if a transform of the
access point sets what they are about (condor_holdcodes.h, HTCondor 25.14). Where the starter sends
the hold, the job has been on its machine (LastRemoteHost).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from htcq.classads import as_number
from htcq.expected.held import MACHINE, is_of_job, unmet_hold
from htcq.expected.settled import is_over
from htcq.expected.startds import STARTED, Startds, host_of
from htcq.expected.unmet import (
    ERROR,
    HOLD,
    START,
    WARNING,
    JobKey,
    Unmet,
    knobs_on_the_way,
    observed_knobs,
)
from htcq.htcondor import hold_codes
from htcq.htcondor.hold_codes import HoldCode, hold_code
from htcq.htcondor.matching import SCHEDD, STARTD
from htcq.pool.configuration import Knob
from htcq.pool.job import HELD, IDLE, UNMATCHED_UNIVERSES, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.set_by_access_point import setters_of
from htcq.poolquota.ailment import ObservedPool
from htcq.units import listed

#: Fewer may be an accident; of all jobs of a place, so many are nearly all.
_SEVERAL, _NEARLY_ALL = 3, 0.9
#: Jobs that were left on hold for longer tell nothing of today; input that is spooled for longer
#: than the other does not come.
_DAY, _HOUR = 86400, 3600
#: Where a machine started more than so many times what it holds, others completed there.
_TIMES = 2


class _Held(NamedTuple):
    """Jobs of one place that are on hold with one code."""

    code: HoldCode
    jobs: Sequence[Job]

    @property
    def is_of_users(self) -> bool:
        """Whether several users have them."""
        return len({str(job.user) for job in self.jobs}) > 1


def held_by_one_code(pool: Pool, told: Iterable[Unmet]) -> Iterator[Unmet]:
    """Yield the machines and access points that hold nearly all jobs; not those ``told``."""
    others = {key for each in told for key in each.jobs}
    startds, now = Startds(pool), ObservedPool(pool).now
    # What users do wrong as well accuses a machine only where it is not their access point.
    for found in (
        _machines(pool, startds, others, now, hold_codes.MACHINE),
        _access_points(pool, startds, others, now),
        _machines(pool, startds, others, now, hold_codes.USER),
    ):
        for each in found:
            others.update(each.jobs)
            yield each


def _number(job: Job) -> float | None:
    return as_number(job.value("HoldReasonCode"))


def _most(jobs: Sequence[Job], every: int, told: set[JobKey], now: float | None) -> _Held | None:
    """Return those on hold with the most frequent code; None where they are not nearly all.

    ``every`` counts the jobs on hold and the others of the place.
    """
    by_code: dict[float, list[Job]] = {}
    for job in jobs:
        number = _number(job)
        if number and not _is_spooled(job, number, now):
            by_code.setdefault(number, []).append(job)
    most = max(by_code.items(), key=lambda each: len(each[1]), default=None)
    if most is None or len(most[1]) < max(_SEVERAL, _NEARLY_ALL * every):
        return None
    found = _Held(hold_code(most[0]), most[1])
    last = max(float(as_number(job.status_since) or 0) for job in found.jobs)
    if found.code.of == hold_codes.MEANT or (now is not None and last and now - last > _DAY):
        return None
    is_told = any(JobKey(job.access_point, job.id) in told for job in found.jobs)
    return None if is_told else found


def _is_spooled(job: Job, number: float, now: float | None) -> bool:
    """Return whether its input may still come."""
    since = as_number(job.status_since)
    if number != hold_codes.SPOOLING:
        return False
    return now is None or since is None or now - since < _HOUR


# Machines
# --------------------------------------------------------------------------------------------------


def _machines(
    pool: Pool, startds: Startds, told: set[JobKey], now: float | None, of: str
) -> Iterator[Unmet]:
    """Yield the machines that put nearly all of their jobs on hold, as no other machine does.

    ``of`` is whose fault the code is.
    """
    had, hosts = dict[str, list[Job]](), dict[float, set[str]]()
    for job in pool.jobs or ():
        host = host_of(job)
        if host and job.status in (IDLE, HELD):
            had.setdefault(host, []).append(job)
        if host and job.status == HELD:
            hosts.setdefault(_number(job) or 0, set()).add(host)
    for host, jobs in had.items():
        held = [job for job in jobs if job.status == HELD]
        found = _most(held, len(jobs), told, now) if startds.fails(host) else None
        if found is None or found.code.of != of:
            continue
        like_it = len(hosts[_number(found.jobs[0]) or 0])
        if _accuses_machine(found, like_it) and not _completes(startds, host, found.jobs):
            yield _of_machine(pool, startds, host, found)


def _accuses_machine(held: _Held, hosts: int) -> bool:
    """Return whether it is no user's mistake; ``hosts`` is how many machines hold jobs so."""
    if held.is_of_users:
        return True
    is_of_machine = held.code.of == hold_codes.MACHINE and not any(map(is_of_job, held.jobs))
    return is_of_machine and hosts == 1


def _completes(startds: Startds, host: str, held: Sequence[Job]) -> bool:
    """Return whether the startd counted far more starts lately than those that ended on hold."""
    runs = sum(max(1, int(as_number(job.shadow_starts) or 0)) for job in held)
    return (startds.count(host, STARTED) or 0) > _TIMES * runs


def _of_machine(pool: Pool, startds: Startds, host: str, held: _Held) -> Unmet:
    own = of_startd(pool.execute, startds.slots[host][0])
    knobs = knobs_on_the_way(own, STARTD, HOLD, START)
    found = unmet_hold(pool, f"{MACHINE}{host}", "", held.jobs, knobs)
    severity = ERROR if held.is_of_users else WARNING
    text = f"{found.text}; no job lasts there, and hardly any other had it last"
    cure = f"{_look(held)}{found.cure}"
    return replace(found, text=text, cure=cure, severity=severity, machines=(host,))


def _look(held: _Held) -> str:
    """Return a sentence on what to look at; empty where nothing is known."""
    look = held.code.look
    return f"{look[0].upper()}{look[1:]}. " if look else ""


# Access points
# --------------------------------------------------------------------------------------------------


def _access_points(
    pool: Pool, startds: Startds, told: set[JobKey], now: float | None
) -> Iterator[Unmet]:
    """Yield the access points nearly all of whose jobs are on hold."""
    completed = {each.name: each.number("RecentJobsCompleted") for each in pool.schedds}
    queues: dict[str, list[Job]] = {}
    for job in pool.jobs or ():
        if job.universe not in UNMATCHED_UNIVERSES or job.status == HELD:
            queues.setdefault(job.access_point, []).append(job)
    for name, jobs in queues.items():
        held = [job for job in jobs if job.status == HELD]
        lasting = any(job.running and _lasts(job, startds.moment) for job in jobs)
        if lasting or completed.get(name) or len(held) < _SEVERAL:
            continue
        # Where shadows run before the hold, jobs that had none tell nothing.
        tries = any(as_number(job.shadow_starts) for job in held)
        others = [
            job
            for job in jobs
            if job.running or (job.status == IDLE and (not tries or as_number(job.shadow_starts)))
        ]
        found = _most(held, len(held) + len(others), told, now)
        if found is not None:
            yield from _of_access_point(pool, name, found, bool(others))


def _lasts(job: Job, moment: float | None) -> bool:
    return moment is None or is_over(moment, job.started_at)


def _of_access_point(pool: Pool, name: str, held: _Held, has_others: bool) -> Iterator[Unmet]:
    own, code = pool.schedd_configuration(name), held.code
    set_by: Mapping[Knob, str] = {
        knob: attribute for attribute in code.attributes for knob in setters_of(own, attribute)
    }
    if code.of != hold_codes.ACCESS and not set_by and not held.is_of_users:
        return
    decides = observed_knobs([*set_by, own.knob(code.knob) if own and code.knob else None])
    knobs = decides or knobs_on_the_way(own, SCHEDD, HOLD)
    why = f"by {code.knob}" if code.knob else ""
    found = unmet_hold(pool, f"access point {name}", why, held.jobs, knobs)
    text, cure = found.text, f"{_look(held)}{found.cure}"
    text += "; hardly any other job there runs" if has_others else "; it has no other job"
    if set_by:
        sets = listed(f"{knob.name} sets {attribute}" for knob, attribute in set_by.items())
        text += f", and {sets} of its jobs"
    resolves = [*(knob.name for knob in set_by), *([code.knob] if code.knob else [])]
    if resolves:
        cure = f"{listed(resolves)} of {name}, then condor_release of the jobs."
    if set_by:
        cure += f" Those in the queue keep what was set: condor_qedit of {listed(set_by.values())}."
    severity = ERROR if set_by or code.knob or held.is_of_users else WARNING
    yield replace(found, text=text, cure=cure, severity=severity)
