"""Facts that the sentences about a group need: the report by group, and its divided surplus."""

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
    """One sentence of an explanation, without its full stop.

    ``topic`` is one of :data:`TOPICS`.
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
        """The amount of each group that got something."""
        return dict(self.here.shares)

    @cached_property
    def takers(self) -> str:
        """The same as text, the greatest first."""
        return listed(ranked(self.here.shares))


class ExplainedQuotas:
    """A report of quotas by group; amounts are those of the first round."""

    def __init__(self, look: PoolQuotaReport) -> None:
        self.look = look
        self.groups: Mapping[str, GroupStatus] = {each.name: each for each in look.standings}
        self.round: Round | None = None
        first_limits: Sequence[GroupLimit] = ()
        sharings: Sequence[SurplusSharing] = ()
        if look.quotas.rounds:
            self.round = look.quotas.rounds[0]
            first_limits = self.round.limits
            sharings = self.round.sharings
        self.limits: Mapping[str, GroupLimit] = {limit.group: limit for limit in look.limits}
        self.first_limits: Mapping[str, float] = {each.group: each.limit for each in first_limits}
        self._children: dict[str, list[GroupStatus]] = {}
        for standing in look.standings:
            self._children.setdefault(standing.group.parent or "", []).append(standing)
        self._configured = {
            parent: _configured(children) for parent, children in self._children.items()
        }
        self._submitters: dict[str, list[Submitter]] = {}
        for submitter in look.submitters:
            self._submitters.setdefault(submitter.group, []).append(submitter)
        whole = [sharing for sharing in sharings if not sharing.remainders]
        fractions = [sharing for sharing in sharings if sharing.remainders]
        self._divisions = dict(_divisions(whole))
        self._fractions = dict(_divisions(fractions))
        self._left = self._left_over()
        self._leavers: dict[str, str] = {}
        borrowers = [(each.name, each.borrowed) for each in look.standings if each.borrowed > 0]
        self._borrowers = sorted(borrowers, key=lambda each: -each[1])

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
        if fractions:
            return self._fractions.get(group.name)
        return self._divisions.get(group.name)

    def left_over(self, group: GroupStatus) -> float:
        """Return the quota that a group and its subgroups leave; it goes up to the parent."""
        return self._left[group.name]

    def leavers(self, group: GroupStatus) -> Iterator[tuple[str, float]]:
        """Yield who left the surplus of a group, with the amounts.

        These are the group itself and the groups right below it.
        """
        yield group.name, unused(group)
        for child in self.children(group):
            yield child.name, self.left_over(child)

    def lenders_text(self, group: GroupStatus) -> str:
        """Return the same as text, the greatest first."""
        if group.name not in self._leavers:
            self._leavers[group.name] = listed(ranked(self.leavers(group)))
        return self._leavers[group.name]

    def other_borrowers(self, group: GroupStatus) -> str:
        """Return who else borrows, the greatest first; empty where nobody does."""
        first = []
        for name, amount in self._borrowers[: MAX_NAMES + 1]:
            if name != group.name:
                first.append(f"{name} {show_number(amount)}")
        others = len(self._borrowers) - (group.borrowed > 0)
        return listed(few(first[:MAX_NAMES], others))

    def configured_below(self, group: GroupStatus) -> tuple[float, float]:
        """Return what the amounts and what the shares right below a group add up to."""
        return self._configured[group.name]

    def _left_over(self) -> dict[str, float]:
        left: dict[str, float] = {}
        for group in reversed(self.look.standings):  # what is below a group comes after it
            division = self.division(group)
            if division is not None:
                left[group.name] = division.here.left
                continue
            below = sum(left[child.name] for child in self.children(group))
            left[group.name] = unused(group) + below
        return left


def _configured(children: Iterable[GroupStatus]) -> tuple[float, float]:
    """Return the sums of the configured amounts and of the configured shares."""
    amounts, shares = [], []
    for child in children:
        if child.group.static:
            amounts.append(child.group.config_quota)
        else:
            shares.append(child.group.config_quota)
    return sum(amounts), sum(shares)


def _divisions(sharings: Iterable[SurplusSharing]) -> Iterator[tuple[str, Division]]:
    """Yield each group with its division of surplus, and the divisions further down in it."""
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
    positive = [(name, amount) for name, amount in amounts if amount > 0]
    positive.sort(key=lambda each: -each[1])
    first = [f"{name} {show_number(amount)}" for name, amount in positive[:MAX_NAMES]]
    return few(first, len(positive))


def few(names: Sequence[str], all_: int = 0) -> list[str]:
    """Return the first of ``names``, and how many more there are.

    ``all_`` is the number of all names where ``names`` are only the first.
    """
    more = max(all_, len(names)) - MAX_NAMES
    if more <= 0:
        return list(names)
    return [*names[:MAX_NAMES], f"{more} more"]


def listed(names: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
