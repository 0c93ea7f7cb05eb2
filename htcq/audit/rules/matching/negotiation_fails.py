"""The negotiator gets no answer on the jobs of the same submitters, cycle after cycle."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.cycles import negotiation
from htcq.expected.unmet import FAILS


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(negotiation(evidence.pool), FAILS)


RULE = Rule(
    id="negotiation-fails",
    severity=Severity.ERROR,
    needs=(Input.POOL,),
    summary=("The negotiator gets no answer on the jobs of the same submitters, cycle after cycle"),
    consequence=(
        "Jobs of these submitters are not considered at all, whatever their quota and priority."
    ),
    advice=(
        "Test the connection from the central manager to the access point: condor_ping -type "
        "SCHEDD, firewalls, TCP_FORWARDING_HOST, NETWORK_INTERFACE and ALLOW_NEGOTIATOR of the "
        "access point."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:negotiateWithGroup (submitters_failed), 25.14"
    ),
    find=_find,
)
