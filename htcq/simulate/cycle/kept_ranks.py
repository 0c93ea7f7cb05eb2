"""How the negotiator ranks slots, kept from request to request: only what has changed is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.rows import Rows

Array = Any


class Changed(Protocol):
    """Slots as a match changed them."""

    rows: Rows

    @property
    def by_negotiator(self) -> tuple[Array, Array]:
        """The negotiator's ranks of each slot, before and after the job's."""

    @property
    def is_ranked(self) -> bool:
        """Whether the negotiator's ranks have been worked out."""


class KeptRanks:
    """The negotiator's ranks of all rows of one table; they depend on no job."""

    def __init__(self, arrays: Any) -> None:
        self._arrays = arrays
        self._known: tuple[Array, Array] | None = None
        #: How many changes there had been.
        self._at = 0

    def clear(self) -> None:
        """Forget all ranks."""
        self._known = None

    def of(self, whole: Rows, changed: Sequence[int], job: JobTable) -> tuple[Array, Array]:
        """Return the ranks of all rows; ``changed`` are rows with other values, ever more."""
        arrays = self._arrays
        if self._known is None or 2 * (len(changed) - self._at) > whole.rows:
            pre, post = whole.ranks(job)
            self._known = arrays.full(whole.rows, pre), arrays.full(whole.rows, post)
        elif len(changed) > self._at:
            rows = arrays.places(sorted(set(changed[self._at :])))
            for ranks, others in zip(self._known, whole.at(rows).ranks(job)):
                arrays.put(ranks, rows, others)
        self._at = len(changed)
        return self._known

    def change(self, rows: Array, level: Changed, places: Array, before: int) -> None:
        """Take the ranks of some rows from the slots in ``places`` of a level, if they are known.

        There were so many changes ``before``.
        """
        if self._known is None or self._at != before or not level.is_ranked:
            return
        for ranks, of_level in zip(self._known, level.by_negotiator):
            values = self._arrays.full(level.rows.rows, of_level)
            self._arrays.put(ranks, rows, values[places])
        self._at = before + len(rows)
