"""Slots that a request would have: what it wants of them, whatever closes them or START says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from htcq.simulate.cycle.job_table import JobTable, TableContext
from htcq.simulate.cycle.rows import Rows
from htcq.why.clauses import Clauses, any_of, too_little
from htcq.why.slot_states import SlotStates
from htcq.why.slot_walls import overcharge

if TYPE_CHECKING:
    from htcq.columns.column import Column

Array = Any


class Meeting(NamedTuple):
    """The jobs of one request of a ``submitter`` at one ``schedd``."""

    job: JobTable
    submitter: str
    schedd: str


class WantedSlots:
    """What jobs would have of slots; ``context`` is that of the tables."""

    def __init__(self, context: TableContext, clauses: Clauses) -> None:
        self._context, self._clauses = context, clauses

    def overcharges(self, slots: SlotStates, rows: Array, meeting: Meeting) -> Mapping[str, Array]:
        """Return what policies take that is more than empty slots have, with the rows."""
        found: dict[str, Array] = {}
        rows = rows & self.charged(slots, slots.unused, meeting)
        if rows.any():
            for each in self._clauses.charges(slots.unused, meeting.job, rows):
                text = overcharge(each, slots.arrays)
                found[text] = found.get(text, slots.nowhere) | each.rows
        return found

    def wanted(self, slots: SlotStates, rows: Rows, meeting: Meeting) -> Array:
        """Return which slots with so much left jobs would have, if nothing closed them to jobs.

        The job's own Requirements hold there, and there is as much as it requests.
        """
        short = too_little(rows, self._requested(rows, meeting), ~slots.nowhere)
        return rows.wanted_by(meeting.job) & ~any_of((each.rows for each in short), slots.nowhere)

    def _requested(self, rows: Rows, meeting: Meeting) -> Mapping[str, Column]:
        """Return what jobs request of the assets that the slots have."""
        asked, column = self._clauses.requested(meeting.job), self._context.engine.column
        return {asset: column([asked[asset]]) for asset in asked if asset in rows.left}

    def charged(self, slots: SlotStates, rows: Rows, meeting: Meeting) -> Array:
        """Return which slots with so much left would do, if their policy took what is requested."""
        if not slots.table.policy:
            return slots.nowhere
        return rows.charged(meeting.job, self._requested(rows, meeting)) & ~slots.nowhere
