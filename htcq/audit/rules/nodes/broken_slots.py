"""Slots that their startd has declared broken.

Nobody is given their hardware until the startd restarts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.policies import number
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import as_number
from htcq.pool.shared_attributes import frames_of
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.slot_class import EXAMPLES
from htcq.units import CPUS, GPUS, MEMORY, attribute

_CODE, _REASON = "SlotBrokenCode", "SlotBrokenReason"
#: Assets whose loss is counted; a pool that lost this part of one of them has an outage.
_COUNTED = (CPUS, MEMORY, GPUS)
_OUTAGE = 0.1
#: What SlotBrokenCode stands for (ResAttributes.h: BROKEN_CODE_*).
_CODES: Mapping[Number, str] = {
    1: "the machine lacks what is configured for the slot",
    2: "its devices could not be bound to the slot",
    3: "its EXECUTE directory cannot be used",
    4: "a job left something that could not be cleaned up",
    5: "a job's logical volume could not be removed",
    6: "processes of a job could not be killed",
    7: "the cgroup of a job could not be removed",
}


@dataclass
class _Broken:
    """The slots that are broken for one reason, and what they had."""

    reason: str
    text: str
    names: list[str] = field(default_factory=list)
    lost: dict[str, Number] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0))


def _find(evidence: Evidence) -> Iterator[Found]:
    found: dict[object, _Broken] = {}
    names = (_CODE, _REASON, *(f"BrokenSlot{asset}" for asset in _COUNTED))
    frames = [each for each in frames_of(evidence.slots) if any(name in each for name in names)]
    if not frames:
        return
    broken_frames = set(map(id, frames))
    for slot in evidence.slots:
        if id(slot.frame) not in broken_frames:
            continue
        if _CODE in slot.frame or _REASON in slot.frame:
            _add(found, slot, slot.frame.value(_CODE), "TotalSlot")
        else:
            _add(found, slot, "deleted", "BrokenSlot")
    whole = _hardware(evidence)
    for code, broken in found.items():
        yield _found(str(code), broken, whole)


def _add(found: dict[object, _Broken], slot: Slot, code: object, prefix: str) -> None:
    """Count ``slot``; the attributes with ``prefix`` say what is lost by it."""
    if code not in found:
        reason = "dynamic slots that broke were deleted"
        if isinstance(code, int):
            reason = _CODES.get(code, "reported by its startd")
        found[code] = _Broken(reason, slot.frame.text(_REASON))
    one = found[code]
    one.names.append(str(slot.name))
    for asset in _COUNTED:
        one.lost[asset] += as_number(slot.value(f"{prefix}{attribute(asset)}")) or 0


def _hardware(evidence: Evidence) -> dict[str, Number]:
    """Return what all machines have, the broken slots' part included."""
    whole: dict[str, Number] = dict.fromkeys(_COUNTED, 0)
    for slot in evidence.slots:
        if slot.type == DYNAMIC or slot.frame.value("BackfillSlot") is True:
            continue
        for asset in _COUNTED:
            whole[asset] += as_number(slot.value(f"TotalSlot{attribute(asset)}")) or 0
            # TotalSlotCpus of a partitionable slot is without what its deleted slots took with
            # them.
            whole[asset] += as_number(slot.frame.value(f"BrokenSlot{attribute(asset)}")) or 0
    return whole


def _found(cause: str, broken: _Broken, whole: Mapping[str, Number]) -> Found:
    lost = {asset: amount for asset, amount in broken.lost.items() if amount}
    parts = [
        f"{number(amount)} of {number(whole[asset])} {_unit(asset)}"
        for asset, amount in lost.items()
    ]
    severity = None
    if any(amount >= _OUTAGE * whole[asset] for asset, amount in lost.items()):
        severity = Severity.ERROR
    facts = []
    if cause != "deleted":
        facts.append(Fact(_CODE, cause))
    if broken.text:
        facts.append(Fact(_REASON, broken.text))
    out_of_use = ""
    if parts:
        out_of_use = f": {listed(parts)} are out of use"
    return Found(
        cause=f"code {cause}",
        subject=f"slot {broken.names[0]}",
        message=f"{counted(len(broken.names), 'slot')} broken ({broken.reason}){out_of_use}",
        facts=tuple(facts),
        count=len(broken.names),
        examples=tuple(broken.names[:EXAMPLES]),
        severity=severity,
    )


def _unit(asset: str) -> str:
    return {CPUS: "cpus", MEMORY: "MB of memory", GPUS: "GPUs"}[asset]


RULE = Rule(
    id="broken-slots",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.POOL),
    summary="Slots are broken: their startd runs no more jobs on them",
    consequence=(
        "A slot whose processes, files or devices cannot be cleaned up is broken until its "
        "startd restarts. It has 0 of every asset, and a dynamic slot keeps its amounts away "
        "from its machine. The pool is smaller than its hardware, and condor_status shows only "
        "unclaimed slots."
    ),
    advice=(
        "SlotBrokenReason has the cause. Remove what is left of the job (its processes, its "
        "cgroup, its files), then restart the startd: condor_restart -startd. Examine a machine "
        "on which this happens repeatedly."
    ),
    source=(
        "src/condor_startd.V6/ResAttributes.cpp:publish_static, Reqexp.cpp:publish_requirements, "
        "25.14"
    ),
    find=_find,
)
