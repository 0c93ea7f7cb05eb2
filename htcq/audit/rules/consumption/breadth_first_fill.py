"""NEGOTIATOR_MATCHLIST_CACHING on slots with consumption policies.

The negotiator then fills the slots breadth first.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.central_knobs import beside_policies
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "NEGOTIATOR_MATCHLIST_CACHING"


def _find(evidence: Evidence) -> Iterator[Found]:
    if evidence.truth(_KNOB, True):
        effect = "one cycle spreads jobs over all slots, regardless of the ranks"
        yield from beside_policies(evidence, _KNOB, effect, "False")


RULE = Rule(
    id="breadth-first-fill",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="Slots with consumption policies are filled breadth first, regardless of ranks",
    consequence=(
        "After a match the slot is put back into the list of candidates behind slots of equal "
        "rank instead of before them. One cycle therefore spreads equal jobs over all slots, "
        "even if the ranks ask for filling one machine after the other."
    ),
    advice="Without this cache slots are filled in the order of the ranks, and cycles take longer.",
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:insert_candidate, 25.14; seen on 25.14.1: slots "
        "1, 2, 3, 4, 4, 3, 2, 1, 4, 3"
    ),
    find=_find,
)
