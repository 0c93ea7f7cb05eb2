"""Records of a pool for elastic quotas at one moment: by group and dimension, and by claim.

Dimensions are assets in HTCondor's units (cpus, memory in MB, disk in KiB, gpus, and custom
ones), ``gpus:<model>`` for cards of one model, and ``weight``: slot weight in thousandths, so
that everything is a whole number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from htcq.elastic.usage_check import UsageSeen
from htcq.quota.elastic.declaration import Amounts, ElasticDemand
from htcq.quota.settings import Settings

WEIGHT = "weight"
#: Parts of a slot weight of 1 that ``weight`` counts.
PARTS = 1000


@dataclass(frozen=True)
class GroupClaim:
    """A claimed slot and its job.

    Slot, schedd, job, its submitter and when it ``started`` (seconds since 1970; None: unknown) are
    what the startd says. ``job`` is ``cluster.proc``, empty where no job is known; ``queued``: it
    is in the queues that were read. ``protected`` is the reason why it is never taken back, empty
    where it may be. It has ``retirement`` seconds to end when it is vacated. What the owner of the
    job says: ``prio``, ``checkpoints``, ``cost``, what its lost work counts for, and
    ``asks_protection``: it has HtcqProtected = true.
    """

    group: str
    submitter: str
    schedd: str
    job: str
    slot: str
    machine: str
    amounts: Amounts
    started: float | None = None
    prio: int = 0
    checkpoints: bool = False
    protected: str = ""
    queued: bool = True
    cost: float = 1.0
    asks_protection: bool = False
    retirement: float = 0.0


@dataclass(frozen=True)
class IdleJobs:
    """Idle jobs of one submitter with equal requests: their count, and the amounts of each."""

    group: str
    submitter: str
    schedd: str
    job: str
    count: int
    amounts: Amounts


@dataclass(frozen=True)
class ElasticObservation:
    """One observation: ``demand`` for the computation, and what it was computed from.

    ``configured`` has the present quota of each group, ``weights`` its usage, ``pool_weight`` the
    weight of the pool, all in slot weight. ``problems`` are sentences about what could not be
    counted.

    The demand is in the dimensions that the quotas name. ``capacity`` is what all slots have, in
    every dimension; ``unmatchable`` the free part of it on slots that match nobody: drained,
    offline, or with a START that is false. ``unit_weights`` is the slot weight, in parts, that
    usually comes with one unit of a dimension. ``usage`` is that of HTCondor's groups, by the slots
    and by the accountant. ``heaviest`` is the name and the weight, when nothing is claimed, of the
    heaviest slot that one match hands over as a whole. ``settings`` are the negotiator's for all
    groups.
    """

    taken_at: float
    negotiator: str
    demand: ElasticDemand
    pool_weight: float
    claims: tuple[GroupClaim, ...] = ()
    idle: tuple[IdleJobs, ...] = ()
    configured: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    capacity: Amounts = field(default_factory=dict)
    unmatchable: Amounts = field(default_factory=dict)
    unit_weights: Mapping[str, float] = field(default_factory=dict)
    usage: UsageSeen = field(default_factory=UsageSeen)
    heaviest: tuple[str, float] = ("", 0.0)
    settings: Settings = field(default_factory=Settings)
