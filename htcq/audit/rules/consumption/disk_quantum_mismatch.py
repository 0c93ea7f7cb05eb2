"""Disk is handed out in extents of a volume group, but consumed in another quantum."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import execute
from htcq.audit.policies import consumption_fact, number, on_slots, safe_request, slots_by
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.trials import Trial
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import DISK


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for quantum, slots in slots_by(kind, "DiskQuantum").items():
            for trial in evidence.trials.of(kind):
                if not _odd(kind, trial, quantum):
                    continue
                yield on_slots(
                    kind,
                    cause=f"{number(quantum)}: {kind.consumption[DISK]}",
                    message=(
                        f"{trial.job} consumes {number(trial.amounts[DISK])} KiB of disk, which "
                        f"is not a multiple of the {number(quantum)} KiB in which the node's "
                        "volume group allocates it"
                    ),
                    facts=(Fact("DiskQuantum", number(quantum)), consumption_fact(kind, DISK)),
                    settings=execute(evidence, slots, "CONSUMPTION_DISK", _rounded(quantum)),
                    slots=slots,
                )
                break


def _rounded(quantum: Number) -> str:
    return f"quantize({safe_request(DISK)}, {number(quantum)})"


def _odd(kind: SlotClass, trial: Trial, quantum: Number) -> bool:
    return quantum > 0 and trial.fits(kind) > 0 and trial.amounts.get(DISK, 0) % quantum != 0


RULE = Rule(
    id="disk-quantum-mismatch",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary=(
        "ConsumptionDisk is not a multiple of the extents of the volume group that provides the "
        "disk"
    ),
    consequence=(
        "With STARTD_ENFORCE_DISK_LIMITS, disk is allocated in whole extents, usually 4 MiB, and "
        "the startd rounds requests up to them. A consumption in another quantum deducts less "
        "than is allocated: the slot's disk becomes wrong, and activations are refused in the "
        "end."
    ),
    advice="Round ConsumptionDisk up to the DiskQuantum of the slot's ad.",
    source=(
        "src/condor_utils/param_info.in (MODIFY_REQUEST_EXPR_REQUESTDISK, CONSUMPTION_DISK), 25.14"
    ),
    find=_find,
)
