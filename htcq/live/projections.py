"""The attributes that a snapshot asks of each type of ad.

It asks for nothing else: nothing private, no command lines, no paths, no environments. Daemons add
the attributes of the same ad that the requested expressions name (seen in 23.9 and 25.14:
Requirements brings Start, WithinResourceLimits and what these name). htcq adds the attributes of
the other ad of a match.
"""

from __future__ import annotations

from collections.abc import Iterable

#: Of every slot.
SLOT = (
    "MyType", "TargetType", "Name", "Machine", "MyAddress", "CondorVersion", "CondorPlatform",
    "State", "Activity", "SlotID", "DSlotId", "SlotType", "SlotTypeID", "PartitionableSlot",
    "DynamicSlot", "SlotWeight", "TotalSlots", "NumDynamicSlots", "NumClaims", "MachineResources",
    "Requirements", "Start", "WithinResourceLimits", "Rank", "CurrentRank", "IsOwner",
    "AccountingGroup", "RemoteUser", "RemoteOwner", "RemoteGroup", "RemoteHost",
    "RemoteNegotiatingGroup", "RemoteAutoregroup", "RemoteUserPrio", "ClientMachine", "JobId",
    "GlobalJobId", "JobStart", "JobUniverse", "RemoteScheddName", "RemoteSlotWeight",
    "PreemptingUser", "PreemptingOwner", "PreemptingAccountingGroup", "PreemptingRank", "Cpus",
    "Memory", "Disk", "GPUs", "TotalCpus", "TotalMemory", "TotalDisk", "TotalGPUs", "TotalSlotCpus",
    "TotalSlotMemory", "TotalSlotDisk", "TotalSlotGPUs", "DetectedCpus", "DetectedMemory",
    "DetectedDisk", "DetectedGPUs", "VirtualMemory", "TotalVirtualMemory", "AvailableGPUs",
    "AssignedGPUs", "ConsumptionCpus", "ConsumptionMemory", "ConsumptionDisk", "ConsumptionGPUs",
    "ConsumptionSwap", "Arch", "OpSys", "OpSysAndVer", "OpSysMajorVer", "OpSysName", "Microarch",
    "KFlops", "Mips", "LoadAvg", "CondorLoadAvg", "TotalLoadAvg", "FileSystemDomain", "UidDomain",
    "HasFileTransfer", "HasDocker", "HasSingularity", "HasContainer", "MappingMethod",
    "ExecuteVolume", "Draining", "DrainReason", "DrainingRequestId", "AcceptedWhileDraining",
    "LastDrainStartTime", "LastDrainStopTime", "ExpectedMachineGracefulDrainingCompletion",
    "Offline", "WantClaiming", "WantMatching", "WorkingCM", "PslotRollupInformation",
    "SlotBackfill", "BackfillSlot", "SlotBrokenCode", "SlotBrokenReason",
    "ChildAccountingGroup", "ChildCpus",
    "ChildCurrentRank", "ChildDisk", "ChildDSlotId", "ChildGPUs", "ChildMemory", "ChildName",
    "ChildRemoteOwner", "ChildRemoteUser", "ChildState", "ChildActivity",
    "ChildEnteredCurrentState", "ChildRetirementTimeRemaining", "DaemonStartTime",
    "DaemonLastReconfigTime", "EnteredCurrentState", "EnteredCurrentActivity", "LastHeardFrom",
    "MyCurrentTime", "UpdateSequenceNumber", "UpdatesLost", "UpdatesTotal", "MaxJobRetirementTime",
    "RetirementTimeRemaining", "MachineMaxVacateTime", "ClaimPartitionableLeftovers",
    "ConcurrencyLimits", "DiskQuantum", "GhostMultiplier", "IsLocalStartd", "StartdName",
    "HasStartDaemonAd", "DedicatedScheduler", "HtcqModel", "HtcqModelHash", "ClassAdLifetime",
    "BrokenSlotCpus", "BrokenSlotMemory", "BrokenSlotDisk", "BrokenSlotGPUs", "IsDataSlot",
    "IsDirectAttach", "OCU", "Healthy", "HealthFactor", "HealthExprs", "NegotiatorRequirements",
    "WantAdRevaluate", "PreemptingConcurrencyLimits", "TotalJobRunTime",
)  # fmt: skip
#: Of every slot where only its weight matters, and whom it is charged to.
WEIGHED_SLOT = (
    "MyType", "Name", "Machine", "MyAddress", "State", "Activity", "SlotType", "PartitionableSlot",
    "DynamicSlot", "Cpus", "SlotWeight", "AccountingGroup", "RemoteUser", "GhostMultiplier",
    "Offline", "CondorVersion", "LastHeardFrom", "ClassAdLifetime",
)  # fmt: skip
#: With which expressions a slot meets a job; asked before the jobs, so that the jobs are asked for
#: what these name.
SLOT_EXPRESSIONS = (
    "Name", "MachineResources", "Requirements", "Start", "Rank", "SlotWeight", "ConsumptionCpus",
    "ConsumptionMemory", "ConsumptionDisk", "ConsumptionGPUs",
)  # fmt: skip
#: Of every job.
JOB = (
    "MyType", "TargetType", "ClusterId", "ProcId", "GlobalJobId", "Owner", "User",
    "AccountingGroup", "AcctGroup", "AcctGroupUser", "NiceUser", "JobStatus", "LastJobStatus",
    "JobUniverse", "JobPrio", "PreJobPrio1", "PreJobPrio2", "PostJobPrio1", "PostJobPrio2",
    "Requirements", "Rank", "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs",
    "RequireGPUs", "ConcurrencyLimits", "MinHosts", "MaxHosts", "CurrentHosts", "QDate",
    "EnteredCurrentStatus", "JobStartDate", "JobCurrentStartDate", "JobCurrentStartExecutingDate",
    "LastMatchTime", "NumJobMatches", "NumJobStarts", "NumShadowStarts", "NumHolds",
    "HoldReasonCode", "HoldReasonSubCode", "LastRejMatchTime", "LastRejMatchReason",
    "LastRejMatchNegotiator", "AutoClusterId", "AutoClusterAttrs", "RemoteHost", "RemoteSlotID",
    "RemotePool", "RemoteWallClockTime", "RemoteUserCpu", "RemoteSysCpu", "CumulativeSlotTime",
    "CommittedSlotTime", "MatchMachineName", "ImageSize", "MemoryUsage", "ResidentSetSize",
    "DiskUsage", "CpusUsage", "GPUsAverageUsage", "CpusProvisioned", "MemoryProvisioned",
    "DiskProvisioned", "GPUsProvisioned", "SlotWeight", "JobMaterializeLimit",
    "JobMaterializeMaxIdle", "JobMaterializeNextProcId", "JobMaterializePaused", "TotalSubmitProcs",
    "DAGManJobId", "WantFlocking", "WantClaiming", "WantParallelScheduling", "JobLeaseDuration",
    "MaxJobRetirementTime", "FileSystemDomain", "CondorVersion", "ServerTime", "NextJobStartDelay",
    "DeferralTime", "CronHour", "NumVacates", "WantFTOnCheckpoint", "WhenToTransferOutput",
    "HtcqProtected", "HtcqVacateCost", "JobCoolDownExpiration", "Scheduler", "Managed",
)  # fmt: skip
#: Expressions of a job that are evaluated against a slot, besides all of Request*.
JOB_EXPRESSIONS = ("Requirements", "Rank", "RequireGPUs", "ConcurrencyLimits")
#: Of every schedd; their ads hold some hundred counters.
SCHEDD = (
    "MyType", "Name", "Machine", "MyAddress", "ScheddIpAddr", "CondorVersion", "CondorPlatform",
    "CollectorHost", "Autoclusters", "CurbMatchmaking", "DaemonStartTime", "DaemonLastReconfigTime",
    "DaemonCoreDutyCycle", "RecentDaemonCoreDutyCycle", "DetectedCpus", "DetectedMemory",
    "JobQueueBirthdate", "JobsRunning", "JobsStarted", "JobsSubmitted", "JobsCompleted",
    "RecentJobsStarted", "RecentJobsSubmitted", "RecentJobsCompleted", "MaxJobsRunning",
    "NumOwners", "NumUsers", "NumPendingClaims", "NumJobStartsDelayed", "ShadowsRunning",
    "StartLocalUniverse", "StartSchedulerUniverse", "TotalFlockedJobs", "TotalHeldJobs",
    "TotalIdleJobs", "TotalJobAds", "TotalLocalJobsIdle", "TotalLocalJobsRunning",
    "TotalRemovedJobs", "TotalRunningJobs", "TotalSchedulerJobsIdle", "TotalSchedulerJobsRunning",
    "WantResAd", "ResourceRequestsSent", "LastHeardFrom", "MyCurrentTime", "UpdateSequenceNumber",
    "UpdatesLost", "UpdatesTotal", "TransferQueueNumWaitingToUpload", "TransferQueueMaxUploading",
    "TransferQueueMaxDownloading", "TransferQueueNumWaitingToDownload", "TransferQueueNumUploading",
    "TransferQueueNumDownloading", "TransferQueueUploadWaitTime", "TransferQueueDownloadWaitTime",
)  # fmt: skip
#: Of every submitter.
SUBMITTER = (
    "MyType", "Name", "Machine", "MyAddress", "ScheddIpAddr", "ScheddName", "SubmitterTag",
    "IdleJobs", "RunningJobs", "HeldJobs", "FlockedJobs", "LocalJobsIdle", "LocalJobsRunning",
    "SchedulerJobsIdle", "SchedulerJobsRunning", "WeightedIdleJobs", "WeightedRunningJobs",
    "JobPrioArray", "WantResAd", "SkipMatchmaking", "OCUClaimsBorrowed", "OCUClaimsClaimed",
    "OCURunningJobs", "OCUWantedJobs", "CondorVersion", "DaemonStartTime", "LastHeardFrom",
    "MyCurrentTime", "UpdateSequenceNumber", "UpdatesLost", "UpdatesTotal", "AuthenticatedIdentity",
)  # fmt: skip
#: Of what a schedd knows of each user.
USER = ("MyType", "User", "Enabled", "MaxJobsRunning", "NumIdle", "NumRunning", "NumSuspended")
#: Of every collector.
COLLECTOR = (
    "MyType", "Name", "Machine", "MyAddress", "CondorVersion", "CondorPlatform", "DaemonStartTime",
    "DaemonLastReconfigTime", "RecentDaemonCoreDutyCycle", "DetectedCpus", "DetectedMemory",
    "HostsClaimed", "HostsOwner", "HostsTotal", "HostsUnclaimed", "IdleJobs", "RunningJobs",
    "MachineAds", "SubmitterAds", "ActiveQueryWorkers", "PendingQueries", "DroppedQueries",
    "UpdateInterval", "UpdatesLost", "UpdatesTotal", "UpdatesLostRatio", "LastHeardFrom",
    "MyCurrentTime", "RecentUpdatesInitial_Negotiator",
)  # fmt: skip
#: All of what negotiators and accounting records say: few ads, and the numbers of cycles end in a
#: count.
EVERYTHING: tuple[str, ...] = ()


def slot_projection(assets: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return what to ask of slots with ``assets`` where jobs and negotiator name ``named``."""
    wanted = [*SLOT, *named]
    for asset in assets:
        wanted += [asset] + [
            f"{word}{asset}"
            for word in ("Total", "TotalSlot", "Detected", "Consumption", "Assigned")
        ]
        wanted += [f"{word}{asset}" for word in ("Child", "Available")]
    return _once(wanted)


def weighed_slot_projection(named: Iterable[str]) -> list[str]:
    """Return what to ask of slots for quotas alone, whose knobs name ``named``."""
    return _once([*WEIGHED_SLOT, *named])


def job_projection(assets: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return what to ask of jobs where slots hand out ``assets`` and name ``named``."""
    wanted = [*JOB, *named]
    for asset in assets:
        wanted += [
            f"Request{asset}",
            f"Require{asset}",
            f"{asset}Provisioned",
            f"_condor_Request{asset}",
        ]
    return _once(wanted)


def _once(names: Iterable[str]) -> list[str]:
    return list({name.lower(): name for name in reversed(list(names))}.values())[::-1]
