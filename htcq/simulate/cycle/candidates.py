"""The slots that a request may have, as they are after each match with it.

Slots are taken from their table in the order of their ranks, some at a time. What all of them have
left after a match each, what the next one costs and how they rank then is worked out at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.matchlist import Ranks
from htcq.simulate.cycle.rows import Rows, SlotAnswer
from htcq.simulate.cycle.slot_table import Offer, SlotTable

if TYPE_CHECKING:
    from htcq.columns.arrays import BestSlots
    from htcq.columns.column import Column

Array = Any


#: The negotiator's state of a slot that is taken from nobody, higher than those of others.
NOT_PREEMPTED = 2.0
#: Where it is among the ranks of a list that has it.
STATE = 3


class MatchLevel:
    """Some slots after equally many matches with one request."""

    def __init__(self, rows: Rows, job: JobTable, answer: SlotAnswer) -> None:
        self.rows, self.job, self._answer = rows, job, answer
        self.arrays = rows.arrays
        self.costs: Sequence[float | int | None] = self.arrays.listed(answer.cost, rows.rows)
        self.fits: Sequence[bool] = self.arrays.listed_truths(answer.fits, rows.rows)
        self.crashes: Sequence[bool] = ()
        if answer.crashes is not None:
            self.crashes = self.arrays.listed_truths(answer.crashes, rows.rows)
        #: Whether a match takes a slot whole.
        self.takes_all = rows.takes_all
        self._ranks: Sequence[Ranks] | None = None
        self._suit: dict[JobTable, Sequence[bool]] = {}
        self._next: MatchLevel | None = None

    def next(self) -> MatchLevel:
        """Return the same slots after one more match each."""
        if self._next is None:
            after = self._answer.after or self.rows.after(self.job)
            self._next = MatchLevel(after, self.job, after.answer(self.job))
        return self._next

    def of(self, place: int, job: JobTable) -> MatchLevel:
        """Return one of the slots alone, as it is to another ``job``."""
        rows = self.rows.at(self.arrays.places([place]))
        return MatchLevel(rows, job, rows.answer(job))

    def ranks(self) -> Sequence[Ranks]:
        """Return the ranks of each slot."""
        if self._ranks is None:
            pre, post = self.rows.ranks(self.job)
            job = self.rows.job_rank(self.job)
            listed = [self.arrays.listed_numbers(each, self.rows.rows) for each in (pre, job, post)]
            self._ranks = list(zip(*listed))
        return self._ranks

    def suit(self, other: JobTable, worse: Any) -> Sequence[bool]:
        """Return where a schedd may use a match for another job.

        It knows of no consumption policies. ``worse`` is the condition of slots that would have
        a job that they rank lower.
        """
        known = self._suit.get(other)
        if known is None:
            suits = self.rows.agree(other.table)
            if suits.any():
                suits = suits & ~self.rows.hold(worse, other)
            known = self._suit[other] = self.arrays.listed_truths(suits, self.rows.rows)
        return known


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
        self.level = self.level.next()
        self.matches += 1

    def amounts(self) -> Mapping[str, float | int]:
        """Return what the slot has left."""
        return self.level.rows.amounts(self.place)


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
            left: Mapping[str, Column] = {
                asset: column.at(places) for asset, column in level.rows.left.items()
            }
            slots.change([each.offer.row for each in candidates], left)
        self._touched = []
        self._best = None


def _some(answer: SlotAnswer, rows: Array) -> SlotAnswer:
    """Return the answer of some rows."""
    crashes = answer.crashes
    if crashes is not None:
        crashes = crashes[rows]
    return SlotAnswer(answer.fits[rows], answer.cost.at(rows), crashes, None)
