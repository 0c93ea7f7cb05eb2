"""Why a job is idle: the walls between it and a match, the first one first.

First the slots (requirements, assets, consumption), then the demand that the negotiator is told of, then what the
submitter and its group may use, then what would break the match itself. Follows matchmakingAlgorithm,
negotiateWithGroup and calculateSubmitterLimit of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from htcq.audit.allowance import Reason, ceiling, demand, group_limit, submitter_limit
from htcq.audit.clauses import false_clauses
from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact
from htcq.errors import InputError
from htcq.pool.job import HELD, IDLE, UNMATCHED_UNIVERSES, Job
from htcq.pool.jobclass import JobClass, job_classes
from htcq.pool.kind import Kind
from htcq.pool.matching import Wall, wall
from htcq.pool.slot import Number

_JOB_ID = re.compile(r"[0-9]+(\.[0-9]+)?\Z")


@dataclass(frozen=True)
class WhyIdle:
    """Why the idle jobs of one class and submitter are not matched; no reasons: nothing stands in the way."""

    submitter: str
    job: str
    idle: int
    reasons: tuple[Reason, ...]


def why_idle(evidence: Evidence, who: str) -> tuple[WhyIdle, ...]:
    """Return why the job ``cluster.proc``, the jobs ``cluster`` or those of the submitter ``who`` are idle.

    Raises:
        InputError: there are no such jobs, with the near name; or no job ads or no slot ads at all.
    """
    if evidence.pool.jobs is None or not evidence.slots:
        raise InputError("why a job is idle needs job ads and slot ads", "jobs.ads and collector.ads of a snapshot")
    jobs = _jobs(evidence, who)
    waiting = [job for job in jobs if job.wanted]
    if not waiting:
        return (_not_waiting(jobs),)
    return tuple(
        WhyIdle(submitter, each.name, count, tuple(_reasons(evidence, each, submitter)))
        for each in job_classes(waiting)
        for submitter, count in each.idle.items()
    )


def _jobs(evidence: Evidence, who: str) -> list[Job]:
    jobs = evidence.pool.jobs or ()
    if _JOB_ID.match(who):
        found = [job for job in jobs if who in (job.id, str(job.cluster))]
        if not found:
            raise InputError(f"there is no job {who}", "it may have left the queue since the pool was captured")
        return found
    by_name = {name: job.submitter for job in jobs for name in _spellings(job)}
    found = [job for job in jobs if who.lower() in _spellings(job)]
    if not found:
        near = difflib.get_close_matches(who.lower(), by_name, 1)
        raise InputError(
            f"no job belongs to '{who}'", f"did you mean {by_name[near[0]]}?" if near else "give a job's id"
        )
    return found


def _spellings(job: Job) -> tuple[str, str]:
    """Return the submitter of ``job`` with and without its domain, in lower case."""
    name = job.submitter.lower()
    return name, name.rpartition("@")[0]


def _not_waiting(jobs: list[Job]) -> WhyIdle:
    first = jobs[0]
    if first.universe in UNMATCHED_UNIVERSES:
        message = f"job universe {first.universe}: the schedd runs it itself, no negotiator sees it"
    elif first.status == HELD:
        message = "it is on hold; condor_q -hold tells why"
    elif first.status == IDLE:
        message = "it has all the slots that it wants"
    else:
        message = f"it is not idle: JobStatus is {first.status}"
    return WhyIdle(first.submitter, first.id, 0, (Reason("not idle", message),))


def _reasons(evidence: Evidence, jobs: JobClass, submitter: str) -> Iterator[Reason]:
    walls = {id(kind): wall(kind, jobs) for kind in evidence.offered}
    fitting = [kind for kind in evidence.offered if walls[id(kind)][0] is Wall.NONE]
    if fitting:
        yield from _no_room(jobs, fitting)
    else:
        yield _never(evidence, jobs, walls)
    for look in (demand, submitter_limit, group_limit, ceiling):
        yield from look(evidence, submitter)
    yield from _no_weight(jobs, fitting)


def _never(evidence: Evidence, jobs: JobClass, walls: dict[int, tuple[Wall, str]]) -> Reason:
    """Return the wall that most slots have, were they unused."""
    counts: Counter[tuple[Wall, str]] = Counter()
    for kind in evidence.offered:
        counts[walls[id(kind)]] += kind.count
    (main, asset), number = counts.most_common(1)[0]
    every = sum(counts.values())
    tried: dict[Wall, Callable[[], Reason]] = {
        Wall.JOB_REQUIREMENTS: lambda: _requirements(evidence, jobs, number, every),
        Wall.ASSETS: lambda: _assets(evidence, jobs, number, every),
    }
    if main in tried:
        return tried[main]()
    name = "requirements" if main is Wall.SLOT_REQUIREMENTS else "consumption"
    what = f"{main.value} ({asset})" if asset else main.value
    example = next(kind for kind in evidence.offered if walls[id(kind)] == (main, asset))
    attribute = "Start" if main is Wall.SLOT_REQUIREMENTS else f"Consumption{asset}"
    fact = Fact(attribute, example.first.frame.text(attribute))
    return Reason(name, f"on {number} of {counted(every, 'slot')}: {what}, even unused", (fact,))


def _requirements(evidence: Evidence, jobs: JobClass, number: int, every: int) -> Reason:
    clauses = false_clauses(jobs, evidence.offered)
    facts = tuple(Fact("Requirements", f"{text}: false on {count} of {every} slots") for text, count in clauses[:3])
    worst = f"; {clauses[0][0]} is false on {clauses[0][1]}" if clauses else ""
    return Reason("requirements", f"its Requirements do not hold on {number} of {counted(every, 'slot')}{worst}", facts)


def _assets(evidence: Evidence, jobs: JobClass, number: int, every: int) -> Reason:
    most = {asset: max(kind.total.get(asset, 0) for kind in evidence.offered) for asset in jobs.request}
    facts = tuple(
        Fact(f"Request{asset}", f"{asked:g}; the largest slot has {most[asset]:g}")
        for asset, asked in jobs.request.items()
        if asked is not None and asked > most[asset]
    )
    alone = "" if facts else "; each asset is there, but not all of them on one slot"
    return Reason("assets", f"{number} of {counted(every, 'slot')} have too little for it even unused{alone}", facts)


def _no_room(jobs: JobClass, fitting: list[Kind]) -> Iterator[Reason]:
    """Yield a reason where none of the slots that could take it has room at the moment."""
    for kind in fitting:
        tried: set[tuple[Number | None, ...]] = set()
        for slot in kind.slots:
            left = slot.left()
            amounts = tuple(left.values())
            if amounts in tried or slot.claimed:
                continue
            tried.add(amounts)
            known = {asset: amount if amount is not None else 0 for asset, amount in left.items()}
            if wall(kind, jobs, known)[0] is Wall.NONE:
                return
    number = sum(kind.count for kind in fitting)
    yield Reason("assets", f"{counted(number, 'slot')} could take it unused, but none has room at the moment")


def _no_weight(jobs: JobClass, fitting: list[Kind]) -> Iterator[Reason]:
    broken = [kind for kind in fitting if kind.supports_policy and kind.cost(kind.consumed(jobs.ad())) is None]
    if broken:
        number = sum(kind.count for kind in broken)
        message = f"SlotWeight of {counted(number, 'slot')} that could take it is no number: the negotiator ends there"
        yield Reason("no slot weight", message, (Fact("SlotWeight", broken[0].weight_text or "(absent)"),))
