"""What groups use, and must not be driven below, while jobs are taken from some and given to others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.quota.elastic.declaration import SELF, Amounts
from htcq.quota.elastic.group_runtime import GroupRuntime, Outcome


class UsageLedger:
    """The groups of an outcome with what they use; that changes as jobs are moved in thought."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._used = {group.name: dict(group.used) for group in outcome.groups}

    def own(self, name: str) -> GroupRuntime | None:
        """Return what stands for the jobs of the group itself: the group, or its ``<self>`` where others are below."""
        return self._outcome.find(f"{name}.{SELF}") or self._outcome.find(name)

    def _chain(self, name: str) -> Iterator[GroupRuntime]:
        group = self.own(name)
        if group is not None:
            yield group
            yield from self._outcome.above(group)

    def used(self, name: str) -> Mapping[str, int]:
        """Return what the jobs of the group itself use."""
        group = self.own(name)
        return {} if group is None else self._used[group.name]

    def exceeded(self, name: str) -> dict[str, int]:
        """Return by how much the group's own jobs are over its runtime, in the dimensions where they are."""
        group = self.own(name)
        if group is None:
            return {}
        used = self._used[group.name]
        over = {each: used.get(each, 0) - runtime for each, runtime in group.runtime.items()}
        return {each: amount for each, amount in sorted(over.items()) if amount > 0}

    def ratio(self, name: str) -> float:
        """Return how many times its runtime the group uses, in the dimension where that is most."""
        group = self.own(name)
        if group is None:
            return 0.0
        used = self._used[group.name]
        return max(
            (used.get(each, 0) / max(1, runtime) for each, runtime in group.runtime.items()),
            default=0.0,
        )

    def fits(self, name: str, amounts: Amounts) -> bool:
        """Tell whether the runtime of the group leaves room for a job that asks for ``amounts``."""
        group = self.own(name)
        if group is None:
            return False
        used = self._used[group.name]
        asked = (
            (each, amount)
            for each, amount in amounts.items()
            if amount > 0 and each in group.runtime
        )
        return all(used.get(each, 0) + amount <= group.runtime[each] for each, amount in asked)

    def below_min(self, name: str, amounts: Amounts) -> str:
        """Return in which dimension the group's own jobs would be below its min without ``amounts``; empty: in none."""
        group = self.own(name)
        return "" if group is None else self._below(group, amounts)

    def _below(self, group: GroupRuntime, amounts: Amounts) -> str:
        used = self._used[group.name]
        for each, least in sorted(group.scaled_min.items()):
            gone = amounts.get(each, 0)
            if gone > 0 and used.get(each, 0) - gone < least:
                return each
        return ""

    def parent_below_min(self, name: str, gone: Amounts, to: str, come: Amounts) -> str:
        """Return the first group above that would be below its min if ``gone`` goes and ``come`` comes to ``to``."""
        takers = {group.name for group in self._chain(to)}
        for group in list(self._chain(name))[1:]:
            net = {
                each: amount - (come.get(each, 0) if group.name in takers else 0)
                for each, amount in gone.items()
            }
            if self._below(group, net):
                return group.name
        return ""

    def move(self, name: str, amounts: Amounts, sign: int) -> None:
        """Count ``amounts`` as used by the group and all above it (``sign`` 1), or no more (-1)."""
        for group in self._chain(name):
            used = self._used[group.name]
            for each, amount in amounts.items():
                used[each] = used.get(each, 0) + sign * amount
