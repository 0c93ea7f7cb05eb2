"""Jobs of the grid universe wait for a resource that does not answer."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import GRID_DOWN


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, GRID_DOWN)


RULE = Rule(
    id="grid-resource-unavailable",
    severity=Severity.WARNING,
    needs=(Input.JOBS, Input.BALANCE),
    summary="Jobs of the grid universe wait for a resource that has not answered three probes",
    consequence=(
        "The gridmanager submits no job to the resource until it answers, and learns nothing of "
        "those that are there already."
    ),
    advice=(
        "The service of the resource, the network, the credential of the jobs; GridmanagerLog of "
        "the access point has the answers."
    ),
    source="src/condor_gridmanager/basejob.cpp:NotifyResourceDown, baseresource.cpp, 25.14",
    find=_find,
)
