"""Slots hand out more cores than their machine has."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import each_machine
from htcq.audit.policies import number
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, Number
from htcq.pool.slot_class import EXAMPLES


def _find(evidence: Evidence) -> Iterator[Found]:
    found: dict[tuple[Number, Number], dict[str, None]] = {}
    for slot in evidence.slots:
        if slot.type == DYNAMIC or slot.frame.value("Offline") is True:
            continue
        offered = as_number(slot.frame.value("TotalCpus"))
        there = as_number(slot.frame.value("DetectedCpus"))
        if offered is not None and there is not None and 0 < there < offered:
            found.setdefault((offered, there), {})[str(slot.machine)] = None
    for (offered, there), names in found.items():
        yield _found(offered, there, list(names))


def _found(offered: Number, there: Number, names: list[str]) -> Found:
    much = offered >= 2 * there
    return Found(
        cause=f"{number(offered)} of {number(there)}",
        subject=f"execution point {names[0]}",
        message=(
            f"{each_machine(len(names))} offers {number(offered)} cores and has {number(there)}"
        ),
        facts=(Fact("TotalCpus", number(offered)), Fact("DetectedCpus", number(there))),
        count=len(names),
        examples=tuple(names[:EXAMPLES]),
        severity=Severity.WARNING if much else None,
    )


RULE = Rule(
    id="cpus-above-machine",
    severity=Severity.INFO,
    needs=(Input.SLOTS,),
    summary="The slots of a machine have more cores than HTCondor detects there",
    consequence=(
        "NUM_CPUS counts without a check of the machine. Jobs share cores and run slower than "
        "they were measured, and quotas in cores are shares of cores that do not exist."
    ),
    advice=(
        "Remove NUM_CPUS from the execution point's configuration. A factor below 2 is common "
        "where jobs wait for input and output; that is a decision of the site."
    ),
    source="src/condor_startd.V6/ResAttributes.cpp, 25.14",
    find=_find,
)
