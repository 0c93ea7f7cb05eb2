"""Which jobs are taken back: machine by machine, in their order, until somebody in need can run there.

Greedy over the whole vector: each of them has something of what its group uses too much of. What
is taken besides, on one slot, until a waiting job fits, comes back if that fits without it.
Otherwise than in Koordinator's revoke
(pkg/scheduler/plugins/elasticquota/quota_overuse_revoke.go, commit a7a1b76) nothing is taken
that nobody waits for, and no group comes below its min in any dimension.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from htcq.elastic.reclaim.budget import Budget
from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.ceiling_plan import CeilingPlan
from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.jobs_without_slot import JobsWithoutSlot, Waits
from htcq.elastic.reclaim.reclaim_plan import Exemption
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.pool.autocluster import Autocluster

_NOBODY = "no waiting job could use what it holds"


class Choice:
    """Takes candidates in their order; what is chosen is by place, in the order in which it was taken."""

    def __init__(
        self,
        standings: UsageLedger,
        rooms: FreeSpaces,
        waits: Waits,
        needy: Collection[str],
        budget: Budget,
        holding: CeilingPlan,
    ) -> None:
        self._standings, self._rooms, self._served = standings, rooms, waits.served
        self._waiting = [each for each in waits.jobs if each.group in needy]
        self._budget, self._holding = budget, holding
        self._pending: dict[str, list[Candidate]] = {}
        self.chosen: dict[str, list[Candidate]] = {}
        self.uses: dict[str, list[JobsWithoutSlot]] = {}
        self.helps: dict[tuple[str, str], tuple[str, ...]] = {}
        self.refused: dict[tuple[str, str], Exemption] = {}

    def take(self, candidates: Sequence[Candidate]) -> None:
        """Choose among ``candidates``."""
        for one in candidates:
            if not any(each.left for each in self._waiting):
                self._refuse(one, "no further jobs wait")
                continue
            self._pending.setdefault(one.place, []).append(one)
            self._look(one.place)
        for pending in self._pending.values():
            for one in pending:
                self._refuse(one, _NOBODY)
        for place in sorted(self.chosen):
            self._give_back(place)

    def _refuse(self, one: Candidate, why: str) -> None:
        self.refused.setdefault(
            one.key, Exemption(one.claim.group, one.claim.schedd, one.claim.job, why)
        )

    def _look(self, place: str) -> None:
        """Take what is pending at ``place`` if somebody who waits can run there then."""
        able: list[Candidate] = []
        for one in self._pending[place]:
            why = self._refusal(one, able)
            if why:
                self._refuse(one, why)
            else:
                able.append(one)
        self._pending[place] = able
        user = self._user(place, able) if able else None
        if user is None:
            return
        for one in able:
            above = self._standings.parent_below_min(
                one.claim.group, one.claim.amounts, user.group, user.idle.amounts
            )
            if above:
                self._pending[place] = [each for each in able if each is not one]
                self._refuse(one, f"{above}, the parent of its group, would fall below its min")
                return
        self._commit(place, able)
        while user is not None:
            self._use(place, user)
            user = self._user(place, ())

    def _refusal(self, one: Candidate, also: Sequence[Candidate]) -> str:
        """Return why ``one`` is not taken back after all that is, and ``also``; empty: nothing is against it."""
        claim = one.claim
        own = [each for each in also if each.claim.group == claim.group]
        for each in own:
            self._standings.move(claim.group, each.claim.amounts, -1)
        exceeded = self._standings.exceeded(claim.group)
        helps = tuple(name for name in exceeded if claim.amounts.get(name, 0) > 0)
        below = self._standings.below_min(claim.group, claim.amounts)
        for each in own:
            self._standings.move(claim.group, each.claim.amounts, 1)
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
        return self._budget.refusal(one, also) or self._holding.refusal(one, also)

    def _user(self, place: str, able: Sequence[Candidate]) -> JobsWithoutSlot | None:
        """Return the first that waits and runs at ``place`` beside those that were given room there before."""
        ended = [each.claim.slot for each in (*self.chosen.get(place, ()), *able)]
        room = self._rooms.room(place, ended)
        if room is None or not all(room.take(each) for each in self._there(place)):
            return None
        for each in self._waiting:
            if (
                each.left
                and self._standings.fits(each.group, each.idle.amounts)
                and room.take(each.jobs)
            ):
                return each
        return None

    def _there(self, place: str) -> list[Autocluster]:
        """Return the jobs that come to ``place`` anyway, or were given room there before."""
        return [*self._served.get(place, ()), *(each.jobs for each in self.uses.get(place, ()))]

    def _commit(self, place: str, able: Sequence[Candidate]) -> None:
        self._pending[place] = []
        self.chosen.setdefault(place, []).extend(able)
        self._count(able, 1)

    def _count(self, gone: Sequence[Candidate], sign: int) -> None:
        for one in gone:
            self._standings.move(one.claim.group, one.claim.amounts, -sign)
        self._budget.spend(gone, sign)
        self._holding.spend(gone, sign)

    def _use(self, place: str, user: JobsWithoutSlot) -> None:
        user.left -= 1
        self.uses.setdefault(place, []).append(user)
        self._standings.move(user.group, user.idle.amounts, 1)

    def confirm(self, places: Collection[str]) -> None:
        """Give back what is not at one of ``places``."""
        for place in sorted(set(self.chosen) - set(places)):
            gone = self.chosen.pop(place)
            self._count(gone, -1)
            for user in self.uses.pop(place):
                user.left += 1
                self._standings.move(user.group, user.idle.amounts, -1)
            for one in gone:
                self._refuse(one, "the next cycle would match no job of the groups in need there")

    def _give_back(self, place: str) -> None:
        """Give back what is not needed for those who come, what would lose the most first."""
        kept = self.chosen[place]
        for one in list(reversed(kept)):
            rest = [each for each in kept if each is not one]
            if self._rooms.fit(place, [each.claim.slot for each in rest], self._there(place)):
                kept.remove(one)
                self._count([one], -1)
                self._refuse(one, "not needed: the waiting jobs fit without it")
