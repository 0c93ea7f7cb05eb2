"""Cached test of a job with a slot, one for all that are equal to both expressions.

Follows src/condor_schedd.V6/qmgmt.cpp (FindRunnableJobForClaim), HTCondor 25.14: a schedd asks
that of its own claims.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_class import requested
from htcq.simulate.cycle.cached_expressions import ReferenceGraph
from htcq.simulate.cycle.clock import Clock
from htcq.simulate.cycle.fits import Fitting
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.search import limits_of
from htcq.simulate.cycle.submitter_queues import likenesses_of


class Suiting:
    """Cached tests of present and future jobs of ``pool`` with its slots and their later states.

    Expressions see ``clock``, whatever time it has become.
    """

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._clock = clock
        jobs = [*(pool.jobs or ()), *(each.job for each in pool.arriving)]
        self._likenesses, self._links = likenesses_of(jobs, pool.slots or ()), ReferenceGraph()
        self._fittings: dict[tuple[int, int], Fitting] = {}
        self._asked: dict[tuple[int, tuple[str, ...]], Mapping[str, Number]] = {}

    def request(self, job: Job) -> Request:
        """Return what stands for all jobs that look like ``job``."""
        return self._likenesses.request(job)

    def asked(self, request: Request, assets: tuple[str, ...]) -> Mapping[str, Number]:
        """Return what a job asks for; nothing of what it does not name."""
        key = (id(request), assets)
        found = self._asked.get(key)
        if found is None:
            asked = requested(request.first.ad(), assets)
            found = self._asked[key] = {asset: amount or 0 for asset, amount in asked.items()}
        return found

    def fits(self, request: Request, slot: Slot, has: Mapping[str, Number], limits: str) -> bool:
        """Tell whether ``slot``, which has so much, suits.

        Amounts, both Requirements, the same concurrency limits.
        """
        if any(amount > has[asset] for asset, amount in self.asked(request, tuple(has)).items()):
            return False
        key = (id(slot.frame), id(request))
        fitting = self._fittings.get(key)
        if fitting is None:
            timed = Request(self._clock.ad(request.first))
            fitting = self._fittings[key] = Fitting(self._clock.ad(slot), timed, False, self._links)
        return limits_of(request).lower() == limits.lower() and fitting.fits(slot, has, ())
