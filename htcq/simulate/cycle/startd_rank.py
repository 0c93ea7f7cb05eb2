"""How a startd ranks a job: by its RANK, and without one by the Rank of the job.

Follows src/condor_startd.V6/Resource.cpp (compute_rank) and command.cpp (request_claim), HTCondor
23.9 and 25.14. The negotiator compares what the slot's ad says of its Rank, which is 0.0 without a
RANK; the startd refuses a job that its own comparison ranks lower than the running one.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.classads import as_number, literal, named
from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.pool.pool import of_startd
from htcq.pool.slot import Slot

#: What a startd shows for Rank that has none configured.
_NOT_CONFIGURED = "0.0"


class StartdRanks:
    """The ranks that the startds with these ``configurations``, by machine, give to jobs."""

    def __init__(self, configurations: Mapping[str, Configuration]) -> None:
        self._startds = configurations

    def of(self, slot: Slot, job: Job) -> float:
        """Return the rank of ``job`` on ``slot``: CurrentRank of the claim that it gets there."""
        one: Slot | Job = slot
        other: Slot | Job = job
        if not self._has_rank(slot):
            one, other = job, slot
        text = one.frame.text("Rank")
        value = literal(text)
        if value is None and text:
            value = named("MY.Rank").evaluate(one.ad(), other.ad())
        return float(as_number(value or 0) or 0)

    def refuses(self, slot: Slot, job: Job) -> bool:
        """Return whether the startd keeps the claim that it has on ``slot`` from ``job``."""
        current = as_number(slot.current_rank)
        return current is not None and self.of(slot, job) < current

    def _has_rank(self, slot: Slot) -> bool:
        """Return whether the startd of a slot has a RANK.

        The ad of one that has RANK = 0.0 looks like that of one that has none.
        """
        configuration = of_startd(self._startds, slot)
        if configuration is None or slot.frame.text("Rank") not in ("", _NOT_CONFIGURED):
            return slot.frame.text("Rank") != _NOT_CONFIGURED
        names = ("RANK", f"SLOT_TYPE_{slot.type_id}_RANK")
        return any(configuration.value(name).strip() for name in names)
