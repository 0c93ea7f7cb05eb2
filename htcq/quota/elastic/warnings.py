"""Quotas that may be, and of which somebody should know: what Koordinator lets pass and then does in silence.

Read in pkg/webhook/elasticquota and pkg/scheduler/plugins/elasticquota of koordinator-sh/koordinator, commit a7a1b76.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from htcq.quota.elastic.groups import Demand, Group, Quotas
from htcq.quota.elastic.kinds import MARK
from htcq.quota.elastic.quota_issue import QuotaIssue
from htcq.quota.elastic.tree import Tree, build_tree
from htcq.spelling import near_names
from htcq.units import CPUS, GPUS, MEMORY

#: From which part of what there is mins that nobody may borrow are worth telling of.
IDLE_PART = 2
#: A weight below this part of its siblings' is small.
SMALL_PART = 100
_NAME = re.compile(r"[A-Za-z0-9_./]+")


def doubts(
    quotas: Quotas, demand: Demand | None = None, lost: Iterable[str] = (), before: Quotas | None = None
) -> Iterator[QuotaIssue]:
    """Yield what is odd about ``quotas``; without ``demand`` or those of ``before``, what needs them is left out.

    ``lost`` are submitters that name a group which is not there.
    """
    tree = build_tree(quotas.groups)
    by_name = {group.name: group for group in tree.groups}
    together = _weights(tree)
    for group in tree.groups:
        yield from _of_group(group, together)
        if group.parent:
            yield from _above(group, by_name[group.parent])
    if demand is not None:
        yield from _of_capacity(tree, by_name, demand)
        yield from _of_demand(tree, by_name, demand)
    if before is not None:
        yield from _left_behind(tree, {group.name: group for group in before.groups})
    for name in lost:
        yield QuotaIssue(
            "elastic-submitter-in-unknown-group",
            name,
            f"{name} names a group that does not exist: no quota applies to its jobs",
        )


def _weights(tree: Tree) -> dict[tuple[str, str], int]:
    """Return what the weights of siblings come to, by the name of the group above them and dimension."""
    found: dict[tuple[str, str], int] = {}
    for group in tree.groups:
        for name in group.max:
            found[group.parent, name] = found.get((group.parent, name), 0) + _weight(group, name)
    return found


def _of_group(group: Group, together: dict[tuple[str, str], int]) -> Iterator[QuotaIssue]:
    if not _NAME.fullmatch(group.name):
        yield QuotaIssue("elastic-name-illegal", group.name, f"group {group.name} has a name that HTCondor refuses")
    if not group.max:
        yield QuotaIssue("elastic-nothing-managed", group.name, f"group {group.name} has no max in any dimension")
        return
    yield from _elasticity(group, together)
    if group.min.get(GPUS, 0) > 0:
        for name in (CPUS, MEMORY):
            if name in group.max and not group.min.get(name, 0):
                message = f"group {group.name} is guaranteed {group.min[GPUS]} gpus but no {name}"
                yield QuotaIssue("elastic-gpus-without-cpus", group.name, message)


def _elasticity(group: Group, together: dict[tuple[str, str], int]) -> Iterator[QuotaIssue]:
    """Yield what keeps a group from lending or borrowing."""
    for name, weight in sorted(group.weight.items()):
        cap = group.max.get(name, 0)
        if weight == 0 and (cap is None or cap > group.min.get(name, 0)):
            message = f"group {group.name} has a weight of 0 {name}: it never borrows, whatever its max"
            yield QuotaIssue("elastic-weight-zero", group.name, message)
    if all(cap == group.min.get(name, 0) for name, cap in group.max.items()):
        yield QuotaIssue(
            "elastic-nothing-elastic", group.name, (f"group {group.name} has equal min and max in all dimensions")
        )
    elif not any(group.min.values()):
        for name in sorted(group.max):
            weight, all_ = _weight(group, name), together[group.parent, name]
            if 0 < weight * SMALL_PART < all_:
                message = f"group {group.name} has no guarantee, and its weight is {weight} of {all_} {name}"
                yield QuotaIssue("elastic-may-starve", group.name, message)


def _weight(group: Group, name: str) -> int:
    return group.weight.get(name, group.max.get(name, 0) or 0)


def _above(group: Group, parent: Group) -> Iterator[QuotaIssue]:
    for name, cap in sorted(group.max.items()):
        most = parent.max.get(name)
        if most is not None and (cap is None or cap > most):
            shown = "no max" if cap is None else f"a max of {cap}"
            message = f"group {group.name} has {shown} of {name}, but its parent {parent.name} has one of {most}"
            yield QuotaIssue("elastic-max-above-parent", group.name, message)


def _of_capacity(tree: Tree, by_name: dict[str, Group], demand: Demand) -> Iterator[QuotaIssue]:
    total, tops = demand.effective_total, [by_name[name] for name in tree.children[""]]
    for name in sorted({each for group in tops for each in group.max}):
        mins = sum(group.min.get(name, 0) for group in tops)
        if name in total and mins > total[name]:
            message = f"the mins of the top-level groups add up to {mins} {name}, but the total is {total[name]}"
            yield QuotaIssue("elastic-mins-above-capacity", "", message, ((f"total.{name}", str(total[name])),))
        kept = sum(group.min.get(name, 0) for group in tops if not group.lend)
        if total.get(name, 0) > 0 and kept * IDLE_PART > total[name]:
            message = f"top-level groups that do not lend are guaranteed {kept} of {total[name]} {name}, used or not"
            yield QuotaIssue("elastic-idle-min-kept", "", message)
    known = sorted(total)
    for name in sorted({each for group in tree.groups for each in (*group.max, *group.weight)}):
        if name not in total:
            near = near_names(name, known)
            fix = f"Did you mean {near[0]}?" if near else ""
            holders = [group.name for group in tree.groups if name in group.max or name in group.weight]
            message = (
                f"{name}, for which {holders[0]} has a quota, is missing from the total: nothing of it can be shared"
            )
            yield QuotaIssue("elastic-unknown-dimension", holders[0], message, fix=fix)


def _of_demand(tree: Tree, by_name: dict[str, Group], demand: Demand) -> Iterator[QuotaIssue]:
    for group in tree.groups:
        request, used = demand.request.get(group.name, {}), demand.used.get(group.name, {})
        asked = sorted(name for name, amount in request.items() if amount > 0)
        for name in asked:
            if name not in group.max and name.partition(MARK)[0] not in group.max:
                message = f"group {group.name} requests {request[name]} {name} but has no max: no quota applies"
                yield QuotaIssue("elastic-demand-not-managed", group.name, message)
        if tree.children.get(group.name):
            if any(request.values()) or any(used.values()):
                message = f"group {group.name} has jobs of its own and child groups: its jobs count as one more child"
                yield QuotaIssue("elastic-parent-with-jobs", group.name, message)
        elif not any(request.values()) and not any(used.values()):
            yield QuotaIssue(
                "elastic-group-unused", group.name, f"group {group.name} requests nothing and uses nothing"
            )


def _left_behind(tree: Tree, before: dict[str, Group]) -> Iterator[QuotaIssue]:
    for group in tree.groups:
        old = before.get(group.name)
        for name, weight in sorted(group.weight.items()):
            if old is not None and old.max.get(name) == weight == old.weight.get(name) != group.max.get(name):
                message = f"group {group.name} has a weight of {weight} {name}, which was its max before the change"
                yield QuotaIssue("elastic-weight-left-behind", group.name, message)
