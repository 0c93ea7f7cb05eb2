"""Causes for which capacity stands. Their ids are permanent, and beside the reasons of ``why``.

A cause that is a reason of ``why`` as well has its id: where a limit keeps jobs from a slot that
would take them, the slot stands for that limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.pool import slot_state as state
from htcq.why import match_failure as wall

RUNNING, STARTING = state.RUNNING, "starting"
STALE, START_REFUSES, SPECIALISED = "stale", "start-refuses", "specialised"
OTHER_NEGOTIATOR = "other-negotiator"
STRANDED, FRAGMENTED = "stranded", "fragmented"
LATER, UNWANTED, UNEXPLAINED = "later-cycle", "unwanted", "unexplained"
WEIGHT_CHANGES, IN_NO_SLOT = "weight-changes", "in-no-slot"


@dataclass(frozen=True)
class CauseType:
    """One cause: a name in a few words, a sentence on it, and what lifts it.

    ``needs_somebody`` tells that it stays until somebody lifts it, and that nobody is likely to
    have meant it where jobs wait.
    """

    name: str
    text: str
    lifted_by: str
    needs_somebody: bool = False


#: Every cause that is no reason of ``why``, in the order in which a slot is looked at.
CAUSES: Mapping[str, CauseType] = {
    RUNNING: CauseType("running", "A claim that a job runs in.", "the end of the job"),
    STARTING: CauseType(
        "starts in the next cycle", "The next cycle starts a job there.", "nothing (it is used)"
    ),
    state.RETIRING: CauseType(
        "retiring", "A claim that ends: its job retires or is vacated.", "the end of the job"
    ),
    state.CLAIMED_IDLE: CauseType(
        "claimed and idle",
        "A claim or a match in which no job runs.",
        "the next job of its holder; CLAIM_WORKLIFE, UNUSED_CLAIM_TIMEOUT, keep_claim_idle",
    ),
    STALE: CauseType(
        "stale", "An ad whose machine sends nothing any more.", "a startd that runs", True
    ),
    state.OFFLINE: CauseType(
        "offline", "The machine is offline, or its startd ends.", "waking the machine", True
    ),
    state.BROKEN: CauseType(
        "broken", "The startd has declared the slot broken.", "a restart of the startd", True
    ),
    state.DRAINED: CauseType(
        "drained", "The machine is drained, or drains.", "condor_drain -cancel MACHINE", True
    ),
    state.DEFRAGMENTED: CauseType(
        "drained by condor_defrag",
        "condor_defrag drains the machine for large jobs, and opens it again.",
        "the end of the drain; DEFRAG_* of the machine with condor_defrag",
    ),
    state.DATA: CauseType("data slot", "A slot that is for data alone.", "the end of its claim"),
    state.OCU: CauseType("OCU", "A claim that an OCU keeps.", "the holder of the OCU"),
    state.DIRECT_ATTACH: CauseType(
        "attached", "A slot that is attached to one access point.", "jobs of that access point"
    ),
    state.START_FALSE: CauseType(
        "with START = false",
        "START is false, or an error, whatever the job.",
        "START of the execution point",
        True,
    ),
    state.OWNER: CauseType(
        "used by their owners",
        "The owner of the machine uses it (state Owner).",
        "the owner; START",
        True,
    ),
    state.BACKFILL: CauseType(
        "backfill", "A slot that offers what another slot has as well.", "nothing"
    ),
    wall.SLOT_CONSTRAINT: CauseType(
        "hidden by NEGOTIATOR_SLOT_CONSTRAINT",
        "NEGOTIATOR_SLOT_CONSTRAINT hides the slot from the negotiator.",
        "NEGOTIATOR_SLOT_CONSTRAINT of the central manager",
        True,
    ),
    OTHER_NEGOTIATOR: CauseType(
        "of another negotiator",
        "NEGOTIATOR_SLOT_CONSTRAINT hides the slot; the pool has several negotiators.",
        "nothing (another negotiator has it)",
    ),
    START_REFUSES: CauseType(
        "whose START refuses the waiting jobs",
        "Jobs wait that fit the slot, and START takes none of them, nor any other known job.",
        "START of the execution point; the attribute of the jobs that it names",
        True,
    ),
    SPECIALISED: CauseType(
        "whose START takes other jobs",
        "Jobs wait that fit the slot; START takes none of these, but other jobs of the pool.",
        "START of the execution point, if it should take them",
    ),
    STRANDED: CauseType(
        "stranded",
        "What is free beside an asset that is used up: the waiting jobs need some of both.",
        "the end of running jobs; weights and requests in proportion",
    ),
    FRAGMENTED: CauseType(
        "fragmented",
        "Free in pieces that are smaller than any waiting request that the machine could take.",
        "the end of running jobs; condor_defrag; smaller requests",
    ),
    LATER: CauseType(
        "waits for a later cycle",
        "Jobs wait that fit the slot, and this cycle does not match them with it.",
        "the cycle after the next one",
    ),
    UNWANTED: CauseType(
        "wanted by nobody", "No idle job could use it, or there are no more of those.", "more jobs"
    ),
    WEIGHT_CHANGES: CauseType(
        "weight that changes with use",
        "What the slots weigh less, or more where it is negative, than when they were empty.",
        "a SLOT_WEIGHT that adds up: the weight of what is left and of what is taken",
    ),
    IN_NO_SLOT: CauseType(
        "in no slot ad",
        "Taken from partitionable slots, and in no dynamic slot of theirs: ads are missing or late",
        "the next updates of the startds",
    ),
    UNEXPLAINED: CauseType(
        "unexplained",
        "Jobs wait that fit the slot, and nothing is known that keeps them from it.",
        "a report of the pool's snapshot to those who maintain htcq",
        True,
    ),
}  # fmt: skip

#: Reasons of ``why`` for which capacity stands until somebody lifts them.
_FAULTS = frozenset({
    wall.NEGOTIATOR_ABSENT, wall.NEGOTIATOR_LATE, wall.NEGOTIATOR_CRASH, wall.SLOT_WEIGHT,
    wall.CYCLE_ENDED_EARLY, wall.CLAIM_REFUSED, wall.NO_DEMAND, wall.NO_CLAIMS_LEFT,
    wall.CURB_MATCHMAKING, wall.CONSUMPTION,
})  # fmt: skip


def cause_type(cause: str) -> CauseType:
    """Return what ``cause`` stands for; of a reason of ``why`` what that says."""
    known = CAUSES.get(cause)
    if known is not None:
        return known
    reason = wall.WALLS[cause]
    return CauseType(f"kept by {cause}", reason.text, reason.lifted_by, cause in _FAULTS)
