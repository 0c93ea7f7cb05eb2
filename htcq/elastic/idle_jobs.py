"""What idle jobs ask for, by submitter and schedd: the amounts that a claim of each would hold.

An idle job asks for MaxHosts - CurrentHosts claims (src/condor_schedd.V6/schedd.cpp:count_a_job,
HTCondor 25.14). Where the queues are not known there is only what schedds say that their idle
jobs weigh.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.elastic.charging import Charging, ClaimAmounts
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.records import PARTS, WEIGHT, IdleJobs
from htcq.pool.autocluster import Autocluster
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.poolquota.access.access_points import access_points_of
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.supply import SLOT_CONSTRAINT

#: Which submitters the negotiator looks at.
_SUBMITTERS = "NEGOTIATOR_SUBMITTER_CONSTRAINT"


@dataclass(frozen=True)
class IdleJobsFound:
    """The idle jobs, and what of them could not be counted, as sentences."""

    idle: tuple[IdleJobs, ...]
    problems: tuple[str, ...] = ()


@dataclass
class _Alike:
    """Idle jobs of one submitter at one schedd with one frame."""

    first: Job
    count: int = 0


def waiting_of(
    pool: Pool, condor: PoolQuotas, belonging: GroupMembership, charging: Charging
) -> IdleJobsFound:
    """Return the idle jobs of the submitters that the negotiator looks at."""
    if pool.jobs is None:
        return _from_submitters(condor, belonging)
    looked_at = (
        {each.name for each in condor.submitters} if _SUBMITTERS in _upper(condor.knobs) else None
    )
    alike: dict[tuple[str, str, int], _Alike] = {}
    points, kept_back = access_points_of(pool, condor), 0
    for job in pool.jobs:
        if not job.wanted or (looked_at is not None and job.submitter not in looked_at):
            continue
        if points.kept_back(job) is not None:
            kept_back += job.wanted
            continue
        key = (job.submitter, _text(job.schedd), id(job.frame))
        one = alike.setdefault(key, _Alike(job))
        one.count += job.wanted
        one.first = min(one.first, job, key=_number)
    found = _from_jobs(alike, condor, belonging, charging)
    if not kept_back:
        return found
    jobs = "1 idle job is" if kept_back == 1 else f"{kept_back} idle jobs are"
    problem = f"{jobs} not offered to the negotiator now, and not counted ('htcq why' says why)"
    return IdleJobsFound(found.idle, (*found.problems, problem))


def _from_jobs(
    alike: Mapping[tuple[str, str, int], _Alike],
    condor: PoolQuotas,
    belonging: GroupMembership,
    charging: Charging,
) -> IdleJobsFound:
    found = []
    unmatched: Counter[str] = Counter()
    foreign, no_model = 0, 0
    shared = SLOT_CONSTRAINT in _upper(condor.knobs)
    for (submitter, schedd, _), one in sorted(
        alike.items(), key=lambda each: (each[0][:2], _number(each[1].first))
    ):
        charge = _charge(one.first, charging)
        group = belonging.group_of(submitter)
        if shared and not charge.matched:
            foreign += one.count
            continue
        if not charge.matched:
            unmatched[group] += one.count
        no_model += one.count if charge.model is None else 0
        found.append(IdleJobs(group, submitter, schedd, one.first.id, one.count, charge.amounts))
    problems = [
        f"{count} idle jobs of {group} match no slot, but count as requests"
        for group, count in sorted(unmatched.items())
    ]
    if foreign:
        problems.append(
            f"{foreign} idle jobs match no slot that this negotiator sees: they are not counted"
        )
    if no_model:
        problems.append(
            f"{no_model} idle jobs request a GPU that no slot has: they count as requests of "
            "gpus only"
        )
    return IdleJobsFound(tuple(found), tuple(problems))


def _charge(first: Job, charging: Charging) -> ClaimAmounts:
    return charging.of(Autocluster(first.frame, first, Counter(), Counter()))


def _from_submitters(condor: PoolQuotas, belonging: GroupMembership) -> IdleJobsFound:
    def told() -> Iterator[IdleJobs]:
        for each in sorted(condor.submitters, key=lambda one: one.name):
            if each.idle > 0 and each.weighted_idle > 0:
                parts = round(each.weighted_idle * PARTS / each.idle)
                yield IdleJobs(
                    belonging.group_of(each.name), each.name, "", "", each.idle, {WEIGHT: parts}
                )

    problem = (
        "the job queues are not known: of idle jobs, only the slot weight reported by schedds is "
        "counted"
    )
    return IdleJobsFound(tuple(told()), (problem,))


def _number(job: Job) -> tuple[int, int]:
    cluster, proc = (value if isinstance(value, int) else 0 for value in (job.cluster, job.proc))
    return cluster, proc


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _upper(knobs: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name.upper() for name, text in knobs.items() if text.strip())
