"""Attributes of ads that daemons look up by name when they make a match or grant a claim.

From matchmaker.cpp, matchmaker_negotiate.cpp, Accountant.cpp and GroupEntry.cpp of
src/condor_negotiator.V6, schedd_negotiate.cpp and condor_startd.V6/command.cpp, HTCondor 25.14;
``contrib/knobs`` lists what these look up. What expressions name besides is up to the site, and
is captured with them.
"""

from __future__ import annotations

from itertools import chain

from htcq.pool.knobs.knob import Following, rows

#: In the ads of slots.
OF_SLOTS = rows(
    """
AccountingGroup | followed | The claim is charged to it.
Activity | followed | A suspended claim may be charged otherwise.
ClaimIdList | followed | So many claims are matched in a cycle; NumClaims says it.
ConcurrencyLimits | followed | The claim uses them.
Cpus | followed | NEGOTIATOR_DEPTH_FIRST counts jobs by it.
CurrentRank | followed | Jobs with a higher Rank preempt the slot's.
DaemonShutdown | told | The slot is not offered if NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD says so.
DaemonShutdownFast | told | The slot is not offered if NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD says so.
Draining | not in courses | Claims end with their jobs.
DynamicSlot | followed | The slot is a part of a partitionable one.
GhostMultiplier | followed | The slot counts so many times in the pool's weight.
LastHeardFrom | followed | Old ads expire.
MachineResources | followed | The slot has these assets.
Memory | followed | NEGOTIATOR_DEPTH_FIRST counts jobs by it.
NegotiatorRequirements | not | The negotiator matches by it in place of Requirements.
NumDynamicSlots | followed | The slot has been split.
OCU | not in courses | The schedd that holds the claim starts jobs without a match.
Offline | followed | The slot is matched, and nothing starts there.
PartitionableSlot | followed | The slot can be split.
PreemptingAccountingGroup | followed | The claim belongs to the job that preempts.
PreemptingConcurrencyLimits | followed | The limits of a job that waits for the slot are in use.
PreemptingRank | followed | The claim belongs to the job that preempts.
PreemptingUser | followed | The claim belongs to the job that preempts.
PslotRollupInformation | followed | Dynamic slots can be preempted together.
Rank | followed | Jobs with a higher value preempt those with a lower one.
RemoteScheddName | followed | The claim is held by it.
RemoteUser | followed | The claim is charged to it.
Requirements | followed | The slot takes no other jobs.
RetirementTimeRemaining | followed | The slot is not offered before its job had that time.
SlotID | followed | The default of NEGOTIATOR_POST_JOB_RANK orders by it.
SlotWeight | followed | The slot counts so much.
State | followed | Claimed slots are charged.
TotalSlots | told | NEGOTIATOR_CROSS_SLOT_PRIOS counts to it.
UpdateSequenceNumber | told | STARTD_AD_REEVAL_EXPR compares it.
WantAdRevaluate | not | The slot stays in the list after a match, with what is left of it.
WantClaiming | followed | The slot is matched, and nothing starts there, where it is false.
WantMatching | followed | The slot is not offered where it is false.
WorkingCM | followed | The slot works for another central manager.
"""
)
#: In the ads of jobs and requests.
OF_JOBS = rows(
    """
AutoClusterId | followed | Jobs with the same are one request.
ClusterId | followed | Requests have an order.
ConcurrencyLimits | followed | The job uses them.
JobPrio | followed | The jobs of a submitter have an order.
Owner | followed | Jobs belong to a submitter.
ProcId | followed | Requests have an order.
Rank | followed | The job prefers slots.
RequestCpus | followed | The job asks for them.
RequestDisk | followed | The job asks for it.
RequestMemory | followed | The job asks for it.
Requirements | followed | The job takes no other slots.
WantPslotPreemption | followed | ALLOW_PSLOT_PREEMPTION is for requests that want it: schedds
    write it into all of them.
_condor_RESOURCE_COUNT | followed | A request stands for so many jobs.
"""
)
#: In the ads of submitters and in accounting records.
OF_SUBMITTERS = rows(
    """
AutoClusterAttrs | followed | These attributes are significant.
Ceiling | followed | The submitter gets no more.
Floor | followed | The submitter is negotiated with first, up to it.
IdleJobs | followed | The submitter is negotiated with.
JobPrioArray | told | USE_GLOBAL_JOB_PRIOS orders by it.
PriorityFactor | followed | Shares depend on it.
RunningJobs | followed | Demand depends on it.
ScheddName | followed | Jobs are in the queue of this schedd.
SkipMatchmaking | followed, since 25.11.0 | The submitter is left out.
SubmitterTag | followed | The submitter is from another pool.
WeightedIdleJobs | followed | Demand depends on it.
WeightedRunningJobs | followed | Demand depends on it.
"""
)
#: Of slots, those that no simulated cycle follows, and those that no course follows.
UNFOLLOWED = tuple(each for each in OF_SLOTS if each.following is Following.NOT)
UNFOLLOWED_IN_COURSES = tuple(
    each for each in OF_SLOTS if each.following in (Following.NOT, Following.NOT_IN_COURSES)
)
#: Attributes of slots that change with the load and the user of the machine, and with the hour.
OF_MACHINE_USE = (
    "ClockDay", "ClockMin", "CondorLoadAvg", "ConsoleIdle", "CpuBusy", "CpuBusyTime", "CpuIsBusy",
    "KeyboardIdle", "LoadAvg", "MyCurrentTime", "NonCondorLoadAvg", "TotalCondorLoadAvg",
    "TotalLoadAvg", "TotalVirtualMemory", "VirtualMemory",
)  # fmt: skip
#: Attributes of slots that change with their claims. No course follows them.
_OF_CLAIMS = (
    "ChildAccountingGroup", "ChildActivity", "ChildCpus", "ChildCurrentRank", "ChildDisk",
    "ChildDSlotId", "ChildEnteredCurrentState", "ChildGPUs", "ChildMemory", "ChildName",
    "ChildRemoteOwner", "ChildRemoteUser", "ChildRetirementTimeRemaining", "ChildState",
    "ClientMachine", "JobId", "JobPreemptions", "JobStart", "JobStarts", "LastHeardFrom",
    "MachineLastMatchTime", "NumPids", "RecentJobPreemptions", "RecentJobStarts",
    "UpdateSequenceNumber",
)  # fmt: skip
#: What courses leave as it was captured, by the name in lower case.
FIXED_IN_COURSES = {name.lower(): name for name in chain(OF_MACHINE_USE, _OF_CLAIMS)}
