"""The slots of one table as jobs meet them: with no job on them, and as the cycle began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from htcq.classads import Value
from htcq.pool.slot import DYNAMIC, Slot
from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.rows import Rows, SlotAnswer
from htcq.simulate.cycle.slot_table import SlotTable
from htcq.units import GPUS, attribute
from htcq.why.leftovers import AfterCycle

if TYPE_CHECKING:
    from htcq.columns.column import Column

Array = Any
_NUMBER = "NumDynamicSlots"


class SlotStates:
    """The slots of ``table`` by row; ``is_withheld`` ones are offered to no job.

    ``counts`` says how many slots each row stands for, if not for one.
    """

    def __init__(
        self, table: SlotTable, is_withheld: bool = False, counts: Sequence[int] = (1,)
    ) -> None:
        self.table, self.is_withheld, self.arrays = table, is_withheld, table.arrays
        self.counts: Column = table.engine.column(counts)
        self.nowhere: Array = self.arrays.truths(table.rows, False)
        #: The slots of all rows, as they are offered.
        self.offers = [table.offer(row) for row in range(table.rows)]
        #: What the cycle leaves of them that was asked for last: many jobs ask for the same.
        self._last: tuple[AfterCycle, Rows] | None = None

    @property
    def slots(self) -> Sequence[Slot]:
        """The slots of all rows."""
        return [offer.slot for offer in self.offers]

    def first_of(self, rows: Array) -> tuple[int, str]:
        """Return the place of the first slot of some rows among all, and its name."""
        row = self.arrays.first_in(rows)
        return int(self.table.items[row]), self.offers[row].name

    @property
    def fault(self) -> str:
        """What ends the negotiator where it looks at one of the slots; empty where nothing does."""
        if not self.table.missing or not self.table.policy:
            return ""
        return f"Missing {attribute(self.table.missing[0])} asset"

    # What they have left
    # ----------------------------------------------------------------------------------------------

    @cached_property
    def first(self) -> Rows:
        """The slots when the cycle began."""
        if not self.table.changed:
            return self.table.whole()
        return self.table.with_left(lambda offer: offer.at_first)

    @cached_property
    def unused(self) -> Rows:
        """The slots with all that they had at birth, and with no dynamic slot."""
        found = self.table.with_left(lambda offer: offer.slot.whole())
        if not self.is_counting:
            return found
        return found.with_added([{_NUMBER: 0} for _ in self.offers])

    @cached_property
    def is_counting(self) -> bool:
        """Whether the ad of some slot looks at how many dynamic slots it has."""
        return any(_NUMBER.lower() in offer.slot.frame.words() for offer in self.offers)

    def number(self, row: int, after: AfterCycle) -> Value:
        """Return how many dynamic slots the slot of a row has then."""
        offer = self.offers[row]
        return after.dynamic_slots.get(offer.name, offer.slot.dynamic_slots)

    def with_left(self, after: AfterCycle) -> Rows:
        """Return the slots as the cycle leaves them: the next ads of their startds."""
        if self._last is None or self._last[0] is not after:
            self._last = after, self._left(after)
        return self._last[1]

    def _left(self, after: AfterCycle) -> Rows:
        left = after.left
        if not any(offer.name in left for offer in self.offers):
            return self.first
        found = self.table.with_left(lambda offer: left.get(offer.name, offer.at_first))
        if not self.is_counting:
            return found
        numbers = [self.number(row, after) for row in range(len(self.offers))]
        return found.with_added([{_NUMBER: each} for each in numbers])

    def at_last(self, job: JobTable, after: AfterCycle) -> SlotAnswer:
        """Return what the slots answer to ``job`` as the cycle leaves them.

        Taken ones do not fit. What an access point fills by itself is taken as well.
        """
        answer = self.with_left(after).answer(job)
        return answer._replace(fits=answer.fits & (self.table.alive | self.out_of_claims))

    @cached_property
    def in_use(self) -> Array:
        """Those of whose devices jobs have some."""
        if GPUS not in self.first.left:
            return self.nowhere
        return self.arrays.is_less(self.first.left[GPUS], self.unused.left[GPUS])

    @cached_property
    def out_of_claims(self) -> Array:
        """Those that have no claim left to give."""
        policy = self.table.policy
        return self.arrays.truths_of([policy and each.claims <= 0 for each in self.offers])

    # Who may have them
    # ----------------------------------------------------------------------------------------------

    @cached_property
    def machines(self) -> Array:
        """Those that a job could have whole: dynamic slots are parts of others."""
        return self.arrays.truths_of([each.slot.type != DYNAMIC for each in self.offers])

    @property
    def held(self) -> Array:
        """Those that somebody has claimed."""
        return self.table.holders.held

    @cached_property
    def claimed(self) -> Mapping[str, Array]:
        """The slots that a schedd has claimed as a whole, by its name."""
        claimers = [each.claimer for each in self.offers]
        return {
            name: self.arrays.truths_of([name == claimer for claimer in claimers])
            for name in dict.fromkeys(filter(None, claimers))
        }

    def open_to(self, schedd: str) -> Array:
        """Return the slots that jobs of ``schedd`` may have at all."""
        found = ~self.nowhere
        for claimer, rows in self.claimed.items():
            if claimer != schedd:
                found = found & ~rows
        return found
