"""What the state of a slot stands for: a name in a few words, a sentence, and what lifts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.pool.slot_state import (
    BACKFILL,
    BROKEN,
    CLAIMED_IDLE,
    DATA,
    DEFRAGMENTED,
    DIRECT_ATTACH,
    DRAINED,
    OCU,
    OFFLINE,
    OWNER,
    RETIRING,
    RUNNING,
    START_FALSE,
)


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


#: The cause of a slot whose ad is all that is left of it.
STALE = "stale"
#: What :func:`htcq.pool.slot_state.closed_by` and ``used_as`` return, each by its id, and stale.
SLOT_CAUSES: Mapping[str, CauseType] = {
    RUNNING: CauseType("running", "A claim that a job runs in.", "the end of the job"),
    RETIRING: CauseType(
        "retiring", "A claim that ends: its job retires or is vacated.", "the end of the job"
    ),
    CLAIMED_IDLE: CauseType(
        "claimed and idle",
        "A claim or a match in which no job runs.",
        "the next job of its holder; CLAIM_WORKLIFE, UNUSED_CLAIM_TIMEOUT, keep_claim_idle",
    ),
    STALE: CauseType(
        "stale", "An ad whose machine sends nothing any more.", "a startd that runs", True
    ),
    OFFLINE: CauseType(
        "offline", "The machine is offline, or its startd ends.", "waking the machine", True
    ),
    BROKEN: CauseType(
        "broken", "The startd has declared the slot broken.", "a restart of the startd", True
    ),
    DRAINED: CauseType(
        "drained", "The machine is drained, or drains.", "condor_drain -cancel MACHINE", True
    ),
    DEFRAGMENTED: CauseType(
        "drained by condor_defrag",
        "condor_defrag drains the machine for large jobs, and opens it again.",
        "the end of the drain; DEFRAG_* of the machine with condor_defrag",
    ),
    DATA: CauseType("data slot", "A slot that is for data alone.", "the end of its claim"),
    OCU: CauseType("OCU", "A claim that an OCU keeps.", "the holder of the OCU"),
    DIRECT_ATTACH: CauseType(
        "attached", "A slot that is attached to one access point.", "jobs of that access point"
    ),
    START_FALSE: CauseType(
        "closed by START",
        "START is false, or an error, whatever the job.",
        "START of the execution point",
        True,
    ),
    OWNER: CauseType(
        "used by their owners",
        "The owner of the machine uses it (state Owner).",
        "the owner; START",
        True,
    ),
    BACKFILL: CauseType("backfill", "A slot that offers what another slot has as well.", "nothing"),
}
