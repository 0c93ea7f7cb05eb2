"""Checks whether an ad has what every command needs, and whether it can be evaluated.

HTCondor's own daemons write these attributes always; somebody else who advertises an ad may
write anything.
"""

from __future__ import annotations

from htcq.classads import Value
from htcq.errors import BindingsError
from htcq.pool.autocluster import autoclusters_of
from htcq.pool.job import Job
from htcq.pool.record import (
    ACCOUNTING,
    COLLECTOR,
    DEFRAG,
    NEGOTIATOR,
    SCHEDD,
    SUBMITTER,
    Record,
)
from htcq.pool.slot import Slot, is_asset
from htcq.pool.slot_class import SlotClass

#: Names of the records in messages.
WORDS = {
    SUBMITTER: "submitter", SCHEDD: "schedd", NEGOTIATOR: "negotiator", COLLECTOR: "collector",
    ACCOUNTING: "accounting record", DEFRAG: "condor_defrag",
}  # fmt: skip


def job_name(job: Job) -> str:
    """Return the name of ``job`` in a message: 12.0 of ap1."""
    name = "one without a number"
    if _is_whole(job.cluster) and _is_whole(job.proc):
        name = f"{job.cluster}.{job.proc}"
    if isinstance(job.schedd, str):
        name += f" of {job.schedd}"
    return name


def slot_name(slot: Slot) -> str:
    """Return the name of ``slot`` in a message."""
    if isinstance(slot.name, str):
        return slot.name
    if isinstance(slot.machine, str):
        return f"one without a name on {slot.machine}"
    return ""


def job_flaw(job: Job) -> str:
    """Return why ``job`` cannot be used, whatever its expressions are; empty where it can."""
    needed = {"ClusterId": job.cluster, "ProcId": job.proc, "JobStatus": job.status}
    for name, value in needed.items():
        if not _is_whole(value):
            return f"its {name} is no whole number"
    for owner in (job.user, job.owner, job.accounting_group):
        if isinstance(owner, str) and owner:
            return ""
    return "it has no User, Owner or AccountingGroup"


def slot_flaw(slot: Slot) -> str:
    """Return why ``slot`` cannot be used, whatever its expressions are; empty where it can."""
    if isinstance(slot.name, str) and slot.name:
        return ""
    return "its Name is no text"


def record_flaw(record: Record) -> str:
    """Return why ``record`` cannot be used; empty where it can."""
    if record.name:
        return ""
    return "its Name is no text"


def expressions_of_job_flaw(job: Job) -> str:
    """Return why the attributes that ``job`` shares cannot be evaluated; empty where they can."""
    try:
        for each in autoclusters_of([job]):
            each.ad()
            _ = each.request
    except BindingsError:
        raise
    except Exception as error:
        return _not_evaluated(error)
    return ""


def expressions_of_slot_flaw(slot: Slot) -> str:
    """Return why the attributes that ``slot`` shares cannot be evaluated; empty where they can."""
    try:
        slot_class = SlotClass((slot,))
        _ = slot_class.total, slot_class.missing_assets
        _ = slot_class.supports_policy, slot_class.full_weight
    except BindingsError:
        raise
    except Exception as error:
        return _not_evaluated(error)
    return ""


def odd_assets(slot: Slot) -> tuple[str, ...]:
    """Return the words of MachineResources that cannot be names of attributes."""
    resources = slot.frame.value("MachineResources")
    if not isinstance(resources, str):
        return ()
    words = dict.fromkeys(resources.replace(",", " ").lower().split())
    return tuple(word for word in words if not is_asset(word))


def _not_evaluated(error: Exception) -> str:
    return f"it cannot be evaluated: {error or type(error).__name__}"


def _is_whole(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
