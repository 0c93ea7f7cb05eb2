"""Leftovers of partitionable slots are off, and no consumption policy takes their place."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.fix import Role
from htcq.audit.fix_settings import access, node
from htcq.audit.nodes import effective
from htcq.audit.policies import knob_as_fact
from htcq.audit.rule import Found, Input, Rule, Severity, Unchecked
from htcq.pool.configuration import Configuration

_KNOB = "CLAIM_PARTITIONABLE_LEFTOVERS"
_DEPTH_FIRST = "NEGOTIATOR_DEPTH_FIRST"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    slots = sum(kind.count for kind in evidence.partitionable)
    # With consumption policies it has to be off, and the negotiator itself matches a slot several
    # times.
    if not slots or evidence.with_policy:
        return
    unknown = [
        record.name for record in evidence.pool.schedds if record.name not in evidence.access
    ]
    if unknown:
        yield Unchecked(f"the configuration of {listed(unknown)} (access/NAME.txt)")
    for name, configuration in evidence.access.items():
        if not configuration.truth(_KNOB, True):
            yield _found(evidence, configuration, Role.ACCESS, name, slots)
    for name, configuration in evidence.execute.items():
        if not configuration.truth(_KNOB, True) and name not in evidence.access:
            yield _found(evidence, configuration, Role.EXECUTE, name, slots)


def _found(
    evidence: Evidence, configuration: Configuration, role: Role, name: str, slots: int
) -> Found:
    waiting = sum(sum(each.idle.values()) for each in evidence.autoclusters)
    many = ""
    if waiting:
        many = f"; {counted(waiting, 'job')} idle"
    severity = None
    if waiting > slots and not _on_purpose(evidence):
        severity = Severity.WARNING
    if role is Role.ACCESS:
        settings = access(evidence, _KNOB, "True", (name,))
    else:
        settings = (node(evidence, name, _KNOB, "True"),)
    knob = effective(configuration, _KNOB)
    return Found(
        cause=role.value,
        subject=f"{role.value} {name}",
        message=(
            f"{_KNOB} is {knob.value} on {role.value} {name}, and no slot has a consumption "
            f"policy: a cycle starts one job per partitionable slot, at most {slots} in the whole "
            f"pool{many}"
        ),
        facts=(knob_as_fact(knob),),
        settings=settings,
        examples=(name,),
        severity=severity,
    )


def _on_purpose(evidence: Evidence) -> bool:
    """Return whether the site has a reason to turn leftovers off.

    The reasons: jobs are to be spread out, or groups are to keep to their quotas.
    """
    return evidence.quotas.grouped or not evidence.truth(_DEPTH_FIRST, True)


RULE = Rule(
    id="leftovers-off",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.POOL),
    summary="CLAIM_PARTITIONABLE_LEFTOVERS is off while no slot has a consumption policy",
    consequence=(
        "The negotiator matches a partitionable slot without a consumption policy once per "
        "cycle. With leftovers, the access point carves further jobs from the rest of the slot; "
        "without them, one job starts on each slot in each cycle, and a machine of 128 cores "
        "takes 128 cycles to fill."
    ),
    advice=(
        "Turn leftovers on at access points and execution points, unless jobs should be spread "
        f"over machines (then {_DEPTH_FIRST} is off too) or groups would exceed their quotas: "
        "leftovers are not counted before the next cycle."
    ),
    source=(
        "src/condor_startd.V6/command.cpp:request_claim, condor_daemon_client/dc_startd.cpp, 25.14"
    ),
    find=_find,
)
