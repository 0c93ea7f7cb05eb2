"""Quotas that must not be: what Koordinator's admission refuses, and what would never end or come to nothing.

Follows pkg/webhook/elasticquota/quota_topology_check.go and quota_topology.go of koordinator-sh/koordinator, commit
a7a1b76. Cycles are refused here and not there. The flag of a parent has no meaning here: a group is one if there are
groups below it, and it may have jobs of its own. What is found of a group does not depend on the order of groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from htcq.quota.elastic.groups import RESERVED, Demand, Group, Quotas
from htcq.quota.elastic.kinds import MARK
from htcq.quota.elastic.quota_issue import QuotaIssue
from htcq.quota.elastic.tree import Tree, build_tree
from htcq.quota.tree import name_key
from htcq.spelling import near_names

#: What is wrong only with the amounts: such quotas must not be written, and what they come to is well defined.
COMPUTABLE = frozenset(
    (
        "elastic-min-above-max", "elastic-min-not-of-parent", "elastic-children-min-above-parent",
        "elastic-guarantee-not-covered", "elastic-max-below-used", "elastic-used-without-max",
        "elastic-kinds-above-whole", "elastic-dimension-not-of-parent",
    )
)  # fmt: skip


def refusals(quotas: Quotas, demand: Demand | None = None, unknown: Iterable[str] = ()) -> Iterator[QuotaIssue]:
    """Yield every reason to refuse ``quotas``; without ``demand`` those that need it are left out.

    ``unknown`` are names of groups in the demand that are not there.
    """
    yield from _names(quotas)
    tree = build_tree(quotas.groups)
    for group in sorted(quotas.groups, key=lambda each: each.name):
        yield from _own_amounts(group)
        if demand is not None:
            yield from _strict(group, demand.used.get(group.name, {}))
    yield from _places(tree)
    by_name = {group.name: group for group in tree.groups}
    for group in tree.groups:
        if group.parent:
            yield from _below(group, by_name[group.parent], quotas.options.same_dimensions)
        yield from _sums(group, [by_name[name] for name in tree.children.get(group.name, ())])
    if demand is not None and quotas.options.guarantee_usage:
        yield from _guarantees(tree, demand)
    known = [group.name for group in quotas.groups]
    for name in unknown:
        near = near_names(name, known)
        fix = f"Did you mean {near[0]}?" if near else ""
        yield QuotaIssue("elastic-unknown-group", name, f"there is demand of {name}, but no such group", fix=fix)


def _names(quotas: Quotas) -> Iterator[QuotaIssue]:
    seen: dict[bytes, str] = {}
    users: dict[str, str] = {}
    for group in sorted(quotas.groups, key=lambda each: each.name):
        if any(part in RESERVED for part in group.name.split(".")):
            yield QuotaIssue("elastic-name-reserved", group.name, f"group {group.name} has a reserved name")
        key = name_key(group.name)
        if key in seen:
            message = f"group {group.name} is declared twice: {seen[key]} is the same name"
            yield QuotaIssue("elastic-group-twice", group.name, message)
        seen[key] = group.name
        for user in group.users:
            other = users.setdefault(user, group.name)
            if other != group.name:
                message = f"user {user} belongs to both {other} and {group.name}"
                yield QuotaIssue("elastic-user-in-two-groups", group.name, message)


def _own_amounts(group: Group) -> Iterator[QuotaIssue]:
    for what, amounts in (("max", group.max), ("min", group.min), ("weight", group.weight)):
        for name, amount in sorted(amounts.items()):
            if amount is not None and amount < 0:
                message = f"group {group.name} has a {what} of {amount} {name}"
                yield QuotaIssue(f"elastic-{what}-negative", group.name, message, (_fact(group, what, name),))
    for name, amount in sorted(group.min.items()):
        facts = (_fact(group, "min", name), _fact(group, "max", name))
        cap = group.max.get(name, -1)
        if name not in group.max:
            message = f"group {group.name} has a min of {name} but no max"
            yield QuotaIssue("elastic-min-without-max", group.name, message, facts)
        elif cap is not None and amount > cap >= 0:
            message = f"group {group.name} has a min of {amount} {name} and a max of {cap}"
            yield QuotaIssue("elastic-min-above-max", group.name, message, facts)
    for name, cap in sorted(group.max.items()):
        if cap is None and name not in group.weight:
            message = f"group {group.name} has an unlimited max of {name} and no weight (the default of weight is max)"
            yield QuotaIssue("elastic-unlimited-without-weight", group.name, message, (_fact(group, "max", name),))
    yield from _kinds(group)


def _kinds(group: Group) -> Iterator[QuotaIssue]:
    for base in sorted({name.partition(MARK)[0] for name in group.min if MARK in name} & set(group.max)):
        kinds = [name for name in group.min if name.startswith(f"{base}{MARK}")]
        together, whole = sum(group.min[name] for name in kinds), group.min.get(base, 0)
        if together > whole:
            message = (
                f"group {group.name} has mins of {base} models that add up to {together}, but a min of {whole} {base}"
            )
            facts = tuple(_fact(group, "min", name) for name in (base, *sorted(kinds)))
            yield QuotaIssue("elastic-kinds-above-whole", group.name, message, facts)


def _strict(group: Group, used: Mapping[str, int]) -> Iterator[QuotaIssue]:
    for name in sorted(set(group.strict) & set(used)):
        fact = (f"used.{group.name}.{name}", str(used[name]))
        cap = group.max.get(name)
        if name not in group.max:
            message = f"group {group.name} uses {used[name]} {name} but has no max"
            yield QuotaIssue("elastic-used-without-max", group.name, message, (fact,))
        elif cap is not None and cap < used[name]:
            message = f"group {group.name} uses {used[name]} {name}, more than its max of {cap}"
            yield QuotaIssue("elastic-max-below-used", group.name, message, (fact, _fact(group, "max", name)))


def _places(tree: Tree) -> Iterator[QuotaIssue]:
    known = [group.name for group in tree.groups]
    for group in tree.orphans:
        near = near_names(group.parent, known)
        fix = f"Declare {group.parent}, or did you mean {near[0]}?" if near else f"Declare {group.parent}."
        message = f"the parent {group.parent} of group {group.name} does not exist"
        yield QuotaIssue("elastic-orphan", group.name, message, fix=fix)
    for circle in tree.cycles:
        way = " below ".join((*circle, circle[0]))
        yield QuotaIssue("elastic-cycle", circle[0], f"group {way}: the parents form a circle")


def _below(group: Group, parent: Group, same: bool) -> Iterator[QuotaIssue]:
    for name in sorted(group.max):
        if name not in parent.max and name.partition(MARK)[0] not in parent.max:
            message = f"group {group.name} has a max of {name}, but its parent {parent.name} has none"
            yield QuotaIssue("elastic-dimension-not-of-parent", group.name, message, (_fact(group, "max", name),))
    if same:
        for name in sorted(set(parent.max) - set(group.max)):
            message = f"group {group.name} has no max of {name}, but its parent {parent.name} has one"
            yield QuotaIssue("elastic-dimension-not-of-parent", group.name, message, (_fact(parent, "max", name),))
    for name, amount in sorted(group.min.items()):
        if amount > 0 and name not in parent.min and name.partition(MARK)[0] not in parent.min:
            message = f"group {group.name} has a min of {name}, but its parent {parent.name} has none"
            yield QuotaIssue("elastic-min-not-of-parent", group.name, message, (_fact(group, "min", name),))


def _sums(group: Group, children: list[Group]) -> Iterator[QuotaIssue]:
    for name in sorted({each for child in children for each in child.min}):
        together = sum(child.min.get(name, 0) for child in children)
        own = group.min.get(name, group.min.get(name.partition(MARK)[0], 0))
        if together > own:
            message = (
                f"the children of group {group.name} have mins that add up to {together} {name}, more than its {own}"
            )
            facts = (_fact(group, "min", name), *(_fact(child, "min", name) for child in children if name in child.min))
            yield QuotaIssue("elastic-children-min-above-parent", group.name, message, facts)


def _guarantees(tree: Tree, demand: Demand) -> Iterator[QuotaIssue]:
    """Yield the mins that no group above has room for among what is kept for it now, as the demand tells."""
    by_name = {group.name: group for group in tree.groups}

    def kept(group: Group, name: str) -> int:
        return max(group.min.get(name, 0), demand.guarantee.get(group.name, {}).get(name, 0))

    for group in tree.groups:
        for name in sorted(group.min):
            child, needed = group, kept(group, name)
            while child.parent and child.parent in demand.guarantee:
                parent = by_name[child.parent]
                siblings = (by_name[each] for each in tree.children[parent.name] if each != child.name)
                needed += sum(kept(each, name) for each in siblings)
                if needed <= demand.guarantee[parent.name].get(name, 0):
                    break
                child = parent
            else:
                if child is not group and not child.parent:
                    message = (
                        f"no group above {group.name} has enough in reserve for its min of {group.min[name]} {name}"
                    )
                    yield QuotaIssue("elastic-guarantee-not-covered", group.name, message, (_fact(group, "min", name),))


def _fact(group: Group, what: str, name: str) -> tuple[str, str]:
    amounts = {"max": group.max, "min": group.min, "weight": group.weight}[what]
    value = amounts.get(name, "(not given)")
    return f"groups.{group.name}.{what}.{name}", "unlimited" if value is None else str(value)
