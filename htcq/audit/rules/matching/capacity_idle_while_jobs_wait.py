"""Capacity that stands for another cause that somebody must lift, while jobs would use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from htcq.audit.evidence import Evidence
from htcq.audit.idle_capacity import idle_for
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.balance.causes import UNSLOTTED
from htcq.pool.slot_causes import ASSET_MISSING
from htcq.pool.slot_state import OFFLINE, OWNER
from htcq.why.match_failure import (
    CONCURRENCY_LIMIT,
    CONSUMPTION,
    COOL_DOWN,
    CURB_MATCHMAKING,
    CYCLE_ENDED_EARLY,
    GROUP_QUOTA,
    JOB_CONSTRAINT,
    MAX_JOBS_RUNNING,
    NO_CLAIMS_LEFT,
    NO_DEMAND,
    NOT_ADVERTISED,
    SKIP_MATCHMAKING,
    START_VANILLA_UNIVERSE,
    SUBMITTER_CEILING,
    SUBMITTER_CONSTRAINT,
    SUBMITTER_SHARE,
    USER_MAX_JOBS,
)

#: Causes that have no rule of their own, or one that looks at configuration alone. What the daemons
#: themselves lack is their health.
_CAUSES = (
    OFFLINE, OWNER, ASSET_MISSING, NO_CLAIMS_LEFT, CURB_MATCHMAKING, NOT_ADVERTISED, NO_DEMAND,
    MAX_JOBS_RUNNING, GROUP_QUOTA, SUBMITTER_CONSTRAINT, JOB_CONSTRAINT, CONCURRENCY_LIMIT,
    SUBMITTER_CEILING, SUBMITTER_SHARE, START_VANILLA_UNIVERSE, SKIP_MATCHMAKING, USER_MAX_JOBS,
    CONSUMPTION, COOL_DOWN, UNSLOTTED,
)  # fmt: skip


def _find(evidence: Evidence) -> Iterator[Found]:
    for cause in _CAUSES:
        standing = evidence.balance.of(cause)
        # Where the end of a job frees a limit, other jobs use the capacity meanwhile.
        if standing is not None and standing.is_fault:
            yield from idle_for(evidence, cause)
    # No job starts at all.
    for found in idle_for(evidence, CYCLE_ENDED_EARLY):
        yield replace(found, severity=Severity.ERROR)


RULE = Rule(
    id="capacity-idle-while-jobs-wait",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary=(
        "Slots are offline, used by their owners, out of claims or without memory or disk, the "
        "slots of a machine leave out a large part of it, a "
        "consumption policy takes more than they have, an access point offers no jobs, refuses "
        "them, keeps them in a long cool-down or runs as many as it may, a limit is 0 or below one "
        "request, or the negotiator has no time for them, while jobs wait that would use them"
    ),
    consequence="The slots stand idle while the jobs wait, until somebody lifts the cause.",
    advice="'htcq status' has all causes with their amounts, and 'htcq why' those of a job.",
    source="src/condor_negotiator.V6/matchmaker.cpp, 25.14",
    find=_find,
)
