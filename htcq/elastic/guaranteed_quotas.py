"""Quotas that are the mins, and who accepts no surplus for the sake of a max or of a lender.

These are rules 1 and 2 of :mod:`htcq.elastic.quota_targets`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.quota_target import MAX, UNLENT
from htcq.elastic.records import PARTS
from htcq.elastic.step_simulation import Demands
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.share import ShareClaim, split_hamilton


@dataclass
class GroupWeights:
    """The weights of one group in parts: of its runtime, its min, its max, and its quota.

    ``least`` is what of its min is in effect, ``guaranteed`` all of it. ``capped``: its max is
    below the pool in some dimension. ``held``: why it accepts no surplus.
    """

    group: GroupRuntime
    runtime: int
    least: int
    most: int
    capped: bool
    binding: str = ""
    quota: int = 0
    held: str = ""
    guaranteed: int = 0


def fitting(amounts: Mapping[str, int], there: int, unit: int) -> dict[str, int]:
    """Return ``amounts``, all reduced by the same part where they do not fit into ``there``."""
    together = sum(amounts.values())
    if together <= there:
        return dict(amounts)
    claims = [ShareClaim(name, 0, amount, amount) for name, amount in amounts.items()]
    shares = split_hamilton(there // unit, claims, together)
    return {claim.name: share * unit for claim, (share, _) in zip(claims, shares)}


def keep_max(
    weights: Mapping[str, GroupWeights],
    outcome: ElasticOutcome,
    free: int,
    unit: int,
    found: Demands,
) -> None:
    """Set the quotas, from the root to the leaves: the mins, and who accepts no surplus.

    Of ``free``, what no job outside of the groups holds, what is nobody's min is divided: first up
    to the runtimes, then, where a group accepts no surplus and asks for no more, up to its max.
    """
    unlent: set[str] = set()
    for each in weights.values():
        if _keeps(each.group):
            unlent.add(each.group.parent)
            unlent.update(above.parent for above in outcome.above(each.group))
    for each in weights.values():
        if each.group.parent in unlent:
            each.held = UNLENT
        elif each.capped and _could_pass_max(each, found):
            each.held = MAX
    _divide_spare(weights, free, unit)
    lend_below_max(weights, found)
    _divide_spare(weights, free, unit)


def _divide_spare(weights: Mapping[str, GroupWeights], free: int, unit: int) -> None:
    """Set the quotas to the mins, and divide the rest.

    Groups above them have more, to hand it down.
    """
    for each in weights.values():
        each.quota = each.least
    levels = levels_of(weights)
    for tops, divide in ((_runtimes(weights), fitting), (_tops(weights), _smallest_first)):
        wanted = _wanted(weights, levels, tops)
        for parent, siblings in levels.items():
            there = free
            if parent:
                there = weights[parent].quota
            spare = max(0, there - sum(each.quota for each in siblings))
            here = {each.group.name: wanted[each.group.name] for each in siblings}
            if _shared_alike(siblings):
                continue
            for name, more in divide(here, spare, unit).items():
                weights[name].quota += more


def _shared_alike(siblings: Sequence[GroupWeights]) -> bool:
    """Return whether no sibling has a min, and one asks for nothing.

    Among quotas of 0 HTCondor divides surplus alike; beside others a quota of 0 has none of it, and
    the group that comes would wait for the next step.
    """
    if any(each.least or each.held for each in siblings):
        return False
    return any(not each.runtime for each in siblings)


def _smallest_first(amounts: Mapping[str, int], there: int, unit: int) -> dict[str, int]:
    """Return the amounts, the smallest first, as long as they fit into ``there``."""
    given = dict.fromkeys(amounts, 0)
    for name, amount in sorted(amounts.items(), key=lambda each: (each[1], each[0])):
        given[name] = min(amount, there // unit * unit)
        there -= given[name]
    return given


def _runtimes(weights: Mapping[str, GroupWeights]) -> dict[str, int]:
    """Return the runtimes, up to the max of each."""
    return {name: min(each.most, each.runtime) for name, each in weights.items()}


def _tops(weights: Mapping[str, GroupWeights]) -> dict[str, int]:
    """Return the runtimes, and where no surplus is accepted the max, for jobs to come."""
    tops = _runtimes(weights)
    for name in tops:
        if weights[name].held and not hungry(weights[name].group):
            tops[name] = weights[name].most
    return tops


def _wanted(
    weights: Mapping[str, GroupWeights],
    levels: Mapping[str, Sequence[GroupWeights]],
    tops: Mapping[str, int],
) -> dict[str, int]:
    """Return by how much each quota is to grow, so that groups of ``tops`` have these."""
    wanted: dict[str, int] = {}
    for name, each in reversed(list(weights.items())):
        below = sum(wanted[child.group.name] for child in levels.get(name, ()))
        down = max(0, below - rest_of(each, levels))
        own = tops.get(name, 0) - each.quota
        wanted[name] = max(0, min(each.most - each.quota, max(own, down)))
    return wanted


def hungry(group: GroupRuntime) -> bool:
    """Return whether a group asks for more than its runtime, up to its max."""
    limited = group.declared(group.limited)
    return any(limited[name] > amount for name, amount in group.declared(group.runtime).items())


def _could_pass_max(each: GroupWeights, found: Demands) -> bool:
    """Return whether surplus could take a group beyond its max before quotas are looked at again.

    HTCondor hands out surplus without a limit: all that is free.
    """
    used = _used(each, found)
    return used >= each.most or used + round(found.free * PARTS) > each.most


def lend_below_max(weights: Mapping[str, GroupWeights], found: Demands) -> None:
    """Let groups below their max borrow the mins of others; how far they can pass it is stated."""
    for each in weights.values():
        if each.held == MAX and each.quota < each.most and _used(each, found) < each.most:
            each.held = ""


def _used(each: GroupWeights, found: Demands) -> int:
    """Return what a group and those below it use, in parts."""
    return round(found.with_below.get(each.group.name, 0.0) * PARTS)


def levels_of(weights: Mapping[str, GroupWeights]) -> dict[str, list[GroupWeights]]:
    """Return the groups by the group above them, the top level first."""
    found: dict[str, list[GroupWeights]] = {}
    for each in weights.values():
        found.setdefault(each.group.parent, []).append(each)
    return found


def _keeps(group: GroupRuntime) -> bool:
    """Return whether a part of its min that it does not use must not be lent."""
    if group.lends and not group.group.max_lent:
        return False
    guaranteed = group.declared(group.scaled_min)
    return any(amount > group.used.get(name, 0) for name, amount in guaranteed.items())


def rest_of(group: GroupWeights, levels: Mapping[str, Sequence[GroupWeights]]) -> int:
    """Return what of a group's quota is in none of its subgroups' quotas."""
    below = levels.get(group.group.name, ())
    return group.quota - sum(each.quota for each in below) if below else 0
