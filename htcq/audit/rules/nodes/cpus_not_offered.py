"""NUM_CPUS is below the cores of the machine."""

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
        if offered is not None and there is not None and 0 < offered < there:
            found.setdefault((offered, there), {})[str(slot.machine)] = None
    for (offered, there), names in found.items():
        machines = list(names)
        half = 2 * offered <= there and any(evidence.waiting.values())
        yield Found(
            cause=f"{number(offered)} of {number(there)}",
            subject=f"execution point {machines[0]}",
            message=(
                f"{each_machine(len(machines))} offers {number(offered)} of {number(there)} cores"
            ),
            facts=(
                Fact("TotalCpus", number(offered)),
                Fact("DetectedCpus", number(there)),
            ),
            count=len(machines),
            examples=tuple(machines[:EXAMPLES]),
            severity=Severity.WARNING if half else None,
        )


RULE = Rule(
    id="cpus-not-offered",
    severity=Severity.INFO,
    needs=(Input.SLOTS,),
    summary="The slots of a machine have fewer cores than HTCondor detects there",
    consequence=(
        "NUM_CPUS keeps cores from the pool: no slot has them, no quota counts "
        "them, and no job uses them. Half of the cores or more, while jobs wait, is a warning."
    ),
    advice=(
        "condor_config_val -verbose NUM_CPUS on the execution point says where it is set; remove "
        "it if nobody meant it."
    ),
    source="src/condor_startd.V6/ResAttributes.cpp, 25.14",
    find=_find,
)
