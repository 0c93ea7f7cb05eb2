"""The tree of groups, made from the names of their parents.

As in Koordinator (pkg/webhook/elasticquota/quota_topology.go, commit a7a1b76), which lets a
group be moved below one of its own; here that is a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.quota.elastic.declaration import ElasticGroup


@dataclass(frozen=True)
class ElasticTree:
    """Groups, parents before their children, siblings by name.

    ``children`` are by the parent's name.

    ``orphans`` name a parent that is not there. ``cycles`` holds the names of groups that are
    above themselves, each cycle from the least name on. Neither they nor what is below them is
    in ``groups``.
    """

    groups: tuple[ElasticGroup, ...]
    children: Mapping[str, tuple[str, ...]]
    orphans: tuple[ElasticGroup, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()


def build_tree(groups: Iterable[ElasticGroup]) -> ElasticTree:
    """Return the tree; of groups with one name the first counts."""
    by_name: dict[str, ElasticGroup] = {}
    for group in sorted(groups, key=lambda each: each.name):
        by_name.setdefault(group.name, group)
    below: dict[str, list[str]] = {"": []}
    orphans = []
    for group in by_name.values():
        below.setdefault(group.parent, []).append(group.name)
        if group.parent and group.parent not in by_name:
            orphans.append(group)
    order: list[str] = list(below[""])
    for name in order:  # grows while it is read: breadth first
        order.extend(below.get(name, ()))
    children = {name: tuple(names) for name, names in below.items()}
    in_order = tuple(by_name[name] for name in order)
    return ElasticTree(in_order, children, tuple(orphans), _cycles(by_name))


def _cycles(by_name: Mapping[str, ElasticGroup]) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for start in by_name:
        path: dict[str, None] = {}
        name = start
        while name in by_name and name not in seen:
            seen.add(name)
            path[name] = None
            name = by_name[name].parent
        if name in path:
            names = list(path)
            circle = names[names.index(name) :]
            least = circle.index(min(circle))
            found.append(tuple(circle[least:] + circle[:least]))
    return tuple(sorted(found))
