"""Disk is handed out in extents of a volume group, but consumed in another quantum."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import consumption_fact, number, on_slots
from htcq.audit.rule import Fact, Found, Need, Rule, Severity
from htcq.classads import as_number
from htcq.pool.kind import Kind
from htcq.pool.slot import Number
from htcq.units import DISK


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        quantum = _quantum(kind)
        if DISK not in kind.consumption or not quantum:
            continue
        for trial in evidence.trials.of(kind):
            amounts = trial.amounts
            if amounts is not None and trial.fits(kind) and amounts[DISK] % quantum:
                yield on_slots(
                    kind,
                    cause=f"{quantum}: {kind.consumption[DISK]}",
                    message=f"{trial.job} takes {number(amounts[DISK])} KiB of disk, which is no multiple of the "
                    f"{number(quantum)} KiB in which the node's volume group hands it out",
                    facts=(Fact("DiskQuantum", number(quantum)), consumption_fact(kind, DISK)),
                    fix=f"CONSUMPTION_DISK = quantize(ceiling(TARGET.RequestDisk ?: 0), {number(quantum)})",
                )
                break


def _quantum(kind: Kind) -> Number:
    """Return the largest DiskQuantum of the slots, in KiB; 0 where disk is not handed out in extents."""
    quanta = (as_number(slot.frame.value("DiskQuantum")) for slot in kind.variants)
    return max((quantum for quantum in quanta if quantum is not None), default=0)


RULE = Rule(
    id="disk-quantum-mismatch",
    severity=Severity.WARNING,
    needs=(Need.SLOTS,),
    summary="Where disk comes from a volume group, ConsumptionDisk is no multiple of its extents",
    consequence=(
        "With STARTD_ENFORCE_DISK_LIMITS disk is handed out in whole extents, 4 MiB as a rule, and the startd rounds "
        "requests up to them. A consumption in another quantum takes less than what is gone: the slot's disk drifts, "
        "and activations are refused in the end."
    ),
    fix="Round ConsumptionDisk up to the DiskQuantum of the slot's ad.",
    source="src/condor_utils/param_info.in (MODIFY_REQUEST_EXPR_REQUESTDISK, CONSUMPTION_DISK), 25.14",
    find=_find,
)
