"""The tree of groups, made from the names of their parents, and moves of groups in it.

As in Koordinator (pkg/webhook/elasticquota/quota_topology.go, commit a7a1b76), which lets a
group be moved below one of its own; here that is a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from htcq.errors import InputError
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


def moved(
    groups: Sequence[ElasticGroup], name: str, parent: str
) -> tuple[tuple[ElasticGroup, ...], Mapping[str, str]]:
    """Return the groups with ``name`` below ``parent``, and the new names of those renamed.

    An empty ``parent`` is the top level. All that is below the group moves with it. Where a
    group's name is the path to it, as HTCondor has it, the names of all that moves follow.

    Raises:
        InputError: one of the two does not exist, ``parent`` is the group or below it, or a new
            name is taken.
    """
    by_name = {group.name: group for group in groups}
    for wanted in (name, parent) if parent else (name,):
        if wanted not in by_name:
            raise InputError(
                f"there is no group {wanted} to move", "use the names of declared groups"
            )
    above = parent
    while above:
        if above == name:
            raise InputError(
                f"group {name} cannot go below {parent}, which is below it", "that would be a cycle"
            )
        above = by_name[above].parent
    new_names = _new_names(by_name, name, parent)
    taken = [new for new in new_names.values() if new in by_name and new not in new_names]
    if taken:
        raise InputError(f"group {min(taken)} exists already", "move or rename that one first")
    result = []
    for group in groups:
        above = parent
        if group.name != name:
            above = new_names.get(group.parent, group.parent)
        result.append(replace(group, name=new_names.get(group.name, group.name), parent=above))
    return tuple(result), new_names


def _new_names(by_name: Mapping[str, ElasticGroup], name: str, parent: str) -> dict[str, str]:
    old_parent = by_name[name].parent
    prefix = ""
    if old_parent:
        prefix = f"{old_parent}."
    last = name[len(prefix) :]
    if not name.startswith(prefix) or "." in last:
        return {}
    new = last
    if parent:
        new = f"{parent}.{last}"
    if new == name:
        return {}
    below = [each for each in by_name if each == name or each.startswith(f"{name}.")]
    return {each: f"{new}{each[len(name) :]}" for each in below}
