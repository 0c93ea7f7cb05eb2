"""Cached test of a job with a slot, one for all that are equal to both expressions.

Follows src/condor_schedd.V6/qmgmt.cpp (FindRunnableJobForClaim), HTCondor 25.14: a schedd asks
that of its own claims.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.classads import as_number, holds, literal, named
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PLACES, Number, Slot
from htcq.pool.slot_class import requested
from htcq.simulate.cycle.clock import clock_of
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.search import limits_of
from htcq.simulate.cycle.submitter_queues import likenesses_of

#: The scope is said: what an ad lacks would be looked up in the other one.
_REQUIREMENTS = "MY.Requirements"
_RANK = "MY.Rank"
_LIMITS = "MY.ConcurrencyLimits"
#: Outcomes that are kept.
_MAX_KNOWN = 100_000


class Suiting:
    """Cached tests of present and future jobs of ``pool`` with its slots and their later states.

    The pool was captured at ``moment`` (seconds since 1970; None: nobody knows, and expressions see
    the real time).
    """

    def __init__(self, pool: Pool, moment: float | None) -> None:
        self._moment, self._clock = moment, clock_of(pool, moment)
        jobs = [*(pool.jobs or ()), *(each.job for each in pool.arriving)]
        self._likenesses, self._links = likenesses_of(jobs, pool.slots or ()), ReferenceGraph()
        self._names: dict[tuple[int, int], frozenset[str]] = {}
        self._known: dict[tuple[object, ...], bool] = {}
        self._asked: dict[tuple[int, tuple[str, ...]], Mapping[str, Number]] = {}
        self._timed: dict[int, Request] = {}

    def advance(self, seconds: float) -> None:
        """Let expressions see the time so many seconds after the capture."""
        if self._moment is not None and self._clock.move(self._moment + seconds):
            # The names of frames that are gone may be given again.
            for known in (self._names, self._known, self._timed):
                known.clear()

    def request(self, job: Job) -> Request:
        """Return what stands for all jobs that look like ``job``."""
        return self._likenesses.request(job)

    def timed(self, slot: Slot, request: Request) -> tuple[Slot, Request]:
        """Return both as their expressions are at this time."""
        found = self._timed.get(id(request))
        if found is None:
            first = self._clock.ad(request.first)
            found = request
            if first is not request.first:
                found = Request(first)
            self._timed[id(request)] = found
        return self._clock.ad(slot), found

    def asked(self, request: Request, assets: tuple[str, ...]) -> Mapping[str, Number]:
        """Return what a job asks for; nothing of what it does not name."""
        key = (id(request), assets)
        found = self._asked.get(key)
        if found is None:
            asked = requested(request.first.ad(), assets)
            found = self._asked[key] = {asset: amount or 0 for asset, amount in asked.items()}
        return found

    def fits(
        self,
        request: Request,
        slot: Slot,
        has: Mapping[str, Number],
        limits: str | None,
        literal_limits: bool,
        preempted_limits: str = "",
        runs: Job | None = None,
    ) -> bool:
        """Return whether ``slot``, which has so much, suits.

        Amounts, both Requirements, a Rank of the slot that is not lower than for the job that
        ``runs`` there, the same concurrency limits (None: whatever they are). With
        ``literal_limits`` those that are no plain string are none; else a job without any has those
        of the claim that was preempted, which the ad of the match has.
        """
        if any(amount > has[asset] for asset, amount in self.asked(request, tuple(has)).items()):
            return False
        if limits is not None:
            theirs = limits_of(request)
            if not literal_limits:
                theirs = self.limits_in(request, slot, has)
                if "ConcurrencyLimits" not in request.frame:
                    theirs = preempted_limits
            if theirs.lower() != limits.lower():
                return False
        return self._agree(request, slot, has) and not self._ranks_lower(request, slot, has, runs)

    def limits_in(self, request: Request, slot: Slot, has: Mapping[str, Number]) -> str:
        """Return the concurrency limits of a job in a slot that has so much."""
        if request.limits is not None:
            return request.limits
        job = self._clock.ad(request.first).ad()
        value = named(_LIMITS).evaluate(job, self._clock.ad(slot).ad(dict(has)))
        return value if isinstance(value, str) else ""

    def _ranks_lower(
        self, request: Request, slot: Slot, has: Mapping[str, Number], runs: Job | None
    ) -> bool:
        """Return whether the Rank in the slot's ad is lower for a job than CurrentRank.

        That is the Rank for the job that ``runs`` there, else as the slot's ad has it.
        """
        if runs is not None and literal(slot.frame.text("Rank")) is not None:
            return False
        own, current = self._rank(slot, has, request.first), as_number(slot.current_rank)
        if runs is not None:
            current = self._rank(slot, has, runs)
        return own is not None and current is not None and own < current

    def _rank(self, slot: Slot, has: Mapping[str, Number], job: Job) -> int | float | None:
        """Return the Rank in the slot's ad of a job; None where that is no number.

        It is asked last, of jobs that suit in all else: nothing is kept of it.
        """
        ad = self._clock.ad(slot).ad(dict(has))
        return as_number(named(_RANK).evaluate(ad, self._clock.ad(job).ad()))

    def _agree(self, request: Request, slot: Slot, has: Mapping[str, Number]) -> bool:
        """Return whether both Requirements hold: once for all slots that look equal to them."""
        timed = self._clock.ad(slot)
        frames = (timed.frame, self._clock.frame(request.frame))
        names = self._reached(*frames)
        own = [slot[place] for name, place in PLACES.items() if name in names and name not in has]
        left = [amount for asset, amount in has.items() if asset in names]
        key = (id(frames[0]), id(request), *left, *own, *map(type, own))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            job = self._clock.ad(request.first).ad()
            ad = timed.ad(dict(has))
            found = holds(named(_REQUIREMENTS).evaluate(job, ad)) and holds(
                named(_REQUIREMENTS).evaluate(ad, job)
            )
            self._known[key] = found
        return found

    def _reached(self, slot: SharedAttributes, job: SharedAttributes) -> frozenset[str]:
        """Return every name that the Requirements of both sides may come upon."""
        key = (id(slot), id(job))
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = self._links.reached(("requirements",), slot, job)
        return found
