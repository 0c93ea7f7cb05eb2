"""Requests of idle jobs by submitter and schedd: the amounts that a claim of each would hold.

An idle job asks for MaxHosts - CurrentHosts claims (src/condor_schedd.V6/schedd.cpp:count_a_job,
HTCondor 25.14). Jobs that no slot of the pool could ever run ask for nothing: else they moved
quotas for ever. Where the queues are not known, the weight of idle jobs in the ads of schedds is
used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.elastic.charging import Charging
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.records import PARTS, WEIGHT, GroupClaim, IdleJobs
from htcq.pool.autocluster import Autocluster
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.poolquota.access.access_points import access_points_of
from htcq.poolquota.demand import looked_at
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.supply import SLOT_CONSTRAINT
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import ConcurrencyLimits

#: The capture's name of the jobs of one schedd, before the schedd.
JOBS_OF = "jobs of "
#: Selects the submitters that the negotiator considers.
_SUBMITTERS = "NEGOTIATOR_SUBMITTER_CONSTRAINT"


@dataclass(frozen=True)
class IdleJobsFound:
    """The idle jobs, and what of them could not be counted, as sentences."""

    idle: tuple[IdleJobs, ...]
    problems: tuple[str, ...] = ()


@dataclass
class _EqualJobs:
    """Idle jobs of one submitter at one schedd with the same attributes."""

    first: Job
    count: int = 0


def idle_jobs_of(
    pool: Pool, condor: PoolQuotas, membership: GroupMembership, charging: Charging
) -> IdleJobsFound:
    """Return the idle jobs of the submitters that the negotiator considers."""
    if pool.jobs is None:
        return _from_submitters(condor, membership)
    considered = {each.name for each in condor.submitters}
    constrained = _SUBMITTERS in _upper(condor.knobs)
    equal: dict[tuple[str, str, int], _EqualJobs] = {}
    points = access_points_of(pool, condor)
    kept_back = 0
    for job in pool.jobs:
        if not job.wanted or (constrained and job.submitter not in considered):
            continue
        if points.kept_back(job) is not None:
            kept_back += job.wanted
            continue
        key = (job.submitter, _text(job.schedd), id(job.frame))
        one = equal.setdefault(key, _EqualJobs(job))
        one.count += job.wanted
        one.first = min(one.first, job, key=_number)
    found = _from_jobs(equal, condor, membership, charging)
    if not kept_back:
        return found
    jobs = "1 idle job is"
    if kept_back > 1:
        jobs = f"{kept_back} idle jobs are"
    problem = f"{jobs} not offered to the negotiator now, and not counted ('htcq why' says why)"
    return IdleJobsFound(found.idle, (*found.problems, problem))


def _from_jobs(
    equal: Mapping[tuple[str, str, int], _EqualJobs],
    condor: PoolQuotas,
    membership: GroupMembership,
    charging: Charging,
) -> IdleJobsFound:
    found = []
    unmatched: Counter[str] = Counter()
    foreign, no_model = 0, 0
    shared = SLOT_CONSTRAINT in _upper(condor.knobs)
    # As if nobody used any of them.
    limits = ConcurrencyLimits(Knobs(condor.knobs), ())
    ordered = sorted(equal.items(), key=lambda item: (item[0][:2], _number(item[1].first)))
    for (submitter, schedd, _), one in ordered:
        job = one.first
        charge = charging.of(Autocluster(job.frame, job, Counter(), Counter()))
        group = membership.group_of(submitter)
        if shared and not charge.matched:
            foreign += one.count
            continue
        if not charge.matched or limits.reached(_text(job.frame.value("ConcurrencyLimits"))):
            unmatched[group] += one.count
            continue
        if charge.model is None:
            no_model += one.count
        found.append(IdleJobs(group, submitter, schedd, job.id, one.count, charge.amounts))
    problems = [
        f"{count} idle jobs of {group} could run in no slot of this pool: they are not counted"
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


def silent_schedds(pool: Pool) -> frozenset[str]:
    """Return the schedds that did not answer a query of their jobs."""
    failed = (what for what, _ in pool.failed)
    return frozenset(what[len(JOBS_OF) :] for what in failed if what.startswith(JOBS_OF))


def of_silent_schedds(
    pool: Pool, condor: PoolQuotas, membership: GroupMembership, claims: Iterable[GroupClaim]
) -> IdleJobsFound:
    """Return the idle jobs of schedds that do not answer, by the ads of their submitters.

    They count as the claims that the submitter has there most of. Those of a submitter without
    claims do not count: whoever may advertise could move quotas with a schedd that he made up.
    """
    silent = silent_schedds(pool)
    if pool.jobs is None or not silent:
        return IdleJobsFound(())
    shapes: dict[tuple[str, str], Counter[tuple[tuple[str, int], ...]]] = {}
    for claim in claims:
        shape = tuple(sorted(claim.amounts.items()))
        shapes.setdefault((claim.submitter, claim.schedd), Counter())[shape] += 1
    found, unknown = list[IdleJobs](), 0
    for record in looked_at(pool.submitters, condor.knobs, condor.negotiator_version):
        schedd, idle = record.text("ScheddName"), int(record.number("IdleJobs") or 0)
        if schedd not in silent or idle <= 0:
            continue
        usual = shapes.get((record.name, schedd))
        if usual is None:
            unknown += 1
            continue
        amounts = dict(usual.most_common(1)[0][0])
        group = membership.group_of(record.name)
        found.append(IdleJobs(group, record.name, schedd, "", idle, amounts))
    problems = []
    if found:
        count = sum(each.count for each in found)
        problems.append(
            f"{count} idle jobs of schedds that do not answer count as their submitters' claims"
        )
    if unknown:
        problems.append(
            f"{unknown} submitters of schedds that do not answer have no claims: their idle jobs "
            "are not counted"
        )
    return IdleJobsFound(tuple(found), tuple(problems))


def _from_submitters(condor: PoolQuotas, membership: GroupMembership) -> IdleJobsFound:
    found = []
    for each in sorted(condor.submitters, key=lambda one: one.name):
        if each.idle > 0 and each.weighted_idle > 0:
            group = membership.group_of(each.name)
            parts = round(each.weighted_idle * PARTS / each.idle)
            found.append(IdleJobs(group, each.name, "", "", each.idle, {WEIGHT: parts}))
    problem = (
        "the job queues are not known: of idle jobs, only the slot weight reported by schedds is "
        "counted"
    )
    return IdleJobsFound(tuple(found), (problem,))


def _number(job: Job) -> tuple[int, int]:
    return _whole(job.cluster), _whole(job.proc)


def _whole(value: object) -> int:
    if isinstance(value, int):
        return value
    return 0


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""


def _upper(knobs: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name.upper() for name, text in knobs.items() if text.strip())
