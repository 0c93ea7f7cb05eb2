"""Slots hand out more cores than their machine has."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.detected_cores import detected_cores
from htcq.audit.evidence import Evidence
from htcq.audit.facts import each_machine
from htcq.audit.policies import number
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(evidence: Evidence) -> Iterator[Found]:
    for each in detected_cores(evidence):
        if each.there < each.offered:
            yield each.found(
                f"{each_machine(len(each.machines))} offers {number(each.offered)} cores and has "
                f"{number(each.there)}",
                Severity.WARNING if each.offered >= 2 * each.there else None,
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
