"""Elastic quotas as a subject of rules: one tree of groups, their demand, and the quotas before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from htcq.audit.rule import Fact, Found
from htcq.audit.subject import Subject
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.elastic_tree import ElasticTree, build_tree
from htcq.quota.elastic.kinds import MARK

UPSTREAM = (
    "koordinator-sh/koordinator pkg/webhook/elasticquota/quota_topology_check.go, commit a7a1b76"
)
COMPUTED = "koordinator-sh/koordinator pkg/scheduler/plugins/elasticquota/core, commit a7a1b76"
OURS = "a convention of htcq; Koordinator accepts it"


@dataclass(frozen=True)
class DeclaredElasticQuotas(Subject):
    """The quotas of one tree in ``file``; amounts are whole numbers by dimension.

    Rules that need ``demand`` or the quotas of ``before`` find nothing without them. ``unknown``
    are the names of groups in the demand that the tree lacks, ``lost`` the submitters that name
    such a group.
    """

    file: str
    quotas: ElasticQuotas
    demand: ElasticDemand | None = None
    unknown: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    before: ElasticQuotas | None = None

    @property
    def source(self) -> str:
        """The file, and the tree in it."""
        return self.file

    @cached_property
    def tree(self) -> ElasticTree:
        """The tree of the groups below the root."""
        return build_tree(self.quotas.groups)

    @cached_property
    def by_name(self) -> dict[str, ElasticGroup]:
        """The groups of the tree by name."""
        return {group.name: group for group in self.tree.groups}

    @cached_property
    def sorted_groups(self) -> tuple[ElasticGroup, ...]:
        """Every declared group by name, whether it has a place in the tree or not."""
        return tuple(sorted(self.quotas.groups, key=lambda each: each.name))

    @property
    def top_level(self) -> list[ElasticGroup]:
        """The groups right below the root."""
        return self.children("")

    def children(self, name: str) -> list[ElasticGroup]:
        """Return the children of a group."""
        return [self.by_name[each] for each in self.tree.children.get(name, ())]

    def is_active(self, name: str) -> bool:
        """Return whether a group itself asks for something or uses something."""
        if self.demand is None:
            return False
        amounts = (
            *self.demand.request.get(name, {}).values(),
            *self.demand.used.get(name, {}).values(),
        )
        return any(amounts)

    def pairs(self) -> Iterator[tuple[ElasticGroup, ElasticGroup]]:
        """Yield every group that has a parent, with its parent."""
        for group in self.tree.groups:
            if group.parent:
                yield group, self.by_name[group.parent]

    def found(
        self, group: str, message: str, facts: tuple[Fact, ...] = (), advice: str = ""
    ) -> Found:
        """Return a finding on one group; the empty name stands for the top-level groups."""
        subject = "the top-level groups"
        if group:
            subject = f"group {group}"
        return Found(message, subject, message, facts, advice, examples=(group or subject,))

    def amount_fact(self, group: ElasticGroup, what: str, name: str) -> Fact:
        """Return the min, max or weight of a group in one dimension, as in the file."""
        amounts = {"max": group.max, "min": group.min, "weight": group.weight}[what]
        value = amounts.get(name, "(not given)")
        if value is None:
            value = "unlimited"
        return self.fact(f"groups.{group.name}.{what}.{name}", str(value))

    def fact(self, key: str, value: str) -> Fact:
        """Return one key of the quotas or of the demand with its value."""
        return Fact(key, value, self.file)


def is_managed(group: ElasticGroup, name: str) -> bool:
    """Return whether ``group`` has a max of a dimension, or of what that is a kind of."""
    return name in group.max or base_of(name) in group.max


def base_of(name: str) -> str:
    """Return the dimension that ``name`` is a kind of (gpus for gpus:a100), or ``name`` itself."""
    return name.partition(MARK)[0]


def weight_of(group: ElasticGroup, name: str) -> int:
    """Return the weight of ``group`` in one dimension.

    A group without a weight has its max as weight, and 0 where the max is unlimited.
    """
    return group.weight.get(name, group.max.get(name, 0) or 0)


def is_fixed(group: ElasticGroup) -> bool:
    """Return whether the min of a group is its max in every dimension that it manages."""
    return bool(group.max) and all(cap == group.min.get(name, 0) for name, cap in group.max.items())
