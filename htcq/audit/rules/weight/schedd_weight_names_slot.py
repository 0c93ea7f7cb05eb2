"""SCHEDD_SLOT_WEIGHT names attributes of slots, which no job has."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.access_points import AccessPoint, access_points
from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.pool.demand import OWN_KNOB
from htcq.units import attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for point in access_points(evidence):
        if point.weight.weighs and point.weight.names_of_slots:
            yield Found(
                cause=point.weight.text(OWN_KNOB),
                subject=f"access point {point.name}",
                message=_message(point),
                facts=(point.fact(OWN_KNOB),),
                examples=(point.name,),
                settings=sound_weights(evidence),
            )


def _message(point: AccessPoint) -> str:
    names = listed(_spelling(name) for name in point.weight.names_of_slots)
    job = point.ordinary_job()
    said = f"{OWN_KNOB} of schedd {point.name} refers to {names}, which no job has"
    if point.weight.evaluated(job) is None:
        return f"{said}: an ordinary job counts as its RequestCpus, {point.weight.of(job):g}"
    return f"{said}: an ordinary job still weighs {point.weight.of(job):g}"


def _spelling(name: str) -> str:
    if name.isupper():
        return name
    return attribute(name)


RULE = Rule(
    id="schedd-weight-names-slot",
    severity=Severity.WARNING,
    needs=(Input.ACCESS,),
    summary="SCHEDD_SLOT_WEIGHT refers to Cpus, Memory, Disk, GPUs or TARGET",
    consequence=(
        "The schedd evaluates it in the job ad only, where these are undefined. A weight that is "
        "not a number counts as RequestCpus, so that the demand of groups is in cpus, whatever "
        "the unit of their quotas."
    ),
    advice="Use the requests of jobs: RequestCpus, RequestMemory, RequestDisk, RequestGPUs.",
    source="src/condor_schedd.V6/schedd.cpp:Scheduler::Init, count_a_job, 25.14",
    find=_find,
)
