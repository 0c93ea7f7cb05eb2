"""Names of attributes that HTCondor itself gives to slots and jobs, with those of their assets."""

from __future__ import annotations

from collections.abc import Collection

from htcq.htcondor.attributes import JOB, KNOWN, MATCH, SLOT, names
from htcq.units import attribute

SLOT_NAMES = frozenset(names(SLOT, KNOWN))
JOB_NAMES = frozenset(names(JOB, KNOWN))
#: What stands in the job's ad, or in the slot's, only while the negotiator looks for a match.
MATCH_NAMES = frozenset(names(MATCH, KNOWN))
#: What stands before the name of an asset, in slots and in jobs.
_SLOT_PREFIXES = (
    "", "Assigned", "Available", "Child", "Consumption", "Detected", "Offline", "Total",
    "TotalSlot", "TotalOffline",
)  # fmt: skip
_JOB_PREFIXES = ("Request", "Require", "_condor_Request", "_cp_orig_Request")
_JOB_SUFFIXES = ("Provisioned", "Usage", "AverageUsage")


def slot_names(assets: Collection[str]) -> frozenset[str]:
    """Return every attribute that HTCondor may give to a slot that hands out ``assets``."""
    found = set(SLOT_NAMES)
    for asset in assets:
        found.update(f"{prefix}{attribute(asset)}" for prefix in _SLOT_PREFIXES)
    return frozenset(found)


def job_names(assets: Collection[str]) -> frozenset[str]:
    """Return every attribute that HTCondor may give to a job in a pool with ``assets``."""
    found = set(JOB_NAMES)
    for asset in assets:
        name = attribute(asset)
        found.update(f"{prefix}{name}" for prefix in _JOB_PREFIXES)
        found.update(f"{name}{suffix}" for suffix in _JOB_SUFFIXES)
    return frozenset(found)
