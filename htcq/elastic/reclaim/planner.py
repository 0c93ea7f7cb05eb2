"""What should be taken back now: nothing, unless a group is over its runtime and another waits for what it holds.

Everything is worked out from one look and the record of those before; the same look gives the
same plan, whatever the order of its claims.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from htcq.elastic.reclaim.budget import Budget
from htcq.elastic.reclaim.candidates import Candidates
from htcq.elastic.reclaim.ceiling_plan import CeilingPlan, done_with, to_renew
from htcq.elastic.reclaim.choice import Choice
from htcq.elastic.reclaim.evictions import evictions_of, in_order, uses_of
from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.jobs_without_slot import JobsWithoutSlot, Waits, waits_of
from htcq.elastic.reclaim.match_check import taken_places
from htcq.elastic.reclaim.reclaim_history import Key, ReclaimHistory, past_of
from htcq.elastic.reclaim.reclaim_plan import GroupOver, ReclaimPlan, Shortage
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import ElasticObservation
from htcq.pool.pool import Pool
from htcq.quota.elastic.group_runtime import Outcome
from htcq.settings.reclaim import ReclaimLimits

#: A record may be so many seconds ahead of a look: taking one takes a while.
_AHEAD = 5.0


def plan_reclaim(
    outcome: Outcome,
    observation: ElasticObservation,
    pool: Pool,
    limits: ReclaimLimits,
    past: Sequence[Mapping[str, Any]] = (),
    ends: Mapping[Key, float] | None = None,
    ceilings: Mapping[str, int] | None = None,
    confirm: bool = True,
) -> ReclaimPlan:
    """Return what should be taken back now.

    ``past`` are the records of the journal. ``ends`` has in how many seconds jobs end by
    themselves, by schedd and job, where they say so; ``ceilings`` those that submitters have,
    ours among them. ``confirm``: what the negotiator would not give to those in need in its next
    cycle is not taken back.
    """
    known = past_of(past, observation.negotiator)
    return _Planner(outcome, observation, pool, limits, known, ends, ceilings, confirm).plan()


def preview(
    outcome: Outcome, observation: ElasticObservation, pool: Pool, limits: ReclaimLimits
) -> ReclaimPlan:
    """Return what would be taken back if groups had been over and in need for long enough, and nothing before."""
    return plan_reclaim(outcome, observation, pool, replace(limits, over_for=0, need_for=0))


@dataclass
class _Planner:
    outcome: Outcome
    observation: ElasticObservation
    pool: Pool
    limits: ReclaimLimits
    past: ReclaimHistory
    ends: Mapping[Key, float] | None
    ceilings: Mapping[str, int] | None
    confirm: bool

    def plan(self) -> ReclaimPlan:
        """Return the plan."""
        now = self.observation.taken_at
        standings, rooms = UsageLedger(self.outcome), FreeSpaces(self.pool)
        over, done = (
            tuple(self._over(standings)),
            frozenset(done_with(self.past.ceilings, standings, self.limits.release)),
        )
        # From here on it counts as used what free slots will take.
        waits = waits_of(self.observation, self.pool, standings, rooms)
        needs = tuple(self._needs(waits.jobs))
        measured = tuple(self._measured(rooms, {each.group for each in needs}))
        stopped = self._stopped(dict(measured))
        release = tuple(sorted(self.past.ceilings if stopped else done))
        plan = ReclaimPlan(
            now,
            self.observation.negotiator,
            over,
            needs,
            release=release,
            renew=tuple(to_renew(self.past.ceilings, release, now + self.limits.lease / 2)),
            stopped=stopped,
            waiting="" if stopped else self._waiting(over, needs),
            measured=measured,
        )
        return plan if plan.stopped or plan.waiting else self._chosen(plan, standings, rooms, waits)

    # Who is over, who is in need
    # ----------------------------------------------------------------------------------

    def _over(self, standings: UsageLedger) -> Iterator[GroupOver]:
        now, limits = self.observation.taken_at, self.limits
        for group in sorted({claim.group for claim in self.observation.claims}):
            exceeded = standings.exceeded(group)
            if exceeded:
                seconds = self.past.seconds_over(group, now, limits.max_gap)
                yield GroupOver(group, exceeded, seconds, seconds >= limits.over_for)

    def _needs(self, waiting: Sequence[JobsWithoutSlot]) -> Iterator[Shortage]:
        now, limits = self.observation.taken_at, self.limits
        for group in dict.fromkeys(each.group for each in waiting):
            seconds = self.past.seconds_in_need(group, now, limits.max_gap)
            jobs = sum(each.left for each in waiting if each.group == group)
            yield Shortage(group, jobs, seconds, seconds >= limits.need_for)

    def _measured(self, rooms: FreeSpaces, needy: set[str]) -> Iterator[tuple[str, bool]]:
        """Yield of each action that is long enough ago whether those that it was for have come to what it freed."""
        for action in self.past.unmeasured:
            if self.observation.taken_at - action.time < self.limits.settle_time:
                continue
            come = any(
                claim.group in action.needy
                and (claim.schedd, claim.job) not in action.there
                and rooms.place(claim.slot) in action.places
                for claim in self.observation.claims
            )
            yield action.id, come or not action.needy & needy

    # Whether anything is done at all
    # ------------------------------------------------------------------------------

    def _stopped(self, measured: Mapping[str, bool]) -> str:
        ahead = self.past.last - self.observation.taken_at
        if ahead > _AHEAD:
            return (
                f"the record is {ahead:.0f} s ahead of this observation: clocks differ, or the "
                "observation is old"
            )
        if self.past.useless(measured):
            return "the freed slots went to other groups twice in a row: find out why, then resume"
        return ""

    def _waiting(self, over: Sequence[GroupOver], needs: Sequence[Shortage]) -> str:
        now, limits = self.observation.taken_at, self.limits
        if not over:
            return "no group uses more than its runtime"
        if not needs:
            return "no group in need has waiting jobs that do not start"
        if not any(each.ready for each in over):
            longest = max(each.seconds for each in over)
            return (
                f"no group has used more than its runtime for {limits.over_for} s; the longest "
                f"time is {longest:.0f} s"
            )
        if not any(each.ready for each in needs):
            longest = max(each.seconds for each in needs)
            return (
                f"no group has been in need for {limits.need_for} s; the longest time is "
                f"{longest:.0f} s"
            )
        last = max((action.time for action in self.past.actions if action.jobs), default=None)
        if last is not None and now - last < limits.settle_time:
            return (
                f"jobs were vacated {now - last:.0f} s ago, and the next ones have to wait for "
                f"{limits.settle_time} s"
            )
        return ""

    # What is taken back
    # -------------------------------------------------------------------------------------------

    def _chosen(
        self, plan: ReclaimPlan, standings: UsageLedger, rooms: FreeSpaces, waits: Waits
    ) -> ReclaimPlan:
        observation, limits = self.observation, self.limits
        ready = {each.group for each in plan.over if each.ready}
        needy = {each.group for each in plan.needs if each.ready}
        candidates = Candidates(limits, observation.taken_at, self.past, rooms, self.ends)
        able = candidates.of(
            (claim for claim in observation.claims if claim.group in ready), standings
        )
        holding = CeilingPlan(observation.claims, observation.idle, self._foreign())
        budget = Budget(limits, len(observation.claims), self.past.today(observation.taken_at))
        choice = Choice(standings, rooms, waits, needy, budget, holding)
        choice.take(able)
        if self.confirm and choice.chosen:
            choice.confirm(self._taken(choice, holding, rooms, needy))
        victims, ceilings = tuple(evictions_of(able, choice)), tuple(holding.ceilings())
        set_anew = {each.submitter for each in ceilings}
        return replace(
            plan,
            victims=victims,
            uses=tuple(uses_of(choice)),
            ceilings=ceilings,
            release=tuple(who for who in plan.release if who not in set_anew),
            renew=tuple(who for who in plan.renew if who not in set_anew),
            spared=tuple(sorted((*candidates.spared, *choice.refused.values()), key=in_order)),
            kept=tuple(holding.kept()),
            waiting="" if victims else "no job that may be vacated would help the waiting jobs",
        )

    def _taken(
        self, choice: Choice, holding: CeilingPlan, rooms: FreeSpaces, needy: Collection[str]
    ) -> frozenset[str]:
        ended = {
            place: [each.claim.slot for each in chosen] for place, chosen in choice.chosen.items()
        }
        held = {each.submitter for each in holding.ceilings()}
        whose = {each.submitter: each.group for each in self.observation.idle}
        return taken_places(self.pool, rooms, ended, held, whose, needy)

    def _foreign(self) -> dict[str, int]:
        """Return the ceilings that are not ours."""
        own = self.past.ceilings
        there = {who: ceiling for who, ceiling in (self.ceilings or {}).items() if ceiling >= 0}
        return {
            who: ceiling
            for who, ceiling in there.items()
            if who not in own or own[who].ceiling != ceiling
        }
