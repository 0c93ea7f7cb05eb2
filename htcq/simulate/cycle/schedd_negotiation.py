"""The negotiator's talk with a schedd about the jobs of one submitter.

Match after match, up to its limits.

Follows negotiate of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from htcq.pool.job import Job
from htcq.pool.slot import Number
from htcq.pool.slot_class import requested
from htcq.simulate.cycle.accounts import Accounts, ConcurrencyLimits
from htcq.simulate.cycle.candidates import SlotCandidate
from htcq.simulate.cycle.carving import CarvedClaim, Startds
from htcq.simulate.cycle.listing import Allowance, Asker
from htcq.simulate.cycle.no_claim import why_no_claim, why_refused
from htcq.simulate.cycle.preemption import NO_PREEMPTION
from htcq.simulate.cycle.queues import Offered, Request
from htcq.simulate.cycle.search import NO_MATCH, OVER_LIMIT, Search, SlotLimits, limits_of
from htcq.simulate.cycle.session import Session
from htcq.simulate.cycle.slot_table import Offer
from htcq.simulate.cycle.submitting import Submitting
from htcq.simulate.cycle.trace import (
    NO_JOB_LEFT,
    SCHEDD_IS_FULL,
    SILENT,
    START_REFUSES,
    USER_IS_FULL,
    Match,
    Rejection,
)
from htcq.units import CPUS, MEMORY

#: Of a kept list all slots were exceeding concurrency limits that are not noted any more.
NO_LIMIT_NOTED = "it is to name the concurrency limits that were reached, and has noted none"


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

    ``policy`` tells whether the slot has a consumption policy, ``preempts`` whether another job
    has it: the job of the slot itself, or those of its ``dynamic_slots`` of these names.
    """

    job: Job
    slot: str
    claim: CarvedClaim
    limits: str
    policy: bool
    preempts: bool = False
    dynamic_slots: tuple[str, ...] = ()


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
        silent: Collection[str] = (),
    ) -> None:
        """``silent`` are the names of slots whose machines send nothing any more."""
        self._search, self._accounts, self._startds, self._limits = (
            search,
            accounts,
            startds,
            limits,
        )
        self.submitting, self._silent = submitting, silent
        self._ends_early, self.depth_first = ends_early, depth_first
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
        """Return whether there is any slot to be had."""
        return self._search.slots_left()

    def talk(self, submitter: str, session: Session, grant: Grant) -> tuple[float, bool, Ending]:
        """Return the matched weight, whether the submitter is finished, and why it ended.

        Raises:
            CrashError: a slot makes the negotiator crash.
        """
        self._over.clear()
        self._search.limited = False
        used, used_unclaimed, limited, skipped = 0.0, 0.0, False, 1
        asker: Asker | None = None
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
            if asker is None or asker.request is not asking:
                asker = Asker(asking, submitter, session)
            allowance = Allowance(used, grant.most, used_unclaimed, grant.unclaimed, only_preferred)
            candidate, reason = self._found(request, first, asker, allowance)
            if candidate is None:
                # A request that its concurrency limits stop at once leaves this as the request
                # before it left it.
                limited = limited or self._search.limited
                where = session.access.name
                self.rejections.append(Rejection(first, submitter, reason, where))
                # A refused preemption is the reason that is given, also where the share had its
                # part in it.
                hidden = reason == NO_PREEMPTION and self._search.limited
                session.rejected(reason, beyond=only_preferred or hidden)
                if self._search.limited and self._ends_early:
                    return used, False, Ending.EARLY
                continue
            cost = self._matched(candidate, request, first, asker)
            session.answered()
            used += cost
            if not candidate.offer.occupant:
                used_unclaimed += cost
            skipped = jobs_in(request, candidate.offer.amounts) if self.depth_first else 1

    def _found(
        self, request: Request, first: str, asker: Asker, allowance: Allowance
    ) -> tuple[SlotCandidate | None, str]:
        """Return a slot; else the negotiator's reason."""
        if request.limits and not self._permits(request.limits):
            return None, self._reached()
        if request.limits == "" and "ConcurrencyLimits" in request.frame:
            # As SlotLimits, in every slot; what the request before came to is still noted.
            return None, OVER_LIMIT if self._search.limited else NO_MATCH
        self._over.clear()
        limits = None
        if request.limits is None:
            limits = SlotLimits(request, self._permits)
        while True:
            candidate = self._search.find(request, first, asker, allowance, limits)
            if candidate is None:
                reason = self._search.reason()
                if not (reason or self._over):
                    # It reads the first name of an empty set (matchmaker.cpp, 23.9 and 25.14).
                    self._search.end(first, NO_LIMIT_NOTED)
                return None, reason or self._reached()
            if candidate.offer.origin.claims > 0:
                return candidate, ""
            self._search.without_claims(candidate.offer)

    def _permits(self, limits: str) -> bool:
        if not limits:
            return True
        reached = self._limits.reached(limits)
        if reached:
            self._over.add(reached)
        return not reached

    def _reached(self) -> str:
        return f"concurrency limit {', '.join(sorted(self._over))} reached"

    def _matched(
        self, candidate: SlotCandidate, request: Request, first: str, asker: Asker
    ) -> float:
        """Match a slot, and return the cost."""
        offer, submitter = candidate.offer, asker.submitter
        limits = limits_of(request, offer)
        job, returned = self._used_for(offer, limits, asker.session)
        claim = CarvedClaim({}, 0.0, returned)
        if not returned:
            # The startd has the job from its schedd, with all of its attributes: the one that the
            # match is used for, whatever it was made for.
            used_for = asker.session.used_for
            seen = request is asker.request and used_for is request
            claim = self._startds.claim(
                offer,
                used_for,
                asker.session.access.name,
                seen and not (offer.added or offer.preempts),
            )
            if job is not None and not claim.refusal and not asker.session.access.may_run(job):
                returned = USER_IS_FULL
                claim = CarvedClaim({}, 0.0, returned)
        by = self._search.preemption.why(candidate)
        preempts = offer.customer if by else ""
        dynamic: tuple[str, ...] = ()
        if by and offer.preempts:
            dynamic = tuple(str(each.name) for each in offer.preempts)
            preempts = ", ".join(dict.fromkeys(each.customer for each in offer.preempts))
        cost = self._search.matched(first, request)
        if self._charged(offer, submitter, cost) and limits:
            self._limits.take(limits)
        name = "" if job is None else job.id
        if job is not None and not returned:
            policy, preempting = offer.supports_policy, bool(by)
            self.made.append(Made(job, offer.name, claim, limits, policy, preempting, dynamic))
        match = Match(
            name, first, submitter, offer.name, cost, claim.charge, claim.refusal, preempts, by,
            dynamic, asker.session.access.name,
        )  # fmt: skip
        self.matches.append(match)
        if returned:
            self.given_back.append((asker.session.access.name, match))
        return cost

    def _charged(self, offer: Offer, submitter: str, cost: float) -> bool:
        """Charge a match, and return whether the accountant does."""
        if offer.customer and not offer.supports_policy:
            return self._accounts.take_over(submitter, cost, offer.customer, cost)
        self._accounts.charge(submitter, cost)
        return True

    def _used_for(self, offer: Offer, limits: str, session: Session) -> tuple[Job | None, str]:
        """Return the job for which a schedd uses a match, and why it gives the match back.

        It is empty where it does not.
        """
        access = session.access
        without = why_no_claim(offer.slot)
        if without:
            return None, without
        if offer.name in self._silent:
            # The schedd's request for the claim meets no startd.
            return None, SILENT
        refused = why_refused(offer.slot)
        if refused:
            return None, refused
        if access.is_full:
            return None, SCHEDD_IS_FULL
        job = self._picked(offer, limits, session)
        if job is None:
            return None, START_REFUSES if session.names_a_job_that_waits() else NO_JOB_LEFT
        access.note_match()
        return job, ""

    def _picked(self, offer: Offer, limits: str, session: Session) -> Job | None:
        """Return the job that a schedd starts on a match; None where it has none for it."""
        access = session.access
        if session.matched() and access.can_start(session.named_job, offer.ad):
            return session.start_named()
        literal_limits, any_starts = access.literal_limits, access.start is None
        for run in session.waiting():
            if self._suits(offer, limits, run.request, literal_limits) and (
                any_starts or access.can_start_another(run.jobs.first, offer.ad)
            ):
                return session.start(run)
        return None

    def _suits(self, offer: Offer, limits: str, other: Request, literal_limits: bool) -> bool:
        """Return whether a schedd reuses a match with these concurrency limits for another job."""
        theirs = limits_of(other, None if literal_limits else offer)
        if theirs != limits and theirs.lower() != limits.lower():
            return False
        return self._search.suits(other)


def jobs_in(request: Request, left: Mapping[str, Number]) -> int:
    """Return for how many such jobs the negotiator takes what a slot has ``left``.

    Cpus and memory alone (jobsInSlot).
    """
    asked = requested(request.first.ad())
    counts = [
        int(left.get(asset, 1)) // max(1, int(asked.get(asset) or 1)) for asset in (CPUS, MEMORY)
    ]
    return min(counts)
