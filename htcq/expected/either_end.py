"""Machines that start no job of one access point, where that one has run no job anywhere.

Its shadows fail everywhere then, or the machine does: no ad says which. A startd that was asked to
start nothing is not it, nor one where jobs of others run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from htcq.classads import as_number
from htcq.expected.executing import has_begun
from htcq.expected.startds import ACTIVATIONS, Startds
from htcq.expected.unmet import (
    OTHERS,
    START,
    STARTS,
    JobKey,
    Observed,
    Unmet,
    is_unlike,
    keys_of,
    knobs_on_the_way,
    observed_knobs,
)
from htcq.htcondor.matching import SCHEDD, STARTD
from htcq.htcondor.starting import is_default
from htcq.pool.job import HELD, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.set_by_access_point import transforms_of
from htcq.units import counted, first_named

_MACHINE = "machine "
_NAMED = 3


def at_either_end(pool: Pool, startds: Startds, found: Sequence[Unmet]) -> Iterator[Unmet]:
    """Yield ``found``, with the access point in place of machines that start no job of it alone."""
    ran: dict[str, bool] = {}
    suspects: dict[str, list[Unmet]] = {}
    jobs: Mapping[JobKey, Job] = {}
    if any(map(_is_of_machine, found)):
        jobs = dict(zip(keys_of(pool.jobs or ()), pool.jobs or ()))
    for each in found:
        names = {key.access_point for key in each.jobs}
        is_sole = _is_of_machine(each) and len(names) == 1
        if not is_sole or any(jobs[key].status == HELD for key in each.jobs):
            # What a machine puts on hold it says itself.
            yield each
            continue
        name = names.pop()
        if name not in ran:
            ran[name] = _has_run(pool, startds, name)
        if ran[name]:
            yield each
        else:
            suspects.setdefault(name, []).append(each)
    for name, those in suspects.items():
        yield _of_both(
            pool, startds, name, those, [jobs[key] for each in those for key in each.jobs]
        )


def _is_of_machine(each: Unmet) -> bool:
    return each.id == STARTS and each.subject.startswith(_MACHINE) and bool(each.jobs)


def _has_run(pool: Pool, startds: Startds, name: str) -> bool:
    """Return whether a job of an access point has begun to run anywhere, as far as is known."""
    if startds.serves(name):
        return True
    schedd = next((each for each in pool.schedds if each.name == name), None)
    if schedd is not None and schedd.number("JobsCompleted"):
        return True
    own = (job for job in pool.jobs or () if job.access_point == name)
    return any(as_number(job.starts) or (job.running and has_begun(job)) for job in own)


def _of_both(
    pool: Pool, startds: Startds, name: str, those: Sequence[Unmet], jobs: Sequence[Job]
) -> Unmet:
    places = [each.subject[len(_MACHINE) :] for each in those]
    shadows = int(sum(as_number(job.shadow_starts) or 0 for job in jobs))
    where = first_named([startds.described(place) for place in places], _NAMED)
    text = (
        f"{counted(len(jobs), 'waiting job')}, such as {pool.job_name(jobs[0])}, of {name} got "
        f"{counted(shadows, 'shadow')} with claims of {where}, and none of them began to run"
        f"{_reason(jobs)}; no job of {name} has run anywhere"
    )
    logs = f"ShadowLog and SchedLog of {name} say why"
    if not any(startds.count(place, ACTIVATIONS) for place in places):
        text += ", and no startd was asked to start one"
        is_machine = any(startds.count(place, ACTIVATIONS) is None for place in places)
    else:
        is_machine = not all(place in startds.working for place in places)
        text += f", and {'no other job runs' if is_machine else 'jobs of others run'} there"
    if is_machine:
        text += ": either may be at fault"
        logs = (
            f"ShadowLog of {name} and StarterLog of {places[0]} say which of them ends the starts"
        )
    own = _of_access_point(pool, name)
    there = _of_machines(pool, startds, places) if is_machine else ()
    there = tuple(each for each in there if each.name != OTHERS and each not in own)
    counters = [each for place in places[:1] for each in startds.counters(place)]
    first = those[0]
    return Unmet(
        STARTS,
        f"access point {name}",
        text,
        f"{logs}.",
        (*counters, *own, *there, *first.observed[-_NAMED:]),
        tuple(key for each in those for key in each.jobs),
        len(jobs),
        tuple(map(pool.job_name, jobs[:_NAMED])),
        first.severity,
        machines=tuple(place for each in those for place in each.machines),
    )


def _reason(jobs: Iterable[Job]) -> str:
    told = (job.vacate_reason for job in jobs if isinstance(job.vacate_reason, str))
    why = next(told, "").strip()
    return f" ({why})" if why else ""


def _of_access_point(pool: Pool, name: str) -> tuple[Observed, ...]:
    """Return what an access point has set that decides about starts, its own transforms first."""
    own = pool.schedd_configuration(name)
    transforms = [
        each
        for each in transforms_of(own)
        if is_unlike(pool.access, each) and not is_default(each.bare, each.value)
    ]
    knobs = knobs_on_the_way(own, SCHEDD, START, peers=pool.access)
    return (*observed_knobs(transforms), *knobs)


def _of_machines(pool: Pool, startds: Startds, places: Sequence[str]) -> tuple[Observed, ...]:
    own = of_startd(pool.execute, startds.slots[places[0]][0])
    return knobs_on_the_way(own, STARTD, START, peers=pool.execute)
