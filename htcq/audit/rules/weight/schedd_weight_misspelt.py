"""SCHEDD_SLOT_WEIGHT with an attribute that no job has and whose name is near one of jobs."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.access_points import AccessPoint, access_points
from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import access
from htcq.audit.names import Names, Unknown
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.classad.substitution import renamed
from htcq.classads import parsed
from htcq.pool.demand import OWN_KNOB


def _find(evidence: Evidence) -> Iterator[Found]:
    names = Names(evidence)
    for point in access_points(evidence):
        if not point.weight.weighs:
            continue
        for unknown in _misspelt(names, point):
            yield _found(evidence, point, unknown)


def _misspelt(names: Names, point: AccessPoint) -> Iterator[Unknown]:
    """Yield the names that were meant to be attributes of jobs.

    A name that is near none may be the site's own attribute.
    """
    expression = parsed(point.weight.text(OWN_KNOB))
    if expression is None:
        return
    of_slots = set(point.weight.names_of_slots)
    for unknown in names.unknown(expression, "job", alone=True):
        if unknown.near and unknown.name.lower() not in of_slots:
            yield unknown


def _found(evidence: Evidence, point: AccessPoint, unknown: Unknown) -> Found:
    text = point.weight.text(OWN_KNOB)
    corrected = renamed(text, unknown.name, unknown.near)
    settings = access(evidence, OWN_KNOB, corrected, (point.name,))
    job = point.ordinary_job()
    consequence = f"an ordinary job weighs {point.weight.of(job):g}"
    if point.weight.evaluated(job) is None:
        consequence = f"the weight is not a number, and {consequence}, its RequestCpus"
    return Found(
        cause=f"{unknown.name}: {text}",
        subject=f"access point {point.name}",
        message=(
            f"{OWN_KNOB} of schedd {point.name} refers to {unknown.name}, which no job has: "
            f"{consequence}; did you mean {unknown.near}?"
        ),
        facts=(point.fact(OWN_KNOB),),
        settings=settings,
        examples=(point.name,),
        is_root=True,
    )


RULE = Rule(
    id="schedd-weight-misspelt",
    severity=Severity.WARNING,
    needs=(Input.ACCESS,),
    summary="SCHEDD_SLOT_WEIGHT misspells an attribute of jobs, such as RequestCpu",
    consequence=(
        "An attribute that no job has is undefined, and so is every result computed from it. A "
        "weight that is not a number counts as RequestCpus; an expression with a default value "
        "gives every job the same weight. The demand of groups is silently wrong: the schedd "
        "warns only of Cpus, Memory, Disk and TARGET."
    ),
    advice="Correct the name: RequestCpus, RequestMemory, RequestDisk, RequestGPUs.",
    source="src/condor_schedd.V6/schedd.cpp:Scheduler::Init, count_a_job, 25.14",
    find=_find,
)
