"""The choice of the jobs that are taken back, place by place, until a job in need fits there.

The choice is greedy over the whole vector: each chosen job has something of what its group uses too
much of. A job that was chosen before a waiting job fitted is dropped if that job fits without it.
Unlike Koordinator's revoke (pkg/scheduler/plugins/elasticquota/quota_overuse_revoke.go, commit
a7a1b76), nothing is taken that nobody waits for, and no group falls below its min in any dimension.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from htcq.elastic.reclaim.budget import ReclaimBudget
from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.ceiling_plan import CeilingPlan
from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.jobs_without_slot import JobsWithoutSlot, WaitingJobs
from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.elastic.reclaim.reclaim_plan import Exemption
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.pool.autocluster import Autocluster

_NOBODY = "no waiting job could use what it holds"


class EvictionChoice:
    """The chosen candidates, and the waiting jobs that use their slots, by place."""

    def __init__(
        self,
        ledger: UsageLedger,
        spaces: FreeSpaces,
        waiting: WaitingJobs,
        needy: Collection[str],
        budget: ReclaimBudget,
        ceilings: CeilingPlan,
    ) -> None:
        self._ledger, self._spaces, self._served = ledger, spaces, waiting.served
        self._waiting = [each for each in waiting.jobs if each.group in needy]
        self._budget, self._ceilings = budget, ceilings
        self._pending: dict[str, list[Candidate]] = {}
        self.chosen: dict[str, list[Candidate]] = {}
        self.uses: dict[str, list[JobsWithoutSlot]] = {}
        self.helps: dict[JobKey, tuple[str, ...]] = {}
        self.refused: dict[JobKey, Exemption] = {}

    def take(self, candidates: Sequence[Candidate]) -> None:
        """Choose among ``candidates``, in their order."""
        for one in candidates:
            if not any(each.left for each in self._waiting):
                self._refuse(one, "no further jobs wait")
                continue
            self._pending.setdefault(one.place, []).append(one)
            self._try(one.place)
        for pending in self._pending.values():
            for one in pending:
                self._refuse(one, _NOBODY)
        for place in sorted(self.chosen):
            self._drop_unneeded(place)

    def _refuse(self, one: Candidate, why: str) -> None:
        self.refused.setdefault(
            one.key, Exemption(one.claim.group, one.claim.schedd, one.claim.job, why)
        )

    def _try(self, place: str) -> None:
        """Choose what is pending at ``place`` if a waiting job can run there then."""
        able: list[Candidate] = []
        for one in self._pending[place]:
            why = self._refusal(one, able)
            if why:
                self._refuse(one, why)
            else:
                able.append(one)
        self._pending[place] = able
        if not able:
            return
        user = self._user(place, able)
        if user is None:
            return
        for one in able:
            above = self._ledger.parent_below_min(
                one.claim.group, one.claim.amounts, user.group, user.idle.amounts
            )
            if above:
                self._pending[place] = [each for each in able if each is not one]
                self._refuse(one, f"{above}, the parent of its group, would fall below its min")
                return
        self._pending[place] = []
        self.chosen.setdefault(place, []).extend(able)
        self._count(able, 1)
        while user is not None:
            self._use(place, user)
            user = self._user(place, ())

    def _refusal(self, one: Candidate, also: Sequence[Candidate]) -> str:
        """Return why ``one`` is not taken back beside the chosen jobs and ``also``; empty: none."""
        claim = one.claim
        own = [each for each in also if each.claim.group == claim.group]
        for each in own:
            self._ledger.move(claim.group, each.claim.amounts, -1)
        exceeded = self._ledger.exceeded(claim.group)
        helps = tuple(name for name in exceeded if claim.amounts.get(name, 0) > 0)
        below = self._ledger.below_min(claim.group, claim.amounts)
        for each in own:
            self._ledger.move(claim.group, each.claim.amounts, 1)
        if not exceeded:
            return "without the other jobs its group does not exceed its runtime any more"
        if not helps:
            return (
                "it has nothing in the dimensions in which its group uses too much: "
                f"{', '.join(exceeded)}"
            )
        if below:
            return f"its group would fall below its min in {below}"
        self.helps[one.key] = helps
        return self._budget.refusal(one, also) or self._ceilings.refusal(one, also)

    def _user(self, place: str, able: Sequence[Candidate]) -> JobsWithoutSlot | None:
        """Return the first waiting job that fits at ``place`` beside those that run there."""
        ended = [each.claim.slot for each in (*self.chosen.get(place, ()), *able)]
        space = self._spaces.space(place, ended)
        if space is None or not space.take_all(self._there(place)):
            return None
        for each in self._waiting:
            if not each.left or not self._ledger.fits(each.group, each.idle.amounts):
                continue
            if space.take(each.jobs):
                return each
        return None

    def _there(self, place: str) -> list[Autocluster]:
        """Return the jobs that start at ``place`` anyway, or for which it was freed."""
        there = list(self._served.get(place, ()))
        there += [each.jobs for each in self.uses.get(place, ())]
        return there

    def _count(self, gone: Sequence[Candidate], sign: int) -> None:
        """Count ``gone`` as taken back, or no longer (-1)."""
        for one in gone:
            self._ledger.move(one.claim.group, one.claim.amounts, -sign)
        self._budget.spend(gone, sign)
        self._ceilings.spend(gone, sign)

    def _use(self, place: str, user: JobsWithoutSlot) -> None:
        user.left -= 1
        self.uses.setdefault(place, []).append(user)
        self._ledger.move(user.group, user.idle.amounts, 1)

    def confirm(self, places: Collection[str]) -> None:
        """Drop the chosen jobs that are at none of ``places``."""
        for place in sorted(set(self.chosen) - set(places)):
            gone = self.chosen.pop(place)
            self._count(gone, -1)
            for user in self.uses.pop(place):
                user.left += 1
                self._ledger.move(user.group, user.idle.amounts, -1)
            for one in gone:
                self._refuse(one, "the next cycle would match no job of the groups in need there")

    def _drop_unneeded(self, place: str) -> None:
        """Drop the chosen jobs that the waiting ones do not need, the most lost work first."""
        kept = self.chosen[place]
        for one in list(reversed(kept)):
            rest = [each for each in kept if each is not one]
            if self._spaces.fit(place, [each.claim.slot for each in rest], self._there(place)):
                kept.remove(one)
                self._count([one], -1)
                self._refuse(one, "not needed: the waiting jobs fit without it")
