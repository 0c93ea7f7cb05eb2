"""What would start if one cause alone were lifted, where no limit stands behind it.

That is in the next cycle, and as cycles go on. The jobs are those of the same slots that stand for
the cause. In one cycle a slot without a consumption policy gets one match; what is left of it is
for further jobs of that submitter (:mod:`htcq.simulate.course.leftovers`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from htcq.balance.amounts import NOTHING, Amounts, Weighed
from htcq.balance.causes import cause_type, must_be_lifted
from htcq.balance.filling import Filling, Taken
from htcq.balance.limits import Limits
from htcq.balance.pieces import Piece, Pieces
from htcq.balance.queue_places import QueuePlaces
from htcq.balance.wanting import Waiting, keeps_from_all_slots
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.pool.slot_state import machine_of
from htcq.simulate.course.leftovers import comes_back
from htcq.simulate.cycle.schedd_negotiation import jobs_in
from htcq.simulate.cycle.search import limits_of
from htcq.why import match_failure as wall
from htcq.why.match_failure import MatchFailure
from htcq.why.sums import OF_NEGOTIATOR
from htcq.why.verdict import Verdicts

#: How many slots a gain names.
_NAMED = 3


class Gain(NamedTuple):
    """What waiting jobs would use if one cause alone were lifted, and how many of them.

    ``starts`` is what of it the next cycle would start, ``started`` how many jobs. ``behind`` is
    how many jobs it keeps, whatever else keeps them as well. ``machines`` is on how many machines
    jobs would start, of which ``slots`` are on the first.
    """

    wanted: Amounts = NOTHING
    jobs: int = 0
    starts: Amounts = NOTHING
    started: int = 0
    behind: int = 0
    machines: int = 0
    slots: tuple[Slot, ...] = ()

    @property
    def of_failure(self) -> bool:
        """Whether it is of something that failed: no cause of the cycle keeps the jobs."""
        return not self.behind and self.wanted.is_nothing

    def plus(self, other: Gain) -> Gain:
        """Return both together."""
        return Gain(
            self.wanted.plus(other.wanted), self.jobs + other.jobs,
            self.starts.plus(other.starts), self.started + other.started,
            self.behind + other.behind, self.machines + other.machines,
            (*self.slots, *other.slots)[:_NAMED],
        )  # fmt: skip


class Rests(NamedTuple):
    """How many jobs of each class may still start: in the next cycle, and in all."""

    in_next: dict[int, int]
    in_all: dict[int, int]


#: What is gained where no job would start.
NO_GAIN = Gain()


class Lifting:
    """What lifting each cause would start, of the jobs ``waiting`` in the pool of ``verdicts``."""

    def __init__(
        self,
        verdicts: Verdicts,
        waiting: Sequence[Waiting],
        weighed: Weighed,
        filling: Filling,
    ) -> None:
        self._verdicts, self.waiting = verdicts, waiting
        self.weighed, self.filling = weighed, filling
        self.is_depth_first = verdicts.cycle.talks.depth_first
        self._places = QueuePlaces(verdicts.cycle, waiting)
        self._order: dict[str, int] = {}
        for number, each in enumerate(verdicts.cycle.askers.every):
            self._order.setdefault(each.submitter.name, number)
        self._turns = [self._turn(one) for one in waiting]
        self._limits: dict[tuple[str, bool], Limits] = {}
        #: How many jobs of a class a cause keeps that other causes keep as well.
        self._kept: Counter[tuple[str, int]] = Counter()
        #: The machines on which lifting a cause starts jobs.
        self._machines: dict[str, set[str]] = {}
        #: By group and cause.
        self.gains: dict[str, dict[str, Gain]] = {}

    def add(self, cause: str, one: Waiting, gain: Gain) -> None:
        """Note what jobs of a class would use once a cause is lifted."""
        own = self.gains.setdefault(self.group_of(one), {})
        own[cause] = own.get(cause, NO_GAIN).plus(gain)

    def by_cycles(self, one: Waiting, used: Amounts, number: int) -> Gain:
        """Return what so many jobs of a class use once cycles come: from the first on, or later.

        What the first cycle starts is simulated where nothing but a negotiator is missing.
        """
        known = OF_NEGOTIATOR.issuperset(each.id for each in self._verdicts.of_cycle)
        if known and not one.verdict.would_start_by:
            return Gain(used, number)
        return Gain(used, number, used, number)

    def group_of(self, one: Waiting) -> str:
        """Return the group that jobs of a class are charged to."""
        return self._verdicts.cycle.accounts.group_of(one.meeting.submitter)

    def _turn(self, one: Waiting) -> tuple[float, float, float, str, int]:
        """Return the place of a class in the order of the negotiator.

        Groups have their turns, in these the submitters, by priority and equals as the collector
        lists them, and of each the queue.
        """
        cycle, submitter = self._verdicts.cycle, one.meeting.submitter
        turn = cycle.turns.get(self.group_of(one))
        place = math.inf if turn is None else turn.place
        before = self._places.before(one, one.verdict.access_point)
        listed = self._order.get(submitter, math.inf)
        return place, cycle.quotas.priority(submitter), listed, submitter, before

    def lift(self, cause: str, pieces: Pieces, parts: Sequence[Piece], rests: Rests) -> None:
        """Note what would start in alike ``parts``; of each class no more than the ``rests``.

        Where another cause closes them as well nothing starts.
        """
        if len(pieces.closings) > 1:
            return
        started = self._fill(cause, pieces, parts, rests.in_next, lasts=False)
        self._fill(cause, pieces, parts, rests.in_all, lasts=True, first=started)

    def _fill(
        self,
        cause: str,
        pieces: Pieces,
        parts: Sequence[Piece],
        rest: dict[int, int],
        lasts: bool,
        first: Sequence[Sequence[tuple[int, int]]] = (),
    ) -> list[list[tuple[int, int]]]:
        """Return the classes and numbers of jobs that would start in each part.

        That is in the next cycle, or in all if it ``lasts``: then those that come ``first`` have
        their place before all others.
        """
        limits = self.limits(cause, lasts)
        able = [number for number in rest if rest[number]]
        able = [number for number in able if limits.may_start(self.waiting[number])]
        able.sort(key=self._turns.__getitem__)
        found: list[list[tuple[int, int]]] = []
        for place, piece in enumerate(parts):
            early = first[place] if place < len(first) else ()
            fill = _Fill(self, limits, cause, pieces, piece, lasts)
            found.append([])
            for number, most in (*early, *((each, rest[each]) for each in able)):
                one, before = self.waiting[number], fill.used
                taken = fill.take(one, min(most, rest[number]))
                if taken:
                    rest[number] -= max(taken, min(rest[number], fill.supposed))
                    found[-1].append((number, taken))
                    used = fill.used.minus(before)
                    gain = Gain(starts=used, started=taken)
                    if lasts:
                        gain = self._on(cause, piece.slot, Gain(used, taken))
                    self.add(cause, one, gain)
            if not found[-1]:
                # The limits leave less to each further one.
                break
        return found

    def _on(self, cause: str, slot: Slot, gain: Gain) -> Gain:
        """Return a ``gain`` on ``slot``, which names it as the first of its machine alone."""
        machines = self._machines.setdefault(cause, set())
        machine = machine_of(slot)
        if machine in machines:
            return gain
        machines.add(machine)
        return gain._replace(machines=1, slots=(slot,))

    def keep(self, cause: str, pieces: Pieces, rest: Mapping[int, int]) -> None:
        """Note which of the ``rest`` a cause keeps with others, all of which somebody must lift.

        Lifted alone it starts none of them, and neither does any other cause. What ads do not say
        yet of jobs that just came ends by itself.
        """
        lefts: list[Mapping[str, Number]] = [pieces.left] * len(pieces.parts)
        closings = [each for each in pieces.closings if each != cause]
        if not all(cause_type(each).needs_somebody for each in closings):
            return
        for number, waiting in rest.items():
            one, kept = self.waiting[number], self._kept[cause, number]
            walls = [each for each in one.verdict.walls if self._keeps(each)]
            if not closings and not walls:
                continue
            if not all(must_be_lifted(each) for each in walls):
                continue
            for place, piece in enumerate(pieces.parts):
                taken = self.filling.most(piece.slot, lefts[place], one, waiting - kept)
                if not taken.number:
                    break
                lefts[place] = taken.left
                kept += taken.number
            self.add(cause, one, Gain(behind=kept - self._kept[cause, number]))
            self._kept[cause, number] = kept

    def _keeps(self, each: MatchFailure) -> bool:
        """Return whether a reason keeps a job from all slots, if only since no cycle comes."""
        return keeps_from_all_slots(each) or each in self._verdicts.of_cycle

    def limits(self, cause: str, lasts: bool) -> Limits:
        """Return what limits leave if a cause is none: in the next cycle, or in all if it lasts."""
        key = (cause, lasts)
        if key not in self._limits:
            self._limits[key] = Limits(self._verdicts, cause, lasts, self._places)
        return self._limits[key]

    def comes_back(self, piece: Piece, schedd: str) -> bool:
        """Return whether a schedd gets what is left of a slot that it claims."""
        return comes_back(self._verdicts.pool, piece.slot, schedd)

    def may_start(self, one: Waiting, piece: Piece, left: Mapping[str, Number]) -> bool:
        """Return whether START_VANILLA_UNIVERSE lets a job start in a slot with so much left."""
        return may_start(self._verdicts, one, piece.slot, left)


class _Fill:
    """One slot, filled job by job."""

    def __init__(
        self,
        lifting: Lifting,
        limits: Limits,
        cause: str,
        pieces: Pieces,
        piece: Piece,
        lasts: bool,
    ) -> None:
        self._lifting, self._limits, self._cause, self._piece = lifting, limits, cause, piece
        self._left, self._claims = pieces.left, pieces.claims
        self._depth_first = lifting.is_depth_first and not lasts
        #: How many jobs the negotiator supposes in the slot with a match for the last class.
        self.supposed = 0
        #: Whether a match takes all of it until the next cycle.
        self._is_whole = piece.slot.type == PARTITIONABLE and not (pieces.has_policy or lasts)
        #: The submitter at the access point that has the slot, where it is matched whole.
        self._holder: tuple[str, str] | None = None
        self.used = NOTHING

    def take(self, one: Waiting, most: int) -> int:
        """Take what up to ``most`` jobs of a class would get; return how many."""
        self.supposed = 0
        if self._claims is not None:
            most = min(most, self._claims)
        if not most or not self._may_start(one):
            return 0
        if self._depth_first:
            self.supposed = jobs_in(one.request, self._left)
        if not self._is_whole:
            return self._match(one, most)
        number = 0
        if self._holder is None:
            number = self._match_whole(one)
            most -= number
        if self._holder == _holder(one) and most and not limits_of(one.request):
            number += self._start(one, most)
        return number

    def _may_start(self, one: Waiting) -> bool:
        if self._cause == wall.START_VANILLA_UNIVERSE:
            return True
        return self._lifting.may_start(one, self._piece, self._left)

    def _match(self, one: Waiting, most: int) -> int:
        if self._depth_first:
            # With the first match the negotiator supposes the others in the slot.
            most = min(most, 1)
        taken = self._most(one, most)
        if not taken.number:
            return 0
        cost = self._worth().minus(self._lifting.weighed.rest(self._piece.slot, taken.left)).weight
        number = self._limits.match(one, taken.number, float(cost) / taken.number)
        self._use(one, number)
        return number

    def _match_whole(self, one: Waiting) -> int:
        taken = self._most(one, 1)
        if not taken.number or not self._limits.match(one, 1, float(self._worth().weight)):
            return 0
        self._use(one, 1)
        self._holder = ("", "")
        if self._lifting.comes_back(self._piece, one.verdict.access_point):
            self._holder = _holder(one)
        return 1

    def _start(self, one: Waiting, most: int) -> int:
        """Start jobs without matches of their own in what is left of a slot."""
        fits = self._most(one, most).number
        number = self._limits.start(one, fits)
        self._use(one, number)
        return number

    def _most(self, one: Waiting, most: int) -> Taken:
        """Return how many of so many jobs fit; without the policy if that is what is lifted."""
        is_plain = self._cause == wall.CONSUMPTION
        return self._lifting.filling.most(self._piece.slot, self._left, one, most, is_plain)

    def _worth(self) -> Amounts:
        return self._lifting.weighed.rest(self._piece.slot, self._left)

    def _use(self, one: Waiting, number: int) -> None:
        if not number:
            return
        if self._claims is not None:
            self._claims -= number
        before = self._worth()
        self._left = self._most(one, number).left
        self.used = self.used.plus(before.minus(self._worth()))


def _holder(one: Waiting) -> tuple[str, str]:
    return one.meeting.submitter, one.verdict.access_point


def may_start(verdicts: Verdicts, one: Waiting, slot: Slot, left: Mapping[str, Number]) -> bool:
    """Return whether START_VANILLA_UNIVERSE lets a job start in ``slot`` with so much left."""
    access = verdicts.cycle.askers.access[one.verdict.access_point]
    return access.can_start(one.verdict.jobs[0], lambda: slot.ad(dict(left)))
