"""Walls: what can stand between a job and a start. Their ids are permanent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

Amount = Union[int, float, str, bool]
Amounts = Mapping[str, Amount]

# The job itself.
HELD, COOL_DOWN, DEFERRED, NOT_IDLE = "held", "cool-down", "deferred", "not-idle"
MAX_IDLE, UNMATCHED_UNIVERSE, SKIP_MATCHMAKING = "max-idle", "scheduler-universe", "skip-matchmaking"
HOSTS_TAKEN, MANAGED = "hosts-taken", "managed-elsewhere"
# The access point.
MAX_JOBS_RUNNING, USER_MAX_JOBS = "max-jobs-running", "user-max-jobs"
OFFER_BUDGET, CURB_MATCHMAKING = "offer-budget", "curb-matchmaking"
START_VANILLA_UNIVERSE, DEDICATED_SCHEDULER = "start-vanilla-universe", "dedicated-scheduler"
JOB_CONSTRAINT, NOT_ADVERTISED, SCHEDD_SILENT = "job-constraint", "not-advertised", "schedd-silent"
# Demand, groups and submitters.
NO_DEMAND = "no-demand"
GROUP_QUOTA, GROUP_ORDER = "group-quota", "group-order"
SUBMITTER_SHARE, SUBMITTER_CEILING = "submitter-share", "submitter-ceiling"
SUBMITTER_CONSTRAINT = "submitter-constraint"
# Slots.
CONCURRENCY_LIMIT = "concurrency-limit"
REQUIREMENTS, START, SLOT_CONSTRAINT = "requirements", "start", "slot-constraint"
NO_SUCH_MACHINE, NO_ROOM, NO_CLAIMS_LEFT = "no-such-machine", "no-room", "no-claims-left"
CONSUMPTION, OTHER_ACCESS_POINT = "consumption", "other-access-point"
OUTRANKED, PREEMPTION = "outranked", "preemption"
# The startd.
CLAIM_REFUSED = "claim-refused"
# The negotiator.
NEGOTIATOR_ABSENT, NEGOTIATOR_LATE = "negotiator-absent", "negotiator-late"
NEGOTIATOR_CRASH, CYCLE_ENDED_EARLY, SLOT_WEIGHT = "negotiator-crash", "cycle-ended-early", "slot-weight"


@dataclass(frozen=True)
class MatchFailure:
    """One wall of one job: ``id`` is a key of :data:`WALLS`, ``text`` a sentence with the numbers."""

    id: str
    text: str
    amounts: Amounts = field(default_factory=dict)


@dataclass(frozen=True)
class WallType:
    """What a wall is, in one sentence, and what lifts it."""

    text: str
    lifted_by: str


#: Every wall, in the order in which HTCondor meets them.
WALLS: Mapping[str, WallType] = {
    HELD: WallType("The job is on hold.", "condor_release, once the reason of the hold is gone"),
    COOL_DOWN: WallType(
        "The schedd lets the job wait after a failure (JobCoolDownExpiration).", "time: the end of the cool-down"
    ),
    DEFERRED: WallType(
        "The job asks for a start at a later time (DeferralTime).", "time; condor_qedit of DeferralTime"
    ),
    NOT_IDLE: WallType("The job is not idle.", "nothing has to be lifted"),
    MAX_IDLE: WallType(
        "The job is not in the queue yet: max_idle or max_materialize of its cluster holds it back.",
        "a start of the jobs before it; condor_qedit of JobMaterializeMaxIdle or JobMaterializeLimit",
    ),
    UNMATCHED_UNIVERSE: WallType(
        "The access point itself runs jobs of this universe; no negotiator sees them.",
        "the schedd's START_LOCAL_UNIVERSE, START_SCHEDULER_UNIVERSE or the grid resource",
    ),
    SKIP_MATCHMAKING: WallType(
        "The submitter's ad says SkipMatchmaking: the negotiator passes it over.",
        "the schedd's configuration that sets SkipMatchmaking",
    ),
    HOSTS_TAKEN: WallType("The job has all the slots that it wants (MaxHosts).", "nothing has to be lifted"),
    MANAGED: WallType("Another manager starts the job (Managed).", "that manager, such as the job router"),
    MAX_JOBS_RUNNING: WallType(
        "The schedd runs as many jobs as MAX_JOBS_RUNNING allows.", "the end of a job; a higher MAX_JOBS_RUNNING"
    ),
    USER_MAX_JOBS: WallType(
        "The user record allows this user no more running jobs.", "the end of a job; condor_qusers -edit MaxJobsRunning"
    ),
    OFFER_BUDGET: WallType(
        "The schedd offers only some jobs of a submitter in one cycle, and jobs before this one use that up.",
        "removal of the jobs before it, a higher JobPrio, a higher MAX_CONCURRENT_UPLOADS_PER_USER",
    ),
    CURB_MATCHMAKING: WallType(
        "CURB_MATCHMAKING holds in the schedd: it offers no job.", "the condition of CURB_MATCHMAKING"
    ),
    START_VANILLA_UNIVERSE: WallType(
        "START_VANILLA_UNIVERSE of the schedd is not true for the job, or for it on the slot that it is matched with.",
        "the condition of START_VANILLA_UNIVERSE; JOB and SLOT before the names that it looks up in them",
    ),
    DEDICATED_SCHEDULER: WallType(
        "A parallel job needs slots that are dedicated to its schedd.",
        "DedicatedScheduler in the configuration of execution points",
    ),
    JOB_CONSTRAINT: WallType(
        "NEGOTIATOR_JOB_CONSTRAINT is false for the job: the negotiator does not ask for it.",
        "the central manager's NEGOTIATOR_JOB_CONSTRAINT",
    ),
    NOT_ADVERTISED: WallType(
        "No submitter ad at this negotiator's collector names the submitter.", "the next update of the schedd"
    ),
    SCHEDD_SILENT: WallType("The schedd does not answer.", "a schedd that runs and can be reached"),
    NO_DEMAND: WallType(
        "The idle jobs of the submitter weigh nothing: the group is passed over.",
        "a SCHEDD_SLOT_WEIGHT that is above 0 for the job",
    ),
    GROUP_QUOTA: WallType(
        "The group uses what its quota and surplus allow.", "the end of a job of the group; a higher GROUP_QUOTA"
    ),
    SUBMITTER_SHARE: WallType(
        "The submitter uses its fair share of the group.", "the end of its jobs; a better user priority"
    ),
    SUBMITTER_CEILING: WallType(
        "The submitter uses its ceiling.", "the end of its jobs; condor_userprio -setceil"
    ),
    GROUP_ORDER: WallType(
        "Groups that negotiate before this one take the slots.", "GROUP_SORT_EXPR; usage of the other groups"
    ),
    SUBMITTER_CONSTRAINT: WallType(
        "NEGOTIATOR_SUBMITTER_CONSTRAINT is false for the submitter.",
        "the central manager's NEGOTIATOR_SUBMITTER_CONSTRAINT",
    ),
    CONCURRENCY_LIMIT: WallType(
        "A concurrency limit of the job is reached.", "the end of a job that uses it; a higher <NAME>_LIMIT"
    ),
    REQUIREMENTS: WallType(
        "A clause of the job's Requirements does not hold on slots.", "condor_qedit of Requirements"
    ),
    START: WallType(
        "A clause of the slot's START, or of its other Requirements, does not hold for the job.",
        "START of the execution points; what the job says of itself",
    ),
    SLOT_CONSTRAINT: WallType(
        "NEGOTIATOR_SLOT_CONSTRAINT hides slots that could take the job.",
        "the central manager's NEGOTIATOR_SLOT_CONSTRAINT",
    ),
    NO_SUCH_MACHINE: WallType(
        "No slot has what the job requests, even with no job on it.", "a smaller request; a larger machine"
    ),
    CONSUMPTION: WallType(
        "The consumption policy of slots yields no amount for the job.", "Consumption<asset> of the execution points"
    ),
    OTHER_ACCESS_POINT: WallType(
        "Slots are claimed as a whole by another schedd.", "the end of that claim"
    ),
    NO_ROOM: WallType(
        "No slot has enough left of what the job requests.", "the end of jobs that hold it; a smaller request"
    ),
    NO_CLAIMS_LEFT: WallType(
        "Slots have room, but no claim left to give (NumClaims).", "NUM_CLAIMS of the execution points"
    ),
    PREEMPTION: WallType(
        "Slots that suit the job are claimed, and the claims are not preempted.",
        "the end of these jobs; NEGOTIATOR_CONSIDER_PREEMPTION, PREEMPTION_REQUIREMENTS and Rank",
    ),
    OUTRANKED: WallType(
        "The job fits, but matches before it in the same cycle take the room.", "time; a better user priority"
    ),
    CLAIM_REFUSED: WallType(
        "The job is matched, and the startd refuses the claim.",
        "the consumption policy and MODIFY_REQUEST_EXPR_* of the execution point",
    ),
    NEGOTIATOR_ABSENT: WallType("The pool has no negotiator.", "a negotiator that runs and reports to the collector"),
    NEGOTIATOR_LATE: WallType(
        "The negotiator does not answer, or has not finished a cycle for several intervals.",
        "a negotiator that cycles",
    ),
    NEGOTIATOR_CRASH: WallType("The negotiator crashes in its cycle.", "the configuration or slot that makes it crash"),
    CYCLE_ENDED_EARLY: WallType(
        "The negotiator ends its cycle before the turn of the job.", "the limits in time of the negotiator"
    ),
    SLOT_WEIGHT: WallType(
        "SlotWeight or an asset of a slot is no number: the negotiator crashes where it looks at that slot.",
        "SLOT_WEIGHT of the execution point",
    ),
}  # fmt: skip
