"""The slots that a request may have, as they are after each match with it.

Slots are taken from their table in the order of their ranks, some at a time. What all of them have
left after a match each, what the next one costs and how they rank then is worked out at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.match_level import MatchLevel
from htcq.simulate.cycle.matchlist import Ranks
from htcq.simulate.cycle.rows import SlotAnswer
from htcq.simulate.cycle.slot_table import Offer, SlotTable

if TYPE_CHECKING:
    from htcq.columns.arrays import BestSlots

Array = Any


#: The negotiator's state of a slot that is taken from nobody, higher than those of others.
NOT_PREEMPTED = 2.0
#: Where it is among the ranks of a list that has it.
STATE = 3


class SlotCandidate:
    """A slot that a request may have; ``level`` is how it is now.

    ``state`` is the negotiator's state of preemption when it was found.
    """

    __slots__ = ("level", "matches", "offer", "place", "state")

    def __init__(self, offer: Offer, level: MatchLevel, place: int, state: float) -> None:
        self.offer, self.level, self.place, self.matches = offer, level, place, 0
        self.state = state

    @property
    def cost(self) -> float | int:
        """The cost of a match."""
        return self.level.costs[self.place] or 0

    def take(self, job: JobTable) -> None:
        """Match the slot with ``job``, which may see its submitter use more than the last one."""
        if job is not self.level.job:
            self.level, self.place = self.level.of(self.place, job), 0
        self.level = self.level.next
        self.matches += 1

    def amounts(self) -> Mapping[str, float | int]:
        """Return what the slot has left."""
        return self.level.rows.amounts(self.place)


def still_fits(candidate: SlotCandidate) -> bool:
    """Tell whether the request fits the slot as it is now."""
    return candidate.level.fits[candidate.place]


class SlotCandidates:
    """The slots for one request, the best first.

    ``tables`` are those with slots where it fits, each with its answer.
    """

    def __init__(
        self, job: JobTable, tables: Sequence[tuple[SlotTable, SlotAnswer]], best: BestSlots | None
    ) -> None:
        self._job, self._tables, self._best = job, tables, best
        self._touched: list[SlotCandidate] = []

    def more(self) -> tuple[Sequence[Ranks], Sequence[SlotCandidate]]:
        """Return the ranks of the next slots, and the slots; none after the last."""
        if self._best is None:
            return (), ()
        ranks, tables, rows = self._best.more()
        if not ranks:
            self._best = None
            return (), ()
        found: list[Any] = [None] * len(ranks)
        for number, (slots, answer) in enumerate(self._tables):
            places, here = slots.arrays.of_table(number, tables, rows)
            if not len(places):
                continue
            level = MatchLevel(slots.whole().at(here), self._job, _some(answer, here))
            for place, (at, row) in enumerate(zip(places.tolist(), here.tolist())):
                offer = slots.offer(row)
                state = ranks[at][STATE] if len(ranks[at]) > STATE else NOT_PREEMPTED
                found[at] = offer.current = SlotCandidate(offer, level, place, state)
                self._touched.append(found[at])
        return ranks, found

    def end(self) -> None:
        """Write what the slots have left into their tables."""
        changed: dict[MatchLevel, list[SlotCandidate]] = {}
        for candidate in self._touched:
            candidate.offer.current = None
            if candidate.matches:
                changed.setdefault(candidate.level, []).append(candidate)
        for level, candidates in changed.items():
            slots = candidates[0].offer.in_table
            places = slots.arrays.places([each.place for each in candidates])
            slots.change([each.offer.row for each in candidates], level, places)
        self._touched = []
        self._best = None


def _some(answer: SlotAnswer, rows: Array) -> SlotAnswer:
    """Return the answer of some rows."""
    crashes = answer.crashes
    if crashes is not None:
        crashes = crashes[rows]
    return SlotAnswer(answer.fits[rows], answer.cost.at(rows), crashes, answer.by_weight)
