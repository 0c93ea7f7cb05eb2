"""The records of a plan of reclaim; times are in seconds."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.elastic.reclaim.protection import ProtectedUse
from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.elastic.reclaim.reclaim_history import Measured
from htcq.quota.elastic.declaration import Amounts


@dataclass(frozen=True)
class GroupOver:
    """A group that uses more than its runtime.

    ``amounts`` are by how much, by dimension; ``seconds`` for how long, as far as is known.
    ``ready``: long enough to take jobs back.
    """

    group: str
    amounts: Amounts
    seconds: float
    ready: bool


@dataclass(frozen=True)
class GroupInNeed:
    """A group below its runtime, with ``jobs`` idle jobs that fit into it, but into no free slot.

    ``seconds`` is for how long, as far as is known. ``ready``: long enough to take jobs back.
    """

    group: str
    jobs: int
    seconds: float
    ready: bool


@dataclass(frozen=True)
class Eviction:
    """A job that is to be vacated.

    ``helps`` are the dimensions in which its group uses too much and the job has an amount.
    ``hours`` is its slot weight times the hours that it ran, 0 where the job says that it
    checkpoints; ``lost_weight_hours`` is that times what the job says that its work counts for.
    """

    group: str
    submitter: str
    schedd: str
    job: str
    slot: str
    machine: str
    amounts: Amounts
    ran: float
    started: float
    lost_weight_hours: float
    helps: tuple[str, ...]
    why: str
    hours: float = 0.0


@dataclass(frozen=True)
class ExpectedStart:
    """An idle job that would run on the slot that is freed (``place``)."""

    group: str
    submitter: str
    schedd: str
    job: str
    place: str


@dataclass(frozen=True)
class Exemption:
    """A job of a group over its runtime, and why it is not taken back."""

    group: str
    schedd: str
    job: str
    why: str


@dataclass(frozen=True)
class Ceiling:
    """A ceiling that is set before jobs are vacated, in whole slot weights.

    It is what ``submitter`` uses now (``used``) less what is taken back (``reclaimed``).
    """

    submitter: str
    group: str
    ceiling: int
    used: float
    reclaimed: float


@dataclass(frozen=True)
class ReclaimPlan:
    """What would be taken back now, and why no more.

    ``stopped`` is why nothing may be done at all, ``waiting`` why nothing is done yet. ``release``
    are the submitters whose ceilings of ours are taken away, ``renew`` those whose leases end
    soon, ``kept`` sentences about others' ceilings. ``measured`` has what came of earlier actions,
    by their id. ``unpaid`` are the groups of which more jobs ask
    for protection than their mins pay for. ``ending`` are the jobs that are left alone because they
    say that they end soon.
    """

    taken_at: float
    negotiator: str
    over: tuple[GroupOver, ...] = ()
    needs: tuple[GroupInNeed, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    uses: tuple[ExpectedStart, ...] = ()
    ceilings: tuple[Ceiling, ...] = ()
    release: tuple[str, ...] = ()
    renew: tuple[str, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    kept: tuple[str, ...] = ()
    stopped: str = ""
    waiting: str = ""
    measured: tuple[tuple[str, Measured], ...] = ()
    unpaid: tuple[ProtectedUse, ...] = ()
    ending: tuple[JobKey, ...] = ()

    @property
    def lost_weight_hours(self) -> float:
        """Work that all evictions lose, in slot weight times hours."""
        return sum(eviction.lost_weight_hours for eviction in self.evictions)
