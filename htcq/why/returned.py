"""Matches that come to nothing: the startd refuses the claim, or the schedd gives the match back.

The schedd's reasons are those of the simulated cycle (:mod:`htcq.simulate.cycle.trace`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from htcq.claims.dynamic import DYNAMIC_REFUSES
from htcq.pool.slot import startd_in
from htcq.poolquota.access.access_point import AccessPoint
from htcq.simulate.cycle import trace
from htcq.simulate.cycle.required_gpus import AVAILABLE, REQUIRED
from htcq.simulate.cycle.trace import (
    ENDING,
    GONE,
    NO_JOB_LEFT,
    NOT_CLAIMED,
    OWNED,
    SCHEDD_IS_FULL,
    SILENT,
    START_REFUSES,
    USER_IS_FULL,
    Match,
)
from htcq.why.match_failure import (
    CLAIM_REFUSED,
    MAX_JOBS_RUNNING,
    OFFLINE,
    OUTRANKED,
    OWNER,
    PREEMPTION,
    STALE,
    START_VANILLA_UNIVERSE,
    USER_MAX_JOBS,
    MatchFailure,
)

#: The walls of matches that are given back, by the schedd's reason.
RETURNED: Mapping[str, str] = {
    SCHEDD_IS_FULL: MAX_JOBS_RUNNING,
    USER_IS_FULL: USER_MAX_JOBS,
    START_REFUSES: START_VANILLA_UNIVERSE,
    NO_JOB_LEFT: OUTRANKED,
    trace.OFFLINE: OFFLINE,
    SILENT: STALE,
    NOT_CLAIMED: CLAIM_REFUSED,
    OWNED: OWNER,
    ENDING: PREEMPTION,
    GONE: OFFLINE,
}
#: Those for which the schedd asks for the claim, and does not get it.
_NOT_GRANTED = frozenset((OWNED, ENDING, GONE))
#: What resolves some of them, where the wall says it of other cases.
_CURES: Mapping[str, str] = {
    NOT_CLAIMED: "WantClaiming of the slot",
    ENDING: "the end of the claim",
}


def refused(slot: str, why: str) -> MatchFailure:
    """Return the wall of a match whose claim the startd refuses."""
    startd = startd_in(slot)
    cure = f"the consumption policy and MODIFY_REQUEST_EXPR_* of {startd}"
    if why == DYNAMIC_REFUSES:
        cure = (
            f"a START of {startd} that holds on its dynamic slots too, as DynamicSlot =?= true || "
            "( ... )"
        )
    elif REQUIRED in why:
        cure = (
            f"another {REQUIRED} of the job, or Requirements that compare it with {AVAILABLE} of "
            "the slots"
        )
    return MatchFailure(
        CLAIM_REFUSED,
        f"it is matched with {slot}, but the startd refuses the claim: {why}",
        {"slot": slot},
        cure,
    )


def given_back(match: Match, access: AccessPoint) -> MatchFailure:
    """Return the wall of a match that the schedd ``access`` gives back."""
    id_, why = RETURNED[match.refusal], match.refusal
    if match.refusal == START_REFUSES and access.start is not None:
        why = f"START_VANILLA_UNIVERSE of the schedd refuses it on that slot: {access.start.text}"
        if access.start.lost:
            why += (
                f" (the schedd does not find {' and '.join(access.start.lost)}: attributes are "
                "in JOB or SLOT)"
            )
    asked = match.refusal in _NOT_GRANTED
    why = f"{'the startd refuses the claim' if asked else 'the schedd returns the match'}: {why}"
    return MatchFailure(
        id_,
        f"it is matched with {match.slot}, but {why}",
        {"given_back": match.slot},
        _CURES.get(match.refusal, ""),
    )


def is_given_back(each: MatchFailure) -> bool:
    """Return whether a reason is one of a match that a schedd gives back."""
    return "given_back" in each.amounts


def joined(
    returned: Sequence[MatchFailure], of_slots: Sequence[MatchFailure]
) -> tuple[tuple[MatchFailure, ...], tuple[MatchFailure, ...]]:
    """Return walls of returned matches that none of slots tells, and those of slots.

    A wall of slots that tells the same of more slots notes the match.
    """
    by_id = {each.id: each for each in returned}
    found = []
    for each in of_slots:
        if by_id and each.id == OUTRANKED and each.amounts.get("slots") == 1:
            # The earlier match that takes the slot is the one that is given back.
            continue
        match = by_id.pop(each.id, None)
        if match is not None:
            each = replace(each, amounts={**each.amounts, **match.amounts})
        found.append(each)
    return tuple(by_id.values()), tuple(found)
