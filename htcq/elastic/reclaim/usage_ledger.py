"""Usage of the groups while a plan moves jobs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.quota.elastic.declaration import SELF, Amounts
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime


class UsageLedger:
    """The usage of the groups of an outcome; it changes as the plan moves jobs."""

    def __init__(self, outcome: ElasticOutcome) -> None:
        self._outcome = outcome
        self._used = {group.name: dict(group.used) for group in outcome.groups}

    def own(self, name: str) -> GroupRuntime | None:
        """Return the record of the group's own jobs: ``<self>`` if it has children, or itself."""
        return self._outcome.find(f"{name}.{SELF}") or self._outcome.find(name)

    def _chain(self, name: str) -> Iterator[GroupRuntime]:
        """Yield the record of the group's own jobs, and the groups above it."""
        group = self.own(name)
        if group is not None:
            yield group
            yield from self._outcome.above(group)

    def used(self, name: str) -> Mapping[str, int]:
        """Return what the group's own jobs use, by dimension."""
        group = self.own(name)
        if group is None:
            return {}
        return self._used[group.name]

    def exceeded(self, name: str) -> dict[str, int]:
        """Return by how much the group's own jobs exceed its runtime, by dimension."""
        group = self.own(name)
        if group is None:
            return {}
        used = self._used[group.name]
        exceeded = {}
        for dimension, runtime in sorted(group.runtime.items()):
            over = used.get(dimension, 0) - runtime
            if over > 0:
                exceeded[dimension] = over
        return exceeded

    def ratio(self, name: str) -> float:
        """Return the group's usage divided by its runtime, the highest of all dimensions."""
        group = self.own(name)
        if group is None:
            return 0.0
        used = self._used[group.name]
        highest = 0.0
        for dimension, runtime in group.runtime.items():
            highest = max(highest, used.get(dimension, 0) / max(1, runtime))
        return highest

    def fits(self, name: str, amounts: Amounts) -> bool:
        """Return whether the runtime of the group leaves room for a job with these ``amounts``."""
        group = self.own(name)
        if group is None:
            return False
        used = self._used[group.name]
        for dimension, amount in amounts.items():
            if amount <= 0 or dimension not in group.runtime:
                continue
            if used.get(dimension, 0) + amount > group.runtime[dimension]:
                return False
        return True

    def within_min(self, name: str, amounts: Amounts) -> bool:
        """Return whether a job that asks for ``amounts`` is within the min of its group.

        The min of a group above it will do. A dimension of which a group is guaranteed nothing does
        not limit its use of the others.
        """
        return any(self._within_min(group, amounts) for group in self._chain(name))

    def _within_min(self, group: GroupRuntime, amounts: Amounts) -> bool:
        used = self._used[group.name]
        found = False
        for dimension, least in group.scaled_min.items():
            amount = amounts.get(dimension, 0)
            if amount <= 0 or least <= 0:
                continue
            if used.get(dimension, 0) + amount > least:
                return False
            found = True
        return found

    def below_min(self, name: str, amounts: Amounts) -> str:
        """Return the dimension in which the group would fall below its min without ``amounts``.

        Only the group's own jobs count. Empty: in none.
        """
        group = self.own(name)
        if group is None:
            return ""
        return self._below(group, amounts)

    def _below(self, group: GroupRuntime, amounts: Amounts) -> str:
        used = self._used[group.name]
        for dimension, scaled_min in sorted(group.scaled_min.items()):
            gone = amounts.get(dimension, 0)
            if gone > 0 and used.get(dimension, 0) - gone < scaled_min:
                return dimension
        return ""

    def parent_below_min(self, name: str, gone: Amounts, to: str, come: Amounts) -> str:
        """Return the first group above ``name`` that would fall below its min.

        The group ``name`` loses ``gone``, the group ``to`` gets ``come``. Empty: no group would.
        """
        takers = {group.name for group in self._chain(to)}
        parents = list(self._chain(name))[1:]
        for group in parents:
            net = dict(gone)
            if group.name in takers:
                for dimension in net:
                    net[dimension] -= come.get(dimension, 0)
            if self._below(group, net):
                return group.name
        return ""

    def move(self, name: str, amounts: Amounts, sign: int) -> None:
        """Count ``amounts`` as used by the group and all above it, or no longer (``sign`` -1)."""
        for group in self._chain(name):
            used = self._used[group.name]
            for each, amount in amounts.items():
                used[each] = used.get(each, 0) + sign * amount
