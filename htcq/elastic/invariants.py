"""Invariants of the numbers that are written; a violation ends the step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from htcq.elastic.quota_target import QuotaTarget
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.group_tree import MAX_QUOTA

#: Sums of numbers to a thousandth may be off by so much.
_SLACK = 1e-6


def violations(outcome: ElasticOutcome) -> Iterator[str]:
    """Yield contradictions in the computed runtimes.

    They are sums above the total, runtimes below what is reserved, and runtimes above a max.
    """
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
        if name not in group.max:
            continue
        cap = group.max[name]
        if cap is not None and runtime > cap:
            yield f"{group.name} has a runtime of {runtime} {name}, above its max of {cap}"
        reserved = group.floor.get(name, 0)
        if group.lends:
            reserved = min(reserved, group.limited.get(name, 0))
        # GPUs are placed kind by kind: less than the whole min of a kind may be reserved.
        if runtime < reserved and not _is_placed_by_kind(group, name):
            yield (
                f"{group.name} has a runtime of {runtime} {name}, but {reserved} are reserved "
                "for it"
            )


def _is_placed_by_kind(group: GroupRuntime, name: str) -> bool:
    return ":" in name or any(other.startswith(f"{name}:") for other in group.runtime)


def bad_quotas(targets: Iterable[QuotaTarget], quotas: Mapping[str, float]) -> Iterator[str]:
    """Yield contradictions in the quotas to be written.

    They are amounts that are no quota, below a min, above a max, or above the parent group.
    """
    for each in targets:
        quota = quotas.get(each.group, math.nan)
        if not 0 <= quota <= MAX_QUOTA:
            yield f"{each.group} would have a quota of {quota:g}"
        elif quota < each.least - _SLACK:
            yield f"{each.group} would have a quota of {quota:g}, below its min of {each.least:g}"
        elif each.most is not None and quota > each.most + _SLACK:
            yield f"{each.group} would have a quota of {quota:g}, above its max of {each.most:g}"
        elif each.parent and quota > quotas.get(each.parent, math.nan) + _SLACK:
            yield (
                f"{each.group} would have a quota of {quota:g}, more than "
                f"{quotas[each.parent]:g} of {each.parent}"
            )
