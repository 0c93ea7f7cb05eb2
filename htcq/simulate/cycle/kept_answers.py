"""What slots answered to requests before: only those that have changed since are asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.rows import Rows, SlotAnswer

Array = Any
#: So many answers, of one row each, are kept for all requests.
_MAX_KEPT = 5_000_000


@dataclass
class _KeptAnswer:
    """What all rows answered when there had been so many changes."""

    answer: SlotAnswer
    at: int


class KeptAnswers:
    """The answers of all rows of one table, by request."""

    def __init__(self, arrays: Any) -> None:
        self._arrays = arrays
        self._known: dict[JobTable, _KeptAnswer] = {}
        #: The rows that have changed since so many changes, of the rows as they are now.
        self._whole: Rows | None = None
        self._changes: dict[int, tuple[Array, Rows]] = {}

    def clear(self) -> None:
        """Forget all answers."""
        self._known.clear()
        self._changes.clear()
        self._whole = None

    def of(self, whole: Rows, changed: Sequence[int], job: JobTable) -> SlotAnswer:
        """Return what all rows answer to ``job``; valid until it is asked again.

        ``changed`` are rows whose values have changed, in order, ever longer.
        """
        if whole is not self._whole:
            self._whole = whole
            self._changes.clear()
        kept = self._known.get(job)
        if kept is None or not self._renewed(kept, whole, changed, job):
            kept = self._known[job] = self._made(whole, len(changed), job)
        return kept.answer

    def _made(self, whole: Rows, at: int, job: JobTable) -> _KeptAnswer:
        while self._known and (len(self._known) + 1) * whole.rows > _MAX_KEPT:
            del self._known[next(iter(self._known))]
        answer = whole.answer(job)
        fits = self._arrays.writable(answer.fits, whole.rows)
        return _KeptAnswer(answer._replace(fits=fits), at)

    def _renewed(
        self, kept: _KeptAnswer, whole: Rows, changed: Sequence[int], job: JobTable
    ) -> bool:
        """Bring an answer up to date; return False where it must be made anew."""
        now = len(changed)
        if kept.at == now:
            return True
        if 2 * (now - kept.at) > whole.rows or kept.answer.crashes is not None:
            return False
        places, rows = self._changed_since(kept.at, whole, changed)
        fits, cost, crashes, _ = rows.answer(job)
        if crashes is not None:
            return False
        # Where nothing fits no cost is looked at.
        if fits.any():
            costs = self._arrays.with_rows(kept.answer.cost, whole.rows, places, cost)
            kept.answer = kept.answer._replace(cost=costs)
        self._arrays.put(kept.answer.fits, places, fits)
        kept.at = now
        return True

    def _changed_since(self, at: int, whole: Rows, changed: Sequence[int]) -> tuple[Array, Rows]:
        known = self._changes.get(at)
        if known is None:
            places = self._arrays.places(sorted(set(changed[at:])))
            known = self._changes[at] = (places, whole.at(places))
        return known
