"""A schedd that guesses the weight of jobs.

What it guesses with lacks attributes that the weight names.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.access_points import AccessPoint, access_points
from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.pool.demand import OWN_KNOB, POOL_KNOB


def _find(evidence: Evidence) -> Iterator[Found]:
    for point in access_points(evidence):
        unknown = point.weight.names_unknown_to_guess
        if unknown or point.weight.own_is_broken:
            yield Found(
                cause=f"{POOL_KNOB} = {point.weight.text(POOL_KNOB)}",
                subject=f"access point {point.name}",
                message=_message(point, unknown),
                facts=(point.fact(POOL_KNOB), point.fact(OWN_KNOB)),
                examples=(point.name,),
                settings=sound_weights(evidence),
            )


def _message(point: AccessPoint, unknown: tuple[str, ...]) -> str:
    weight = point.weight
    if weight.own_is_broken:
        why = f"{OWN_KNOB} is not a ClassAd expression and counts as not set"
    else:
        why = f"{OWN_KNOB} is not set, and the schedd cannot evaluate {listed(unknown)}"
    job = point.ordinary_job()
    if weight.evaluated(job) is None:
        return (
            f"schedd {point.name} counts RequestCpus for every job, whatever {POOL_KNOB} says: "
            f"{why}"
        )
    return (
        f"schedd {point.name} estimates the weight of an ordinary job as {weight.of(job):g}: {why}"
    )


RULE = Rule(
    id="schedd-guesses-weight",
    severity=Severity.WARNING,
    needs=(Input.ACCESS,),
    summary=(
        "A schedd has no SCHEDD_SLOT_WEIGHT and cannot compute the weight of its jobs from "
        "SLOT_WEIGHT"
    ),
    consequence=(
        "Without SCHEDD_SLOT_WEIGHT, the schedd evaluates SLOT_WEIGHT in a slot ad that has only "
        "the Cpus, Memory and Disk that the job requests. GPUs, custom assets, TotalSlot* and "
        "DynamicSlot are undefined there, and the demand of groups is in another unit than their "
        "quotas."
    ),
    advice="Write SCHEDD_SLOT_WEIGHT in terms of the requests of jobs, not of slot attributes.",
    source="src/condor_schedd.V6/schedd.cpp:guessJobSlotWeight, 25.14",
    find=_find,
)
