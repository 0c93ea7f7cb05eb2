"""NUM_CPUS is below the cores of the machine."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.detected_cores import detected_cores
from htcq.audit.evidence import Evidence
from htcq.audit.facts import each_machine
from htcq.audit.policies import number
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(evidence: Evidence) -> Iterator[Found]:
    waits = any(evidence.waiting.values())
    for each in detected_cores(evidence):
        if each.offered < each.there:
            yield each.found(
                f"{each_machine(len(each.machines))} offers {number(each.offered)} of "
                f"{number(each.there)} cores",
                Severity.WARNING if waits and 2 * each.offered <= each.there else None,
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
