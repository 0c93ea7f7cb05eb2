"""Mins that shrink where what there is does not suffice for them.

Follows pkg/scheduler/plugins/elasticquota/core/scale_minquota_when_over_root_res.go of
koordinator-sh/koordinator, commit a7a1b76, save that a whole level shrinks at once, in whole
numbers, that a dimension of which there is nothing counts as 0, and that groups have priorities.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

#: Returns the mins that are left of some where there is less than these.
Shrink = Callable[[Mapping[str, int], int], Mapping[str, int]]
_EQUAL: Mapping[str, int] = {}


def scaled_mins(
    total: int,
    mins: Mapping[str, int],
    fixed: Collection[str] = (),
    priorities: Mapping[str, int] = _EQUAL,
) -> dict[str, int]:
    """Return the effective mins of siblings.

    Those of ``fixed`` come first, then the higher ``priorities`` (0 where there is none); those of
    the same priority are scaled by one factor. ``mins`` are those of one dimension by the group's
    name, ``total`` is what there is of it. What the rounding down leaves is shared by weight with
    all the rest.
    """
    flexible = {name: amount for name, amount in mins.items() if name not in fixed}
    kept = sum(mins.values()) - sum(flexible.values())
    return {**mins, **mins_in_order(max(0, total - kept), flexible, priorities, _scaled)}


def mins_in_order(
    total: int, mins: Mapping[str, int], priorities: Mapping[str, int], shrink: Shrink
) -> dict[str, int]:
    """Return the effective mins of siblings: a lower priority has what the higher ones leave.

    ``shrink`` reduces the mins of one priority to what there is for these.
    """
    left = total
    effective = dict(mins)
    for priority in sorted({priorities.get(name, 0) for name in mins}, reverse=True):
        equal = {name: mins[name] for name in mins if priorities.get(name, 0) == priority}
        wanted = sum(equal.values())
        if wanted > left:
            effective.update(shrink(equal, left))
        left = max(0, left - wanted)
    return effective


def _scaled(mins: Mapping[str, int], there: int) -> dict[str, int]:
    """Return ``mins`` by the one factor by which they fit, rounded down."""
    together = sum(mins.values())
    return {name: there * amount // together for name, amount in mins.items()}
