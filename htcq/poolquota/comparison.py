"""What a change of the configuration does to the groups: two looks at one pool, group by group."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.published import same
from htcq.poolquota.report import PoolQuotaReport
from htcq.quota.group_tree import name_key


@dataclass(frozen=True)
class AmountDifference:
    """An amount before and after.

    It is None where the group is not there or has no turn, then nobody knows a difference.
    """

    before: float | None
    after: float | None
    difference: float | None
    changed: bool


@dataclass(frozen=True)
class GroupDifference:
    """Effective quota, allocation and limit of one group, as the negotiator uses them.

    ``status`` is that after the change; of a group that vanishes, that before. ``fate`` is
    "appears", "vanishes" or, for a group that is there before and after, "stays".
    """

    status: GroupStatus
    fate: str
    effective: AmountDifference
    allocated: AmountDifference
    limit: AmountDifference

    @property
    def name(self) -> str:
        """The name of the group."""
        return self.status.name

    @property
    def changed(self) -> bool:
        """Whether anything of the group differs."""
        return (
            self.fate != "stays"
            or self.effective.changed
            or self.allocated.changed
            or self.limit.changed
        )


def compare(before: PoolQuotaReport, after: PoolQuotaReport) -> tuple[GroupDifference, ...]:
    """Return every group of either look, depth first as ``after`` has them.

    Those that vanish stand where they were.
    """
    olds = {name_key(standing.name): standing for standing in before.standings}
    found = []
    for one, stays in _in_order(before, after):
        new = None
        if stays:
            new = one
        found.append(_compared(one, olds.get(name_key(one.name)), new))
    return tuple(found)


def _in_order(
    before: PoolQuotaReport, after: PoolQuotaReport
) -> Iterator[tuple[GroupStatus, bool]]:
    """Yield all groups, each with whether it is there afterwards."""
    there = {name_key(standing.name) for standing in after.standings}
    vanished: dict[bytes, list[GroupStatus]] = {}
    place = name_key(before.standings[0].name)
    for standing in before.standings:  # the root is always there
        if name_key(standing.name) in there:
            place = name_key(standing.name)
        else:
            vanished.setdefault(place, []).append(standing)
    for standing in after.standings:
        yield standing, True
        yield from ((each, False) for each in vanished.get(name_key(standing.name), ()))


def _compared(
    one: GroupStatus, before: GroupStatus | None, after: GroupStatus | None
) -> GroupDifference:
    def of(amount: Callable[[GroupStatus], float | None]) -> AmountDifference:
        old = new = None
        if before is not None:
            old = amount(before)
        if after is not None:
            new = amount(after)
        return _difference(old, new)

    fate = "stays"
    if before is None:
        fate = "appears"
    elif after is None:
        fate = "vanishes"
    return GroupDifference(
        status=one,
        fate=fate,
        effective=of(lambda standing: standing.quota),
        allocated=of(lambda standing: standing.own_allocated),
        limit=of(lambda standing: standing.working_limit),
    )


def _difference(before: float | None, after: float | None) -> AmountDifference:
    if before is None or after is None:
        return AmountDifference(before, after, None, (before is None) is not (after is None))
    if same(before, after) or (math.isnan(before) and math.isnan(after)):
        return AmountDifference(before, after, 0.0, False)
    return AmountDifference(before, after, after - before, True)
