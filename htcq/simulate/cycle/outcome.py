"""Who gains and who loses: two cycles of the same pool, side by side.

Amounts are in the pool's unit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from htcq.simulate.cycle.trace import GroupUse, SubmitterUse, Trace

#: Sums of fractions miss by less than this.
_DUST = 1e-9


@dataclass(frozen=True)
class Pair:
    """A number before and after."""

    before: float
    after: float

    @property
    def difference(self) -> float:
        """How much more it is afterwards."""
        return self.after - self.before


@dataclass(frozen=True)
class CycleDifference:
    """Matches, later usage and waiting jobs of one group or submitter in either cycle.

    One that waits and uses less than the whole slots of its limit is starved, a submitter if it
    uses nothing. ``why`` is the reason that the negotiator gives last for a rejection, before
    and after; empty where it gives none. ``because`` tells in a sentence what made the
    difference.
    """

    kind: str
    name: str
    matches: Pair
    used: Pair
    waiting: Pair
    starved: tuple[bool, bool]
    why: tuple[str, str] = ("", "")
    because: str = ""

    @property
    def changed(self) -> bool:
        """Whether anything is different."""
        return any(abs(pair.difference) > _DUST for pair in (self.matches, self.used, self.waiting))


def compare_cycles(before: Trace, after: Trace) -> tuple[CycleDifference, ...]:
    """Return what differs and what does not, groups first."""
    traces = before, after
    return (*_groups(traces), *_submitters(traces))


def _groups(traces: tuple[Trace, Trace]) -> Iterator[CycleDifference]:
    one, other = ({group.name: group for group in trace.groups} for trace in traces)
    matches, waiting = (
        [_summed(trace, count) for trace in traces]
        for count in (lambda each: each.matches, lambda each: each.idle - each.matches)
    )
    for name in dict.fromkeys([*one, *other]):
        found = [uses.get(name) for uses in (one, other)]
        waits = Pair(*(each[name] for each in waiting))
        starved = [_starved(use, waits_) for use, waits_ in zip(found, (waits.before, waits.after))]
        yield CycleDifference(
            "group",
            name,
            Pair(*(each[name] for each in matches)),
            Pair(*(0.0 if use is None else use.used_after for use in found)),
            waits,
            (starved[0], starved[1]),
            because=_limits(name, found[0], found[1]),
        )


def _summed(trace: Trace, count: Callable[[SubmitterUse], int]) -> Counter[str]:
    summed = Counter[str]()
    for each in trace.submitters:
        summed[each.group] += count(each)
    return summed


def _starved(use: GroupUse | None, waiting: float) -> bool:
    if use is None or waiting <= 0:
        return False
    if use.limit is None or math.isnan(use.limit):
        # Nobody was to grow in this cycle (htcq.quota.group_limits.proposed_limit).
        return use.limit is None
    return use.used_after < math.floor(use.limit)


def _limits(name: str, one: GroupUse | None, other: GroupUse | None) -> str:
    """Return how a group's limit changed, as a sentence; empty where it did not."""
    limits = [None if use is None else use.limit for use in (one, other)]
    if limits[0] == limits[1]:
        return ""
    if limits[1] is None:
        return f"{name} is not negotiated in this cycle; its limit was {limits[0]:g}"
    if limits[0] is None:
        return (
            f"{name} is negotiated, with a limit of {limits[1]:g}; before, it was not negotiated "
            "in this cycle"
        )
    return f"the limit of {name} goes from {limits[0]:g} to {limits[1]:g}"


def _submitters(traces: tuple[Trace, Trace]) -> Iterator[CycleDifference]:
    one, other = ({each.name: each for each in trace.submitters} for trace in traces)
    reasons = [{each.submitter: each.reason for each in trace.rejections} for trace in traces]
    limits = [{group.name: group for group in trace.groups} for trace in traces]
    changes = {}
    for name in dict.fromkeys([*one, *other]):
        found = [trace.get(name) or _nothing(name) for trace in (one, other)]
        changes[name] = found[1].used_after - found[0].used_after
    for name in changes:
        found = [trace.get(name) or _nothing(name) for trace in (one, other)]
        waits = [each.idle - each.matches for each in found]
        starved = [wait > 0 and each.used_after <= 0 for each, wait in zip(found, waits)]
        difference = CycleDifference(
            "submitter",
            name,
            Pair(found[0].matches, found[1].matches),
            Pair(found[0].used_after, found[1].used_after),
            Pair(waits[0], waits[1]),
            (starved[0], starved[1]),
            (reasons[0].get(name, ""), reasons[1].get(name, "")),
        )
        group = found[1].group or found[0].group
        asks = found[1].idle - found[0].idle
        because = _limits(group, limits[0].get(group), limits[1].get(group))
        if asks:
            because = (
                f"it asks for {abs(asks)} "
                f"{'more' if asks > 0 else 'fewer'}{' and ' + because if because else ''}"
            )
        elif not because and difference.changed:
            because = because_of_others(name, changes)
        yield replace(difference, because=because)


def because_of_others(name: str, changes: Mapping[str, float]) -> str:
    """Return why ``name`` uses more or less though neither its demand nor its limit changed.

    Who gave way, or took it.

    ``changes`` has how much more each of its kind uses afterwards. The one that changed most the
    other way is named.
    """
    change = changes[name]
    if abs(change) <= _DUST:
        return ""
    verb, fewer = ("gets more", "fewer") if change > 0 else ("gets less", "more")
    others = {
        other: -amount if change > 0 else amount
        for other, amount in changes.items()
        if other != name
    }
    largest = max(others, key=others.__getitem__, default="")
    if not largest or others[largest] <= _DUST:
        return "gains, and nobody loses" if change > 0 else "loses, and nobody gains"
    return f"{verb} because {largest} uses {others[largest]:g} {fewer}"


def _nothing(name: str) -> SubmitterUse:
    return SubmitterUse(name, "", 0, 0, 0.0, 0.0, 0.0)
