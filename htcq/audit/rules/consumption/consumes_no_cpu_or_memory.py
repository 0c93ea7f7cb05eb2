"""A claim can take no cpus or no memory of its slot, though the startd hands some out."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.access_points import access_points
from htcq.audit.evidence import Evidence
from htcq.audit.fractions import at_least_one
from htcq.audit.nodes import modifications
from htcq.audit.policies import consumption_fact, consumption_settings, number, on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.trials import Trial
from htcq.classads import as_number
from htcq.policy.carved import handed_out
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS, DISK, MEMORY, attribute

_ASKS_FOR_NOTHING: dict[str, Number] = {CPUS: 0, MEMORY: 0, DISK: 0}


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        trials = (*evidence.trials.of(kind), evidence.trials.made_up(kind, _ASKS_FOR_NOTHING))
        for asset in (CPUS, MEMORY):
            free = next((trial for trial in trials if _free(evidence, kind, trial, asset)), None)
            if free is not None:
                yield _found(evidence, kind, free, asset)


def _free(evidence: Evidence, kind: SlotClass, trial: Trial, asset: str) -> bool:
    """Return whether the job takes none of ``asset``, for the negotiator and for the startd."""
    if trial.taken.get(asset) != 0 or not trial.amounts:
        return False
    return any(each.taken(kind, trial).get(asset) == 0 for each in modifications(evidence, kind))


def _happens(evidence: Evidence, trial: Trial, asset: str) -> bool:
    """Return whether such a job is there, or may be.

    Such a job asks for some of ``asset``, or an access point gives jobs 0 by default.
    """
    if trial.own or (trial.jobs.request.get(asset) or 0) > 0:
        return True
    request = f"Request{attribute(asset)}"
    defaults = (point.ordinary_job().value(request) for point in access_points(evidence))
    return any(as_number(default) == 0 for default in defaults)


def _found(evidence: Evidence, kind: SlotClass, trial: Trial, asset: str) -> Found:
    happens = _happens(evidence, trial, asset)
    got, name = handed_out({asset: 0})[asset], attribute(asset)
    unit = "cpu" if asset == CPUS else "MB"
    takes, gets, severity = "takes", "gets", None
    if not happens:
        takes, gets, severity = "would take", "would get", Severity.INFO
    facts = [consumption_fact(kind, asset)]
    already = ""
    below_zero = _below_zero(kind, asset)
    if below_zero:
        facts.append(Fact(name, below_zero))
        already = f", {name} is at {below_zero} already"
    return on_slots(
        kind,
        cause=f"{name}: {kind.consumption[asset]}",
        message=(
            f"{trial.job} {takes} 0 {asset}, but its dynamic slot {gets} {number(got)} {unit}: "
            f"the slot gives away more than it has{already}"
        ),
        facts=tuple(facts),
        settings=consumption_settings(evidence, kind, asset, at_least_one(kind, asset)),
        severity=severity,
        is_root=True,
    )


def _below_zero(kind: SlotClass, asset: str) -> str:
    """Return the first amount below zero that a slot has left of ``asset``; empty for none."""
    place = {CPUS: "cpus", MEMORY: "memory_mb"}[asset]
    for slot in kind.slots:
        left = as_number(getattr(slot, place))
        if left is not None and left < 0:
            return number(left)
    return ""


RULE = Rule(
    id="consumes-no-cpu-or-memory",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary=(
        "A claim can consume no cpus or no memory, although the startd carves at least 1 cpu and "
        "1 MB"
    ),
    consequence=(
        "A dynamic slot always has at least 1 cpu and 1 MB, even if the policy consumes less. "
        "The amounts of the partitionable slot become negative, and the machine runs more jobs "
        "than it has cpus. A job in 1 MB is killed if memory limits are enforced. If no job in "
        "the queue requests so little, explicitly or by default, the finding is information only."
    ),
    advice="Consume at least 1 cpu and 1 MB.",
    source=(
        "src/condor_startd.V6/Resource.cpp:create_dslot, 25.14; seen on 25.14.1: 3 cpus, five "
        "dynamic slots, Cpus = -1"
    ),
    find=_find,
)
