"""Records of computed elastic quotas; their names are those in every output."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.quota.elastic.declaration import Amounts, Caps, ElasticGroup, Options
from htcq.quota.elastic.share import RuntimeSharing


@dataclass(frozen=True)
class GroupRuntime:
    """Runtime of a declared group, and the amounts it comes from; every amount by dimension.

    ``min``, ``max`` and ``weight`` are those that the computation worked with: kinds of a
    declared dimension included. ``child_request`` is what its jobs and the groups below it ask
    for, each up to its max; ``request`` the same, or what of its min the group does not lend.
    ``scaled_min`` is the min in effect, ``floor`` what is kept for the group and never more than
    its max. ``runtime`` is what it may use now. ``guaranteed`` is empty unless usage is
    guaranteed. ``implied`` has the kinds that the group has without naming them.
    """

    group: ElasticGroup
    leaf: bool
    lends: bool
    min: Amounts
    max: Caps
    weight: Amounts
    child_request: Amounts
    request: Amounts
    limited: Amounts
    used: Amounts
    allocated: Amounts
    guaranteed: Amounts
    scaled_min: Amounts
    floor: Amounts
    runtime: Amounts
    implied: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the group."""
        return self.group.name

    @property
    def parent(self) -> str:
        """The name of the group above it; empty at the top level."""
        return self.group.parent

    @functools.cached_property
    def lent(self) -> Amounts:
        """The part of its min in effect that others may use."""
        if not self.lends:
            return dict.fromkeys(self.runtime, 0)
        return self._excess(self.scaled_min, self.runtime)

    @functools.cached_property
    def borrowed(self) -> Amounts:
        """The part of the runtime beyond its min in effect."""
        return self._excess(self.runtime, self.scaled_min)

    @functools.cached_property
    def waiting(self) -> Amounts:
        """The request beyond the runtime."""
        return self._excess(self.child_request, self.runtime)

    @functools.cached_property
    def over(self) -> Amounts:
        """The usage beyond the runtime."""
        return self._excess(self.used, self.runtime)

    def _excess(self, amounts: Amounts, limits: Amounts) -> dict[str, int]:
        """Return by how much ``amounts`` exceed ``limits``, in the dimensions of the runtime."""
        return {name: max(0, amounts[name] - limits[name]) for name in self.runtime}

    @property
    def declared_max(self) -> Caps:
        """The max in the dimensions that the group names itself."""
        return {name: cap for name, cap in self.max.items() if name not in self.implied}

    def declared(self, amounts: Amounts) -> dict[str, int]:
        """Return ``amounts`` in the dimensions that the group names itself."""
        named = self.max.keys() - self.implied
        return {name: amount for name, amount in amounts.items() if name in named}


@dataclass(frozen=True)
class ElasticOutcome:
    """All groups with the origin of their numbers; parents before children, siblings by name.

    ``undistributed`` is what of ``effective_total`` is nobody's runtime; negative where floors
    exceed it. ``sharings`` are by the name of the group whose runtime is shared (empty: what all
    share) and the dimension.
    """

    total: Amounts
    effective_total: Amounts
    undistributed: Amounts
    groups: tuple[GroupRuntime, ...]
    sharings: Mapping[tuple[str, str], RuntimeSharing] = field(default_factory=dict, repr=False)
    options: Options = field(default_factory=Options)

    @functools.cached_property
    def _by_name(self) -> dict[str, GroupRuntime]:
        return {group.name: group for group in self.groups}

    def find(self, name: str) -> GroupRuntime | None:
        """Return the group of that name; None where there is none."""
        return self._by_name.get(name)

    def __getitem__(self, name: str) -> GroupRuntime:
        """Return the group of that name.

        Raises:
            KeyError: there is none.
        """
        return self._by_name[name]

    def above(self, group: GroupRuntime) -> Iterator[GroupRuntime]:
        """Yield the groups above one, its parent first."""
        while group.parent:
            group = self._by_name[group.parent]
            yield group
