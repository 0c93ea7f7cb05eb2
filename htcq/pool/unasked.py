"""What static and dynamic slots have and the jobs that have claimed them do not ask for.

A static slot is claimed whole, and a dynamic slot has what a consumption policy or
MODIFY_REQUEST_EXPR_REQUESTCPUS makes of a request, or what an earlier job of the claim asked for.
Nobody else gets the rest; the accountant charges all of it (Accountant.cpp: GetSlotWeight,
HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from htcq.classads import as_number, named
from htcq.pool.job import Job
from htcq.pool.slot import DYNAMIC, STATIC, Number, Slot
from htcq.units import CPUS, attribute

_NOTHING: Mapping[str, Number] = {}


class Unasked:
    """What the slots of a pool with ``jobs`` have left beside the job that runs there."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = jobs

    @cached_property
    def _running(self) -> Mapping[tuple[str, str], Job]:
        return {(job.access_point, job.id): job for job in self._jobs if job.running}

    def of(self, slot: Slot) -> Mapping[str, Number]:
        """Return what is left of each asset; nothing where that is less than a core.

        Which job runs there is what the startd says.
        """
        cores = as_number(slot.cpus)
        if slot.type not in (STATIC, DYNAMIC) or slot.state != "Claimed":
            return _NOTHING
        if cores is None or cores < 2:
            return _NOTHING
        job = self._running.get((str(slot.remote_schedd), str(slot.job_id)))
        if job is None or job.parallel:
            return _NOTHING
        amounts = slot.left()
        if _beside(slot, CPUS, amounts.get(CPUS), job) < 1:
            # So it is of most claims: nothing else is asked of them.
            return _NOTHING
        return {asset: _beside(slot, asset, amount, job) for asset, amount in amounts.items()}


def _beside(slot: Slot, asset: str, amount: Number | None, job: Job) -> Number:
    """Return what of an ``amount`` the request of a job leaves."""
    asked = named(f"Request{attribute(asset)}").evaluate(job.ad(), slot.ad())
    return max(0, (amount or 0) - (as_number(asked) or 0))
