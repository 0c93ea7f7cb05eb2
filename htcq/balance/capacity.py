"""Where the capacity of a pool is: every part of every slot, and the cause for which it stands.

What the next cycle makes of slots is what the simulated cycle made of them
(:class:`htcq.why.verdict.Verdicts`): nothing is matched here. What it left is compared with every
class of waiting jobs; what they would take is no more than there are of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from htcq.balance.amounts import NOTHING, Amounts, Weighed
from htcq.balance.causes import (
    ASSET_MISSING,
    FRAGMENTED,
    IN_NO_SLOT,
    LATER,
    OTHER_NEGOTIATOR,
    SPECIALISED,
    START_IS_FULL,
    START_REFUSES,
    STARTING,
    STRANDED,
    UNEXPLAINED,
    UNWANTED,
    WEIGHT_CHANGES,
)
from htcq.balance.filling import Filling
from htcq.balance.kinds import kinds_of
from htcq.balance.lifting import Gain, Lifting, Rests, may_start
from htcq.balance.lost import Lost, lift_lost, missing_assets
from htcq.balance.pieces import Piece, Pieces, alike
from htcq.balance.standing import Part
from htcq.balance.wanting import Waiting, tables_of
from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.slot_causes import STALE
from htcq.pool.slot_state import (
    BROKEN,
    DRAINED,
    OFFLINE,
    closed_by,
    closings_of,
    drain_of,
    used_as,
)
from htcq.poolquota.health import stale_slots
from htcq.simulate.course.machines import machine_of
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.schedd_negotiation import Made
from htcq.units import CPUS, GPUS
from htcq.why import match_failure as wall
from htcq.why.verdict import Verdicts

#: Assets whose pieces are too small, not used up.
_IN_PIECES = (CPUS, GPUS)
#: Causes that end by themselves.
_IN_TIME = frozenset((LATER, UNEXPLAINED))
#: Slots that are closed for these say themselves which jobs START would take.
_OPEN_START = frozenset((STALE, OFFLINE, wall.SLOT_CONSTRAINT, OTHER_NEGOTIATOR))


@dataclass(frozen=True)
class Capacity:
    """All capacity: ``total`` is what the slots had when nothing was carved from them.

    ``parts`` add up to it. ``gains`` has by group and cause what its waiting jobs would use if
    that cause alone were lifted, where any would.
    """

    total: Amounts
    by_kind: Mapping[str, Amounts]
    parts: tuple[Part, ...]
    gains: Mapping[str, Mapping[str, Gain]]


class Capacities:
    """The capacity of the pool of ``verdicts``, for the jobs ``waiting`` there."""

    def __init__(self, verdicts: Verdicts, waiting: Sequence[Waiting], now: float | None) -> None:
        self._verdicts, self._waiting = verdicts, waiting
        supply = verdicts.cycle.quotas.supply
        self._slots, self._weighed = supply.every, Weighed(supply)
        self._kinds = kinds_of(self._slots)
        self._hidden = set(map(id, supply.hidden))
        several = len(verdicts.pool.negotiators) > 1
        self._hidden_by = OTHER_NEGOTIATOR if several else wall.SLOT_CONSTRAINT
        self._stale = set(map(id, stale_slots(verdicts.pool)))
        self._now = now
        self._filling = Filling(Startds(verdicts.pool.execute, supply.weighted))
        self._left = {} if verdicts.of_cycle else verdicts.after.left
        self._made: dict[str, list[Made]] = {}
        for made in verdicts.cycle.talks.made:
            if not made.claim.refusal and not made.preempts:
                self._made.setdefault(made.slot, []).append(made)
        self._parts: list[Part] = []
        self._lost: list[Lost] = []
        self._rest = [each.number for each in waiting]
        #: Why a slot gets none of the jobs that fit and that nothing else keeps from it.
        self._nothing = UNEXPLAINED
        if verdicts.of_cycle:
            self._nothing = verdicts.of_cycle[0].id
        elif verdicts.cycle.talks.depth_first:
            # The negotiator passes over the jobs that it supposes in a slot with the first one.
            self._nothing = LATER
        self._lifting = Lifting(verdicts, waiting, self._weighed, self._filling)

    def capacity(self) -> Capacity:
        """Return all of it."""
        pieces: dict[str, Piece] = {}
        for slot in self._slots:
            if used_as(slot) and str(slot.name) not in self._left:
                self._used(slot)
            else:
                pieces[str(slot.name)] = self._free(slot)
        found = list(alike(self._verdicts, tables_of(self._verdicts), pieces, self._waiting))
        self._share([each for each in found if not each.closed])
        closed: dict[str, list[Pieces]] = {}
        for each in found:
            if each.closed:
                closed.setdefault(each.closed, []).append(each)
        for cause, those in closed.items():
            self._closed(cause, those)
        total, by_kind = self._balanced()
        lift_lost(self._lost, self._lifting)
        return Capacity(total, by_kind, tuple(self._parts), self._lifting.gains)

    def _kind(self, slot: Slot) -> str:
        return self._kinds[machine_of(slot)]

    def _used(self, slot: Slot) -> None:
        self._parts.append(
            Part(
                used_as(slot), self._weighed.of(slot), self._kind(slot), (str(slot.name),),
                since=_since(slot), group=self._group_of(slot.customer),
            )
        )  # fmt: skip

    def _free(self, slot: Slot) -> Piece:
        """Note what of a slot the cycle uses, and return the rest."""
        name = str(slot.name)
        left: Mapping[str, Number] = {asset: amount or 0 for asset, amount in slot.left().items()}
        matched = self._left.get(name)
        if matched is not None:
            self._starting(slot, left, matched)
            left = matched
        closings = list(closings_of(slot, self._now))
        if id(slot) in self._stale:
            closings.insert(0, STALE)
        if id(slot) in self._hidden:
            closings.append(self._hidden_by)
        return Piece(slot, self._kind(slot), left, tuple(closings), matched is not None)

    def _starting(
        self, slot: Slot, left: Mapping[str, Number], after: Mapping[str, Number]
    ) -> None:
        """Note what of a slot the cycle uses: for the groups of its matches, one after another."""
        name, kind = str(slot.name), self._kind(slot)
        worth, of_slot = self._weighed.of(slot), self._made.get(name, ())
        rest = dict(left)
        for made in of_slot[:-1]:
            for asset, amount in made.claim.amounts.items():
                rest[asset] = rest.get(asset, 0) - amount
            then = self._weighed.rest(slot, rest)
            group = self._group_of(made.job.submitter)
            self._parts.append(Part(STARTING, worth.minus(then), kind, (name,), group=group))
            worth = then
        # What is left of a slot that was matched whole is for the same submitter.
        group = self._group_of(of_slot[-1].job.submitter) if of_slot else ""
        used = worth.minus(self._weighed.rest(slot, after))
        self._parts.append(Part(STARTING, used, kind, (name,), group=group))

    def _group_of(self, submitter: str) -> str:
        return self._verdicts.cycle.accounts.group_of(submitter) if submitter else ""

    def _balanced(self) -> tuple[Amounts, Mapping[str, Amounts]]:
        """Return all that there is, and by kind, and note what the ads miss or weigh otherwise."""
        now: dict[str, Amounts] = {}
        owners: dict[str, Slot] = {}
        for slot in self._slots:
            if slot.type != DYNAMIC:
                owners[str(slot.name)] = slot
        for slot in self._slots:
            parent = slot.parent
            place = parent if parent in owners else str(slot.name)
            owners.setdefault(place, slot)
            now[place] = now.get(place, NOTHING).plus(self._weighed.of(slot))
        total, by_kind = NOTHING, dict[str, Amounts]()
        for place, slot in owners.items():
            birth = self._weighed.of(slot)
            if slot.type != DYNAMIC and not used_as(slot):
                birth = self._weighed.at_birth(slot)
            kind = self._kind(slot)
            by_kind[kind] = by_kind.get(kind, NOTHING).plus(birth)
            total = total.plus(birth)
            missing = birth.minus(now[place])
            if not missing.is_nothing:
                cause = WEIGHT_CHANGES
                if closed_by(slot) == BROKEN:
                    cause = BROKEN
                    self._lost.append(Lost(BROKEN, slot, 1, missing))
                elif not missing._replace(weight=0).is_nothing:
                    cause = IN_NO_SLOT
                self._parts.append(Part(cause, missing, kind, (str(slot.name),)))
        return total, by_kind

    # Slots that jobs may have
    # ----------------------------------------------------------------------------------------------

    def _share(self, found: Iterable[Pieces]) -> None:
        """Share out what is free to the jobs that would have it, and say why they do not."""
        for pieces in found:
            place = 0
            while place < len(pieces.parts):
                steps, left = self._taken(pieces, self._rest, self._takers(pieces))
                times = _repeats(steps, self._rest, len(pieces.parts) - place)
                self._note(pieces, pieces.parts[place : place + times], steps, left)
                place += times

    def _takers(self, pieces: Pieces) -> Iterator[_Taker]:
        """Yield the classes of jobs that would have a piece, each with what keeps them from it."""
        slot = pieces.parts[0].slot
        for number in pieces.fits:
            one, keeps = self._waiting[number], list[str]()
            if one.cause:
                keeps.append(one.cause)
            elif not may_start(self._verdicts, one, slot, pieces.left):
                keeps.append(wall.START_VANILLA_UNIVERSE)
            if pieces.kept_by:
                keeps.append(pieces.kept_by)
            yield _Taker(number, keeps[0] if keeps else self._nothing, len(keeps) <= 1)
        refused = [number for number in pieces.wants if number not in pieces.fits]
        for number in refused:
            if self._waiting[number].cause or pieces.kept_by:
                continue
            if number in pieces.whole:
                yield _Taker(number, START_IS_FULL)
            else:
                yield _Taker(number, SPECIALISED if self._others(pieces) else START_REFUSES)

    def _others(self, pieces: Pieces) -> bool:
        """Return whether START takes any other job of the pool."""
        return pieces.table is not None and pieces.table.takes_others(self._verdicts, pieces.row)

    def _taken(
        self, pieces: Pieces, rest: Sequence[int], takers: Iterable[_Taker]
    ) -> tuple[list[_Step], Mapping[str, Number]]:
        """Return which of ``rest`` jobs one piece would take, and what is left then."""
        slot, left, steps = pieces.parts[0].slot, pieces.left, list[_Step]()
        claims = pieces.claims
        for number, cause, is_alone in takers:
            if not rest[number] or claims == 0:
                continue
            most = rest[number] if claims is None else min(rest[number], claims)
            taken = self._filling.most(slot, left, self._waiting[number], most)
            if taken.number:
                if claims is not None:
                    claims -= taken.number
                amounts = self._weighed.rest(slot, left).minus(self._weighed.rest(slot, taken.left))
                steps.append(_Step(number, cause, taken.number, amounts, is_alone))
                left = taken.left
        return steps, left

    def _note(
        self,
        pieces: Pieces,
        parts: Sequence[Piece],
        steps: Sequence[_Step],
        left: Mapping[str, Number],
    ) -> None:
        """Note what becomes of some alike pieces."""
        times = len(parts)
        names = [str(each.slot.name) for each in parts]
        for step in steps:
            self._rest[step.waiting] -= step.number * times
            one, detail = self._waiting[step.waiting], self._detail(step)
            group, fault = self._lifting.group_of(one), step.cause in one.faults
            part = Part(step.cause, step.amounts, "", (), detail, None, "", group, fault)
            for each, name in zip(parts, names):
                self._parts.append(part._replace(kind=each.kind, slots=(name,)))
        self._lift(pieces, parts, steps)
        rest = self._weighed.rest(parts[0].slot, left)
        if rest.is_nothing:
            return
        cause, detail = self._rest_of(pieces, left)
        missing: tuple[str, ...] = ()
        if not (steps or parts[0].is_matched or as_number(parts[0].slot.dynamic_slots)):
            missing = missing_assets(parts[0].slot)
        if missing:
            cause, detail = ASSET_MISSING, ", ".join(missing)
            self._lost.append(Lost(cause, parts[0].slot, times, rest.times(times)))
        for each, name in zip(parts, names):
            self._parts.append(Part(cause, rest, each.kind, (name,), detail))

    def _detail(self, step: _Step) -> str:
        """Return for whom or what a part stands that waiting jobs would take."""
        one = self._waiting[step.waiting]
        for each in one.verdict.walls:
            if each.id == step.cause:
                for name in ("knob", "group", "submitter", "name", "schedd"):
                    if each.amounts.get(name):
                        return str(each.amounts[name])
        return one.meeting.submitter

    def _lift(self, pieces: Pieces, parts: Sequence[Piece], steps: Sequence[_Step]) -> None:
        """Note what would start in alike pieces if one cause alone were lifted."""
        times = len(parts)
        alone: dict[str, dict[int, int]] = {}
        for step in steps:
            gain = Gain(behind=step.number * times)
            if step.cause in _IN_TIME:
                gain = Gain(step.amounts.times(times), step.number * times)
            self._lifting.add(step.cause, self._waiting[step.waiting], gain)
            if step.is_alone and step.cause not in _IN_TIME:
                alone.setdefault(step.cause, {})[step.waiting] = step.number * times
        for cause, jobs in alone.items():
            self._lifting.lift(cause, pieces, parts, Rests(dict(jobs), dict(jobs)))

    def _rest_of(self, pieces: Pieces, left: Mapping[str, Number]) -> tuple[str, str]:
        """Return why nobody takes what is left, and what it lacks."""
        slot = pieces.parts[0].slot
        lacking: dict[int, frozenset[str]] = {}
        for number in dict.fromkeys((*pieces.fits, *pieces.whole)):
            one = self._waiting[number]
            if self._rest[number] and id(one.request) not in lacking:
                lacking[id(one.request)] = self._filling.lacks(slot, left, one)
        if not lacking:
            return UNWANTED, ""
        every = list(lacking.values())
        short = frozenset.intersection(*every) or min(every, key=len)
        pieces_of = [asset for asset in _IN_PIECES if asset in short and left.get(asset)]
        if pieces_of or not short:
            return FRAGMENTED, ", ".join(pieces_of)
        return STRANDED, ", ".join(sorted(short))

    # Slots that are closed to all jobs
    # ----------------------------------------------------------------------------------------------

    def _closed(self, cause: str, found: Iterable[Pieces]) -> None:
        """Note what is closed for ``cause``, and what jobs that nothing else keeps would use."""
        every = {number: each.number for number, each in enumerate(self._waiting)}
        rests = Rests(dict(every), dict(every))
        for pieces in sorted(found, key=_size):
            for piece in pieces.parts:
                amounts = self._weighed.rest(piece.slot, piece.left)
                if not amounts.is_nothing:
                    self._parts.append(_closed_part(piece, amounts))
            those = pieces.fits if _OPEN_START.issuperset(pieces.closings) else pieces.wants
            jobs = Rests(*({number: rest[number] for number in those} for rest in rests))
            self._lifting.lift(cause, pieces, pieces.parts, jobs)
            self._lifting.keep(cause, pieces, jobs.in_all)
            for rest, left in zip(rests, jobs):
                rest.update(left)


class _Taker(NamedTuple):
    """A class of jobs that would have a piece; whether its cause alone keeps them from it."""

    waiting: int
    cause: str
    is_alone: bool = True


class _Step(NamedTuple):
    """Jobs of one class that take a part of a piece."""

    waiting: int
    cause: str
    number: int
    amounts: Amounts
    is_alone: bool


def _repeats(steps: Sequence[_Step], rest: Sequence[int], most: int) -> int:
    """Return how many alike pieces are taken alike: as long as jobs of each class are left."""
    times = [(rest[step.waiting] - 1) // step.number for step in steps]
    return max(1, min([most, *times]))


def _size(pieces: Pieces) -> Number:
    """Return what comes first: NEGOTIATOR_PRE_JOB_RANK fills slots with few cpus, by default."""
    return pieces.left.get(CPUS, 0)


def _closed_part(piece: Piece, amounts: Amounts) -> Part:
    slot, detail = piece.slot, ""
    if piece.closed == DRAINED:
        detail = drain_of(slot).why or "no reason given"
    return Part(
        piece.closed, amounts, piece.kind, (str(slot.name),), detail,
        _since(slot), machine_of(slot),
    )  # fmt: skip


def _since(slot: Slot) -> float | None:
    since = as_number(slot.state_since)
    return None if since is None else float(since)
