"""Who has what of a pool as time goes by: slots with what they have left, and the claims on them.

Amounts are in HTCondor's units, times in seconds since the capture of the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from htcq.pool.job import Job
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.pool.slot_state import is_backfill

#: How a job starts: on a match of its own, in what is left of a slot that another was matched with,
#: in a claim whose job has ended.
MATCH, LEFTOVER, REUSED = "match", "leftover", "claim reused"


class Start(NamedTuple):
    """One start: the job, when it was, and how: one of the three ways."""

    job: Job
    at: float
    by: str


@dataclass(eq=False)
class Claim:
    """A claim on ``amounts`` of the slot ``of``, of all of it where there are none.

    ``job`` runs there until ``ends``, unless the claim is idle (``runs``). ``run`` counts the runs.

    Nobody may know which job runs in a claim that was there at the capture, only whose it is
    (``user``).
    """

    of: str
    slot: Slot
    amounts: Mapping[str, Number]
    submitter: str
    schedd: str
    limits: str
    since: float
    ends: float = 0.0
    user: str = ""
    job: Job | None = None
    run: int = 0
    runs: bool = False
    #: Whether it is kept idle for another job.
    waits: bool = False
    #: Since when its job runs, and until when it keeps the slot at least.
    runs_since: float = 0.0
    retires_at: float = 0.0
    #: The slot as the collector shows it, and when that was.
    shown: Slot | None = None
    shown_at: float = 0.0
    #: What the slot weighs by its own ad, once that is known.
    weight: float | None = None
    #: The concurrency limits of the claim that it preempted.
    preempted_limits: str = ""
    #: The places of its GPUs among those of the machine.
    devices: Sequence[int] = ()
    #: Its place among claims of one moment.
    number: int = 0
    #: What the slot has, which never changes.
    has: Mapping[str, Number] = field(init=False)

    def __post_init__(self) -> None:
        self.has = amounts_of(self.slot)


@dataclass
class Base:
    """A slot of the captured pool without its dynamic slots.

    What it has left, and who has claims on it.
    """

    slot: Slot
    left: dict[str, Number]
    claims: dict[Claim, None] = field(default_factory=dict)
    #: The slot with what it has left, as the collector shows it; None: to be made anew. What is
    #: kept of a slot from cycle to cycle is kept as long as the slot is the same object.
    shown: Slot | None = None
    #: Its GPUs, by place in the startd's order; ``free`` has the places of unclaimed ones.
    devices: dict[int, str] = field(default_factory=dict)
    free: Sequence[int] = ()
    #: Its machine, or what stands for several that cannot be told apart.
    machine: str = ""
    #: Whether it is claimed whole or not at all.
    whole: bool = field(init=False)
    #: Whether other slots have the same resources, and come first.
    backfill: bool = field(init=False)

    def __post_init__(self) -> None:
        self.whole = self.slot.type != PARTITIONABLE
        self.backfill = is_backfill(self.slot)


def amounts_of(slot: Slot) -> dict[str, Number]:
    """Return what a slot has left; nothing of what its ad does not say."""
    return {asset: amount or 0 for asset, amount in slot.left().items()}
