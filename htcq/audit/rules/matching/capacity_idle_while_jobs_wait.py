"""Capacity that stands for another cause that somebody must lift, while jobs would use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from htcq.audit.evidence import Evidence
from htcq.audit.idle_capacity import idle_for
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.pool.slot_state import OFFLINE, OWNER
from htcq.why.match_failure import CURB_MATCHMAKING, CYCLE_ENDED_EARLY, NO_CLAIMS_LEFT

#: Causes that have no rule of their own. What the daemons themselves lack is their health.
_CAUSES = (OFFLINE, OWNER, NO_CLAIMS_LEFT, CURB_MATCHMAKING)


def _find(evidence: Evidence) -> Iterator[Found]:
    for cause in _CAUSES:
        yield from idle_for(evidence, cause)
    # No job starts at all.
    for found in idle_for(evidence, CYCLE_ENDED_EARLY):
        yield replace(found, severity=Severity.ERROR)


RULE = Rule(
    id="capacity-idle-while-jobs-wait",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary=(
        "Slots are offline, used by their owners or out of claims, an access point offers no jobs, "
        "or the negotiator has no time for them, while jobs wait that would use them"
    ),
    consequence="The slots stand idle while the jobs wait, until somebody lifts the cause.",
    advice="'htcq status' has all causes with their amounts, and 'htcq why' those of a job.",
    source="src/condor_negotiator.V6/matchmaker.cpp, 25.14",
    find=_find,
)
