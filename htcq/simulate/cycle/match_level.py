"""Slots after equally many matches with one request: what all of them have left, cost and fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.matchlist import Ranks
from htcq.simulate.cycle.rows import Rows, SlotAnswer

if TYPE_CHECKING:
    pass

Array = Any


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
