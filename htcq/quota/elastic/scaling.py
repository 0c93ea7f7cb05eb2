"""Mins that shrink where what there is does not suffice for them.

Follows pkg/scheduler/plugins/elasticquota/core/scale_minquota_when_over_root_res.go of koordinator-sh/koordinator,
commit a7a1b76, save that a whole level shrinks at once, in whole numbers, and that a dimension of which there is
nothing counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Reserve(NamedTuple):
    """The min of one group in one dimension, and whether it may shrink."""

    name: str
    min: int
    scalable: bool = True


def scaled_mins(total: int, siblings: Iterable[Reserve]) -> dict[str, int]:
    """Return the min of each in effect: those that may not shrink come first, the others get the same part of theirs.

    What the rounding down leaves is shared by weight with all the rest.
    """
    siblings = list(siblings)
    fixed = sum(each.min for each in siblings if not each.scalable)
    flexible = sum(each.min for each in siblings if each.scalable)
    if total >= fixed + flexible:
        return {each.name: each.min for each in siblings}
    left = max(0, total - fixed)
    return {
        each.name: (left * each.min // flexible if flexible else 0) if each.scalable else each.min for each in siblings
    }
