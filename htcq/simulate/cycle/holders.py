"""Who has claimed the slots of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Array = Any


class Holders:
    """Who has claimed the slots of a table, by row.

    ``occupants`` are those whom a match would preempt, ``claimers`` the only schedds whose jobs may
    have a slot; either is empty where nobody is that. ``summed_up`` are dynamic slots of which
    their partitionable slots tell.
    """

    def __init__(
        self,
        arrays: Any,
        occupants: Sequence[str],
        claimers: Sequence[str],
        summed_up: Sequence[bool],
    ) -> None:
        self._arrays, self.occupants, self._claimers = arrays, occupants, claimers
        self.summed_up: Array = arrays.truths_of(summed_up)
        #: Which slots are claimed, and their rows.
        self.held: Array = arrays.truths_of([bool(occupant) for occupant in occupants])
        self.rows: Array = arrays.rows_in(self.held, len(occupants))
        self.any_held = len(self.rows) > 0
        self._any_claimer = any(claimers)
        self._masks: dict[tuple[str, str], Array] = {}

    def others(self, submitter: str) -> Array:
        """Return which slots are not claimed by ``submitter``."""
        key = ("occupant", submitter)
        if key not in self._masks:
            others = [occupant != submitter for occupant in self.occupants]
            self._masks[key] = self._arrays.truths_of(others)
        return self._masks[key]

    def open_to(self, schedd: str, rows: Array) -> Array:
        """Return which of some rows jobs of ``schedd`` may have."""
        if not self._any_claimer:
            return rows
        key = ("claimer", schedd)
        if key not in self._masks:
            free = [claimer in ("", schedd) for claimer in self._claimers]
            self._masks[key] = self._arrays.truths_of(free)
        return rows & self._masks[key]
