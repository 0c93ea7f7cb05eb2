"""A constraint of the negotiator holds for no submitter or for no job that waits."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact, listed
from htcq.audit.fix import Role, Setting
from htcq.audit.harm import NO_GROUP, groups_that_wait, idle_jobs
from htcq.audit.rule import Found, Harm, Input, Rule, Severity
from htcq.classads import Expr, holds, parsed
from htcq.poolquota.demand import looked_at
from htcq.why.match_failure import JOB_CONSTRAINT, SUBMITTER_CONSTRAINT

_OF_SUBMITTERS, _OF_JOBS = "NEGOTIATOR_SUBMITTER_CONSTRAINT", "NEGOTIATOR_JOB_CONSTRAINT"


def _find(evidence: Evidence) -> Iterator[Found]:
    for knob, excluded in ((_OF_SUBMITTERS, _submitters), (_OF_JOBS, _jobs)):
        text = evidence.setting(knob).strip()
        constraint = None
        if text:
            constraint = parsed(text)
        if constraint is None:
            continue
        number, excludes_all = excluded(evidence, constraint)
        if excludes_all:
            yield _found(evidence, knob, text, number)


def _submitters(evidence: Evidence, constraint: Expr) -> tuple[str, bool]:
    """Return the number of submitters with idle jobs, and whether none meets the constraint."""
    waiting = [
        record for record in evidence.pool.submitters if (record.number("IdleJobs") or 0) > 0
    ]
    kept = list(looked_at(waiting, {_OF_SUBMITTERS: constraint.text}))
    number = counted(len(waiting), "submitter with idle jobs", "submitters with idle jobs")
    return number, bool(waiting) and not kept


def _jobs(evidence: Evidence, constraint: Expr) -> tuple[str, bool]:
    waiting = [jobs for jobs in evidence.autoclusters if jobs.idle]
    number = sum(sum(jobs.idle.values()) for jobs in waiting)
    kept = any(holds(constraint.evaluate(jobs.ad())) for jobs in waiting)
    return counted(number, "idle job"), bool(waiting) and not kept


def _found(evidence: Evidence, knob: str, text: str, number: str) -> Found:
    starved = groups_that_wait(evidence, evidence.pool.submitters)
    groups = ""
    if starved:
        groups = ": no job is matched"
        if starved != (NO_GROUP,):
            groups = f": no job of {listed(starved)} is matched"
    return Found(
        cause=knob,
        subject=f"knob {knob}",
        message=f"{knob} = {text} is true for none of {number}{groups}",
        facts=(knob_fact(evidence, knob),),
        harm=Harm(starved=starved, jobs=idle_jobs(evidence.pool.submitters)),
        trial=(Setting(Role.CENTRAL, knob, ""),),
        implies=(SUBMITTER_CONSTRAINT if knob == _OF_SUBMITTERS else JOB_CONSTRAINT,),
    )


RULE = Rule(
    id="negotiator-excludes-all",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL,),
    summary=(
        "NEGOTIATOR_SUBMITTER_CONSTRAINT or NEGOTIATOR_JOB_CONSTRAINT is true for nothing that "
        "waits"
    ),
    consequence=(
        "The negotiator skips all submitters, or schedds offer none of their jobs: nothing in "
        "the pool is matched, and no log mentions the excluded jobs."
    ),
    advice=(
        "Remove the constraint from the configuration, or correct it, and reconfigure the "
        "negotiator."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:obtainAdsFromCollector, startNegotiateProtocol, "
        "25.14"
    ),
    find=_find,
)
