"""Who may write what decides in elastic quotas: the plan, the writer and reclaim.

Data only. SECURITY.md has the table ("Who may write what decides"; contrib/provenance writes it).
Facts: qmgmt.cpp and param_info.in (immutable attributes of jobs), claim.cpp (Claim::publish),
Accountant.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from typing import NamedTuple

OWNER = "the job's owner"
ACCESS = "the access point"
EXECUTION = "the execution point, or whoever may advertise a slot"
NEGOTIATOR = "the negotiator"
ANYBODY = "anybody who may advertise"


class Provenance(NamedTuple):
    """Attributes of one kind of ad that decide the same (a name may end in ``*``).

    ``writer`` is the least of those who may set them, ``decides`` what they decide, ``bound`` what
    limits that.
    """

    ad: str
    attributes: str
    writer: str
    decides: str
    bound: str


TABLE: tuple[Provenance, ...] = (
    Provenance(
        "job", "ClusterId ProcId User Owner JobUniverse ScheddName", ACCESS,
        "which job it is, and whose", "nobody else can change them; htcq notes whom it asked",
    ),
    Provenance(
        "job", "GlobalJobId", OWNER, "in a snapshot without ScheddName, the access point",
        "its job is found by the startd's ad in a pool",
    ),
    Provenance(
        "job", "AccountingGroup", OWNER, "the group of an idle job",
        "that of a claim is the startd's; access points can make it immutable",
    ),
    Provenance(
        "job",
        "JobStatus CurrentHosts MaxHosts Managed IsNoopJob Scheduler WantParallelScheduling "
        "Request* Requirements Rank RequireGPUs ConcurrencyLimits",
        OWNER, "what an idle job asks for",
        "it counts only if some slot could run it, up to the max of its group",
    ),
    Provenance(
        "job", "HtcqProtected", OWNER, "whether it keeps its slot",
        "elastic.reclaim.protectors, protected_jobs, and the min of its group",
    ),
    Provenance(
        "job", "HtcqVacateCost JobPrio", OWNER, "which of its owner's equal jobs goes first",
        "elastic.reclaim.min_cost and max_cost; nobody else loses a job by it",
    ),
    Provenance(
        "job", "WantFTOnCheckpoint WhenToTransferOutput", OWNER, "that it goes before other jobs",
        "its owner's own loss",
    ),
    Provenance(
        "job", "MaxJobRetirementTime", OWNER, "how soon it may be vacated",
        "it only shortens what the slot allows",
    ),
    Provenance(
        "job", "AllowedExecuteDuration", OWNER, "that it ends soon and is left alone",
        "for elastic.reclaim.grace in all; elastic.reclaim.wall_time names it, or another one",
    ),
    Provenance(
        "job", "NumVacates JobCurrentStartDate RemoteHost", OWNER, "nothing",
        "the startd's ad and the journal of reclaim say it",
    ),
    Provenance(
        "slot", "State Activity EnteredCurrentState AccountingGroup RemoteUser RemoteScheddName",
        EXECUTION, "which claims there are, and what groups use",
        "compared with the accountant's usage: apart twice, nothing is written or vacated",
    ),
    Provenance(
        "slot", "JobId JobStart", EXECUTION, "which job a claim has, and since when",
        "an access point vacates only a job that runs",
    ),
    Provenance(
        "slot",
        "Name Machine SlotID SlotType PartitionableSlot DynamicSlot Cpus Memory Disk GPUs "
        "TotalSlot* MachineResources GPUs_* AvailableGPUs SlotWeight Consumption* CondorVersion",
        EXECUTION, "how large the pool is",
        "a pool that has grown by more than capacity_drop makes good waits for a person",
    ),
    Provenance(
        "slot",
        "Start Requirements Offline Draining SlotBackfill MaxJobRetirementTime ConcurrencyLimits",
        EXECUTION, "which jobs a slot takes, and how long it keeps them", "its own slot",
    ),
    Provenance(
        "slot", "LastHeardFrom MyCurrentTime", EXECUTION, "how old it is",
        "slots in doubt count by their weight (min_seen)",
    ),
    Provenance(
        "submitter", "Name ScheddName IdleJobs RunningJobs HeldJobs WeightedIdleJobs LastHeardFrom",
        ANYBODY, "idle jobs of an access point that does not answer",
        "only of submitters that have claims there, each as its usual claim",
    ),
    Provenance(
        "schedd", "Name LastHeardFrom MyCurrentTime", ANYBODY, "whether its jobs are known",
        "it counts by what the slots say that it has claimed (min_seen)",
    ),
    Provenance(
        "negotiator",
        "Name MyCurrentTime LastHeardFrom CondorVersion LastNegotiationCycle*",
        NEGOTIATOR, "whether it works, and what it matched",
        "a second one must be named; an old or unknown cycle is refused",
    ),
    Provenance(
        "accounting", "Name NegotiatorName WeightedResourcesUsed Ceiling LastHeardFrom",
        NEGOTIATOR, "what groups use, and the ceilings of submitters",
        "compared with the slots; ceilings of others are never changed",
    ),
)  # fmt: skip
