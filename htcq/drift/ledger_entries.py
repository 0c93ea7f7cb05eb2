"""Ledger entries of one observation: which group lends how much to others.

A level is shared out as a whole, from the root to the leaves. What others use of a level's
guarantees is first what none of its groups is guaranteed, then what groups neither use nor ask
for and lend, in proportion, then what they ask for themselves or do not lend. What a group lends
is lent by the groups below it in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.drift.ledger import LedgerEntry
from htcq.quota.elastic.declaration import (
    DEFAULT,
    ROOT,
    SELF,
    ElasticDemand,
    ElasticQuotas,
    Options,
)
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.scaling import scaled_mins
from htcq.quota.elastic.share import ShareClaim, split_hamilton


def entries(
    quotas: ElasticQuotas, demand: ElasticDemand, outcome: ElasticOutcome
) -> tuple[LedgerEntry, ...]:
    """Return the ledger of one observation.

    It has every dimension in which any group has a max; entries that are all 0 are left out.

    ``outcome`` is what was computed of ``quotas`` and ``demand``.
    """
    names: set[str] = set()
    for group in outcome.groups:
        names.update(group.runtime)
    found: list[LedgerEntry] = []
    for name in sorted(names):
        found += _of(name, demand, outcome)
    return tuple(found)


@dataclass
class _Member:
    """A group in one dimension.

    ``wanted`` is its request, where it lends what it does not request.
    """

    name: str
    min: int
    runtime: int = 0
    used: int = 0
    wanted: int = 0
    lends: bool = True
    scalable: bool = True
    top: bool = True
    priority: int = 0
    guarantee: int = 0
    lent: int = 0
    below: list[_Member] = field(default_factory=list)

    @property
    def idle(self) -> int:
        return max(0, self.guarantee - self.used)

    @property
    def offered(self) -> int:
        if not self.lends:
            return 0
        return max(0, self.guarantee - max(self.used, self.wanted))

    @property
    def borrowed(self) -> int:
        return max(0, self.used - self.guarantee)

    @property
    def unused(self) -> int:
        return self.idle - self.lent


def _of(dimension: str, demand: ElasticDemand, outcome: ElasticOutcome) -> Iterator[LedgerEntry]:
    members = _members(dimension, outcome)
    top = [each for each in members if each.top]
    total = demand.total.get(dimension, 0)
    used = sum(each.used for each in top)
    outside = _outside(dimension, demand, used)
    _share_out_level(top, total, outside)
    for each in members:
        if each.below:
            # What it lends is used by others; what it borrows is not what those below it lend each
            # other.
            _share_out_level(each.below, each.guarantee, each.lent - each.borrowed)
    lent = unused = 0
    borrowed = outside
    for each in members:
        if not each.below:
            lent += each.lent
            borrowed += each.borrowed
            unused += each.unused
    mins = sum(each.min for each in top)
    yield LedgerEntry(ROOT, dimension, mins, total, used + outside, lent, borrowed, unused)
    if outside:
        yield LedgerEntry(DEFAULT, dimension, used=outside, borrowed=outside)
    for each in members:
        if each.min or each.runtime or each.used:
            yield LedgerEntry(
                each.name,
                dimension,
                each.min,
                each.runtime,
                each.used,
                each.lent,
                each.borrowed,
                each.unused,
            )


def _members(dimension: str, outcome: ElasticOutcome) -> list[_Member]:
    """Return the groups that have a max of the dimension, parents before those below them."""
    found: dict[str, _Member] = {}
    for group in outcome.groups:
        if dimension not in group.runtime:
            continue
        parent = found.get(group.parent)
        member = found[group.name] = _member(dimension, group, outcome.options, parent is None)
        if parent is not None:
            parent.below.append(member)
    members = list(found.values())
    for each in members[:]:
        own = f"{each.name}.{SELF}"
        rest = each.min - sum(one.min for one in each.below)
        if each.below and rest > 0 and own not in found:
            each.below.append(_Member(own, rest, scalable=each.scalable, top=False))
            members.append(each.below[-1])
    return members


def _member(dimension: str, group: GroupRuntime, options: Options, top: bool) -> _Member:
    scalable = group.group.scale_min
    if scalable is None:
        scalable = options.scale_min
    return _Member(
        group.name,
        group.min[dimension],
        group.runtime[dimension],
        group.used[dimension],
        group.limited[dimension],
        group.lends,
        scalable,
        top,
        group.group.priority,
    )


def _outside(dimension: str, demand: ElasticDemand, inside: int) -> int:
    """Return the usage that no quota of the dimension limits.

    It is of no group, or of a group that does not manage the dimension.
    """
    everybody = [*demand.used.values(), demand.system_used, demand.default_used]
    return max(0, sum(each.get(dimension, 0) for each in everybody) - inside)


def _share_out_level(level: Sequence[_Member], there: int, beyond: int) -> None:
    """Set what each group of ``level`` is guaranteed of ``there``, and what it lends.

    ``beyond`` is what others than these groups use.
    """
    declared = {each.name: each.min for each in level}
    fixed = {each.name for each in level if not each.scalable}
    mins = scaled_mins(there, declared, fixed, {each.name: each.priority for each in level})
    for each in level:
        each.guarantee = mins[each.name]
    spare = max(0, there - sum(mins.values()))
    wanted = beyond - spare
    idle = 0
    offered: dict[str, int] = {}
    kept: dict[str, int] = {}
    for each in level:
        wanted += each.borrowed
        idle += each.idle
        offered[each.name] = each.offered
        kept[each.name] = each.idle - each.offered
    lent = max(0, min(wanted, idle))
    freely = min(lent, sum(offered.values()))
    given = _split(freely, offered)
    taken = _split(lent - freely, kept)
    for each in level:
        each.lent = given.get(each.name, 0) + taken.get(each.name, 0)


def _split(amount: int, parts: Mapping[str, int]) -> dict[str, int]:
    """Return ``amount`` in proportion to ``parts``, which add up to no less; ties go by name."""
    claims = [ShareClaim(name, 0, 0, part) for name, part in parts.items() if part > 0]
    if not amount or not claims:
        return {}
    shares = split_hamilton(amount, claims, sum(claim.weight for claim in claims))
    return {claim.name: share for claim, (share, _) in zip(claims, shares)}
