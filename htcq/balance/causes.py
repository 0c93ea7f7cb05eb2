"""Causes for which capacity stands. Their ids are permanent, and beside the reasons of ``why``.

A cause that is a reason of ``why`` as well has its id: where a limit keeps jobs from a slot that
would take them, the slot stands for that limit.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.pool import slot_state as state
from htcq.pool.slot_causes import ASSET_MISSING, SLOT_CAUSES, STALE, CauseType
from htcq.why import match_failure as wall

RUNNING, STARTING = state.RUNNING, "starting"
START_REFUSES, SPECIALISED = "start-refuses", "specialised"
START_IS_FULL = "start-is-full"
OTHER_NEGOTIATOR = "other-negotiator"
STRANDED, FRAGMENTED = "stranded", "fragmented"
LATER, UNWANTED, UNEXPLAINED = "later-cycle", "unwanted", "unexplained"
STARTS_NOTHING = "starts-nothing"
WEIGHT_CHANGES, IN_NO_SLOT, UNSLOTTED = "weight-changes", "in-no-slot", "unslotted"


#: Every cause that is no reason of ``why``, in the order in which a slot is looked at.
CAUSES: Mapping[str, CauseType] = {
    RUNNING: SLOT_CAUSES[RUNNING],
    STARTING: CauseType(
        "starting in the next cycle", "The next cycle starts a job there.", "nothing (it is used)"
    ),
    STARTS_NOTHING: CauseType(
        "of machines where nothing starts or lasts",
        "Free to the negotiator; a finding says that nothing starts on the machine, or lasts.",
        "what that finding names",
    ),
    state.RETIRING: SLOT_CAUSES[state.RETIRING],
    state.VACATING: SLOT_CAUSES[state.VACATING],
    state.CLAIMED_IDLE: SLOT_CAUSES[state.CLAIMED_IDLE],
    STALE: SLOT_CAUSES[STALE],
    state.OFFLINE: SLOT_CAUSES[state.OFFLINE],
    state.HIBERNATING: SLOT_CAUSES[state.HIBERNATING],
    state.BROKEN: SLOT_CAUSES[state.BROKEN],
    state.DRAINED: SLOT_CAUSES[state.DRAINED],
    state.DEFRAGMENTED: SLOT_CAUSES[state.DEFRAGMENTED],
    state.DATA: SLOT_CAUSES[state.DATA],
    state.OCU: SLOT_CAUSES[state.OCU],
    state.DIRECT_ATTACH: SLOT_CAUSES[state.DIRECT_ATTACH],
    state.START_FALSE: SLOT_CAUSES[state.START_FALSE],
    state.OWNER: SLOT_CAUSES[state.OWNER],
    state.OWNER_ACTIVE: SLOT_CAUSES[state.OWNER_ACTIVE],
    state.BACKFILL: SLOT_CAUSES[state.BACKFILL],
    wall.SLOT_CONSTRAINT: CauseType(
        "hidden by NEGOTIATOR_SLOT_CONSTRAINT",
        "NEGOTIATOR_SLOT_CONSTRAINT hides the slot from the negotiator.",
        wall.WALLS[wall.SLOT_CONSTRAINT].lifted_by,
        True,
    ),
    OTHER_NEGOTIATOR: CauseType(
        "left to another negotiator",
        "NEGOTIATOR_SLOT_CONSTRAINT hides the slot; the pool has several negotiators.",
        "nothing (another negotiator has it)",
    ),
    START_REFUSES: CauseType(
        "kept from the waiting jobs by START",
        "Jobs wait that fit the slot, and START takes none of them, nor any other known job.",
        "START of the execution point, or an attribute of the machine or the job that it compares",
        True,
    ),
    SPECIALISED: CauseType(
        "kept for other jobs by START",
        "Jobs wait that fit the slot; START takes none of these, but other jobs of the pool, "
        "or jobs that request an asset that other machines lack.",
        "START of the execution point, if it should take them",
    ),
    START_IS_FULL: CauseType(
        "whose START takes no more beside what runs",
        "Jobs wait that fit the slot; START takes them only where fewer claims are.",
        "the end of running jobs; START of the execution point",
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
    ASSET_MISSING: SLOT_CAUSES[ASSET_MISSING],
    LATER: CauseType(
        "waiting for a later cycle",
        "Jobs wait that fit the slot; the next cycle does not match them with it.",
        "the cycle after the next one",
    ),
    UNWANTED: CauseType(
        "not requested",
        "No idle job could use it, or other slots suffice for those jobs.",
        "more jobs",
    ),
    WEIGHT_CHANGES: CauseType(
        "weight that changes with use",
        "Weight that the slots lose as they fill up; they gain it where the amount is negative.",
        "a SLOT_WEIGHT that adds up: the weight of what is left and of what is taken",
    ),
    IN_NO_SLOT: CauseType(
        "in no slot ad",
        "Taken from partitionable slots, and in no dynamic slot: ads are missing or late.",
        "the next updates of the startds",
    ),
    UNSLOTTED: CauseType(
        "in no slot of their machine",
        "The machine has it, and the slots that its configuration makes leave it out.",
        "SLOT_TYPE_n, NUM_SLOTS_TYPE_n, NUM_SLOTS or NUM_CPUS of the execution point",
    ),
    UNEXPLAINED: CauseType(
        "unexplained",
        "Jobs wait that fit the slot, and no known cause keeps them from it.",
        "a snapshot of the pool for those who maintain htcq",
        True,
    ),
}  # fmt: skip

#: Reasons of ``why`` for which capacity stands until somebody lifts them.
_FAULTS = frozenset({
    wall.NEGOTIATOR_ABSENT, wall.NEGOTIATOR_LATE, wall.NEGOTIATOR_CRASH, wall.SLOT_WEIGHT,
    wall.CYCLE_ENDED_EARLY, wall.CLAIM_REFUSED, wall.NO_DEMAND, wall.NO_CLAIMS_LEFT,
    wall.CURB_MATCHMAKING, wall.CONSUMPTION, wall.NOT_ADVERTISED, wall.SUBMITTER_CONSTRAINT,
    wall.JOB_CONSTRAINT, wall.MAX_JOBS_RUNNING, wall.START_VANILLA_UNIVERSE, wall.SKIP_MATCHMAKING,
})  # fmt: skip
#: Reasons that ads of access points tell, which know nothing of the last jobs.
_OF_ADS = frozenset({wall.NO_DEMAND, wall.NOT_ADVERTISED})


def must_be_lifted(each: wall.MatchFailure, is_fresh: bool = False) -> bool:
    """Return whether a reason stays until somebody lifts it; ``is_fresh``: the jobs just came."""
    if each.id in _OF_ADS and is_fresh:
        return False
    return each.id in _FAULTS or each.ends_with_no_job


def cause_type(cause: str) -> CauseType:
    """Return what ``cause`` stands for; of a reason of ``why`` what that says."""
    known = CAUSES.get(cause)
    if known is not None:
        return known
    reason = wall.WALLS[cause]
    return CauseType(f"kept by {cause}", reason.text, reason.lifted_by, cause in _FAULTS)
