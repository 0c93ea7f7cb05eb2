"""One group of a tree during computation: its quotas, its demand, and the results so far."""

from __future__ import annotations

from htcq.quota.elastic.declaration import ElasticGroup, Options


class ComputedGroup:
    """One group while it is computed; every amount by dimension, for the dimensions of ``max``."""

    __slots__ = (
        "allocated",
        "child_request",
        "children",
        "floor",
        "group",
        "guarantee",
        "guaranteed",
        "implied",
        "lends",
        "limited",
        "max",
        "min",
        "name",
        "own_request",
        "own_used",
        "parent",
        "request",
        "runtime",
        "scalable",
        "scaled_min",
        "used",
        "weight",
    )

    def __init__(self, group: ElasticGroup, parent: ComputedGroup | None, options: Options) -> None:
        self.group, self.name, self.parent = group, group.name, parent
        self.children: list[ComputedGroup] = []
        self.lends = group.lend and not options.guarantee_usage
        self.scalable = options.scale_min
        if group.scale_min is not None:
            self.scalable = group.scale_min
        self.max: dict[str, int | None] = dict(group.max)
        self.min = {name: group.min.get(name, 0) for name in group.max}
        self.weight = {name: group.weight.get(name, cap or 0) for name, cap in group.max.items()}
        #: Dimensions that the group does not name, but has as kinds of one that it names.
        self.implied: frozenset[str] = frozenset()
        self.own_request: dict[str, int] = {}
        self.own_used: dict[str, int] = {}
        self.guarantee: dict[str, int] = {}
        self.child_request: dict[str, int] = {}
        self.request: dict[str, int] = {}
        self.limited: dict[str, int] = {}
        self.used: dict[str, int] = {}
        self.allocated: dict[str, int] = {}
        self.guaranteed: dict[str, int] = {}
        self.scaled_min: dict[str, int] = {}
        self.floor: dict[str, int] = {}
        self.runtime: dict[str, int] = {}

    def reserved(self, dimension: str) -> int:
        """Return the part of its min that others may not use whether it asks for that or not."""
        least = self.min[dimension]
        if not self.lends:
            return least
        if dimension not in self.group.max_lent:
            return 0
        return max(0, least - self.group.max_lent[dimension])
