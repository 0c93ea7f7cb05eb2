"""Attributes that an anonymous snapshot keeps, and in what form.

Whatever is not listed here is left out, unless an expression that stays names it: then it is
needed for a match, and its texts are replaced word by word. The lists follow what htcq reads
(``htcq.pool.slot``, ``htcq.pool.job``, the records of submitters, schedds, negotiators and
accounts) and what condor_status and condor_q need for a readable line.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping

from htcq.pool.attribute_names import JOB_NAMES, MATCH_NAMES, SLOT_NAMES, job_names, slot_names
from htcq.pool.job import LIFE
from htcq.units import CPUS, DISK, GPUS, MEMORY


class Form(enum.Enum):
    """Treatment of a value.

    PLAIN: words of HTCondor's own, kept unless a name is among them. WHO, WHERE, GROUP, LIMITS:
    lists of submitters, of daemons or hosts, of groups, of concurrency limits. JOB: the id of a
    job. CLUSTER: the number of a job's cluster. HOUR and ROUGH: a time, a size, rounded unless
    an expression names the attribute. SINCE, SENT, LASTED, LEFT: times of slots (a moment, when
    an ad was sent or received, seconds until now, seconds from now on), see
    ``htcq.pool.coarse_values``. EXPRESSION: anything else.
    """

    PLAIN = enum.auto()
    WHO = enum.auto()
    WHERE = enum.auto()
    GROUP = enum.auto()
    LIMITS = enum.auto()
    JOB = enum.auto()
    CLUSTER = enum.auto()
    HOUR = enum.auto()
    ROUGH = enum.auto()
    SINCE = enum.auto()
    SENT = enum.auto()
    LASTED = enum.auto()
    LEFT = enum.auto()
    EXPRESSION = enum.auto()


def _forms(**lists: str) -> dict[str, Form]:
    forms = {}
    for form, names in lists.items():
        for name in names.split():
            forms[name.lower()] = Form[form.upper()]
    return forms


_EVERY = _forms(plain="MyType TargetType CondorVersion CondorPlatform", where="Name Machine")
_SLOT = _EVERY | _forms(
    plain=(
        "State Activity SlotType Arch OpSys OpSysAndVer OpSysName Microarch GPUs_DeviceName "
        "DeviceName ChildState ChildActivity HtcqModel HtcqModelHash MappingMethod"
    ),
    who=(
        "AccountingGroup RemoteUser RemoteOwner PreemptingUser PreemptingOwner "
        "PreemptingAccountingGroup ChildAccountingGroup ChildRemoteUser ChildRemoteOwner "
        "DedicatedScheduler"
    ),
    where=(
        "ClientMachine RemoteScheddName IsDirectAttach RemoteHost ChildName StartdName "
        "FileSystemDomain UidDomain WorkingCM"
    ),
    group="RemoteGroup RemoteNegotiatingGroup",
    limits="ConcurrencyLimits PreemptingConcurrencyLimits",
    job="JobId GlobalJobId",
    hour="DaemonStartTime JobStart",
    rough="Mips LoadAvg TotalLoadAvg CondorLoadAvg VirtualMemory TotalVirtualMemory",
    since=(
        "EnteredCurrentState EnteredCurrentActivity NumDynamicSlotsTime LastDrainStartTime "
        "ExpectedMachineGracefulDrainingCompletion"
    ),
    sent="LastHeardFrom MyCurrentTime",
    lasted="TotalJobRunTime",
    left="RetirementTimeRemaining ChildRetirementTimeRemaining",
    expression=(
        "Cpus Memory Disk GPUs Swap SlotID DSlotId SlotTypeID PartitionableSlot DynamicSlot "
        "SlotWeight TotalSlots NumDynamicSlots NumClaims MachineResources Requirements Start "
        "WithinResourceLimits Rank CurrentRank IsOwner RemoteAutoregroup JobUniverse "
        "RemoteSlotWeight PreemptingRank KFlops OpSysMajorVer HasFileTransfer HasDocker "
        "HasSingularity HasContainer Draining Offline WantMatching PslotRollupInformation "
        "SlotBackfill BackfillSlot SlotBrokenCode ChildCurrentRank ChildDSlotId "
        "MaxJobRetirementTime MachineMaxVacateTime ClaimPartitionableLeftovers DiskQuantum "
        "GhostMultiplier AvailableGPUs AssignedGPUs ClassAdLifetime BrokenSlotCpus "
        "BrokenSlotMemory BrokenSlotDisk BrokenSlotGPUs IsDataSlot OCU Healthy HealthFactor "
        "HealthExprs SlotBrokenReason NegotiatorRequirements WantAdRevaluate WantClaiming "
        "DrainReason Unhibernate DetectedCpus DetectedGPUs RecentClaimRequests "
        "RecentActivationRequests RecentJobStarts RecentJobPreemptions RecentJobRankPreemptions "
        "RecentJobUserPrioPreemptions UpdatesTotal UpdateSequenceNumber"
    ),
)
_LIVES = dict.fromkeys(LIFE, Form.EXPRESSION) | _EVERY
_JOB = _LIVES | _forms(
    plain="WhenToTransferOutput Managed",
    who="Owner User AccountingGroup Scheduler",
    where=(
        "ScheddName RemoteHost LastRemoteHost RemotePool FileSystemDomain LastRejMatchNegotiator "
        "FlockTo"
    ),
    group="AcctGroup",
    limits="ConcurrencyLimits",
    job="GlobalJobId",
    cluster="ClusterId DAGManJobId",
    hour=(
        "QDate EnteredCurrentStatus JobStartDate JobCurrentStartDate LastMatchTime "
        "JobCurrentStartExecutingDate GridResourceUnavailableTime"
    ),
    rough="ImageSize MemoryUsage ResidentSetSize DiskUsage",
    expression=(
        "ProcId NiceUser JobStatus LastJobStatus JobUniverse JobPrio PreJobPrio1 PreJobPrio2 "
        "PostJobPrio1 PostJobPrio2 Requirements Rank RequireGPUs MinHosts MaxHosts CurrentHosts "
        "NumJobMatches NumJobStarts NumShadowStarts NumJobCompletions NumHolds HoldReasonCode "
        "HoldReasonSubCode AutoClusterId SlotWeight JobMaterializeLimit JobMaterializeMaxIdle "
        "JobMaterializeNextProcId JobMaterializePaused TotalSubmitProcs WantFlocking WantClaiming "
        "WantParallelScheduling MaxJobRetirementTime NumVacates WantFTOnCheckpoint HtcqProtected "
        "JobCoolDownExpiration CpusProvisioned MemoryProvisioned DiskProvisioned GPUsProvisioned "
        "LastRejMatchReason LastRejMatchTime HtcqVacateCost IsNoopJob VacateReason"
    ),
)
#: When a daemon was last heard of orders submitters that are equal otherwise, and tells how old an
#: account is.
_HEARD = _forms(
    expression="LastHeardFrom MyCurrentTime UpdateSequenceNumber UpdatesLost UpdatesTotal"
)
_SUBMITTER = (
    _EVERY
    | _HEARD
    | _forms(
        who="Name",
        where="ScheddName",
        expression=(
            "IdleJobs RunningJobs HeldJobs FlockedJobs LocalJobsIdle LocalJobsRunning "
            "SchedulerJobsIdle SchedulerJobsRunning WeightedIdleJobs WeightedRunningJobs "
            "JobPrioArray WantResAd SkipMatchmaking OCUClaimsBorrowed OCUClaimsClaimed "
            "OCURunningJobs OCUWantedJobs"
        ),
    )
)
_SCHEDD = (
    _EVERY
    | _HEARD
    | _forms(
        hour="DaemonStartTime DaemonLastReconfigTime",
        expression=(
            "Autoclusters CurbMatchmaking MaxJobsRunning NumOwners NumUsers NumPendingClaims "
            "ShadowsRunning TotalFlockedJobs TotalHeldJobs TotalIdleJobs TotalJobAds "
            "TotalRemovedJobs TotalRunningJobs WantResAd DaemonCoreDutyCycle "
            "RecentDaemonCoreDutyCycle NumJobStartsDelayed JobsSubmitted RecentJobsSubmitted "
            "RecentJobsStarted RecentJobsCompleted RecentJobsExited StatsLifetime "
            "RecentStatsLifetime StartLocalUniverse StartSchedulerUniverse TotalLocalJobsRunning "
            "TotalSchedulerJobsRunning MaxRunningSchedulerJobsPerOwner"
        ),
    )
)
#: A start that is rounded would make a negotiator late that has just begun.
_NEGOTIATOR = _EVERY | _HEARD | _forms(hour="DaemonLastReconfigTime", expression="DaemonStartTime")
_DEFRAG = _EVERY | _forms(expression="DaemonStartTime")
_COLLECTOR = (
    _EVERY
    | _HEARD
    | _forms(
        expression=(
            "HostsClaimed HostsOwner HostsTotal HostsUnclaimed IdleJobs RunningJobs MachineAds "
            "SubmitterAds ActiveQueryWorkers PendingQueries DroppedQueries UpdateInterval "
            "RecentDaemonCoreDutyCycle RecentUpdatesInitial_Negotiator"
        ),
    )
)
_ACCOUNTING = (
    _EVERY
    | _HEARD
    | _forms(
        plain="SurplusPolicy",
        who="Name",
        group="AccountingGroup",
        where="NegotiatorName",
        hour="LastUsageTime BeginUsageTime LastUpdate",
        expression=(
            "IsAccountingGroup Priority PriorityFactor Ceiling Floor ConfigQuota EffectiveQuota "
            "SubtreeQuota Requested GroupSortKey GroupAutoRegroup ResourcesUsed "
            "WeightedResourcesUsed AccumulatedUsage WeightedAccumulatedUsage"
        ),
    )
)
_USER = _EVERY | _forms(
    who="User", where="ScheddName", expression="MaxJobsRunning NumIdle NumRunning NumSuspended"
)
#: By MyType in lower case.
OF_TYPE: Mapping[str, Mapping[str, Form]] = {
    "machine": _SLOT,
    "slot": _SLOT,
    "job": _JOB,
    "submitter": _SUBMITTER,
    "scheduler": _SCHEDD,
    "negotiator": _NEGOTIATOR,
    "defrag": _DEFRAG,
    "collector": _COLLECTOR,
    "accounting": _ACCOUNTING,
    "owner": _USER,
}
_COARSE = (Form.HOUR, Form.ROUGH, Form.SINCE, Form.SENT, Form.LASTED, Form.LEFT)
#: Attributes that are rounded where no expression names them, in lower case.
COARSE = frozenset(
    name for forms in OF_TYPE.values() for name, form in forms.items() if form in _COARSE
)
#: What an attribute is that an expression compares with a text.
COMPARED: Mapping[str, Form] = {
    **_ACCOUNTING, **_SUBMITTER, **_JOB, **_SLOT,
    **_forms(
        plain="OpSysLongName OpSysShortName UtsnameSysname ShouldTransferFiles",
        who="AcctGroupUser JobOwner OsUser LastRemoteUser Submitter",
        where="UtsnameNodename LastRemoteHost MatchMachineName",
        group="SubmitterGroup SubmitterNegotiatingGroup",
    ),
}  # fmt: skip
#: Assets that every slot has, or that HTCondor itself finds.
_ASSETS = (CPUS, MEMORY, DISK, GPUS, "swap")
#: Beginnings of names that capacity and requests consist of, whatever the asset; how negotiators
#: count their cycles.
_NEEDED = {
    "machine": re.compile(
        r"consumption|total(?!time|claim|job|machine|virt|load)|detected(?:cpus|memory|gpus)$|gpus_"
    ),
    "job": re.compile(r"request(?!ed)|require|_condor_request"),
    "negotiator": re.compile(
        r"lastnegotiationcycle(?:end|period|duration|matches|slots|time|total|active|idle)\w*\Z"
    ),
}
_NEEDED["slot"] = _NEEDED["machine"]

_FUNCTIONS = """
abs acos allcompare anycompare asin atan bool ceiling cos countmatches debug desc envv1tov2 eval
evalineachcontext exp floor formattime getfield identicalmember ifthenelse int interval isabstime
isboolean isclassad iserror isinteger islist isreal isreltime isstring isundefined jobtime join
length listtoargs log log10 member mergeenvironment min max pow quantize random real regexp
regexpmember regexps regexps_list replace replaceall round size sin split splitarb splitslotname
splittime splitusername sqrt strcat strcmp stricmp string stringlist_regexpmember stringlistavg
stringlistimember stringlistmax stringlistmember stringlistmin stringlistregexpmember stringlistsize
stringlistsubsetmatch stringlistisubsetmatch stringlistsum sum substr tan time tolower toupper
truncate unparse unresolved usermap versioncmp versiongt versionge versionlt versionle versioneq
version_in_range
"""
_WORDS = """
my target parent true false undefined error is isnt and or not null if else auto
linux windows osx macos darwin x86_64 aarch64 ppc64le intel arm64 x86_64-v1 x86_64-v2 x86_64-v3
x86_64-v4
almalinux centos rocky redhat debian ubuntu fedora suse scientific freebsd
machine slot job jobs submitter schedd scheduler startd negotiator collector accounting accountant
master shadow starter
generic daemonmaster shared_port
claimed unclaimed idle busy owner matched preempting drained backfill retiring vacating suspended
benchmarking killing partitionable dynamic static none no byquota regroup cpu cpus core cores mem
memory ram disk swap gpu gpus
virtualmemory condorplatform condorversion packageid buildid rc
yes never on_exit on_exit_or_evict on_success if_needed hardlink copy
condor condor_pool root nobody family unmapped unauthenticated anonymous localhost
user host domain group word path limit attr asset address port daemon
of the a an to at in on by for as it its be has was were are with from than more less most least per
central configuration configurations priorities accounting schedds submitters slots negotiators
collectors expressions cannot connect connection refused answer within timed out reset peer
permission denied authorisation allow_read there does here first startds asked since answered one
there's them but do htcondor daemons not read another
this machine files serves instead what has
reached match found limit limits concurrency quota submitter rejected insufficient
exceeded preemption_requirements priority bandwidth network share unknown reason
catalogs catalogid catalogsize requestedcatalogs requestedcatalogids filename
groupquota groupresourcesinuse groupsortkey groupresourcesallocated
ads txt json config meta access execute end jan feb mar apr may jun jul aug sep oct nov dec
anonymized schema taken pool htcq negotiator failed what why counts
cuda ocl hip nvidia amd tesla geforce radeon instinct
capability globalmemorymb devicename drivername driverversion eccenabled computeunits corespercu
clockmhz
maxsupportedversion devicepcibusid deviceuuid devicememorymb id devices
"""


def _derived(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


#: Words of HTCondor or of htcq, which disclose nothing about a site; in lower case.
VOCABULARY = (
    frozenset(_FUNCTIONS.split())
    | frozenset(_WORDS.split())
    | frozenset(COMPARED)
    | frozenset(name for forms in OF_TYPE.values() for name in forms)
    | _derived(SLOT_NAMES | JOB_NAMES | MATCH_NAMES)
    | _derived(slot_names(_ASSETS) | job_names(_ASSETS))
)


def form_of(ad_type: str, name: str) -> Form | None:
    """Return the form in which the attribute ``name`` (lower case) of such an ad stays.

    None where it need not stay.
    """
    form = OF_TYPE.get(ad_type, _EVERY).get(name)
    needed = _NEEDED.get(ad_type)
    if form is None and needed is not None and needed.match(name):
        return Form.EXPRESSION
    return form
