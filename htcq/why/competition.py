"""Whom a job competes with: who takes the slots of a cycle, who keeps claims, and what helps there.

Claims pass from job to job of a submitter without a negotiation while CLAIM_WORKLIFE lasts
(src/condor_startd.V6/Resource.cpp, HTCondor 25.14): priorities decide only on what is free. A match
of a job with concurrency limits takes a partitionable slot until the next cycle: what is left over
is for jobs without limits (src/condor_schedd.V6/schedd.cpp, seen on 25.14.1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from htcq.classads import as_number
from htcq.pool.job import Job
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot
from htcq.quota.group_tree import ROOT, assigned_group
from htcq.quota.knobs import Knobs
from htcq.simulate.course.worklife import Worklife
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.preemption import NO_PREEMPTION, preemption_texts
from htcq.simulate.cycle.search import limits_of
from htcq.simulate.cycle.trace import Trace
from htcq.units import counted, first_named, shortened, show_moment, show_number, show_span
from htcq.why import match_failure as wall
from htcq.why.match_failure import MatchFailure

_MAX_NAMED, _MAX_LETTERS = 3, 80


class Competition:
    """The submitters of a finished ``cycle`` as competitors."""

    def __init__(self, cycle: Cycle) -> None:
        self._cycle, self._pool = cycle, cycle.quotas.pool
        self._worklife = Worklife(self._pool)
        self._submitters = {each.name: each for each in cycle.quotas.submitters}

    def judged(self, job: Job, walls: Iterable[MatchFailure]) -> Sequence[MatchFailure]:
        """Return ``walls`` of ``job`` with what resolves them against these competitors."""
        of = {
            wall.OUTRANKED: self._outranked,
            wall.SUBMITTER_SHARE: self._share,
            wall.NO_ROOM: self._no_room,
            wall.PREEMPTION: self._kept,
        }
        return [of[each.id](job, each) if each.id in of else each for each in walls]

    # Who takes the slots of the cycle
    # ----------------------------------------------------------------------------------------------

    @cached_property
    def _taken(self) -> Mapping[str, int]:
        """How many matches each submitter has in the cycle."""
        return Counter(each.job.submitter for each in self._cycle.talks.made)

    @cached_property
    def _limited_slots(self) -> frozenset[str]:
        """The partitionable slots whose match of the cycle has concurrency limits."""
        names = {str(each.name) for each in self._pool.slots or () if each.type == PARTITIONABLE}
        made = self._cycle.talks.made
        return frozenset(
            each.slot for each in made if each.limits and not each.policy and each.slot in names
        )

    def _outranked(self, job: Job, each: MatchFailure) -> MatchFailure:
        if self._limited_slots and limits_of(self._cycle.askers.request_of(job)):
            return self._one_a_cycle(each)
        others = [name for name in self._taken if name != job.submitter]
        if not others:
            text = each.text
            if self._taken:
                text += f": all matches of the cycle are for {job.submitter} itself"
            return replace(
                each, text=text,
                advice="time: its own earlier jobs come first; a higher JobPrio moves a job up "
                "(condor_prio)",
            )  # fmt: skip
        most = sorted(self._taken.items(), key=lambda taken: (-taken[1], taken[0]))
        named = first_named([f"{name} has {number}" for name, number in most], _MAX_NAMED)
        text = f"{each.text} (in this cycle {named})"
        return replace(each, text=text, advice=self._against(job.submitter, others))

    def _one_a_cycle(self, each: MatchFailure) -> MatchFailure:
        number = len(self._limited_slots)
        text = (
            f"{each.text}: one job with concurrency limits starts on a partitionable slot in a "
            f"cycle ({counted(number, 'such slot')} matched in this one), since what is left of "
            "the slot is only for jobs without limits"
        )
        advice = (
            "time: one more job per slot with each cycle; cycles closer together "
            "(NEGOTIATOR_INTERVAL); a consumption policy or static slots; no ConcurrencyLimits"
        )
        return replace(
            each, text=text, amounts={**each.amounts, "limited_slots": number}, advice=advice
        )

    def _against(self, submitter: str, others: Sequence[str]) -> str:
        """Return what helps against ``others`` who take what ``submitter`` could use."""
        own = self._priority(submitter)
        better = sorted((self._priority(name), name) for name in others)
        before = [(value, name) for value, name in better if value < own]
        if not before:
            return "time: one of these slots that becomes free"
        first, name = before[0]
        return (
            f"time; a better user priority: {name} has {show_number(first)}, {submitter} "
            f"{show_number(own)} (less is better)"
        )

    def _share(self, job: Job, each: MatchFailure) -> MatchFailure:
        rivals = [
            name for name, known in self._submitters.items()
            if name != job.submitter and known.idle > 0
        ]  # fmt: skip
        if not rivals:
            return replace(each, advice="the end of its jobs: no other submitter has idle jobs")
        priorities = sorted((self._priority(name), name) for name in rivals)
        first, name = priorities[0]
        own = self._priority(job.submitter)
        advice = (
            f"the end of its jobs; a better user priority: {name} has {show_number(first)}, "
            f"{job.submitter} {show_number(own)} (less is better)"
        )
        return replace(each, advice=advice)

    def _priority(self, submitter: str) -> float:
        known = self._submitters.get(submitter)
        if known is None:
            return math.inf
        return self._cycle.accounts.claimant(known).priority

    # Who keeps the claims
    # ----------------------------------------------------------------------------------------------

    @cached_property
    def _claims(self) -> Mapping[str, Sequence[Slot]]:
        """The claimed slots of each submitter."""
        found: dict[str, list[Slot]] = {}
        for slot in self._pool.slots or ():
            if slot.claimed and slot.type != PARTITIONABLE and slot.customer:
                found.setdefault(slot.customer, []).append(slot)
        return found

    def _holders(self) -> str:
        most = sorted(self._claims.items(), key=lambda each: (-len(each[1]), each[0]))
        named = [
            f"{name} ({counted(len(slots), 'claim')}{_without_jobs(slots)})"
            for name, slots in most[:_MAX_NAMED]
        ]
        if len(most) > _MAX_NAMED:
            named.append(f"{len(most) - _MAX_NAMED} more")
        return ", ".join(named)

    def _no_room(self, job: Job, each: MatchFailure) -> MatchFailure:
        free, asked = each.amounts.get("free"), each.amounts.get("asked")
        text, holders = each.text, self._holders()
        if holders:
            text += f"; claims are held by {holders}"
        if "in_use" in each.amounts:
            return replace(each, text=text, advice=self._until_claims_end(job))
        if not isinstance(free, (int, float)) or not isinstance(asked, (int, float)):
            return replace(each, text=text)
        asset = str(each.amounts.get("asset"))
        if not self._is_fragmented(asset, asked):
            return replace(each, text=text, advice=self._until_claims_end(job))
        advice = (
            "a drain of one machine by condor_defrag (DEFRAG in DAEMON_LIST): claims that end one "
            f"by one go to smaller jobs again{self._lending()}; a smaller request"
        )
        if free >= asked:
            text += f"; {asset} is free in pieces that are too small"
        return replace(each, text=text, advice=advice)

    def _lending(self) -> str:
        """Return the setting with which the group that holds most claims takes no more surplus."""
        tree = self._cycle.quotas.tree
        counts = Counter[str]()
        for name, slots in self._claims.items():
            counts[assigned_group(tree, name).group] += len(slots)
        for group, _ in counts.most_common(1):
            if group != ROOT and tree[group].accept_surplus:
                return f"; GROUP_ACCEPT_SURPLUS_{group} = False"
        return ""

    def _is_fragmented(self, asset: str, asked: float) -> bool:
        """Return whether no single claim on a part of a machine has what is ``asked``."""
        return bool(self._parts) and self._parts.get(asset, 0) < asked

    @cached_property
    def _parts(self) -> Mapping[str, Number]:
        """The most of each asset that one dynamic slot has; empty where there is none."""
        most: dict[str, Number] = {}
        for slot in self._pool.slots or ():
            if slot.type == DYNAMIC:
                for asset, amount in slot.total().items():
                    most[asset] = max(most.get(asset, 0), amount or 0)
        return most

    def _kept(self, job: Job, each: MatchFailure) -> MatchFailure:
        """Return the wall of claims that are not preempted with who keeps them, and how long."""
        kept = self._renewing(job.submitter)
        if kept is None:
            return self._preempted(each)
        first, claims = kept.name, kept.claims
        lasts = "for ever" if math.isinf(kept.worklife) else f"for {show_span(kept.worklife)}"
        text = (
            f"{each.text}; {counted(claims, 'claim')} of {first}, who has more idle jobs, pass "
            f"from job to job {lasts} (CLAIM_WORKLIFE)"
        )
        if kept.ends is not None:
            text += f", the first until {show_moment(kept.ends)}"
        own, other = self._priority(job.submitter), self._priority(first)
        text += (
            f"; user priorities are {show_number(own)} of {job.submitter} and {show_number(other)} "
            f"of {first} (less is better)"
        )
        amounts = {**each.amounts, "holder": first, "claims": claims}
        if not math.isinf(kept.worklife):
            amounts["claim_worklife"] = kept.worklife
        return replace(each, text=text, amounts=amounts, advice=self._until_claims_end(job))

    def _preempted(self, each: MatchFailure) -> MatchFailure:
        """Return the wall of claims that PREEMPTION_REQUIREMENTS keeps with what that is."""
        if each.amounts.get("why") != NO_PREEMPTION:
            return each
        condition = preemption_texts(Knobs(self._cycle.quotas.knobs))[0]
        advice = (
            "the end of these jobs; a PREEMPTION_REQUIREMENTS that is true for this job and such "
            f"a claim (it is {shortened(condition, _MAX_LETTERS)})"
        )
        return replace(each, advice=advice)

    def _until_claims_end(self, job: Job) -> str:
        """Return what returns claims that others keep."""
        kept = self._renewing(job.submitter)
        if kept is None:
            return f"the end of running jobs{self._until_given_back}"
        name = kept.name
        better = ""
        if self._priority(job.submitter) <= self._priority(name):
            mine = f"the better user priority of {job.submitter}"
            better = f", and {mine} counts only when one of them ends"
        return (
            f"a shorter CLAIM_WORKLIFE of the execution points: until then claims of {name} go on "
            f"with further jobs{better}; NEGOTIATOR_CONSIDER_PREEMPTION with "
            "PREEMPTION_REQUIREMENTS"
        )

    @cached_property
    def _until_given_back(self) -> str:
        """What ends claims in which no job runs; empty where there are none."""
        idle = [slot for slots in self._claims.values() for slot in slots if _is_idle(slot)]
        holders = sorted({each for slot in idle if isinstance(each := slot.remote_schedd, str)})
        if not holders:
            return ""
        what = f"{counted(len(idle), 'claim')} without a job"
        return f"; the return of {what} by {first_named(holders, _MAX_NAMED)}"

    def _renewing(self, submitter: str) -> _Renewing | None:
        """Return that other submitter with claims, and idle jobs to go on, that has most claims."""
        return next((each for each in self._all_renewing if each.name != submitter), None)

    @cached_property
    def _all_renewing(self) -> Sequence[_Renewing]:
        """The submitters who have claims and idle jobs to go on with, most claims first.

        Only those whose claims outlast a job count: where CLAIM_WORKLIFE is 0 each ends with its
        job.
        """
        found = []
        for name, slots in self._claims.items():
            known = self._submitters.get(name)
            if known is None or known.idle <= 0:
                continue
            lasting = [(slot, self._worklife.seconds(slot)) for slot in slots]
            lasting = [each for each in lasting if each[1] > 0]
            if lasting:
                least = min(seconds for _, seconds in lasting)
                found.append(_Renewing(name, len(lasting), least, _first_end(lasting)))
        return sorted(found, key=lambda each: (-each.claims, each.name))


def _is_idle(slot: Slot) -> bool:
    return slot.activity == "Idle"


def _without_jobs(slots: Sequence[Slot]) -> str:
    """Return how many of some claims run no job, or end it."""
    idle = sum(map(_is_idle, slots))
    ending = sum(slot.activity == "Vacating" for slot in slots)
    text = f", {idle} of them idle" if idle else ""
    return f"{text}, {ending} of them vacating" if ending else text


class _Renewing(NamedTuple):
    """A submitter whose claims go on: how many, for how long at least, and when the first ends."""

    name: str
    claims: int
    worklife: float
    ends: float | None


def _first_end(lasting: Iterable[tuple[Slot, float]]) -> float | None:
    """Return the moment at which the first claim gives up its slot after its job."""
    ends = []
    for slot, seconds in lasting:
        since = as_number(slot.state_since)
        if since is not None and not math.isinf(seconds):
            ends.append(since + seconds)
    return min(ends, default=None)


def open_orders(cycle: Cycle, trace: Trace) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield submitters at access points that are equal to others, and how many these are.

    Only where the collector's order, which decides between them, is not known and one of them is
    rejected.
    """
    if cycle.askers.is_in_order:
        return
    rejected = {each.submitter for each in trace.rejections}
    for asking in cycle.askers.every:
        if len(asking.equals) > 1 and not rejected.isdisjoint(asking.equals):
            yield (asking.submitter.name, asking.access.name), len(asking.equals)
