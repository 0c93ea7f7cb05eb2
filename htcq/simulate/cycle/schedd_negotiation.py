"""The negotiator's talk with a schedd about the jobs of one submitter.

Match after match, up to its limits.

Follows negotiate of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from htcq.pool.job import Job
from htcq.pool.slot_class import requested
from htcq.simulate.cycle.accounts import Accounts, ConcurrencyLimits
from htcq.simulate.cycle.carving import Claim, Startds
from htcq.simulate.cycle.offers import Offer
from htcq.simulate.cycle.queues import Offered, Request, Session
from htcq.simulate.cycle.search import NO_PREEMPTION, Allowance, Search, limits_of, limits_vary
from htcq.simulate.cycle.submitting import Submitting
from htcq.simulate.cycle.trace import (
    NO_JOB_LEFT,
    SCHEDD_IS_FULL,
    START_REFUSES,
    USER_IS_FULL,
    Match,
    Rejection,
)
from htcq.units import CPUS, MEMORY


@dataclass(frozen=True)
class Grant:
    """Limits of one negotiation.

    ``most`` is for all slots, ``unclaimed`` for free ones, ``ceiling`` by the ceiling.

    With ``ignored`` limits a submitter that has had its share may still take slots that prefer
    its jobs. ``priority`` is that of the submitter, ``negotiating`` the group whose turn it is.
    """

    most: float
    unclaimed: float
    ceiling: float
    ignored: bool
    priority: float
    negotiating: str


class Ending(enum.Enum):
    """Why a talk ended."""

    ALL_OFFERED = "all that the access point offers was looked at"
    SHARE = "the share of the submitter was used up"
    CEILING = "the submitter came to its ceiling"
    EARLY = "a job was rejected by the submitter's limit, and the negotiator ends a talk there"


@dataclass(frozen=True)
class ScheddNegotiation:
    """One talk, to explain why a job was not matched.

    What was granted, offered and used, and how it ended.

    ``part`` is the share of the submitter, of what its group may use. ``budget`` is how many
    jobs the access point would offer (None: all); ``cut`` tells that it had more.
    """

    grant: Grant
    part: float
    offered: Sequence[Offered]
    budget: int | None
    cut: bool
    used: float
    ending: Ending


class Made(NamedTuple):
    """A match, for what comes after the cycle.

    The job, what the startd makes of it, and its concurrency limits.

    ``policy`` tells whether the slot has a consumption policy.
    """

    job: Job
    slot: str
    claim: Claim
    limits: str
    policy: bool


class ScheddNegotiations:
    """All talks of a cycle, and what came of them."""

    def __init__(
        self,
        search: Search,
        accounts: Accounts,
        startds: Startds,
        limits: ConcurrencyLimits,
        submitting: Submitting,
        ends_early: bool,
        depth_first: bool,
    ) -> None:
        self._search, self._accounts, self._startds, self._limits = (
            search,
            accounts,
            startds,
            limits,
        )
        self.submitting = submitting
        self._ends_early, self._depth_first = ends_early, depth_first
        #: Limits that were reached: those of earlier requests as well, until one is looked for that
        #: is within its own.
        self._over: set[str] = set()
        self.matches: list[Match] = []
        self.made: list[Made] = []
        self.rejections: list[Rejection] = []
        #: Matches that schedds give back, with the names of the schedds.
        self.given_back: list[tuple[str, Match]] = []

    def new_spin(self) -> None:
        """Forget which slots the last request could have had."""
        self._search.forget()

    def slots_left(self) -> bool:
        """Tell whether there is any slot to be had."""
        return self._search.slots_left()

    def talk(self, submitter: str, session: Session, grant: Grant) -> tuple[float, bool, Ending]:
        """Return the matched weight, whether the submitter is finished, and why it ended.

        Raises:
            CrashError: a slot makes the negotiator crash.
        """
        self._over.clear()
        self._search.limited = False
        used, limited, skipped = 0.0, False, 1
        while True:
            only_preferred = used >= grant.most
            if (only_preferred and not grant.ignored) or used >= grant.ceiling:
                return used, False, Ending.CEILING if used >= grant.ceiling else Ending.SHARE
            asked = session.next(skipped)
            skipped = 1
            if asked is None:
                return used, not (only_preferred or limited), Ending.ALL_OFFERED
            asking, first = asked
            request = self.submitting.of(asking, submitter, grant.priority, grant.negotiating)
            offer, reason = self._found(request, first, submitter, session, grant, used)
            if offer is None:
                # A request that its concurrency limits stop at once leaves this as the request
                # before it left it.
                limited = limited or self._search.limited
                self.rejections.append(Rejection(first, submitter, reason))
                # A refused preemption is the reason that is given, also where the share had its
                # part in it.
                hidden = reason == NO_PREEMPTION and self._search.limited
                session.rejected(reason, beyond=only_preferred or hidden)
                if self._search.limited and self._ends_early:
                    return used, False, Ending.EARLY
                continue
            cost = self._matched(offer, asking, request, first, submitter, session)
            used += cost
            skipped = self._jobs_in(request, offer) if self._depth_first else 1

    def _found(
        self,
        request: Request,
        first: str,
        submitter: str,
        session: Session,
        grant: Grant,
        used: float,
    ) -> tuple[Offer | None, str]:
        """Return a slot; else the negotiator's reason."""
        if not self._permits(limits_of(request)):
            return None, self._reached()
        self._over.clear()
        allowance = Allowance(used, grant.unclaimed, used >= grant.most)
        permits = (
            (lambda offer: self._permits(limits_of(request, offer)))
            if limits_vary(request)
            else None
        )
        while True:
            offer = self._search.find(request, first, submitter, session, allowance, permits)
            if offer is None:
                return None, self._search.reason() or self._reached()
            if offer.claims > 0:
                return offer, ""
            self._search.without_claims(offer)

    def _permits(self, limits: str) -> bool:
        reached = self._limits.reached(limits)
        if reached:
            self._over.add(reached)
        return not reached

    def _reached(self) -> str:
        return f"concurrency limit {', '.join(sorted(self._over))} reached"

    def _matched(
        self,
        offer: Offer,
        asking: Request,
        request: Request,
        first: str,
        submitter: str,
        session: Session,
    ) -> float:
        # The startd has the job from its schedd, with all of its attributes.
        limits, claim = limits_of(request, offer), self._startds.claim(offer, asking)
        job, returned = self._used_for(offer, limits, session)
        cost = self._search.matched(offer, request)
        self._accounts.charge(submitter, cost)
        self._limits.take(limits)
        name, charge, refusal = "" if job is None else job.id, claim.charge, claim.refusal
        if returned:
            charge, refusal = 0.0, returned
        elif job is not None:
            self.made.append(Made(job, offer.name, claim, limits, offer.state.kind.supports_policy))
        match = Match(name, first, submitter, offer.name, cost, charge, refusal)
        self.matches.append(match)
        if returned:
            self.given_back.append((session.access.name, match))
        return cost

    def _used_for(self, offer: Offer, limits: str, session: Session) -> tuple[Job | None, str]:
        """Return the job for which a schedd uses a match, and why it gives the match back.

        It is empty where it does not.
        """
        access = session.access
        if access.is_full:
            return None, SCHEDD_IS_FULL
        job = session.matched(
            lambda other: self._suits(offer, limits, other, access.literal_limits),
            lambda each: access.can_start(each, offer.ad),
            lambda each: access.can_start_another(each, offer.ad),
        )
        if job is None:
            return None, START_REFUSES if session.names_a_job_that_waits() else NO_JOB_LEFT
        return job, "" if access.start_job(job) else USER_IS_FULL

    def _suits(self, offer: Offer, limits: str, other: Request, literal_limits: bool) -> bool:
        """Tell whether a schedd reuses a match with these concurrency limits for another job."""
        same = limits_of(other, None if literal_limits else offer).lower() == limits.lower()
        return same and self._search.suits(offer, other)

    def _jobs_in(self, request: Request, offer: Offer) -> int:
        """Return for how many such jobs the negotiator takes what the slot has.

        Cpus and memory alone (jobsInSlot).
        """
        asked, left = requested(request.first.ad()), offer.state.amounts
        counts = [
            int(left.get(asset, 1)) // max(1, int(asked.get(asset) or 1))
            for asset in (CPUS, MEMORY)
        ]
        return min(counts)
