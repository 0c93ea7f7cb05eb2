"""Slots hand out more memory than their machine has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import each_machine
from htcq.audit.fix_settings import node
from htcq.audit.nodes import effective
from htcq.audit.policies import knob_as_fact, number
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import Value, as_number
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.slot_class import EXAMPLES

#: So many times the memory of a machine are no matter of taste.
_FAR = 2


@dataclass
class _Machines:
    """Machines that hand out as many times their memory; the first of them stands for all."""

    slot: Slot
    offered: Number
    there: Number
    names: list[str] = field(default_factory=list)


def _find(evidence: Evidence) -> Iterator[Found]:
    found: dict[tuple[Number, Number], _Machines] = {}
    for machine, (slot, offered) in _offered(evidence).items():
        there = as_number(slot.detected_memory_mb)
        if there is None or there <= 0 or offered <= there:
            continue
        one = found.setdefault((offered, there), _Machines(slot, offered, there))
        one.names.append(str(machine))
    for one in found.values():
        yield _found(evidence, one)


def _offered(evidence: Evidence) -> Mapping[Value, tuple[Slot, Number]]:
    """Return by machine one of its slots, and the memory that all of them have together.

    Backfill slots hand out the same memory a second time on purpose.
    """
    found: dict[Value, tuple[Slot, Number]] = {}
    for slot in evidence.slots:
        if slot.type == DYNAMIC or slot.frame.value("BackfillSlot") is True:
            continue
        if slot.frame.value("Offline") is True:
            continue
        own = as_number(slot.total_slot_memory_mb) or 0
        first, sum_ = found.get(slot.machine, (slot, 0))
        found[slot.machine] = (first, sum_ + own)
    return found


def _found(evidence: Evidence, one: _Machines) -> Found:
    beyond = one.offered - one.there
    facts = [
        Fact("DetectedMemory", number(one.there)),
        Fact("TotalMemory", number(as_number(one.slot.total_memory_mb))),
        Fact("sum of TotalSlotMemory", number(one.offered)),
    ]
    configuration = evidence.execute.get(one.names[0])
    if configuration is not None and "MEMORY" in configuration:
        facts.append(knob_as_fact(effective(configuration, "MEMORY")))
    return Found(
        cause=f"{number(one.offered)} of {number(one.there)}",
        subject=f"execution point {one.names[0]}",
        message=(
            f"{each_machine(len(one.names))} offers {number(one.offered)} MB of memory and has "
            f"{number(one.there)} MB: {100 * beyond / one.there:.0f} % too much"
        ),
        facts=tuple(facts),
        count=len(one.names),
        examples=tuple(one.names[:EXAMPLES]),
        settings=tuple(node(evidence, name, "MEMORY", "$(DETECTED_MEMORY)") for name in one.names),
        severity=Severity.WARNING if one.offered >= _FAR * one.there else None,
    )


RULE = Rule(
    id="memory-above-machine",
    severity=Severity.INFO,
    needs=(Input.SLOTS,),
    summary="The slots of a machine have more memory than HTCondor detects there",
    consequence=(
        "The startd uses MEMORY without checking the machine. When the jobs use their memory, "
        "the machine swaps or the kernel kills some of them, even jobs within their own request; "
        "and quotas are shares of memory that does not exist."
    ),
    advice=(
        "Remove MEMORY from the execution point's configuration, or set it below "
        "DETECTED_MEMORY. A machine whose jobs use less than they request can offer more; how "
        "much is a decision of the site."
    ),
    source="src/condor_sysapi/phys_mem.cpp:sysapi_phys_memory, reconfig.cpp, 25.14",
    find=_find,
)
