"""Kinds of one dimension, as ``gpus:a100`` and ``gpus:v100``, beside the dimension ``gpus``.

The dimension counts the cards of every kind.

A group may declare the number of cards, or how many of a kind, or both, side by side with others
that do otherwise. Koordinator's proposal of 2022
(docs/proposals/scheduling/20220722-multi-hierarchy-elastic-quota-management.md, Non-goals) names
the problem and leaves it open: who takes any card may take those that another was promised.

Here every group that counts cards has a runtime of every kind, and those come to its runtime of
cards. Kinds that a group does not declare follow from what it does: of its cards all may be of
one kind, and it is guaranteed what the groups below it are. So a card of a kind that somebody is
guaranteed and asks for is nobody else's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from htcq.quota.elastic.computed_group import ComputedGroup
from htcq.quota.elastic.declaration import Amounts, least
from htcq.quota.elastic.share import ShareClaim, split_hamilton

MARK = ":"


class Family(NamedTuple):
    """A dimension and its kinds, by name."""

    base: str
    kinds: tuple[str, ...]

    def complete(self, amounts: dict[str, int]) -> None:
        """Count what is of some kind among all: where ``gpus:a100`` is 4, ``gpus`` is 4 or more."""
        if self.base in amounts:
            amounts[self.base] = max(amounts[self.base], self._of_kinds(amounts))

    def _of_kinds(self, amounts: Amounts) -> int:
        """Return the sum over all kinds."""
        return sum(amounts.get(kind, 0) for kind in self.kinds)

    def limit(
        self, request: Amounts, limited: dict[str, int], caps: Mapping[str, int | None]
    ) -> None:
        """Reduce the request for the dimension by what the maxes of its kinds rule out.

        Kinds are reduced likewise to what the dimension allows.
        """
        if self.base not in request:
            return
        asked = request[self.base]
        of_kinds = self._of_kinds(limited)
        beyond = self._of_kinds(request) - of_kinds
        possible = max(asked - beyond, min(asked, of_kinds))
        whole = limited[self.base] = least(possible, caps[self.base])
        if of_kinds > whole:
            claims = [ShareClaim(kind, 0, 0, limited.get(kind, 0)) for kind in self.kinds]
            for claim, (part, _) in zip(claims, split_hamilton(whole, claims, of_kinds)):
                if claim.name in limited:
                    limited[claim.name] = part

    def make_room(self, node: ComputedGroup) -> None:
        """Let cards that a group keeps idle be of any kind.

        The groups below it could not use so many of that kind.
        """
        if not node.children or self.base not in node.max:
            return
        kept = max(node.request[self.base], node.guaranteed.get(self.base, 0))
        idle = kept - node.child_request[self.base]
        if idle <= 0:
            return
        most = node.max[self.base]
        for kind in node.implied.intersection(self.kinds):
            cap = node.max[kind]
            node.max[kind] = most if cap is None else least(cap + idle, most)


def families(total: Amounts, nodes: Iterable[ComputedGroup]) -> tuple[Family, ...]:
    """Return the families of all named dimensions.

    A kind whose dimension nobody names has none.
    """
    named = set(total)
    managed: set[str] = set()
    for node in nodes:
        managed.update(node.group.max)
        named.update(node.own_request, node.own_used)
    named |= managed
    kinds: dict[str, list[str]] = {}
    for name in sorted(named):
        base, mark, kind = name.partition(MARK)
        if mark and base and kind and (base in total or base in managed):
            kinds.setdefault(base, []).append(name)
    return tuple(Family(base, tuple(names)) for base, names in sorted(kinds.items()))


def family_of(node: ComputedGroup, found: Iterable[Family]) -> None:
    """Give ``node`` the dimensions of every family that it has a part of.

    Its children are complete.
    """
    for family in found:
        declared = [kind for kind in family.kinds if kind in node.max]
        if family.base in node.max:
            _add_kinds(node, family)
        elif declared:
            _add_base(node, family, declared)


def _add_base(node: ComputedGroup, family: Family, declared: Sequence[str]) -> None:
    """Count the cards of a group that names kinds alone: those kinds are all it may have."""
    caps = [node.max[kind] for kind in declared]
    node.max[family.base] = None if None in caps else sum(cap or 0 for cap in caps)
    node.min[family.base] = sum(node.min[kind] for kind in declared)
    node.weight[family.base] = sum(node.weight[kind] for kind in declared)
    node.implied |= {family.base}
    for kind in family.kinds:
        if kind not in node.max:
            node.max[kind], node.min[kind], node.weight[kind] = 0, 0, 0
            node.implied |= {kind}


def _add_kinds(node: ComputedGroup, family: Family) -> None:
    left = node.min[family.base] - sum(node.min.get(kind, 0) for kind in family.kinds)
    for kind in family.kinds:
        if kind in node.max:
            continue
        below = sum(child.min.get(kind, 0) for child in node.children)
        node.max[kind] = _kind_cap(node, family, kind)
        node.min[kind] = max(0, min(left, below))
        node.weight[kind] = node.weight[family.base]
        node.implied |= {kind}
        left -= node.min[kind]


def _kind_cap(node: ComputedGroup, family: Family, kind: str) -> int | None:
    """Return the max of a kind: the group's cards, but not more than those below it may have."""
    cap = node.max[family.base]
    if not node.children:
        return cap
    below = 0
    for child in node.children:
        child_cap = child.max.get(kind, 0)
        if child_cap is None:
            return cap
        below += child_cap
    return least(below, cap)
