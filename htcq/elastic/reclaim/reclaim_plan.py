"""What a plan of reclaim consists of; the fields are the names in every output. Times are in seconds."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.quota.elastic.declaration import Amounts


@dataclass(frozen=True)
class GroupOver:
    """A group that uses more than its runtime: ``amounts`` by dimension, and for how long as far as is known."""

    group: str
    amounts: Amounts
    seconds: float
    ready: bool


@dataclass(frozen=True)
class Shortage:
    """A group below its runtime, with ``jobs`` idle ones for which its runtime has room, and no free slot has."""

    group: str
    jobs: int
    seconds: float
    ready: bool


@dataclass(frozen=True)
class Eviction:
    """A job that is to be vacated; ``helps`` are the dimensions in which its group uses too much, and it has some.

    ``lost_weight_hours`` is its slot weight times the hours that it ran; 0 where the job says
    that it checkpoints.
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


@dataclass(frozen=True)
class ExpectedStart:
    """An idle job that would run on what is freed at ``place``, the slot that is there then."""

    group: str
    submitter: str
    schedd: str
    job: str
    place: str


@dataclass(frozen=True)
class Exemption:
    """A job of a group that is over, and why it is none to be taken back."""

    group: str
    schedd: str
    job: str
    why: str


@dataclass(frozen=True)
class Ceiling:
    """A ceiling that must be there first: what ``submitter`` uses less what is taken back, in whole slot weights."""

    submitter: str
    group: str
    ceiling: int
    used: float
    reclaimed: float


@dataclass(frozen=True)
class ReclaimPlan:
    """What would be taken back now, and why no more.

    ``stopped`` says why nothing may be done at all, ``waiting`` why nothing is done yet.
    ``release`` are submitters whose ceilings of ours are to go, ``renew`` those whose leases end
    soon, ``kept`` sentences about others' ceilings. ``measured`` tells of earlier actions
    whether what they freed was taken by those that it was for.
    """

    taken_at: float
    negotiator: str
    over: tuple[GroupOver, ...] = ()
    needs: tuple[Shortage, ...] = ()
    victims: tuple[Eviction, ...] = ()
    uses: tuple[ExpectedStart, ...] = ()
    ceilings: tuple[Ceiling, ...] = ()
    release: tuple[str, ...] = ()
    renew: tuple[str, ...] = ()
    spared: tuple[Exemption, ...] = ()
    kept: tuple[str, ...] = ()
    stopped: str = ""
    waiting: str = ""
    measured: tuple[tuple[str, bool], ...] = ()

    @property
    def lost_weight_hours(self) -> float:
        """What all of it would lose."""
        return sum(victim.lost_weight_hours for victim in self.victims)
