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
    HIBERNATING,
    OCU,
    OFFLINE,
    OWNER,
    OWNER_ACTIVE,
    RETIRING,
    RUNNING,
    START_FALSE,
    VACATING,
)
from htcq.units import DISK, GPUS


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


#: The cause of a slot whose ad is all that is left of it, and of one that lacks an asset.
STALE, ASSET_MISSING = "stale", "asset-missing"
#: What :func:`htcq.pool.slot_state.closed_by` and ``used_as`` return, each by its id, and these.
SLOT_CAUSES: Mapping[str, CauseType] = {
    RUNNING: CauseType("running", "A claim that a job runs in.", "the end of the job"),
    RETIRING: CauseType(
        "retiring", "A claim that ends: its job runs on until it retires.", "the end of the job"
    ),
    VACATING: CauseType(
        "vacating",
        "A claim that ends: its job was told to end, and its slot takes no other before.",
        "the end of the job; MachineMaxVacateTime, after which the startd kills it",
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
    HIBERNATING: CauseType(
        "asleep until a job matches",
        "The machine is offline, and condor_rooster wakes it once UNHIBERNATE of its ad holds.",
        "a match: condor_rooster wakes the machine then",
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
        "the end of the drain: condor_defrag opens the machine again; DEFRAG_* knobs",
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
    OWNER_ACTIVE: CauseType(
        "in use by their owners for now",
        "START looks at the keyboard, the load or the time, and is false now (state Owner).",
        "the owner, who leaves; the time that START names",
    ),
    OWNER: CauseType(
        "used by their owners",
        "The state Owner: START is false without a job, or IS_OWNER is true. The startd refuses "
        "each claim.",
        "the owner; START or IS_OWNER of the execution point",
        True,
    ),
    BACKFILL: CauseType("backfill", "A slot that offers what another slot has as well.", "nothing"),
    ASSET_MISSING: CauseType(
        "of slots that lack memory, disk or GPUs",
        "A slot with hardly any memory or disk even when empty, a full disk, or offline GPUs.",
        "SLOT_TYPE_* of the execution point",
        True,
    ),
}

#: What slots are short of whose ads have no number of disk.
NO_DISK = "disk in the ad"
#: And those whose startd gives out the disk of a volume group (VolumeManager.cpp), and has none.
NO_VOLUME = "disk in a volume group"
#: What gives slots the asset that they lack, where that is not :data:`ASSET_MISSING`'s own cure.
ASSET_CURES: Mapping[str, str] = {
    DISK: "the files on the disk of EXECUTE, or SLOT_TYPE_*",
    NO_DISK: "a number as Disk in the ad: STARTD_ATTRS and SLOT_TYPE_* of the execution point",
    NO_VOLUME: (
        "LVM_VOLUME_GROUP_NAME of the execution point (STARTD_ENFORCE_DISK_LIMITS is on): a volume "
        "group that it has"
    ),
    GPUS: "OFFLINE_MACHINE_RESOURCE_GPUs of the execution point",
}
