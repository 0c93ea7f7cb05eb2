"""GPUs that an execution point detects and does not offer."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.policies import number
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC
from htcq.pool.slot_class import EXAMPLES

_KNOB = "OFFLINE_MACHINE_RESOURCE_GPUs"


def _find(evidence: Evidence) -> Iterator[Found]:
    offered, detected = dict[str, float](), dict[str, float]()
    for slot in evidence.slots:
        machine, here = str(slot.machine), _detected(slot.frame.value("DetectedGPUs"))
        if slot.type != DYNAMIC and here is not None:
            detected[machine] = here
            own = as_number(slot.frame.value("TotalSlotGPUs")) or 0
            offered[machine] = offered.get(machine, 0) + own
    missing = {
        machine: count - offered[machine]
        for machine, count in detected.items() if offered[machine] < count
    }  # fmt: skip
    if not missing:
        return
    names = sorted(missing, key=lambda name: (-missing[name], name))
    devices = sum(missing.values())
    yield Found(
        cause="offline",
        subject=f"execution point {names[0]}",
        message=(
            f"{number(devices)} of {number(sum(detected.values()))} detected GPUs are not offered, "
            f"on {counted(len(names), 'machine')} such as {names[0]}"
        ),
        facts=(
            Fact("DetectedGPUs", number(detected[names[0]])),
            Fact("TotalSlotGPUs", number(offered[names[0]])),
        ),
        count=len(names),
        examples=tuple(names[:EXAMPLES]),
    )


def _detected(value: object) -> float | None:
    """Return how many GPUs are detected: a text with their names (25.14.1), or a number."""
    if isinstance(value, str):
        return float(len([each for each in value.split(",") if each.strip()]))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return None


RULE = Rule(
    id="gpus-offline",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="GPUs that are detected are offered to no job",
    consequence=(
        "Devices that are listed in OFFLINE_MACHINE_RESOURCE_GPUs, or left out of the slot types, "
        "stand idle. After a repair the knob is easily forgotten."
    ),
    advice=(
        "condor_config_val OFFLINE_MACHINE_RESOURCE_GPUs on the machine; remove devices that work, "
        "and condor_reconfig."
    ),
    source=(
        "src/condor_startd.V6/ResAttributes.cpp:init_machine_resource_from_ad, 25.14; "
        "seen on 25.14.1"
    ),
    find=_find,
)
