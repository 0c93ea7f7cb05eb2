"""Records of a negotiation cycle's quotas; their fields are the names in every output.

The words are those of the negotiator's log (hgq_negotiate_with_all_groups, HTCondor 25.14).
Amounts are in the pool's unit: slot weights, or slots where weights are off.
"""

from __future__ import annotations

from dataclasses import dataclass

from htcq.quota.group_tree import Group


@dataclass(frozen=True)
class GroupQuota:
    """A configured group with its quotas, demand and usage at the start of this cycle."""

    group: Group
    quota: float
    subtree_quota: float
    requested: float
    usage: float

    @property
    def name(self) -> str:
        """The name of the group."""
        return self.group.name


@dataclass(frozen=True)
class GroupRound:
    """One group in one round: ``unallocated`` is the part of ``requested`` beyond ``allocated``."""

    name: str
    quota: float
    requested: float
    unallocated: float
    allocated: float
    sort_key: float


@dataclass(frozen=True)
class GroupLimit:
    """The usage that a group may reach in the first pass of a round, not yet truncated.

    ``held_by`` names the group on the way up, or the group itself, that accepts no surplus and
    whose quota made the limit lower than ``proposed``; empty where none did.
    """

    group: str
    limit: float
    proposed: float
    held_by: str = ""


@dataclass(frozen=True)
class SurplusSharing:
    """One division of what was left over at ``group``, among itself and the groups right below it.

    ``shares`` has what each got that wanted some: the group for its own jobs, a group below it
    for itself and those below it. Where there was ``enough`` they got what they wanted, else it
    went by quota and then evenly. ``handed_down`` tells that it came from the level above,
    ``remainders`` that it was made of fractions of slots.
    """

    group: str
    surplus: float
    wanted: float
    shares: tuple[tuple[str, float], ...]
    left: float
    enough: bool
    handed_down: bool
    remainders: bool = False


@dataclass(frozen=True)
class Round:
    """One allocation round.

    ``order`` is the order of negotiation, ``limits`` has the groups that got one, in that order.

    ``sharings`` are the reasons of what was allocated beyond quotas, in the order in which they
    happened.
    """

    surplus: float
    max_delta: float
    groups: tuple[GroupRound, ...]
    order: tuple[str, ...]
    limits: tuple[GroupLimit, ...]
    sharings: tuple[SurplusSharing, ...] = ()


@dataclass(frozen=True)
class CycleQuotas:
    """Everything that a cycle computes, over ``pool_weight``.

    Where groups regroup, each round gives the root the whole pool for its quota, and that is
    what HTCondor publishes. ``had_turn`` names the groups that come last when the next remainders
    are shared: those that had some, or requested none.
    """

    pool_weight: float
    groups: tuple[GroupQuota, ...]
    rounds: tuple[Round, ...]
    had_turn: frozenset[str] = frozenset()
