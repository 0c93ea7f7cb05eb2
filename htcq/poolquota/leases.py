"""Ceilings, floors and priority factors with an expiry, and their values after it.

Follows src/condor_negotiator.V6/Accountant.cpp (CheckCeilingLeases, CheckFloorLeases,
CheckPriorityFactorLeases), HTCondor 25.14: leases of ceilings since 25.11, of floors and factors
since 25.12. Before each cycle what was there before comes back where a lease is over.
"""

from __future__ import annotations

from dataclasses import replace

from htcq.classads import Value
from htcq.pool.record import Record

_LEASED = ("Ceiling", "Floor", "PriorityFactor")


def restored(record: Record, moment: float | None) -> Record:
    """Return a submitter's account in the first cycle after ``moment`` (seconds since 1970)."""
    if moment is None:
        return record
    changed: dict[str, Value] = {}
    for name in _LEASED:
        until = record.number(f"{name}LeaseExpiration")
        before = record.number(f"{name}PreLeaseValue")
        if until is not None and 0 < until <= moment and before is not None:
            changed.update({name.lower(): before, f"{name}LeaseExpiration".lower(): 0})
    factor, priority = record.number("PriorityFactor"), record.number("Priority")
    later = changed.get("priorityfactor")
    if isinstance(later, (int, float)) and factor and priority is not None:
        # The published priority is that of usage times the factor.
        changed["priority"] = priority / factor * later
    if not changed:
        return record
    return replace(record, values={**record.values, **changed})
