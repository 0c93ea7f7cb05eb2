"""The cores that machines offer, beside those that HTCondor detects there.

NUM_CPUS may differ from what is detected (src/condor_startd.V6/ResAttributes.cpp, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from htcq.audit.evidence import Evidence
from htcq.audit.policies import number
from htcq.audit.rule import Fact, Found, Severity
from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, Number
from htcq.pool.slot_class import EXAMPLES


class DetectedCores(NamedTuple):
    """``machines`` whose slots offer so many cores, and where so many are ``there``."""

    offered: Number
    there: Number
    machines: tuple[str, ...]

    def found(self, message: str, severity: Severity | None) -> Found:
        """Return a finding on these machines."""
        offered, there = number(self.offered), number(self.there)
        return Found(
            cause=f"{offered} of {there}",
            subject=f"execution point {self.machines[0]}",
            message=message,
            facts=(Fact("TotalCpus", offered), Fact("DetectedCpus", there)),
            count=len(self.machines),
            examples=self.machines[:EXAMPLES],
            severity=severity,
        )


def detected_cores(evidence: Evidence) -> Iterator[DetectedCores]:
    """Yield the machines by what they offer and have, where their ads say both."""
    found: dict[tuple[Number, Number], dict[str, None]] = {}
    for slot in evidence.slots:
        if slot.type == DYNAMIC or slot.frame.value("Offline") is True:
            continue
        offered = as_number(slot.frame.value("TotalCpus"))
        there = as_number(slot.frame.value("DetectedCpus"))
        if offered is not None and there is not None and offered > 0 and there > 0:
            found.setdefault((offered, there), {})[str(slot.machine)] = None
    for (offered, there), machines in found.items():
        yield DetectedCores(offered, there, tuple(machines))
