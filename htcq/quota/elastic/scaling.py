"""Mins that shrink where what there is does not suffice for them.

Follows pkg/scheduler/plugins/elasticquota/core/scale_minquota_when_over_root_res.go of
koordinator-sh/koordinator, commit a7a1b76, save that a whole level shrinks at once, in whole
numbers, and that a dimension of which there is nothing counts as 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping


def scaled_mins(total: int, mins: Mapping[str, int], fixed: Collection[str] = ()) -> dict[str, int]:
    """Return the effective mins of siblings.

    Those of ``fixed`` come first; the others are scaled by one factor. ``mins`` are those of one
    dimension by the group's name, ``total`` is what there is of it. What the rounding down leaves
    is shared by weight with all the rest.
    """
    kept = flexible = 0
    for name, amount in mins.items():
        if name in fixed:
            kept += amount
        else:
            flexible += amount
    scaled = dict(mins)
    if total >= kept + flexible:
        return scaled
    left = max(0, total - kept)
    for name, amount in mins.items():
        if name not in fixed:
            scaled[name] = left * amount // max(1, flexible)
    return scaled
