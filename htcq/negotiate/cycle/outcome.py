"""Who gains and who loses: two cycles of the same pool, side by side.

Amounts are in the pool's unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.negotiate.cycle.trace import Trace


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
    """What one group or submitter is matched in either cycle, and what it uses after it.

    ``why`` is the reason that the negotiator gives last for a rejection, before and after; empty where it gives none.
    """

    kind: str
    name: str
    matches: Pair
    used: Pair
    why: tuple[str, str]

    @property
    def changed(self) -> bool:
        """Whether anything is different."""
        return self.matches.difference != 0 or abs(self.used.difference) > 1e-9


def compare_cycles(before: Trace, after: Trace) -> tuple[CycleDifference, ...]:
    """Return what differs and what does not, groups first."""
    return (*_groups(before, after), *_submitters(before, after))


def _groups(before: Trace, after: Trace) -> Iterator[CycleDifference]:
    one, other = ({group.name: group.used_after for group in trace.groups} for trace in (before, after))
    matches = [Counter[str](), Counter[str]()]
    for count, trace in zip(matches, (before, after)):
        for submitter in trace.submitters:
            count[submitter.group] += submitter.matches
    for name in dict.fromkeys([*one, *other]):
        used = Pair(one.get(name, 0.0), other.get(name, 0.0))
        yield CycleDifference("group", name, Pair(matches[0][name], matches[1][name]), used, ("", ""))


def _submitters(before: Trace, after: Trace) -> Iterator[CycleDifference]:
    one, other = ({each.name: each for each in trace.submitters} for trace in (before, after))
    reasons = [{each.submitter: each.reason for each in trace.rejections} for trace in (before, after)]
    for name in dict.fromkeys([*one, *other]):
        found = [trace.get(name) for trace in (one, other)]
        matches = Pair(*(0 if each is None else each.matches for each in found))
        used = Pair(*(0.0 if each is None else each.used_after for each in found))
        yield CycleDifference("submitter", name, matches, used, (reasons[0].get(name, ""), reasons[1].get(name, "")))
