"""The plan of what is taken back now.

Nothing is taken back unless a group uses more than its runtime and another one waits for what it
uses. The plan depends on one observation and the journal only; the order of the claims does not
change it.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from htcq.elastic.reclaim.budget import STREAK, ReclaimBudget
from htcq.elastic.reclaim.candidates import Candidates
from htcq.elastic.reclaim.ceiling_plan import CeilingPlan, no_longer_needed, to_renew
from htcq.elastic.reclaim.choice import EvictionChoice
from htcq.elastic.reclaim.evictions import evictions_of, exemption_order, expected_starts
from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.jobs_without_slot import JobsWithoutSlot, WaitingJobs, waiting_jobs
from htcq.elastic.reclaim.match_check import taken_places
from htcq.elastic.reclaim.protection import Protection, protection_of
from htcq.elastic.reclaim.reclaim_events import ReclaimEvent
from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.elastic.reclaim.reclaim_history import (
    Measured,
    ReclaimAction,
    ReclaimHistory,
    history_of,
)
from htcq.elastic.reclaim.reclaim_plan import GroupInNeed, GroupOver, ReclaimPlan
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import ElasticObservation
from htcq.pool.pool import Pool
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.settings.pool_share import limit_in
from htcq.settings.reclaim import ReclaimLimits

#: How many seconds an event may be ahead of the observation: reading a pool takes a while.
_AHEAD = 5.0


def plan_reclaim(
    outcome: ElasticOutcome,
    observation: ElasticObservation,
    pool: Pool,
    limits: ReclaimLimits,
    events: Sequence[ReclaimEvent] = (),
    ends: Mapping[JobKey, float] | None = None,
    ceilings: Mapping[str, int] | None = None,
    confirm: bool = True,
) -> ReclaimPlan:
    """Return what should be taken back now.

    ``events`` are those of the journal. ``ends`` has in how many seconds jobs end by themselves,
    for jobs that say so; ``ceilings`` the ceilings of submitters, ours among them. ``confirm``:
    nothing is taken back that the next negotiation cycle would not give to a group in need.
    """
    history = history_of(events, observation.negotiator)
    planner = _Planner(outcome, observation, pool, limits, history, ends, ceilings, confirm)
    return planner.plan()


def preview(
    outcome: ElasticOutcome, observation: ElasticObservation, pool: Pool, limits: ReclaimLimits
) -> ReclaimPlan:
    """Return the plan as if groups had been over and in need for long enough, without a journal."""
    return plan_reclaim(outcome, observation, pool, replace(limits, over_for=0, need_for=0))


@dataclass
class _Planner:
    outcome: ElasticOutcome
    observation: ElasticObservation
    pool: Pool
    limits: ReclaimLimits
    history: ReclaimHistory
    ends: Mapping[JobKey, float] | None
    ceilings: Mapping[str, int] | None
    confirm: bool

    @functools.cached_property
    def protection(self) -> Protection:
        """The jobs that are protected."""
        return protection_of(self.observation.claims, self.outcome, self.limits)

    def plan(self) -> ReclaimPlan:
        """Return the plan."""
        now = self.observation.taken_at
        own = self.history.ceilings
        ledger = UsageLedger(self.outcome)
        spaces = FreeSpaces(self.pool)
        before = {name: ledger.exceeded(name) for name in self._groups()}
        release = sorted(no_longer_needed(own, ledger, self.limits.release))
        # From here on the ledger counts what free slots will take as used.
        waiting = waiting_jobs(self.observation, self.pool, ledger, spaces)
        measured = dict(self._measured(spaces, {each.group for each in waiting.jobs}))
        waiting = waiting.at_most(self._allowances(measured))
        needs = tuple(self._needs(waiting.jobs))
        ready = {each.group for each in needs if each.ready}
        least = self.limits.over_for
        if any(each.guaranteed and each.group in ready for each in waiting.jobs):
            # A guarantee does not wait for how long others have had what they borrowed.
            least = min(least, self.limits.need_for)
        over = tuple(self._over(before, least))
        if self._too_soon_for_shares(over):
            waiting = waiting.of_mins()
        stopped = self._stopped(measured)
        if stopped:
            release = sorted(own)
        plan = ReclaimPlan(
            now,
            self.observation.negotiator,
            over,
            needs,
            release=tuple(release),
            renew=tuple(to_renew(own, release, now + self.limits.lease / 2)),
            stopped=stopped,
            measured=tuple(measured.items()),
            unpaid=tuple(use for use in self.protection.uses if use.unpaid),
        )
        if stopped:
            return plan
        not_yet = self._not_yet(over, needs, least) or self._still_waits(measured)
        if not_yet:
            return replace(plan, waiting=not_yet)
        return self._with_evictions(plan, ledger, spaces, waiting)

    # Who is over, who is in need
    # ----------------------------------------------------------------------------------------------

    def _groups(self) -> list[str]:
        return sorted({claim.group for claim in self.observation.claims})

    def _over(self, exceeded: Mapping[str, Mapping[str, int]], least: float) -> Iterator[GroupOver]:
        now, limits = self.observation.taken_at, self.limits
        for group, amounts in exceeded.items():
            if amounts:
                seconds = self.history.seconds_over(group, now, limits.max_gap)
                yield GroupOver(group, amounts, seconds, seconds >= least)

    def _too_soon_for_shares(self, over: Sequence[GroupOver]) -> bool:
        """Return whether a group may lose jobs to the mins of others only."""
        return any(each.ready and each.seconds < self.limits.over_for for each in over)

    def _needs(self, waiting: Sequence[JobsWithoutSlot]) -> Iterator[GroupInNeed]:
        now, limits = self.observation.taken_at, self.limits
        for group in dict.fromkeys(each.group for each in waiting):
            seconds = self.history.seconds_in_need(group, now, limits.max_gap)
            jobs = sum(each.left for each in waiting if each.group == group)
            yield GroupInNeed(group, jobs, seconds, seconds >= limits.need_for)

    def _measured(self, spaces: FreeSpaces, needy: set[str]) -> Iterator[tuple[str, Measured]]:
        """Yield, for each action of which it is known, what came of it.

        The slots were taken if a job of the groups that it was for runs at a freed place. If none
        does after ``settle_time``, these groups still wait, or they have withdrawn.
        """
        for action in self.history.unmeasured:
            if self._ending(action):
                continue
            if self._has_started(action, spaces):
                yield action.id, Measured(True, self._withdrawn(action))
            elif self._age(action) >= self.limits.settle_time:
                if action.needy & needy:
                    yield action.id, Measured(False)
                else:
                    yield action.id, Measured(False, self._withdrawn(action))

    def _withdrawn(self, action: ReclaimAction) -> dict[str, int]:
        """Return, by submitter, how many of his jobs neither wait any more nor have started."""
        left = dict(action.wanted)
        for each in self.observation.idle:
            if each.submitter in left:
                left[each.submitter] -= each.count
        for claim in self.observation.claims:
            since = claim.started is not None and claim.started >= action.time - _AHEAD
            if since and claim.submitter in left:
                left[claim.submitter] -= 1
        return {who: count for who, count in sorted(left.items()) if count > 0}

    def _allowances(self, measured: Mapping[str, Measured]) -> dict[str, int]:
        """Return, by submitter who has withdrawn jobs, for how many jobs others' may be vacated.

        What was vacated for him in vain counts as if it were his own loss.
        """
        most = int(limit_in(self.limits.user_jobs, len(self.observation.claims)))
        withdrawn = self.history.withdrawn_today(measured, self.observation.taken_at)
        return {who: max(0, most - count) for who, count in withdrawn.items()}

    def _age(self, action: ReclaimAction) -> float:
        return self.observation.taken_at - action.time

    def _ending(self, action: ReclaimAction) -> int:
        """Return how many of the vacated jobs still have the slots that they are to free.

        A job that does not end within ``lease`` is waited for no longer: so does its ceiling. One
        that was perhaps not vacated is waited for within ``settle_time`` only.
        """
        if self._age(action) >= self.limits.lease:
            return 0
        jobs = action.jobs
        if self._age(action) >= self.limits.settle_time:
            jobs = jobs - action.doubtful
        count = 0
        for claim in self.observation.claims:
            before = claim.started is not None and claim.started < action.time
            count += before and (claim.schedd, claim.job) in jobs
        return count

    def _has_started(self, action: ReclaimAction, spaces: FreeSpaces) -> bool:
        """Return whether a job of the groups that ``action`` was for came to a freed place."""
        for claim in self.observation.claims:
            if claim.group not in action.needy or (claim.schedd, claim.job) in action.there:
                continue
            if spaces.place(claim.slot) in action.places:
                return True
        return False

    # Whether anything is done at all
    # ----------------------------------------------------------------------------------------------

    def _stopped(self, measured: Mapping[str, Measured]) -> str:
        """Return why nothing may be done at all; empty where something may be."""
        ahead = self.history.last - self.observation.taken_at
        if ahead > _AHEAD:
            return (
                f"the record is {ahead:.0f} s ahead of this observation: clocks differ, or the "
                "observation is old"
            )
        if self.history.useless(measured):
            return "the freed slots went to other groups twice in a row: find out why, then resume"
        return ""

    def _not_yet(
        self, over: Sequence[GroupOver], needs: Sequence[GroupInNeed], least: float
    ) -> str:
        """Return why nothing is done yet; empty where something is.

        A group must have been over for ``least`` seconds.
        """
        if not over:
            return "no group uses more than its runtime"
        if not needs:
            return "no group in need has waiting jobs that do not start"
        if not any(each.ready for each in over):
            longest = max(each.seconds for each in over)
            return (
                f"no group has used more than its runtime for {least} s; the longest time is "
                f"{longest:.0f} s"
            )
        if not any(each.ready for each in needs):
            longest = max(each.seconds for each in needs)
            return (
                f"no group has been in need for {self.limits.need_for} s; the longest time is "
                f"{longest:.0f} s"
            )
        return ""

    def _still_waits(self, measured: Mapping[str, Measured]) -> str:
        """Return what is not known yet of earlier actions; empty where they do not matter."""
        for action in self.history.unmeasured:
            if action.id in measured:
                continue
            ending = self._ending(action)
            if ending:
                return f"{ending} of the jobs that were vacated have not ended yet"
            return (
                f"jobs were vacated {self._age(action):.0f} s ago, and no job in need has one of "
                f"their slots yet; settle_time is {self.limits.settle_time} s"
            )
        return ""

    # What is taken back
    # ----------------------------------------------------------------------------------------------

    def _with_evictions(
        self, plan: ReclaimPlan, ledger: UsageLedger, spaces: FreeSpaces, waiting: WaitingJobs
    ) -> ReclaimPlan:
        """Return ``plan`` with the jobs to be vacated, and the ceilings to be set first."""
        observation, limits = self.observation, self.limits
        now = observation.taken_at
        ready = {each.group for each in plan.over if each.ready}
        needy = {each.group for each in plan.needs if each.ready}
        candidates = Candidates(limits, now, self.history, spaces, self.ends, self.protection.jobs)
        claims = [claim for claim in observation.claims if claim.group in ready]
        able = candidates.of(claims, ledger)
        ceiling_plan = CeilingPlan(observation.claims, observation.idle, self._foreign())
        today = tuple(self.history.lost_today(now))
        useful = self.history.useful_in_a_row(dict(plan.measured), now - STREAK)
        budget = ReclaimBudget(
            limits, len(observation.claims), observation.pool_weight, today, useful
        )
        choice = EvictionChoice(ledger, spaces, waiting, needy, budget, ceiling_plan)
        choice.take(able)
        if self.confirm and choice.chosen:
            choice.confirm(self._taken(choice, ceiling_plan, spaces, needy))
        evictions = tuple(evictions_of(able, choice))
        none_helps = ""
        if not evictions:
            none_helps = "no job that may be vacated would help the waiting jobs"
        ceilings = tuple(ceiling_plan.ceilings())
        set_anew = {each.submitter for each in ceilings}
        exemptions = (*candidates.exemptions, *choice.refused.values())
        return replace(
            plan,
            evictions=evictions,
            uses=tuple(expected_starts(choice)),
            ceilings=ceilings,
            release=tuple(who for who in plan.release if who not in set_anew),
            renew=tuple(who for who in plan.renew if who not in set_anew),
            exemptions=tuple(sorted(exemptions, key=exemption_order)),
            ending=tuple(sorted(candidates.ending)),
            kept=tuple(ceiling_plan.kept()),
            waiting=none_helps,
        )

    def _taken(
        self,
        choice: EvictionChoice,
        ceiling_plan: CeilingPlan,
        spaces: FreeSpaces,
        needy: Collection[str],
    ) -> frozenset[str]:
        """Return the freed places that the next cycle gives to a group in need."""
        ended: dict[str, list[str]] = {}
        for place, chosen in choice.chosen.items():
            ended[place] = [each.claim.slot for each in chosen]
        limited = {each.submitter for each in ceiling_plan.ceilings()}
        groups = {each.submitter: each.group for each in self.observation.idle}
        return taken_places(self.pool, spaces, ended, limited, groups, needy)

    def _foreign(self) -> dict[str, int]:
        """Return the ceilings that are not ours."""
        own = self.history.ceilings
        foreign = {}
        for who, ceiling in (self.ceilings or {}).items():
            is_own = who in own and own[who].ceiling == ceiling
            if ceiling >= 0 and not is_own:
                foreign[who] = ceiling
        return foreign
