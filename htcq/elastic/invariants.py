"""What must be true of numbers before they are written, whatever went wrong before: a doubt ends the tick."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from htcq.elastic.quota_target import QuotaTarget
from htcq.quota.elastic.group_runtime import GroupRuntime, Outcome
from htcq.quota.group_tree import MAX_QUOTA

#: Sums of numbers to a thousandth may be off by so much.
_SLACK = 1e-6


def violations(outcome: Outcome) -> Iterator[str]:
    """Yield what is wrong with computed runtimes: sums above what there is, below what is kept, above a max."""
    scaled = outcome.options.scale_min
    tops = [group for group in outcome.groups if not group.parent]
    for name, there in sorted(outcome.effective_total.items()):
        together = sum(group.runtime.get(name, 0) for group in tops)
        if scaled and together > there:
            yield f"runtimes add up to {together} {name}, but the total is {there}"
    for group in outcome.groups:
        yield from _of_group(group)


def _of_group(group: GroupRuntime) -> Iterator[str]:
    for name, runtime in sorted(group.runtime.items()):
        cap = group.max.get(name)
        kept = (
            group.floor.get(name, 0)
            if not group.lends
            else min(group.floor.get(name, 0), group.limited.get(name, 0))
        )
        if name in group.max and cap is not None and runtime > cap:
            yield f"{group.name} has a runtime of {runtime} {name}, above its max of {cap}"
        # Cards are placed kind by kind: what is kept of a kind may be less than the whole min of
        # it.
        if ":" not in name and name in group.max and runtime < kept and not _has_kinds(group, name):
            yield f"{group.name} has a runtime of {runtime} {name}, but {kept} are reserved for it"


def _has_kinds(group: GroupRuntime, name: str) -> bool:
    return any(other.startswith(f"{name}:") for other in group.runtime)


def bad_quotas(
    targets: Iterable[QuotaTarget], quotas: Mapping[str, float], pool_weight: float
) -> Iterator[str]:
    """Yield what is wrong with quotas to be written: no numbers, or more than the pool or the group above has."""
    known = list(targets)
    below: dict[str, float] = {}
    for each in known:
        quota = quotas.get(each.group, math.nan)
        if not 0 <= quota <= MAX_QUOTA:
            yield f"{each.group} would have a quota of {quota:g}"
        below[each.parent] = below.get(each.parent, 0.0) + quota
    for parent, together in sorted(below.items()):
        there = pool_weight if not parent else quotas.get(parent, math.nan)
        if not together <= there + _SLACK:
            whose = "the pool has" if not parent else f"{parent} would have"
            yield f"quotas come to {together:g} of slot weight, and {whose} {there:g}"
