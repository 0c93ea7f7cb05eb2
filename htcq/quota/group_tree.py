"""The tree of groups as the negotiator builds it, and the group of a submitter.

Follows GroupEntry::hgq_construct_tree and GroupEntry::GetAssignedGroup of
src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14, save that every spelling of the root's
name is reserved. Quotas are in the pool's unit: slot weights, or slots where weights are off.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from htcq.quota.knobs import Knobs, TreeProblem

ROOT = "<none>"
#: The greatest static quota that the negotiator takes.
MAX_QUOTA = float(2**31 - 1)
_KNOB_CHARACTERS = re.compile(r"[A-Za-z0-9_./]+")
_NAME = re.compile(r"[A-Za-z0-9_/]+(\.[A-Za-z0-9_/]+)*")
#: GROUP_QUOTA_<name> would be the dynamic quota of another group, or a setting of all groups.
_DYNAMIC, _SETTINGS = "DYNAMIC_", ("MAX_ALLOCATION_ROUNDS", "ROUND_ROBIN_RATE")


def name_key(name: str) -> bytes:
    """Return the key by which group names are compared and sorted.

    It is the name's bytes with ASCII letters in lower case (strcasecmp).
    """
    return name.encode(errors="surrogateescape").lower()


def other_knob(name: str) -> str:
    """Return what GROUP_QUOTA_<name> is besides the quota of a group; empty where nothing."""
    upper = name.upper()
    if upper in _SETTINGS:
        return "a setting of all groups"
    if upper.startswith(_DYNAMIC):
        return "the share of another group"
    return ""


def why_no_group(name: str) -> str:
    """Return why no group of that name can be written for HTCondor; empty where one can."""
    if not _NAME.fullmatch(name):
        return (
            "only letters, digits, '_' and '/' make a group's name, and dots stand between groups"
        )
    other = other_knob(name)
    if other:
        return f"GROUP_QUOTA_{name} would be {other}: choose another name"
    return ""


@dataclass(frozen=True)
class Group:
    """One configured group.

    ``config_quota`` is an amount where ``static``, else a share from 0 to 1.

    ``configured`` tells whether the configuration gives it a quota at all.
    """

    name: str
    parent: str | None
    config_quota: float
    static: bool
    accept_surplus: bool
    autoregroup: bool
    children: tuple[str, ...] = ()
    configured: bool = False


@dataclass(frozen=True)
class GroupTree:
    """All groups, breadth first, the root first; siblings in the order of lower-case names.

    ``global_accept_surplus`` is true where the knob for all groups or any one group says so.
    """

    groups: tuple[Group, ...]
    global_accept_surplus: bool = False

    @functools.cached_property
    def _by_name(self) -> dict[bytes, Group]:
        return {name_key(group.name): group for group in self.groups}

    @property
    def root(self) -> Group:
        """Return the group of everything that no other group holds."""
        return self.groups[0]

    def find(self, name: str) -> Group | None:
        """Return the group of that name, whatever its case; None where there is none."""
        return self._by_name.get(name_key(name))

    def __getitem__(self, name: str) -> Group:
        """Return the group of that name, whatever its case.

        Raises:
            KeyError: there is none.
        """
        return self._by_name[name_key(name)]

    def children(self, name: str) -> tuple[Group, ...]:
        """Return the groups right below that one."""
        return tuple(self[child] for child in self[name].children)

    def ancestors(self, name: str) -> tuple[Group, ...]:
        """Return the groups above that one, its parent first, the root last."""
        return tuple(self._upwards(self[name]))

    def _upwards(self, group: Group) -> Iterator[Group]:
        while group.parent is not None:
            group = self[group.parent]
            yield group


@dataclass(frozen=True)
class Assignment:
    """The group that a submitter is charged to.

    ``defaulted`` tells that it is only an ancestor of the one that the submitter names.
    """

    group: str
    defaulted: bool = False


def assigned_group(tree: GroupTree, submitter_name: str) -> Assignment:
    """Return the group to which the negotiator assigns ``submitter_name``.

    What precedes the last dot of the part before the last ``@`` is the group; a user whose name
    has dots is therefore mistaken for a subgroup. A name without ``@`` is a group's own.
    """
    before, at, _ = submitter_name.rpartition("@")
    if not at:
        known = tree.find(submitter_name)
        if known is None:
            return Assignment(ROOT, defaulted=True)
        return Assignment(known.name)
    path, dot, _ = before.rpartition(".")
    if not dot:
        return Assignment(ROOT)
    group, place = tree.root, ""
    for component in path.split("."):
        if place:
            place = f"{place}.{component}"
        else:
            place = component
        below = tree.find(place)
        if below is None or below.parent is None:
            return Assignment(group.name, defaulted=True)
        group = below
    return Assignment(group.name)


def build_tree(knobs: Mapping[str, str]) -> tuple[GroupTree, tuple[TreeProblem, ...]]:
    """Return the tree that ``knobs`` describe, and what is wrong with them.

    ``knobs`` are the configuration's, by name, with macros expanded. Where the negotiator would
    exit on a value, the nearest legal one stands in for it.
    """
    reader = Knobs(knobs)
    accepts = reader.boolean("GROUP_ACCEPT_SURPLUS", False)
    regroups = reader.boolean("GROUP_AUTOREGROUP", False)
    below: dict[str, list[str]] = {ROOT: []}
    found: dict[str, Group] = {}
    for name, parent in _places(reader):
        below[parent].append(name)
        below[name] = []
        found[name] = _group(reader, name, parent, accepts, regroups)
    any_accepts = accepts or any(group.accept_surplus for group in found.values())
    any_regroups = regroups or any(group.autoregroup for group in found.values())
    found[ROOT] = Group(
        ROOT, None, 0.0, static=False, accept_surplus=True, autoregroup=any_regroups
    )
    names = [ROOT]
    for name in names:  # grows while it is read: breadth first
        names.extend(below[name])
    groups = tuple(replace(found[name], children=tuple(below[name])) for name in names)
    return GroupTree(groups, any_accepts), tuple(reader.problems)


def _places(reader: Knobs) -> Iterator[tuple[str, str]]:
    """Yield every group in the tree with its parent's name, parents before their children."""
    known: dict[bytes, str] = {}
    names = (reader.text("GROUP_NAMES") or "").replace(",", " ").split()
    for name in sorted(names, key=name_key):
        key = name_key(name)
        above, dot, _ = key.rpartition(b".")
        if key == name_key(ROOT):
            reader.report("reserved-name", name, "GROUP_NAMES")
        elif key in known:
            reader.report("duplicate", name, "GROUP_NAMES", known[key])
        elif dot and above not in known:
            reader.report("missing-parent", name, "GROUP_NAMES", name.rpartition(".")[0])
        else:
            known[key] = name
            yield name, known.get(above, ROOT)


def _group(reader: Knobs, name: str, parent: str, accepts: bool, regroups: bool) -> Group:
    static, dynamic = f"GROUP_QUOTA_{name}", f"GROUP_QUOTA_DYNAMIC_{name}"
    has_static, has_dynamic = reader.text(static) is not None, reader.text(dynamic) is not None
    if not _KNOB_CHARACTERS.fullmatch(name):
        reader.report("illegal-name", name, "GROUP_NAMES")
    if has_static and has_dynamic:
        reader.report("both-kinds", name, dynamic, reader.text(dynamic) or "")
    if has_static:
        quota = reader.number(static, 0.0, 0.0, MAX_QUOTA, name)
    elif has_dynamic:
        quota = reader.number(dynamic, 0.0, 0.0, 1.0, name)
    else:
        quota = 0.0
        reader.report("no-quota", name, static)
    return Group(
        name,
        parent,
        quota,
        has_static,
        reader.boolean(f"GROUP_ACCEPT_SURPLUS_{name}", accepts, name),
        reader.boolean(f"GROUP_AUTOREGROUP_{name}", regroups, name),
        configured=has_static or has_dynamic,
    )
