"""Checks whether an ad has what every command needs, and whether it can be evaluated.

HTCondor's own daemons write these attributes always; somebody else who advertises an ad may
write anything.
"""

from __future__ import annotations

from htcq.classads import Value
from htcq.errors import BindingsError
from htcq.pool.autocluster import autoclusters_of
from htcq.pool.job import Job
from htcq.pool.record import ACCOUNTING, COLLECTOR, NEGOTIATOR, SCHEDD, SUBMITTER, Record
from htcq.pool.slot import Slot, is_asset
from htcq.pool.slot_class import SlotClass

#: What a message calls the records.
WORDS = {
    SUBMITTER: "submitter", SCHEDD: "schedd", NEGOTIATOR: "negotiator", COLLECTOR: "collector",
    ACCOUNTING: "accounting record",
}  # fmt: skip


def job_name(job: Job) -> str:
    """Return what a message calls ``job``: 12.0 of ap1."""
    number = (
        f"{job.cluster}.{job.proc}"
        if _is_whole(job.cluster) and _is_whole(job.proc)
        else "one without a number"
    )
    return f"{number} of {job.schedd}" if isinstance(job.schedd, str) else number


def slot_name(slot: Slot) -> str:
    """Return what a message calls ``slot``."""
    if isinstance(slot.name, str):
        return slot.name
    return f"one without a name on {slot.machine}" if isinstance(slot.machine, str) else ""


def job_flaw(job: Job) -> str:
    """Return why ``job`` cannot be used, whatever its expressions are; empty where it can."""
    for name, value in (
        ("ClusterId", job.cluster),
        ("ProcId", job.proc),
        ("JobStatus", job.status),
    ):
        if not _is_whole(value):
            return f"its {name} is no whole number"
    if not any(
        isinstance(value, str) and value for value in (job.user, job.owner, job.accounting_group)
    ):
        return "it has no User, Owner or AccountingGroup"
    return ""


def slot_flaw(slot: Slot) -> str:
    """Return why ``slot`` cannot be used, whatever its expressions are; empty where it can."""
    return "" if isinstance(slot.name, str) and slot.name else "its Name is no text"


def record_flaw(record: Record) -> str:
    """Return why ``record`` cannot be used; empty where it can."""
    return "" if record.name else "its Name is no text"


def expressions_of_job_flaw(job: Job) -> str:
    """Return why what ``job`` shares with its like cannot be evaluated; empty where it can."""
    try:
        for each in autoclusters_of([job]):
            each.ad()
            _ = each.request
    except BindingsError:
        raise
    except Exception as error:
        return _told(error)
    return ""


def expressions_of_slot_flaw(slot: Slot) -> str:
    """Return why what ``slot`` shares with its like cannot be evaluated; empty where it can."""
    try:
        kind = SlotClass((slot,))
        _ = kind.total, kind.missing_assets, kind.supports_policy, kind.full_weight
    except BindingsError:
        raise
    except Exception as error:
        return _told(error)
    return ""


def odd_assets(slot: Slot) -> tuple[str, ...]:
    """Return what MachineResources lists and no attribute can be called."""
    resources = slot.frame.value("MachineResources")
    words = resources.replace(",", " ").lower().split() if isinstance(resources, str) else []
    return tuple(word for word in dict.fromkeys(words) if not is_asset(word))


def _told(error: Exception) -> str:
    return f"it cannot be evaluated: {error or type(error).__name__}"


def _is_whole(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
