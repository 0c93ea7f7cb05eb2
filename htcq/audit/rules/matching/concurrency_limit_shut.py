"""Idle jobs ask for more of a concurrency limit than there is at all, such as of one that is 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.rule import Found, Harm, Input, Rule, Severity
from htcq.pool.job import Job
from htcq.quota.group_tree import assigned_group
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import ConcurrencyLimit, ConcurrencyLimits
from htcq.simulate.cycle.search import limits_of
from htcq.why.match_failure import CONCURRENCY_LIMIT


@dataclass
class _Shut:
    """The jobs that ask too much of one limit."""

    limit: ConcurrencyLimit
    first: Job
    jobs: int = 0
    groups: dict[str, None] = field(default_factory=dict)


def _find(evidence: Evidence) -> Iterator[Found]:
    # As if nobody used any: what is in use now is given back in time.
    limits = ConcurrencyLimits(Knobs(evidence.quotas.knobs), ())
    found: dict[tuple[str, float], _Shut] = {}
    for job in evidence.askers.jobs:
        request = evidence.askers.likenesses.request(job)
        for limit in limits.asked(limits_of(request)):
            if limit.reached:
                one = found.setdefault((limit.name, limit.asked), _Shut(limit, job))
                one.jobs += job.wanted
                one.groups[assigned_group(evidence.quotas.tree, job.submitter).group] = None
    for each in found.values():
        yield _found(evidence, each)


def _found(evidence: Evidence, shut: _Shut) -> Found:
    limit, knob = shut.limit, _knob(evidence, shut.limit.name)
    name, verb = evidence.pool.job_name(shut.first), "asks" if shut.jobs == 1 else "ask"
    return Found(
        cause=f"{limit.name}: {limit.asked:g}",
        subject=f"knob {knob}",
        message=(
            f"concurrency limit {limit.name} is {limit.limit:g}, and "
            f"{counted(shut.jobs, 'idle job')} such as {name} {verb} for "
            f"{limit.asked:g}: no such job is ever matched"
        ),
        facts=(knob_fact(evidence, knob),),
        count=shut.jobs,
        examples=(name,),
        harm=Harm(starved=tuple(shut.groups), jobs=shut.jobs),
        implies=(CONCURRENCY_LIMIT,),
    )


def _knob(evidence: Evidence, name: str) -> str:
    """Return the knob that sets the limit.

    It is the limit's own knob, that of all limits with its prefix, or that of all limits.
    """
    scope = name.rpartition(".")[0]
    names = [f"{name.upper()}_LIMIT"]
    if scope:
        names.append(f"CONCURRENCY_LIMIT_DEFAULT_{scope.upper()}")
    for knob in names:
        if knob in (evidence.pool.central or ()):
            return knob
    return "CONCURRENCY_LIMIT_DEFAULT"


RULE = Rule(
    id="concurrency-limit-shut",
    severity=Severity.WARNING,
    needs=(Input.JOBS, Input.CENTRAL),
    summary="Jobs request more of a concurrency limit than it allows, for example of a limit of 0",
    consequence=(
        "The negotiator rejects them in every cycle, whatever is free. A limit of 0 may be "
        "intended, to stop jobs for some time; a limit smaller than the request of one job, or a "
        "default of 0 for limits that nobody configured, never is."
    ),
    advice=(
        "Raise <NAME>_LIMIT on the central manager, or leave it at 0 as long as such jobs should "
        "not start."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:rejectForConcurrencyLimits, "
        "Accountant.cpp:GetLimitMax, 25.14"
    ),
    find=_find,
)
