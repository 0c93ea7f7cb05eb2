"""Machines that the site's STARTD_HEALTH_EXPRS call unhealthy, or healthy only in part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import Value, as_number, holds
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_class import EXAMPLES
from htcq.pool.weights import Weights

_HEALTHY, _FACTOR, _CHECKS = "Healthy", "HealthFactor", "HealthExprs"
#: From this part of the pool's machines on it is an outage.
_OUTAGE = 0.1


@dataclass
class _Sick:
    """Machines that are unhealthy in one way, each with an example of a slot."""

    text: str
    checks: str
    slots: dict[Value, Slot] = field(default_factory=dict)
    factors: list[float] = field(default_factory=list)


def _find(evidence: Evidence) -> Iterator[Found]:
    healthy, factor = Weights(_HEALTHY), Weights(_FACTOR)
    machines: set[Value] = set()
    shut: dict[str, _Sick] = {}
    partly: dict[str, _Sick] = {}
    for slot in evidence.slots:
        # A dynamic slot is as healthy as its machine, which has a slot of its own.
        if slot.type == DYNAMIC:
            continue
        machines.add(slot.machine)
        part = None
        if _FACTOR in slot.frame:
            part = as_number(factor.of(slot))
        if _HEALTHY in slot.frame and not holds(healthy.of(slot)):
            _add(shut, slot, part)
        elif part is not None and part < 1:
            _add(partly, slot, part)
    for sick in shut.values():
        severity = None
        if len(sick.slots) >= _OUTAGE * len(machines):
            severity = Severity.ERROR
        text = f"{_machines(sick)} unhealthy: no job starts there"
        yield _found("unhealthy", sick, text, severity)
    for sick in partly.values():
        least = min(sick.factors)
        text = (
            f"{_machines(sick)} only partly healthy ({_FACTOR} down to {least:.2g}); jobs still "
            "start there"
        )
        yield _found("partly", sick, text, Severity.INFO)


def _machines(sick: _Sick) -> str:
    return counted(len(sick.slots), "machine is", "machines are")


def _add(found: dict[str, _Sick], slot: Slot, part: float | None) -> None:
    checks = slot.frame.text(_CHECKS)
    one = found.setdefault(checks, _Sick(slot.frame.text(_HEALTHY), checks))
    one.slots.setdefault(slot.machine, slot)
    if part is not None:
        one.factors.append(part)


def _found(how: str, sick: _Sick, message: str, severity: Severity | None) -> Found:
    names = [str(slot.name) for slot in sick.slots.values()]
    facts = [Fact(_CHECKS, sick.checks)] if sick.checks else []
    facts.append(Fact(_HEALTHY, sick.text or "(absent)"))
    return Found(
        cause=f"{how}: {sick.checks}",
        subject=f"slot {names[0]}",
        message=message,
        facts=tuple(facts),
        count=len(names),
        examples=tuple(names[:EXAMPLES]),
        severity=severity,
    )


RULE = Rule(
    id="unhealthy-nodes",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.POOL),
    summary="Machines fail a health check of their startd (STARTD_HEALTH_EXPRS)",
    consequence=(
        "Healthy is a part of the slots' Requirements: if it is not true, the negotiator matches "
        "nothing there, and existing claims start no further job. The machines still count in "
        "the pool's weight, so that dynamic quotas include weight that is not available. "
        "condor_status shows them as unclaimed."
    ),
    advice=(
        "'condor_status -health:verbose' names the checks that failed. Repair the machine, or "
        "remove it from the pool until it is repaired; a check that fails everywhere may itself "
        "be wrong."
    ),
    source=(
        "src/condor_startd.V6/ResMgr.cpp:config_classad (STARTD_HEALTH_EXPRS), "
        "Reqexp.cpp:reqexp_config, 25.14"
    ),
    find=_find,
)
