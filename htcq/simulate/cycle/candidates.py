"""The slots that a request may have, as they are after each match with it.

Slots are taken from their table in the order of their ranks, some at a time. What all of them have
left after a match each, what the next one costs and how they rank then is worked out at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.matchlist import Ranks
from htcq.simulate.cycle.rows import Rows, SlotAnswer
from htcq.simulate.cycle.slot_table import Offer, SlotTable

if TYPE_CHECKING:
    from htcq.columns.arrays import BestSlots

Array = Any


#: The negotiator's state of a slot that is taken from nobody, higher than those of others.
NOT_PREEMPTED = 2.0
#: Where it is among the ranks of a list that has it.
STATE = 3


class MatchLevel:
    """Some slots after equally many matches with one request.

    What most requests do not come to is worked out when it is asked for.
    """

    def __init__(self, rows: Rows, job: JobTable, answer: SlotAnswer | None = None) -> None:
        self.rows, self.job = rows, job
        self.arrays = rows.arrays
        #: Whether a match takes a slot whole.
        self.takes_all = rows.takes_all
        self._known = answer
        self._suit: dict[JobTable, Sequence[bool]] = {}

    @cached_property
    def _answer(self) -> SlotAnswer:
        return self._known or self.rows.answer(self.job)

    @cached_property
    def costs(self) -> Sequence[float | int | None]:
        """What a match with each slot costs."""
        return self.arrays.listed(self._answer.cost, self.rows.rows)  # type: ignore[no-any-return]

    @cached_property
    def fits(self) -> Sequence[bool]:
        """Whether the request fits each slot."""
        return self.arrays.listed_truths(  # type: ignore[no-any-return]
            self._answer.fits, self.rows.rows
        )

    @cached_property
    def crashes(self) -> Sequence[bool]:
        """Where the negotiator finds no weight and ends; nothing if nowhere."""
        if self._known is None and not self.takes_all:
            # Requirements need not be asked where all weights are known.
            after = self.rows.after(self.job)
            if not self.rows.lacks_weight() and not after.lacks_weight():
                return ()
        if self._answer.crashes is None:
            return ()
        return self.arrays.listed_truths(  # type: ignore[no-any-return]
            self._answer.crashes, self.rows.rows
        )

    @cached_property
    def next(self) -> MatchLevel:
        """The same slots after one more match each."""
        after = self.rows.after(self.job)
        if self._known is not None and self._known.by_weight:
            after.weigh_less(self.rows.weight(), self._known.cost)
        return MatchLevel(after, self.job)

    def of(self, place: int, job: JobTable) -> MatchLevel:
        """Return one of the slots alone, as it is to another ``job``."""
        return MatchLevel(self.rows.at(self.arrays.places([place])), job)

    @cached_property
    def by_negotiator(self) -> tuple[Array, Array]:
        """The negotiator's ranks of each slot, before and after the job's."""
        return self.rows.ranks(self.job)

    @property
    def is_ranked(self) -> bool:
        """Whether the negotiator's ranks have been worked out."""
        return "by_negotiator" in self.__dict__

    @cached_property
    def ranks(self) -> Sequence[Ranks]:
        """The ranks of each slot."""
        pre, post = self.by_negotiator
        numbers = (pre, self.rows.job_rank(self.job), post)
        return list(zip(*(self.arrays.listed_numbers(each, self.rows.rows) for each in numbers)))

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
        self.level = self.level.next
        self.matches += 1

    def amounts(self) -> Mapping[str, float | int]:
        """Return what the slot has left."""
        return self.level.rows.amounts(self.place)


def still_fits(candidate: SlotCandidate) -> bool:
    """Return whether the request fits the slot as it is now."""
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
