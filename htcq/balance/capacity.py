"""Where the capacity of a pool is: every part of every slot, and the cause for which it stands.

What the next cycle makes of slots is what the simulated cycle made of them
(:class:`htcq.why.verdict.Verdicts`): nothing is matched here. What it left is compared with every
class of waiting jobs; what they would take is no more than there are of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from htcq.balance.amounts import NOTHING, Amounts, Weighed, overdrawn, total_of
from htcq.balance.causes import (
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
from htcq.balance.closed_parts import closed_part, moment, says_start, until_text
from htcq.balance.filling import Filling
from htcq.balance.kinds import kinds_of
from htcq.balance.lifting import Gain, Lifting, Rests, may_start
from htcq.balance.lost import Lost, lift_lost, lost_with, with_enough
from htcq.balance.pieces import Piece, Pieces, alike
from htcq.balance.places import places_of
from htcq.balance.standing import Capacity, Part
from htcq.balance.steps import Step, Taker, raised_by, repeats, stands_for
from htcq.balance.unslotted import lift_unslotted, unslotted_of
from htcq.balance.wanting import Waiting, tables_of
from htcq.classads import as_number
from htcq.pool.outlived import without_outlived
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.slot_causes import ASSET_MISSING
from htcq.pool.slot_shortages import DiskInFiles, shortage_of
from htcq.pool.slot_state import BROKEN, closed_by, machine_of, used_as
from htcq.pool.unasked import Unasked
from htcq.poolquota.closings import Closings
from htcq.simulate.course.claims import amounts_of
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.schedd_negotiation import Made
from htcq.units import CPUS, DISK, GPUS
from htcq.why import match_failure as wall
from htcq.why.negotiator import hiding_cure, other_negotiators
from htcq.why.verdict import Verdicts

#: Assets whose pieces are too small, not used up.
_IN_PIECES = (CPUS, GPUS)
#: Causes that end by themselves.
_IN_TIME = frozenset((LATER, UNEXPLAINED))


class Capacities:
    """The capacity of the pool of ``verdicts``, for the jobs ``waiting`` there."""

    def __init__(self, verdicts: Verdicts, waiting: Sequence[Waiting], now: float | None) -> None:
        self._verdicts, self._waiting = verdicts, waiting
        supply = verdicts.cycle.quotas.supply
        self._slots, self._weighed = without_outlived(supply.every), Weighed(supply)
        self._unslotted = unslotted_of(self._slots)
        beside = [(machine_of(each.slot), each.amounts) for each in self._unslotted]
        self._kinds = kinds_of(self._slots, beside)
        self._hidden = set(map(id, supply.hidden))
        several = bool(other_negotiators(verdicts.pool))
        self._hiding = hiding_cure(verdicts.pool)
        self._hidden_by = OTHER_NEGOTIATOR if several else wall.SLOT_CONSTRAINT
        self._unasked = Unasked(verdicts.pool.jobs or ())
        self._closings, self._now = Closings(verdicts.pool), now
        self._filling = Filling(Startds(verdicts.pool.execute, supply.weighted))
        self._left = {} if verdicts.of_cycle else verdicts.after.left
        self._made: dict[str, list[Made]] = {}
        for made in verdicts.cycle.talks.made:
            if not made.claim.refusal and not made.preempts:
                self._made.setdefault(made.slot, []).append(made)
        self._parts: list[Part] = []
        self._lost: list[Lost] = []
        self._files = DiskInFiles(self._slots)
        self._doubtful: list[str] = []
        self._rest = [each.number for each in waiting]
        self._no_cycle = verdicts.of_cycle[0].id if verdicts.of_cycle else ""
        #: Why a slot gets none of the jobs that fit and that nothing else keeps from it.
        self._nothing = self._no_cycle or UNEXPLAINED
        if not self._no_cycle and verdicts.cycle.talks.depth_first:
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
        lift_unslotted(self._unslotted, self._lifting)
        parts, doubtful = tuple(self._parts), tuple(self._doubtful)
        return Capacity(total, by_kind, parts, self._lifting.gains, doubtful)

    def _kind(self, slot: Slot) -> str:
        return self._kinds[machine_of(slot)]

    def _used(self, slot: Slot) -> None:
        self._parts.append(
            Part(
                used_as(slot), self._weighed.of(slot), self._kind(slot), (str(slot.name),),
                self._told(slot), moment(slot.state_since), group=self._group_of(slot.customer),
            )
        )  # fmt: skip

    def _told(self, slot: Slot) -> str:
        """Return what sets a claim apart: until when it may last, or cores without a job."""
        unasked = self._unasked.of(slot).get(CPUS)
        return "in slots whose jobs ask for less" if unasked else until_text(slot)

    def _free(self, slot: Slot) -> Piece:
        """Note what of a slot the cycle uses, and return the rest."""
        name = str(slot.name)
        before = amounts_of(slot)
        matched = self._left.get(name)
        left: Mapping[str, Number] = before
        if matched is not None:
            self._starting(slot, before, matched)
            left = matched
        else:
            # A weight that does not end with what is left, or amounts that are no numbers.
            beside = self._weighed.of(slot).minus(self._weighed.rest(slot, left))
            if not beside.is_nothing:
                self._parts.append(Part(WEIGHT_CHANGES, beside, self._kind(slot), (name,)))
        closings = list(self._closings.of(slot))
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
        total, by_kind = NOTHING, dict[str, Amounts]()
        for place in places_of(self._slots):
            slot, now = place.slot, total_of(map(self._weighed.of, place.ads))
            birth = now
            # A partitionable slot that is claimed itself may have dynamic slots as well.
            if slot.type != DYNAMIC and not used_as(slot):
                birth = self._weighed.at_birth(slot)
            birth = birth.plus(overdrawn(slot))
            kind = self._kind(slot)
            deleted = self._deleted(slot, kind)
            by_kind[kind] = by_kind.get(kind, NOTHING).plus(birth).plus(deleted)
            total = total.plus(birth).plus(deleted)
            missing = birth.minus(now)
            if missing.is_nothing:
                continue
            cause, detail = WEIGHT_CHANGES, ""
            if closed_by(slot) == BROKEN:
                cause, whole = BROKEN, slot.whole()
                self._lost.append(Lost(BROKEN, slot, 1, missing, dict.fromkeys(whole, 0), whole))
            elif missing.gpus > 0 and missing._replace(weight=0, gpus=0).is_nothing:
                # Devices that were declared offline later stay in TotalSlotGPUs.
                cause, detail = ASSET_MISSING, GPUS
                left = self._left.get(str(slot.name), amounts_of(slot))
                whole = {**left, GPUS: left.get(GPUS, 0) + missing.gpus}
                self._lost.append(Lost(ASSET_MISSING, slot, 1, missing, left, whole))
            elif not missing._replace(weight=0).is_nothing:
                cause = IN_NO_SLOT
                if not place.may_change(self._now):
                    self._doubtful.append(str(slot.name))
            self._parts.append(Part(cause, missing, kind, (str(slot.name),), detail))
        for each in self._unslotted:
            part = each.part(self._kind(each.slot), self._verdicts.pool)
            by_kind[part.kind] = by_kind[part.kind].plus(part.amounts)
            total = total.plus(part.amounts)
            self._parts.append(part)
        return total, by_kind

    def _deleted(self, slot: Slot, kind: str) -> Amounts:
        """Return what a slot has lost with broken dynamic slots, and note it."""
        left = self._left.get(str(slot.name), amounts_of(slot))
        lost = lost_with(slot, left, self._weighed)
        if lost is None:
            return NOTHING
        self._lost.append(lost)
        self._parts.append(Part(BROKEN, lost.amounts, kind, (str(slot.name),)))
        return lost.amounts

    # Slots that jobs may have
    # ----------------------------------------------------------------------------------------------

    def _share(self, found: Iterable[Pieces]) -> None:
        """Share out what is free to the jobs that would have it, and say why they do not."""
        for pieces in found:
            place = 0
            while place < len(pieces.parts):
                steps, left = self._taken(pieces, self._rest, self._takers(pieces))
                times = repeats(steps, self._rest, len(pieces.parts) - place)
                self._note(pieces, pieces.parts[place : place + times], steps, left)
                place += times

    def _takers(self, pieces: Pieces) -> Iterator[Taker]:
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
            nothing = LATER if one.is_wasted else self._nothing
            # What a later cycle gives is no second obstacle.
            obstacles = set(keeps) - {LATER}
            yield Taker(number, keeps[0] if keeps else nothing, len(obstacles) <= 1)
        refused = [number for number in pieces.wants if number not in pieces.fits]
        for number in (*refused, *pieces.charged):
            # What is left of a slot that was matched whole is kept by START in a later cycle too.
            if self._waiting[number].cause or pieces.kept_by not in ("", LATER):
                continue
            cause, is_alone = START_IS_FULL, not pieces.kept_by
            if number in pieces.charged:
                cause = wall.CONSUMPTION
                is_alone = is_alone and pieces.open_to(self._waiting[number])
            elif number not in pieces.whole:
                table = pieces.table
                others = table is not None and table.takes_others(self._verdicts, pieces.row)
                cause = SPECIALISED if others else START_REFUSES
            yield Taker(number, cause, is_alone)

    def _taken(
        self, pieces: Pieces, rest: Sequence[int], takers: Iterable[Taker]
    ) -> tuple[list[Step], Mapping[str, Number]]:
        """Return which of ``rest`` jobs one piece would take, and what is left then."""
        slot, left, steps = pieces.parts[0].slot, pieces.left, list[Step]()
        claims = math.inf if pieces.claims is None else pieces.claims
        for taker in takers:
            number, jobs = taker.waiting, rest[taker.waiting]
            while jobs:
                if not claims:
                    taker = Taker(number, pieces.ends_by, False)
                most = int(min(jobs, claims or jobs))
                is_plain = taker.cause == wall.CONSUMPTION
                taken = self._filling.most(slot, left, self._waiting[number], most, is_plain)
                if not taken.number:
                    break
                claims, jobs = max(0, claims - taken.number), jobs - taken.number
                amounts = self._weighed.rest(slot, left).minus(self._weighed.rest(slot, taken.left))
                steps.append(Step(number, taker.cause, taken.number, amounts, taker.is_alone))
                left = taken.left
        return steps, left

    def _note(
        self,
        pieces: Pieces,
        parts: Sequence[Piece],
        steps: Sequence[Step],
        left: Mapping[str, Number],
    ) -> None:
        """Note what becomes of some alike pieces."""
        times = len(parts)
        for step in steps:
            self._rest[step.waiting] -= step.number * times
            one = self._waiting[step.waiting]
            detail = stands_for(one, step.cause)
            serves = partial(pieces.serves, self._verdicts, step.waiting, self._waiting)
            cure = raised_by(one, step.cause, serves)
            group = self._lifting.group_of(one)
            part = Part(step.cause, step.amounts, "", (), detail, None, "", group, cure)
            for each in parts:
                self._parts.append(part._replace(kind=each.kind, slots=(str(each.slot.name),)))
        self._lift(pieces, parts, steps)
        rest = self._weighed.rest(parts[0].slot, left)
        if rest.is_nothing:
            return
        cause, detail = self._rest_of(pieces, left)
        alike_parts: dict[tuple[bool, Number], list[Piece]] = {}
        for each in parts:
            is_empty = not (steps or each.is_matched or as_number(each.slot.dynamic_slots))
            alike_parts.setdefault((is_empty, self._files.of(each.slot)), []).append(each)
        for (is_empty, files), those in alike_parts.items():
            of_those, missing, slot = cause, detail, those[0].slot
            whole = with_enough(slot, left, self._waiting, self._filling) if is_empty else {}
            if not whole and self._fills(pieces, left, files):
                whole = {**left, DISK: left[DISK] + files}
            if whole:
                of_those, number = ASSET_MISSING, len(those)
                lacked = [asset for asset in whole if whole[asset] != left[asset]]
                pool = self._verdicts.pool
                missing = ", ".join(shortage_of(pool, slot, asset) for asset in lacked)
                lost = Lost(of_those, slot, number, rest.times(number), left, whole)
                self._lost.append(lost)
            for each in those:
                self._parts.append(Part(of_those, rest, each.kind, (str(each.slot.name),), missing))

    def _fills(self, pieces: Pieces, left: Mapping[str, Number], files: Number) -> bool:
        """Return whether some job would fit into what is ``left`` without the ``files``."""
        if not files or DISK not in left:
            return False
        now = self._lacking(pieces, left)
        then = self._lacking(pieces, {**left, DISK: left[DISK] + files})
        return any(DISK in before and not after for before, after in zip(now, then))

    def _lift(self, pieces: Pieces, parts: Sequence[Piece], steps: Sequence[Step]) -> None:
        """Note what would start in alike pieces if one cause alone were lifted."""
        times = len(parts)
        alone: dict[str, dict[int, int]] = {}
        for step in steps:
            number, used = step.number * times, step.amounts.times(times)
            gain = Gain(used, number) if step.cause in _IN_TIME else Gain(behind=number)
            if step.cause == self._no_cycle:
                gain = self._lifting.by_cycles(self._waiting[step.waiting], used, number)
            elif step.is_alone and step.cause not in _IN_TIME:
                alone.setdefault(step.cause, {})[step.waiting] = number
            self._lifting.add(step.cause, self._waiting[step.waiting], gain)
        for cause, jobs in alone.items():
            in_next = {} if pieces.kept_by == LATER else dict(jobs)
            self._lifting.lift(cause, pieces, parts, Rests(in_next, dict(jobs)))

    def _rest_of(self, pieces: Pieces, left: Mapping[str, Number]) -> tuple[str, str]:
        """Return why nobody takes what is left, and what it lacks."""
        every = self._lacking(pieces, left)
        if not every:
            return UNWANTED, ""
        short = frozenset.intersection(*every) or min(every, key=len)
        pieces_of = [asset for asset in _IN_PIECES if asset in short and left.get(asset, 0) > 0]
        if pieces_of or not short:
            return FRAGMENTED, ", ".join(pieces_of)
        return STRANDED, ", ".join(sorted(short))

    def _lacking(self, pieces: Pieces, left: Mapping[str, Number]) -> Sequence[frozenset[str]]:
        """Return of what there is too little, for each request that still waits."""
        slot = pieces.parts[0].slot
        lacking: dict[int, frozenset[str]] = {}
        for number in dict.fromkeys((*pieces.fits, *pieces.whole)):
            one = self._waiting[number]
            if self._rest[number] and id(one.request) not in lacking:
                lacking[id(one.request)] = self._filling.lacks(slot, left, one)
        return list(lacking.values())

    # Slots that are closed to all jobs
    # ----------------------------------------------------------------------------------------------

    def _closed(self, cause: str, found: Iterable[Pieces]) -> None:
        """Note what is closed for ``cause``, and what jobs that nothing else keeps would use."""
        every = {number: each.number for number, each in enumerate(self._waiting)}
        rests = Rests(dict(every), dict(every))
        # NEGOTIATOR_PRE_JOB_RANK fills slots with few cpus first, by default.
        for pieces in sorted(found, key=lambda each: each.left.get(CPUS, 0)):
            for piece in pieces.parts:
                amounts = self._weighed.rest(piece.slot, piece.left)
                if not amounts.is_nothing:
                    self._parts.append(closed_part(piece, amounts, self._hiding))
            those = pieces.fits if says_start(pieces) else pieces.wants
            jobs = Rests(*({number: rest[number] for number in those} for rest in rests))
            self._lifting.lift(cause, pieces, pieces.parts, jobs)
            self._lifting.keep(cause, pieces, jobs.in_all)
            for rest, left in zip(rests, jobs):
                rest.update(left)
