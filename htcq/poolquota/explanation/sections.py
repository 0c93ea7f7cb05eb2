"""What the sentences about a group are made of.

The look at its pool, by group, and how its surplus was divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from htcq.poolquota.demand import Submitter
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.report import PoolQuotaReport
from htcq.quota.cycle_quotas import GroupLimit, Round, SurplusSharing
from htcq.units import show_number

#: Most names in one sentence.
MAX_NAMES = 4


@dataclass(frozen=True)
class Sentence:
    """One sentence of a story, without its full stop.

    ``topic`` is what it is about, one of :data:`TOPICS`.
    """

    topic: str
    text: str


QUOTA, DEMAND, ALLOCATION, SURPLUS, TURN, LIMIT, SHARES, ROUNDS, PUBLISHED = TOPICS = (
    "quota", "demand", "allocation", "surplus", "turn", "limit", "shares", "rounds", "published",
)  # fmt: skip


@dataclass(frozen=True)
class Division:
    """The surplus that was divided at one group, and its shares further down by group."""

    here: SurplusSharing
    below: dict[str, SurplusSharing] = field(default_factory=dict)

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """What each got that got something, by group."""
        return dict(self.here.shares)

    @cached_property
    def takers(self) -> str:
        """The same as text, the greatest first."""
        return listed(ranked(self.here.shares))


class Scene:
    """One look, by group; amounts are those of the first round."""

    def __init__(self, look: PoolQuotaReport) -> None:
        self.look = look
        self.groups: Mapping[str, GroupStatus] = {
            standing.name: standing for standing in look.standings
        }
        self.round: Round | None = look.quotas.rounds[0] if look.quotas.rounds else None
        self.limits: Mapping[str, GroupLimit] = {limit.group: limit for limit in look.limits}
        first = self.round.limits if self.round else ()
        self.first_limits: Mapping[str, float] = {limit.group: limit.limit for limit in first}
        self._children: dict[str, list[GroupStatus]] = {}
        for standing in look.standings:
            self._children.setdefault(standing.group.parent or "", []).append(standing)
        self._configured = {
            parent: (
                sum(each.group.config_quota for each in below if each.group.static),
                sum(each.group.config_quota for each in below if not each.group.static),
            )
            for parent, below in self._children.items()
        }
        self._submitters: dict[str, list[Submitter]] = {}
        for submitter in look.submitters:
            self._submitters.setdefault(submitter.group, []).append(submitter)
        sharings = self.round.sharings if self.round else ()
        self._divisions = dict(
            _divisions(sharing for sharing in sharings if not sharing.remainders)
        )
        self._fractions = dict(_divisions(sharing for sharing in sharings if sharing.remainders))
        self._left = self._left_over()
        self._leavers: dict[str, str] = {}
        self._borrowers = sorted(
            ((each.name, each.borrowed) for each in look.standings if each.borrowed > 0),
            key=lambda each: -each[1],
        )

    def children(self, group: GroupStatus) -> Sequence[GroupStatus]:
        """Return the groups right below one."""
        return self._children.get(group.name, ())

    def submitters(self, group: GroupStatus) -> Sequence[Submitter]:
        """Return the submitters that are charged to a group itself."""
        return self._submitters.get(group.name, ())

    def upwards(self, group: GroupStatus) -> Iterator[GroupStatus]:
        """Yield the groups above one, its parent first, the root last."""
        while group.group.parent is not None:
            group = self.groups[group.group.parent]
            yield group

    def division(self, group: GroupStatus, fractions: bool = False) -> Division | None:
        """Return how the surplus at a group, or its ``fractions`` of slots, were divided.

        It is None where nothing was divided.
        """
        return (self._fractions if fractions else self._divisions).get(group.name)

    def left_over(self, group: GroupStatus) -> float:
        """Return the quota that a group and its subgroups leave; it goes up to the parent."""
        return self._left[group.name]

    def leavers(self, group: GroupStatus) -> Iterator[tuple[str, float]]:
        """Yield who left the surplus of a group, with the amounts.

        These are the group itself and the groups right below it.
        """
        yield group.name, unused(group)
        yield from ((child.name, self.left_over(child)) for child in self.children(group))

    def lenders_text(self, group: GroupStatus) -> str:
        """Return the same as text, the greatest first."""
        if group.name not in self._leavers:
            self._leavers[group.name] = listed(ranked(self.leavers(group)))
        return self._leavers[group.name]

    def other_borrowers(self, group: GroupStatus) -> str:
        """Return who else borrows, the greatest first; empty where nobody does."""
        first = [each for each in self._borrowers[: MAX_NAMES + 1] if each[0] != group.name][
            :MAX_NAMES
        ]
        others = len(self._borrowers) - (group.borrowed > 0)
        return listed(few([f"{name} {show_number(amount)}" for name, amount in first], others))

    def configured_below(self, group: GroupStatus) -> tuple[float, float]:
        """Return what the amounts and what the shares right below a group add up to."""
        return self._configured[group.name]

    def _left_over(self) -> dict[str, float]:
        left: dict[str, float] = {}
        for group in reversed(self.look.standings):  # what is below a group comes after it
            division = self.division(group)
            whole = unused(group) + sum(left[child.name] for child in self.children(group))
            left[group.name] = division.here.left if division else whole
        return left


def _divisions(sharings: Iterable[SurplusSharing]) -> Iterator[tuple[str, Division]]:
    """Yield each division of what was left over at a group; those further down follow it."""
    division = None
    for sharing in sharings:
        if not sharing.handed_down or division is None:
            division = Division(sharing)
            yield sharing.group, division
        else:
            division.below[sharing.group] = sharing


def unused(group: GroupStatus) -> float:
    """Return what a group leaves of its quota."""
    return max(0.0, group.quota - group.requested)


def ranked(amounts: Iterable[tuple[str, float]]) -> list[str]:
    """Return the greatest amounts above 0 as ``physics 20``, and how many more there are."""
    found = sorted(
        ((name, amount) for name, amount in amounts if amount > 0), key=lambda each: -each[1]
    )
    return few([f"{name} {show_number(amount)}" for name, amount in found[:MAX_NAMES]], len(found))


def few(names: Sequence[str], all_: int = 0) -> list[str]:
    """Return the first of ``names``, and how many more there are.

    ``all_`` is the number of all names where ``names`` are only the first.
    """
    more = max(all_, len(names)) - MAX_NAMES
    return [*names[:MAX_NAMES], f"{more} more"] if more > 0 else list(names)


def listed(names: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
