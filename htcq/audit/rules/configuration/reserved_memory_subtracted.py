"""RESERVED_MEMORY is taken off a MEMORY that was set by hand."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import node
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.configuration import Knob
from htcq.quota.knobs import number_of


def _find(evidence: Evidence) -> Iterator[Found]:
    for machine, configuration in evidence.execute.items():
        memory, reserved = configuration.knob("MEMORY"), configuration.knob("RESERVED_MEMORY")
        if memory is None or reserved is None:
            continue
        amount, less = _number(memory), _number(reserved)
        if amount is None or less is None or less <= 0:
            continue
        yield Found(
            cause=f"MEMORY = {memory.raw}, RESERVED_MEMORY = {reserved.raw}",
            subject=f"execution point {machine}",
            message=(
                f"MEMORY is {amount:g} MB and RESERVED_MEMORY {less:g} MB: the startd offers "
                f"{amount - less:g} MB"
            ),
            facts=(
                Fact(memory.name, memory.raw or memory.value, memory.place),
                Fact(reserved.name, reserved.raw or reserved.value, reserved.place),
            ),
            examples=(machine,),
            settings=(node(evidence, machine, reserved.bare, "0"),),
        )


def _number(knob: Knob) -> float | None:
    text = knob.value.strip()
    if not text:
        return None
    return number_of(text)


RULE = Rule(
    id="reserved-memory-subtracted",
    severity=Severity.WARNING,
    needs=(Input.EXECUTE,),
    summary="RESERVED_MEMORY is set together with MEMORY",
    consequence=(
        "The startd subtracts RESERVED_MEMORY from MEMORY as well as from the detected memory. "
        "Slots are smaller than intended; if nothing is left, the startd exits."
    ),
    advice=(
        "Set only one of them: MEMORY to the memory for jobs, or RESERVED_MEMORY to the memory "
        "that jobs must not use; then restart."
    ),
    source="src/condor_sysapi/phys_mem.cpp:sysapi_phys_memory, 25.14",
    find=_find,
)
