"""Reasons why a job does not start ("walls" in JSON). Their ids are permanent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from htcq.pool.slot_causes import ASSET_MISSING as ASSET_MISSING
from htcq.pool.slot_causes import SLOT_CAUSES
from htcq.pool.slot_causes import STALE as STALE
from htcq.pool.slot_state import BROKEN as BROKEN
from htcq.pool.slot_state import DRAINED as DRAINED
from htcq.pool.slot_state import OFFLINE as OFFLINE
from htcq.pool.slot_state import OWNER as OWNER

Amount = Union[int, float, str, bool]
Amounts = Mapping[str, Amount]

# The job itself.
HELD, COOL_DOWN, DEFERRED, NOT_IDLE = "held", "cool-down", "deferred", "not-idle"
MAX_IDLE, UNMATCHED_UNIVERSE, SKIP_MATCHMAKING = (
    "max-idle",
    "scheduler-universe",
    "skip-matchmaking",
)
HOSTS_TAKEN, MANAGED = "hosts-taken", "managed-elsewhere"
# The access point.
MAX_JOBS_RUNNING, USER_MAX_JOBS = "max-jobs-running", "user-max-jobs"
OFFER_BUDGET, CURB_MATCHMAKING = "offer-budget", "curb-matchmaking"
START_VANILLA_UNIVERSE, DEDICATED_SCHEDULER = "start-vanilla-universe", "dedicated-scheduler"
JOB_CONSTRAINT, NOT_ADVERTISED, SCHEDD_SILENT = "job-constraint", "not-advertised", "schedd-silent"
JOB_PRIO_LEFT_OUT = "job-prio-left-out"
# Demand, groups and submitters.
NO_DEMAND = "no-demand"
GROUP_QUOTA, GROUP_ORDER = "group-quota", "group-order"
SUBMITTER_SHARE, SUBMITTER_CEILING = "submitter-share", "submitter-ceiling"
SUBMITTER_CONSTRAINT = "submitter-constraint"
# Slots; what state closes them, or what they lack, has the id of the cause of capacity.
CONCURRENCY_LIMIT = "concurrency-limit"
REQUIREMENTS, START, SLOT_CONSTRAINT = "requirements", "start", "slot-constraint"
NO_SUCH_MACHINE, NO_ROOM, NO_CLAIMS_LEFT = "no-such-machine", "no-room", "no-claims-left"
REQUEST_UNDEFINED = "request-undefined"
CONSUMPTION, OTHER_ACCESS_POINT = "consumption", "other-access-point"
OUTRANKED, PREEMPTION = "outranked", "preemption"
# The startd.
CLAIM_REFUSED = "claim-refused"
# The negotiator.
NEGOTIATOR_ABSENT, NEGOTIATOR_LATE = "negotiator-absent", "negotiator-late"
NEGOTIATOR_CRASH, CYCLE_ENDED_EARLY, SLOT_WEIGHT = (
    "negotiator-crash",
    "cycle-ended-early",
    "slot-weight",
)


@dataclass(frozen=True)
class MatchFailure:
    """One reason of one job.

    ``id`` is a key of :data:`WALLS`, ``text`` a sentence with the numbers.
    """

    id: str
    text: str
    amounts: Amounts = field(default_factory=dict)
    #: What resolves it in this case; empty where it is the same in all cases.
    advice: str = ""

    @property
    def lifted_by(self) -> str:
        """What resolves the reason here, or in general where the case does not tell more."""
        if self.ends_with_no_job:
            return self.raised_by
        return self._named(self.advice or WALLS[self.id].lifted_by)

    @property
    def raised_by(self) -> str:
        """What somebody does to resolve it, if nobody waits for the end of jobs."""
        general = WALLS[self.id]
        is_told = self.id in (GROUP_QUOTA, NOT_ADVERTISED) and self.advice
        if not general.raised_by or is_told:
            return self._named(self.advice or general.lifted_by)
        return self._named(general.raised_by)

    def _named(self, cure: str) -> str:
        """Return a cure with the name of the limit, or of the schedd that has it."""
        name, schedd = self.amounts.get("name"), self.amounts.get("schedd")
        if self.id == CONCURRENCY_LIMIT and name:
            return cure.replace("<NAME>", str(name).upper())
        if self.id == MAX_JOBS_RUNNING and schedd:
            return f"{cure} of {schedd}"
        if self.id == CURB_MATCHMAKING and schedd:
            return cure.replace("the schedd", str(schedd))
        return cure

    @property
    def ends_with_no_job(self) -> bool:
        """Whether no end of a job resolves it: a limit is 0, or smaller than one request, say."""
        limits = [self.amounts.get(name) for name in _LIMITS.get(self.id, ())]
        if self.id == COOL_DOWN:
            # A knob that makes it long makes the next one as long.
            return "knob" in self.amounts
        if self.id == GROUP_QUOTA:
            # The negotiator cuts fractions off: a limit below 1 is none.
            limits = [each for each in limits if not (isinstance(each, float) and each < 1)]
            return not any(limits)
        if limits and not any(limits):
            return True
        if self.id == SUBMITTER_CEILING:
            return self.amounts.get("used") == 0
        asked, limit = self.amounts.get("asked"), self.amounts.get("limit")
        is_known = isinstance(asked, (int, float)) and isinstance(limit, (int, float))
        return self.id == CONCURRENCY_LIMIT and is_known and asked > limit  # type: ignore[operator]


#: What limits are called in the amounts of a reason. A share of a pool that weighs nothing is one.
_LIMITS: Mapping[str, tuple[str, ...]] = {
    CONCURRENCY_LIMIT: ("limit",), MAX_JOBS_RUNNING: ("limit",), USER_MAX_JOBS: ("limit",),
    GROUP_QUOTA: ("quota", "allocated", "limit"), SUBMITTER_SHARE: ("of",),
    SUBMITTER_CEILING: ("ceiling",),
}  # fmt: skip


@dataclass(frozen=True)
class WallType:
    """Description of a reason in one sentence, and what resolves it.

    ``raised_by`` resolves a limit that ends with no job.
    """

    text: str
    lifted_by: str
    raised_by: str = ""


#: Every reason, in the order in which HTCondor evaluates them.
WALLS: Mapping[str, WallType] = {
    HELD: WallType(
        "The job is on hold.",
        "condor_release, after the reason of the hold is removed",
    ),
    COOL_DOWN: WallType(
        "The job is in its cool-down after it left a machine (JobCoolDownExpiration).",
        "time: the end of the cool-down",
    ),
    DEFERRED: WallType(
        "The job requests a later start (DeferralTime).", "time; condor_qedit of DeferralTime"
    ),
    NOT_IDLE: WallType("The job is not idle.", "nothing (no action is needed)"),
    MAX_IDLE: WallType(
        "The job is not materialized yet, because of max_idle or max_materialize of its cluster.",
        ("the start of earlier jobs of the cluster; condor_qedit of JobMaterializeMaxIdle or "
        "JobMaterializeLimit"),
    ),
    UNMATCHED_UNIVERSE: WallType(
        "The access point runs jobs of this universe itself, without the negotiator.",
        "START_LOCAL_UNIVERSE or START_SCHEDULER_UNIVERSE of the schedd, or the grid resource",
    ),
    SKIP_MATCHMAKING: WallType(
        "The submitter's ad has SkipMatchmaking = true: the negotiator skips the submitter.",
        "the setting of the schedd that sets SkipMatchmaking",
    ),
    HOSTS_TAKEN: WallType(
        "The job has all the slots that it requests (MaxHosts).",
        "nothing (no action is needed)",
    ),
    MANAGED: WallType(
        "Another manager starts the job (Managed).",
        "the other manager, such as the job router",
    ),
    MAX_JOBS_RUNNING: WallType(
        "The schedd runs as many jobs as MAX_JOBS_RUNNING allows.",
        "the end of a job; a higher MAX_JOBS_RUNNING",
        "a higher MAX_JOBS_RUNNING",
    ),
    USER_MAX_JOBS: WallType(
        "The user runs as many jobs as the user record allows (MaxJobsRunning).",
        "the end of a job; condor_qusers -edit MaxJobsRunning",
        "condor_qusers -edit MaxJobsRunning",
    ),
    OFFER_BUDGET: WallType(
        ("The schedd offers a limited number of jobs of a submitter per cycle, and earlier jobs "
        "use it up."),
        "removal of earlier jobs, a higher JobPrio, a higher MAX_CONCURRENT_UPLOADS_PER_USER",
    ),
    CURB_MATCHMAKING: WallType(
        "CURB_MATCHMAKING is true in the schedd: it offers no jobs.",
        "a CURB_MATCHMAKING of the schedd that is false",
    ),
    START_VANILLA_UNIVERSE: WallType(
        "START_VANILLA_UNIVERSE of the schedd refuses the job, or refuses it on its matched slot.",
        "a START_VANILLA_UNIVERSE of the schedd that is true for the job; names in it need the "
        "scope JOB or SLOT",
    ),
    DEDICATED_SCHEDULER: WallType(
        "The parallel job needs slots that are dedicated to its schedd.",
        "DedicatedScheduler in the configuration of execution points",
    ),
    JOB_CONSTRAINT: WallType(
        "NEGOTIATOR_JOB_CONSTRAINT is false for the job: the negotiator does not request it.",
        "a NEGOTIATOR_JOB_CONSTRAINT of the central manager that is true for the job",
    ),
    JOB_PRIO_LEFT_OUT: WallType(
        "USE_GLOBAL_JOB_PRIOS: the negotiator asks for other priorities of the submitter's jobs.",
        "USE_GLOBAL_JOB_PRIOS = False; a larger GROUP_QUOTA_ROUND_ROBIN_RATE",
    ),
    NOT_ADVERTISED: WallType(
        "The negotiator's collector has no ad of the submitter.",
        "the next update of the schedd",
        "the submitter's ads: CollectorLog and the schedd's SchedLog say what becomes of them",
    ),
    SCHEDD_SILENT: WallType(
        "The schedd does not answer.",
        "starting the schedd, or repairing the connection to it",
    ),
    NO_DEMAND: WallType(
        "The weight of the submitter's idle jobs is 0: the negotiator skips the group.",
        "a SCHEDD_SLOT_WEIGHT above 0 for the job",
    ),
    GROUP_QUOTA: WallType(
        "The group uses all that its quota and surplus allow.",
        "the end of a job of the group; a higher GROUP_QUOTA",
        "a GROUP_QUOTA above 0, or GROUP_ACCEPT_SURPLUS",
    ),
    SUBMITTER_SHARE: WallType(
        "The submitter uses its fair share of the group.",
        "the end of its jobs; a better user priority",
        "a SLOT_WEIGHT above 0, or a quota of its group",
    ),
    SUBMITTER_CEILING: WallType(
        "The submitter uses its ceiling.",
        "the end of its jobs; condor_userprio -setceil",
        "a higher ceiling (condor_userprio -setceil)",
    ),
    GROUP_ORDER: WallType(
        "Groups that are negotiated before this one take the slots.",
        "GROUP_SORT_EXPR; usage of the other groups",
    ),
    SUBMITTER_CONSTRAINT: WallType(
        "NEGOTIATOR_SUBMITTER_CONSTRAINT is false for the submitter.",
        "a NEGOTIATOR_SUBMITTER_CONSTRAINT of the central manager that is true for the submitter",
    ),
    CONCURRENCY_LIMIT: WallType(
        "A concurrency limit of the job is reached, or ConcurrencyLimits are an empty string.",
        "the end of a job that uses it; a higher <NAME>_LIMIT; no ConcurrencyLimits",
        "a higher <NAME>_LIMIT; less of it in ConcurrencyLimits",
    ),
    DRAINED: WallType(
        "Machines that would take the job are drained, or drain.",
        "condor_drain -cancel MACHINE, when the work on the machine is done",
    ),
    STALE: WallType(
        "Machines that would take the job send nothing any more: a match leads to no claim.",
        SLOT_CAUSES[STALE].lifted_by,
    ),
    OFFLINE: WallType(
        "Machines that would take the job are offline.", SLOT_CAUSES[OFFLINE].lifted_by
    ),
    OWNER: WallType(
        "Machines that would take the job are in the state Owner: their startds refuse each claim.",
        SLOT_CAUSES[OWNER].lifted_by,
    ),
    BROKEN: WallType(
        "The startd has declared slots broken that would take the job.",
        SLOT_CAUSES[BROKEN].lifted_by,
    ),
    ASSET_MISSING: WallType(
        "Slots lack memory or disk that no job has.", SLOT_CAUSES[ASSET_MISSING].lifted_by
    ),
    REQUIREMENTS: WallType(
        "A clause of the job's Requirements excludes slots.",
        "condor_qedit of Requirements",
    ),
    START: WallType(
        "A clause of START, or of the slot's other Requirements, refuses the job.",
        "START of the execution points; the attributes of jobs and slots that it refers to",
    ),
    SLOT_CONSTRAINT: WallType(
        "NEGOTIATOR_SLOT_CONSTRAINT hides slots that could take the job.",
        "a NEGOTIATOR_SLOT_CONSTRAINT of the central manager that is true for the slots",
    ),
    NO_SUCH_MACHINE: WallType(
        "No slot is large enough for the request, even when it is empty.",
        "a smaller request; a larger machine",
    ),
    REQUEST_UNDEFINED: WallType(
        "A request of the job is not a number: no slot meets it.",
        "a number as the request",
    ),
    CONSUMPTION: WallType(
        "The consumption policy of slots takes nothing valid for the job, or more than they have.",
        "Consumption<asset> of the execution points",
    ),
    OTHER_ACCESS_POINT: WallType(
        "Slots are claimed as a whole by another schedd.", "the end of the claim"
    ),
    NO_ROOM: WallType(
        "No slot has enough free for the request.", "the end of running jobs; a smaller request"
    ),
    NO_CLAIMS_LEFT: WallType(
        "Slots have enough free, but no further claim (NumClaims).",
        "NUM_CLAIMS of the execution points",
    ),
    PREEMPTION: WallType(
        "Matching slots are claimed, and the claims are not preempted.",
        "the end of these jobs; NEGOTIATOR_CONSIDER_PREEMPTION, PREEMPTION_REQUIREMENTS and Rank",
    ),
    OUTRANKED: WallType(
        "The job fits, but earlier matches of the same cycle take the slots.",
        "time; a better user priority",
    ),
    CLAIM_REFUSED: WallType(
        "The job is matched, but the startd refuses the claim, or the slot is not to be claimed.",
        "the consumption policy and MODIFY_REQUEST_EXPR_* of the execution point; WantClaiming of "
        "the slot",
    ),
    NEGOTIATOR_ABSENT: WallType(
        "The pool has no negotiator.",
        "a running negotiator that reports to the collector",
    ),
    NEGOTIATOR_LATE: WallType(
        "The negotiator does not answer, or has not finished a cycle for several intervals.",
        "a negotiator that completes its cycles",
    ),
    NEGOTIATOR_CRASH: WallType(
        "The negotiator crashes in its cycle.",
        "a correct configuration or slot",
    ),
    CYCLE_ENDED_EARLY: WallType(
        "The negotiator ends its cycle before it reaches the job.",
        "the time limits of the negotiator (NEGOTIATOR_MAX_TIME_PER_*)",
    ),
    SLOT_WEIGHT: WallType(
        ("SlotWeight or an asset of a slot is not a number: the negotiator crashes when it "
        "evaluates that slot."),
        "SLOT_WEIGHT of the execution point",
    ),
}  # fmt: skip
