"""Two startds have one name: their slots run two jobs at a time."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.twins import twin_startds
from htcq.expected.unmet import TWINS


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(twin_startds(evidence.pool), TWINS)


RULE = Rule(
    id="startds-of-one-name",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Slots run two jobs at a time: two startds have one name",
    consequence=(
        "The collector keeps one ad for each name and address. Each of the startds overwrites what "
        "the other says: the negotiator sees half of the slots, and commands go to one of them."
    ),
    advice="NETWORK_HOSTNAME, HOST_ALIAS and STARTD_NAME of the machines: a name for each.",
    source="src/condor_collector.V6/collector_engine.cpp, collector_stats.cpp, 25.14",
    find=_find,
)
