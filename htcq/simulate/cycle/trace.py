"""What a negotiation cycle did, as records; their fields are the names in every output.

Costs and usage are in the pool's unit: slot weights, or slots where weights are off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

#: Why a schedd gives a match back instead of starting a job on it.
SCHEDD_IS_FULL = "the schedd runs MAX_JOBS_RUNNING jobs"
USER_IS_FULL = "the user of the job runs MaxJobsRunning jobs"
START_REFUSES = "START_VANILLA_UNIVERSE of the schedd refuses a job that suits the slot"
NO_JOB_LEFT = "no job that suits the slot is left"
OFFLINE = "the slot is offline (Offline)"
NOT_CLAIMED = "the slot is not to be claimed (WantClaiming)"
SILENT = "its machine sends nothing any more"
GIVEN_BACK = (
    SCHEDD_IS_FULL, USER_IS_FULL, START_REFUSES, NO_JOB_LEFT, OFFLINE, NOT_CLAIMED, SILENT,
)  # fmt: skip
#: For which state of the slot the startd refuses each claim.
OWNED = "the slot is in the state Owner (START or IS_OWNER)"
ENDING = "the claim before it ends (state Preempting)"
GONE = "the slot ends (state Shutdown or Delete)"
#: Why a claim is preempted: the slot's Rank of the job is higher than that of the running one, or
#: PREEMPTION_REQUIREMENTS holds.
BY_RANK, BY_PRIORITY = "rank", "priority"


class Match(NamedTuple):
    """One match.

    ``request`` is the first job of its request, as the negotiator's log names it.

    ``job`` is the one that the schedd uses it for; empty where none is left that suits the slot.
    ``cost`` is charged at once, ``standing`` as soon as the claimed slot has an ad of its own,
    and nothing then where the startd refuses the claim or the schedd gives it back: ``refusal``
    says why. ``preempts`` is whose claim it preempts and ``by`` what for (``BY_RANK``,
    ``BY_PRIORITY``); both are empty where the slot was free. ``dynamic_slots`` are those that are
    preempted together for what their partitionable slot has then. ``access_point`` is where the job
    is; empty where the pool does not say.
    """

    job: str
    request: str
    submitter: str
    slot: str
    cost: float
    standing: float = 0.0
    refusal: str = ""
    preempts: str = ""
    by: str = ""
    dynamic_slots: tuple[str, ...] = ()
    access_point: str = ""


@dataclass(frozen=True)
class Rejection:
    """One request for which nothing was found, with the negotiator's reason.

    ``access_point`` is where the ``job`` is; empty where the pool does not say.
    """

    job: str
    submitter: str
    reason: str
    access_point: str = ""


@dataclass(frozen=True)
class GroupUse:
    """First limit of a group before it is cut to a whole number, and its usage.

    A limit of None means that the group was not negotiated.
    """

    name: str
    limit: float | None
    used_before: float
    used_after: float


@dataclass(frozen=True)
class SubmitterUse:
    """Usage of one submitter, the slots that its idle jobs request, and its matches.

    ``group`` is the one that it is charged to; ``standing`` what it uses when its claims have
    ads of their own.
    """

    name: str
    group: str
    idle: int
    matches: int
    used_before: float
    used_after: float
    standing: float


@dataclass(frozen=True)
class GroupTurn:
    """Position of a group in the cycle (1 is first), its last limit, and usage before and after.

    ``limit`` is the whole number that the negotiator works with.
    """

    place: int
    limit: float
    used_before: float
    used_after: float


@dataclass(frozen=True)
class Crash:
    """What makes the negotiator crash.

    The slot and the job that it was looking at, and its last words. The slot is empty where there
    was none, and so is the job where the negotiator exits before it looks at any: when it reads its
    configuration.
    """

    slot: str
    job: str
    message: str


@dataclass(frozen=True)
class Trace:
    """One cycle over ``slots`` slots that weigh ``pool_weight``; costs and usage are in ``unit``.

    ``skipped`` are slots that would have ended the negotiator and were left out instead;
    ``unmodelled`` tells what the real one might have done besides, as sentences.
    """

    unit: str
    slots: int
    pool_weight: float
    matches: tuple[Match, ...]
    rejections: tuple[Rejection, ...]
    groups: tuple[GroupUse, ...]
    submitters: tuple[SubmitterUse, ...]
    crash: Crash | None = None
    skipped: tuple[Crash, ...] = ()
    unmodelled: tuple[str, ...] = ()
