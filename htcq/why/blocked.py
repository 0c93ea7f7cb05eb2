"""Slots that are kept from a request in one way: rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from htcq.pool.slot import Number
from htcq.why.clauses import Failure
from htcq.why.requirements import Clause

if TYPE_CHECKING:
    from htcq.columns.column import Column

Array = Any
#: Of slots whose clauses and assets do not count.
_NOTHING = Failure(None)


class CountedSlots(Protocol):
    """Slots of one table, by row."""

    @property
    def arrays(self) -> Any:
        """What is done with columns."""

    @property
    def counts(self) -> Column:
        """How many slots each row stands for."""

    def first_of(self, rows: Array) -> tuple[int, str]:
        """Return the place of the first slot of some rows among all, and its name."""


class Blocked(NamedTuple):
    """The slots of some rows of a table that are kept from a request in one way.

    ``left`` is what they have of the assets that count here. ``has_room`` tells whether they
    have enough left of all assets, whatever their clauses say.
    """

    how: str
    slots: CountedSlots
    rows: Array
    failure: Failure = _NOTHING
    left: Mapping[str, Column] = {}
    detail: str = ""
    has_room: bool = False

    @property
    def first(self) -> tuple[int, str]:
        """The place of the first of the slots among all, and its name."""
        return self.slots.first_of(self.rows)

    def count(self, rows: Array) -> int:
        """Return how many slots some rows stand for."""
        arrays = self.slots.arrays
        return int(arrays.together(self.slots.counts, arrays.all_one(), rows))

    @property
    def stand_for(self) -> Sequence[int]:
        """For how many slots each row of the table stands; empty where for one each."""
        counts = self.slots.counts
        if counts.rows == 1:
            return ()
        return [int(each or 0) for each in self.slots.arrays.listed(counts, counts.rows)]

    def only(self, rows: Array) -> Blocked:
        """Return those of the slots that are also in ``rows``."""
        return self._replace(rows=self.rows & rows)

    def false(self, clause: Clause) -> Array:
        """Return on which of the slots a clause is false."""
        return self.rows & self.failure.clauses.get(clause, self.failure.nowhere)

    def short_of(self, asset: str) -> Array:
        """Return which of the slots have too little of an asset."""
        return self.rows & self.failure.lacking.get(asset, self.failure.nowhere)


def some_of(blocked: Iterable[Blocked]) -> list[Blocked]:
    """Return those of ``blocked`` that are any slots, in the order of the first ones."""
    return sorted((each for each in blocked if each.rows.any()), key=lambda each: each.first)


def number_of(found: Iterable[Blocked]) -> int:
    """Return how many slots all of ``found`` stand for."""
    return sum(each.count(each.rows) for each in found)


def largest_of(found: Iterable[Blocked], asset: str) -> Number:
    """Return the most that one of these slots has of an asset."""
    largest: Number = 0
    for each in found:
        if asset in each.left:
            largest = max(largest, each.slots.arrays.largest(each.left[asset], each.rows))
    return largest
