"""Kinds of the cards of one level, given how many cards each group may use.

Every group comes to the kinds that its jobs ask for first, to those that it is guaranteed before
all others; the rest of its cards may be of any kind that it may have, and stay where it has
them. Nothing of it is Koordinator's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from htcq.quota.elastic.computed_group import ComputedGroup
from htcq.quota.elastic.declaration import Rounding, least
from htcq.quota.elastic.kinds import Family
from htcq.quota.elastic.share import RuntimeSharing, ShareClaim, share, split_hamilton

#: Cards of none of the kinds that anybody names.
_OTHER = ""


class Cards:
    """The cards of one level during placement.

    ``placed`` is by name of group and kind, ``free`` by kind.
    """

    def __init__(
        self,
        family: Family,
        there: Mapping[str, int],
        children: Sequence[ComputedGroup],
        budgets: Mapping[str, int],
    ) -> None:
        self.family, self.children = family, children
        self.there = {kind: there.get(kind, 0) for kind in family.kinds}
        self.there[_OTHER] = max(0, there.get(family.base, 0) - sum(self.there.values()))
        self.free = dict(self.there)
        self.left = {child.name: budgets[child.name] for child in children}
        self.placed: dict[str, dict[str, int]] = {
            child.name: dict.fromkeys(self.there, 0) for child in children
        }
        self.sharings: dict[str, RuntimeSharing] = {}
        #: Groups that can change from one kind to another, the first by name at the end; some of
        #: them no longer can.
        self.movers: dict[tuple[str, str], list[ComputedGroup]] = {}

    def place(self, rounding: Rounding) -> None:
        """Place what every group may use.

        Cards of which the group may have no kind that is free stay in ``left``.
        """
        for child in self.children:
            self._guaranteed(child)
        for kind in self.family.kinds:
            self._asked_for(kind, rounding)
        # Groups that may have few kinds choose first.
        order = sorted(self.children, key=lambda child: (self._choices(child), child.name))
        for child in order:
            for kind in self.family.kinds:
                self._put(child, kind, child.used.get(kind, 0) - self.placed[child.name][kind])
        for child in order:
            self._spread(child)
        for child in order:
            self._make_room(child)

    def _choices(self, child: ComputedGroup) -> int:
        """Return the number of kinds that the group may have."""
        return sum(self._may(child, kind) for kind in self.there)

    def _may(self, child: ComputedGroup, kind: str) -> bool:
        cap = child.max.get(kind, 0)
        return kind == _OTHER or cap is None or cap > 0

    def _put(self, child: ComputedGroup, kind: str, amount: int) -> None:
        """Place up to ``amount``, limited by free cards, the group's budget and its max."""
        room = self._room(child, kind)
        amount = min(amount, self.left[child.name], max(0, self.free[kind]), room)
        if amount > 0:
            self._move(child, kind, amount)

    def _room(self, child: ComputedGroup, kind: str) -> int:
        cap = None
        if kind != _OTHER:
            cap = child.max.get(kind, 0)
        if cap is None:
            cap = self.there[kind]
        return cap - self.placed[child.name][kind]

    def _move(self, child: ComputedGroup, kind: str, amount: int) -> None:
        self.placed[child.name][kind] += amount
        self.left[child.name] -= amount
        self.free[kind] -= amount

    def _guaranteed(self, child: ComputedGroup) -> None:
        """Place the guaranteed cards that a group asks for.

        All guaranteed cards are placed where the group does not lend.
        """
        starts = {}
        for kind in self.family.kinds:
            if kind in child.max:
                starts[kind] = child.floor[kind]
                if child.lends:
                    starts[kind] = least(child.limited[kind], child.floor[kind])
        wanted, budget = sum(starts.values()), self.left[child.name]
        if wanted > budget:
            claims = [ShareClaim(kind, 0, amount, amount) for kind, amount in starts.items()]
            for claim, (part, _) in zip(claims, split_hamilton(budget, claims, wanted)):
                starts[claim.name] = part
        for kind, amount in starts.items():
            self._move(child, kind, amount)

    def _asked_for(self, kind: str, rounding: Rounding) -> None:
        claims = []
        for child in self.children:
            if kind in child.max:
                start = self.placed[child.name][kind]
                limit = max(start, min(child.limited[kind], start + self.left[child.name]))
                claims.append(ShareClaim(child.name, start, limit, child.weight[kind], child.lends))
        given, self.sharings[kind] = share(self.there[kind], claims, rounding)
        for child in self.children:
            if child.name in given:
                self._move(child, kind, given[child.name] - self.placed[child.name][kind])

    def _spread(self, child: ComputedGroup) -> None:
        """Place the rest in proportion to the cards that are free."""
        claims = []
        for kind, free in self.free.items():
            room = self._room(child, kind)
            if free > 0 and room > 0:
                claims.append(ShareClaim(kind, 0, min(free, room), free))
        given, _ = share(self.left[child.name], claims)
        for kind, amount in given.items():
            self._put(child, kind, amount)

    def _make_room(self, child: ComputedGroup) -> None:
        """Let others change kinds where that gives the group cards that it may have."""
        while self.left[child.name] > 0:
            path = self._way(child)
            if not path:
                return
            most = min(each.most for each in path)
            amount = min(self.left[child.name], self.free[path[-1].to], most)
            for each in path:
                if each.origin is not None:
                    self._move(each.child, each.origin, -amount)
                self._move(each.child, each.to, amount)
                for kind in self.there:
                    self._may_go_on(each.child, kind)

    def _way(self, child: ComputedGroup) -> list[_Change]:
        """Return a shortest chain of changes that ends at a free card.

        Each says which group goes to which kind, from which, and how many at most.
        """
        first = [kind for kind in self.there if self._room(child, kind) > 0]
        ways = [[_Change(child, None, kind, self._room(child, kind))] for kind in first]
        seen = set(first)
        for way in ways:  # grows while it is read: breadth first
            origin = way[-1].to
            if self.free[origin] > 0:
                return way
            for kind in self.there:
                if kind in seen:
                    continue
                mover = self._mover(origin, kind)
                if mover is not None:
                    seen.add(kind)
                    most = min(self._loose(mover, origin), self._room(mover, kind))
                    ways.append([*way, _Change(mover, origin, kind, most)])
        return []

    def _mover(self, origin: str, kind: str) -> ComputedGroup | None:
        """Return the first group by name that can replace a card of ``origin`` by ``kind``."""
        if not self.movers:
            for child in reversed(self.children):
                for each in self.there:
                    self._may_go_on(child, each)
        waiting = self.movers.setdefault((origin, kind), [])
        while waiting and not self._can_change(waiting[-1], origin, kind):
            waiting.pop()
        if not waiting:
            return None
        return waiting[-1]

    def _may_go_on(self, child: ComputedGroup, origin: str) -> None:
        for kind in self.there:
            if self._can_change(child, origin, kind):
                self.movers.setdefault((origin, kind), []).append(child)

    def _can_change(self, child: ComputedGroup, origin: str, kind: str) -> bool:
        return kind != origin and self._loose(child, origin) > 0 and self._room(child, kind) > 0

    def _loose(self, child: ComputedGroup, kind: str) -> int:
        """Return how many of a group's cards of that kind are neither requested nor guaranteed."""
        kept = child.limited.get(kind, 0)
        if not child.lends:
            kept = max(kept, child.floor.get(kind, 0))
        return self.placed[child.name][kind] - kept


class _Change(NamedTuple):
    """A group takes cards of one kind instead of another.

    ``origin`` None stands for cards that replace none; ``most`` is how many at most.
    """

    child: ComputedGroup
    origin: str | None
    to: str
    most: int
