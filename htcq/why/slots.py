"""The walls between a job and the slots of one simulated cycle.

Slots are looked at with no job on them, as they were when the cycle began, and as they were at
its end: all slots of a table at once, for each autocluster. Follows matchmakingAlgorithm and
trimStartdAds of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from htcq.classads import parsed
from htcq.pool.job import Job
from htcq.pool.slot import Number
from htcq.pool.slot_shortages import DiskInFiles, shortage_of
from htcq.poolquota.closings import Closings
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.preemption import OWN_CLAIM
from htcq.simulate.cycle.queues import Request
from htcq.units import DISK, GPUS, counted, first_named
from htcq.why.blocked import Blocked
from htcq.why.clauses import Clauses, Failure, Shortage, any_of, too_little
from htcq.why.closed_slots import ClosedSlots, Wanted
from htcq.why.hidden_slots import HIDDEN
from htcq.why.leftovers import AfterCycle
from htcq.why.limits import LimitSide
from htcq.why.lost_slots import LostSlots
from htcq.why.match_failure import (
    CONSUMPTION,
    OUTRANKED,
    PREEMPTION,
    SLOT_CONSTRAINT,
    START,
    MatchFailure,
)
from htcq.why.negotiator import hiding_cure, other_cycle
from htcq.why.origins import as_requested, with_writers
from htcq.why.requests import with_expressions
from htcq.why.slot_states import SlotStates
from htcq.why.slot_walls import (
    CLAIMER,
    CLAIMS,
    FULL,
    POLICY,
    ROOM,
    TAKEN,
    UNUSED,
    USED,
    WEIGHT,
    slot_side,
)  # fmt: skip
from htcq.why.unknown_names import with_unknown_names
from htcq.why.unmatched import none_suits
from htcq.why.wanted_slots import Meeting, WantedSlots

if TYPE_CHECKING:
    from htcq.columns.column import Column

Array = Any
_START = "START"
_LIMITS, _REQUEST = "WithinResourceLimits", "request"
#: The priority of a submitter that the negotiator does not know.
_UNKNOWN_PRIORITY = 0.5
_NONE_LEFT = MatchFailure(OUTRANKED, "no slot that suits it is left")
_HELD_BACK = "other matches or the share of its submitter came first"
_RUNS_ON = "its job still has RetirementTimeRemaining"
_ADVICE = {_RUNS_ON: "the end of these jobs; a shorter MAXJOBRETIREMENTTIME of the execution point"}
_NO_WEIGHT = "Failed to evaluate SlotWeight"


class SlotSide:
    """The slots of ``cycle``, which has run, as jobs meet them."""

    def __init__(
        self,
        cycle: Cycle,
        after: AfterCycle,
        others: Callable[[], Iterable[Job]] = tuple,
    ) -> None:
        """``after`` is what the cycle leaves; ``others`` are jobs that run or start."""
        self._cycle, self._clauses = cycle, Clauses(cycle.context, cycle.moment)
        #: What requests would have of slots.
        self.wants = WantedSlots(cycle.context, self._clauses)
        self._after = after
        offers = cycle.offers
        self.offered = [SlotStates(table, False) for table in offers.tables]
        withheld = [SlotStates(table, True) for table in offers.apart(offers.withheld)]
        hidden = cycle.quotas.supply.hidden
        self._seen = [*self.offered, *withheld]
        self._hidden = [SlotStates(table, True) for table in offers.apart(hidden)]
        self.closed = ClosedSlots(
            Closings(cycle.quotas.pool),
            DiskInFiles(cycle.quotas.supply.every),
            self.offered,
            lambda: (self.meeting(job).job for job in others()),
        )
        self._lost = LostSlots(cycle.quotas.pool, self.offered, cycle.quotas.supply.every, after)
        self._other_cycle = other_cycle(cycle.quotas.pool)
        self._hiding_cure = hiding_cure(cycle.quotas.pool)
        self._slots = sum(int(each.machines.sum()) for each in self._seen)
        self._known: dict[tuple[object, ...], tuple[MatchFailure, ...]] = {}
        self._submitters = {each.name: each for each in cycle.quotas.submitters}
        self._limits = LimitSide(cycle, self._seen)

    def walls(
        self,
        job: Job,
        none_left: bool = False,
        explains: bool = True,
        is_returned: bool = False,
    ) -> tuple[MatchFailure, ...]:
        """Return what keeps ``job`` from the slots; equal jobs of one submitter have equal walls.

        ``none_left``: the cycle itself found no slot for it that its limits would allow;
        ``is_returned``: it found one that is no good. Unless it ``explains`` one wall stands for
        all slots.
        """
        request = self._cycle.askers.request_of(job)
        schedd = self._cycle.askers.access.name_of(job)
        key = (id(request), job.submitter, schedd, none_left, explains, is_returned)
        found = self._known.get(key)
        if found is None:
            meeting = self.meeting(job)
            of_slots: Iterable[MatchFailure] = ()
            if explains:
                walls = self._of(meeting, none_left, is_returned)
                of_slots = self._named(job, with_expressions(meeting.job, walls))
                of_slots = map(self._placed, of_slots)
            elif none_left or not self._is_any_left(meeting):
                of_slots = (_NONE_LEFT,)
            found = self._known[key] = (*self._limits.walls(request), *of_slots)
        return found

    def preemption_walls(self, job: Job) -> tuple[MatchFailure, ...]:
        """Return why claimed slots that suit ``job`` are not preempted for it."""
        return tuple(self._preemption(self.meeting(job)))

    def meeting(self, job: Job) -> Meeting:
        """Return the jobs like ``job`` as slots meet them."""
        schedd = self._cycle.askers.access.name_of(job)
        sent = self._request(self._cycle.askers.request_of(job), job.submitter)
        return Meeting(self._cycle.context.job(sent), job.submitter, schedd)

    def requested(self, meeting: Meeting) -> Mapping[str, Number]:
        """Return what jobs ask of each asset, as far as it is a number whatever the slot."""
        return self._clauses.requested(meeting.job)

    @property
    def every(self) -> Sequence[SlotStates]:
        """The slots of all tables: those that are offered, withheld, and hidden."""
        return (*self._seen, *self._hidden)

    def _named(self, job: Job, walls: Iterable[MatchFailure]) -> Iterator[MatchFailure]:
        """Yield ``walls``, naming the access point where it, not the owner, wrote a clause."""
        named = with_writers(walls, job, self._cycle.askers.access.of(job))
        return (with_unknown_names(each, self._cycle.quotas.pool) for each in named)

    def as_requested(self, walls: Iterable[MatchFailure], job: Job) -> Iterator[MatchFailure]:
        """Yield ``walls`` of the request for ``job``, naming what leaves out what the job has."""
        significant = self._cycle.askers.significant
        sent = significant.sent(self._cycle.askers.request_of(job).first)
        return as_requested(walls, job, sent, lambda name: significant.left_out_by(name, job))

    def _placed(self, each: MatchFailure) -> MatchFailure:
        """Return a reason with file and line of a START that is no expression, as far as known."""
        if each.id != START or not each.amounts.get("is_error"):
            return each
        places = dict[str, None]()
        for name, configuration in self._cycle.quotas.pool.execute.items():
            knob = configuration.knob(_START)
            text = "" if knob is None or not knob.place else knob.value.strip()
            if knob is not None and text and parsed(text) is None:
                places[f"{knob.place} of {name}"] = None
        if not places:
            return each
        return replace(each, text=f"{each.text} ({first_named(tuple(places), 1)})")

    def _request(self, request: Request, submitter: str) -> Request:
        """Return ``request`` with what the negotiator writes into it about its submitter."""
        known, accounts = self._submitters.get(submitter), self._cycle.accounts
        priority = _UNKNOWN_PRIORITY
        if known is not None:
            priority = accounts.claimant(known).priority
        return self._cycle.talks.submitting.of(
            request, submitter, priority, accounts.group_of(submitter)
        )

    def _of(self, meeting: Meeting, none_left: bool, is_returned: bool) -> Iterator[MatchFailure]:
        is_any_left = not none_left and self._is_any_left(meeting)
        if is_any_left and not is_returned:
            return
        closed = tuple(self.closed.walls(meeting.job, self._wanting(meeting)))
        yield from closed
        if is_any_left:
            return
        # What somebody must lift comes before what waits for others.
        hiding = tuple(self._hiding(meeting))
        of_slots = list(slot_side(self._blocked(meeting), self._slots, bool(closed)))
        is_first = not self._other_cycle or (hiding and not closed and none_suits(of_slots))
        yield from hiding if is_first else ()
        first = {CONSUMPTION}
        if self.closed.start_refuses(meeting.job, self._wanting(meeting)):
            first.add(START)
        of_slots.sort(key=lambda each: each.id not in first)
        yield from self._lost.walls(meeting.job)
        yield from of_slots if is_first else (*of_slots, *hiding)
        yield from self._preemption(meeting)

    def _wanting(self, meeting: Meeting) -> Wanted:
        return lambda slots, rows: self.wants.wanted(slots, rows, meeting)

    def _is_any_left(self, meeting: Meeting) -> bool:
        return any(self._takes(each, meeting) for each in self.offered)

    def _takes(self, slots: SlotStates, meeting: Meeting) -> bool:
        """Return whether slots are left at the end of the cycle that would take a job."""
        answer = slots.table.answer(meeting.job)
        if answer is None or slots.fault:
            return False
        fits = answer.fits & slots.table.free_for(meeting.schedd)
        fits = fits & ~slots.held & ~slots.out_of_claims
        if answer.crashes is not None:
            fits = fits & ~answer.crashes
        return bool(fits.any())

    def _blocked(self, meeting: Meeting) -> Iterator[Blocked]:
        """Yield what keeps a request from machines."""
        suiting = [slots.machines & slots.unused.suits(meeting.job) for slots in self._seen]
        suits_none = not any(rows.any() for rows in suiting)
        yield from self._unseen(meeting) if suits_none else ()
        for slots, suited in zip(self._seen, suiting):
            machines = slots.machines
            if not slots.is_withheld:
                closed = self.closed.taking(slots, meeting.job, self._wanting(meeting)).values()
                machines = machines & ~any_of(closed, slots.nowhere)
                suited = suited & machines
            wanted = self._wanted(slots, meeting)
            small = too_little(slots.first, wanted, slots.machines)
            if slots.table.policy:
                small = self._clauses.charges(slots.first, meeting.job, slots.machines)
            short = Failure(slots.nowhere, short=small)
            if suited.any():
                yield from self._suited(slots, suited, short, meeting)
            unsuited = machines & ~suited
            if unsuited.any():
                yield from self._unsuited(slots, unsuited, short, meeting, suits_none)

    def _unseen(self, meeting: Meeting) -> Iterator[Blocked]:
        """Yield the slots that the negotiator does not see, with what else keeps a request away."""
        for slots in self._hidden:
            rows, left = slots.machines, slots.unused.left
            failure = self._clauses.failure(slots.table, slots.unused, meeting.job, rows)
            yield Blocked(HIDDEN, slots, rows, failure, left, self._hiding_cure)

    def _wanted(self, slots: SlotStates, meeting: Meeting) -> Mapping[str, Column]:
        """Return the amounts without which a slot is too small, by asset."""
        if slots.table.policy:
            return slots.first.taken(meeting.job)
        limits, words = slots.table.offer(0).seen.frame.expression(_LIMITS), set[str]()
        if limits is not None:
            words.update(limits.words())
        column = self._cycle.context.engine.column
        return {
            asset: column([amount])
            for asset, amount in self._clauses.requested(meeting.job).items()
            if f"{_REQUEST}{asset}" in words and asset in slots.first.left
        }

    def _suited(
        self, slots: SlotStates, rows: Array, short: Failure, meeting: Meeting
    ) -> Iterator[Blocked]:
        """Yield what keeps a request from slots that it would fit into if they were unused."""
        for claimer, claimed in slots.claimed.items():
            if claimer != meeting.schedd:
                yield Blocked(CLAIMER, slots, rows & claimed, detail=claimer)
        rows = rows & slots.open_to(meeting.schedd)
        yield Blocked(USED, slots, rows & slots.held)
        rows = rows & ~slots.held
        if slots.is_withheld:
            yield Blocked(CLAIMER, slots, rows, detail="a job")
            return
        small = rows & short.lacks_any
        yield from self._without_room(slots, small, short)
        rows = rows & ~small
        if rows.any():
            yield from self._large_enough(slots, rows, meeting)

    def _large_enough(self, slots: SlotStates, rows: Array, meeting: Meeting) -> Iterator[Blocked]:
        """Yield what keeps a request from slots that are large enough when the cycle begins."""
        if slots.fault:
            yield Blocked(WEIGHT, slots, rows, detail=slots.fault)
            return
        first, last = slots.first.answer(meeting.job), slots.at_last(meeting.job, self._after)
        for crashes in (first.crashes, last.crashes):
            if crashes is not None:
                yield Blocked(WEIGHT, slots, rows & crashes, detail=_NO_WEIGHT)
                rows = rows & ~crashes
        no_claims = rows & first.fits & last.fits & slots.out_of_claims
        yield Blocked(CLAIMS, slots, no_claims)
        yield Blocked(TAKEN, slots, rows & first.fits & ~no_claims)
        rows = rows & ~first.fits
        flaws = self._clauses.flaws(slots.first, meeting.job, rows)
        yield from (Blocked(POLICY, slots, each, detail=flaw) for flaw, each in flaws.items())
        rows = rows & ~any_of(flaws.values(), slots.nowhere)
        if rows.any():
            failure = self._clauses.failure(slots.table, slots.first, meeting.job, rows)
            yield from self._without_room(slots, rows, failure)

    def _without_room(self, slots: SlotStates, rows: Array, failure: Failure) -> Iterator[Blocked]:
        """Yield slots that have too little left, those apart whose disk files have."""
        full = self.closed.full_disks(slots, rows, failure)
        lacks = shortage_of(self._cycle.quotas.pool, slots.offers[0].slot, DISK)
        yield Blocked(FULL, slots, full, failure, slots.first.left, lacks)
        yield Blocked(ROOM, slots, rows & ~full, failure, slots.first.left)

    def _unsuited(
        self,
        slots: SlotStates,
        rows: Array,
        short: Failure,
        meeting: Meeting,
        every: bool,
    ) -> Iterator[Blocked]:
        """Yield what keeps a request from slots that would not take it even unused.

        Unless ``every``, where is room.
        """
        has_room = slots.nowhere
        if not slots.is_withheld:
            has_room = rows & ~slots.held & ~short.lacks_any
            if not every:
                free = rows & ~slots.held & self.wants.charged(slots, slots.first, meeting)
                for detail, over in self.wants.overcharges(slots, free, meeting).items():
                    yield Blocked(POLICY, slots, over, detail=detail)
                    rows = rows & ~over
        if not every:
            rows = has_room
        if not rows.any():
            return
        failure = self._clauses.failure(slots.table, slots.unused, meeting.job, rows)
        flaws = self._clauses.flaws(slots.unused, meeting.job, rows & ~failure.excluded)
        yield from (Blocked(POLICY, slots, each, detail=flaw) for flaw, each in flaws.items())
        rows = rows & ~any_of(flaws.values(), slots.nowhere)
        in_use = rows & slots.in_use & failure.of_devices
        if in_use.any():
            asked = self._clauses.requested(meeting.job).get(GPUS, 1)
            amounts = self._cycle.context.engine.column([asked])
            devices = Failure(slots.nowhere, short=[Shortage(GPUS, in_use, amounts)])
            yield Blocked(ROOM, slots, in_use, devices, slots.first.left)
            rows = rows & ~in_use
        for where, is_roomy in ((has_room, True), (~has_room, False)):
            left = slots.unused.left
            yield Blocked(UNUSED, slots, rows & where, failure, left, has_room=is_roomy)

    def _hiding(self, meeting: Meeting) -> Iterator[MatchFailure]:
        """Yield a wall where the negotiator does not see slots that have room for a job."""
        suit = [~each.held & each.first.suits(meeting.job) for each in self._hidden]
        number = sum(int(rows.sum()) for rows in suit)
        if number:
            text = f"NEGOTIATOR_SLOT_CONSTRAINT hides {counted(number, 'slot')} that could take it"
            yield MatchFailure(SLOT_CONSTRAINT, text, {"slots": number}, self._hiding_cure)

    # Claimed slots
    # ----------------------------------------------------------------------------------------------

    def _preemption(self, meeting: Meeting) -> Iterator[MatchFailure]:
        """Yield why matching claimed slots are not preempted, each reason with one slot."""
        found: dict[str, tuple[int, str]] = {}
        for slots in self._seen:
            held = slots.held & slots.open_to(meeting.schedd)
            held = held & slots.first.suits(meeting.job) if held.any() else held
            if not held.any():
                continue
            others = slots.table.holders.others(meeting.submitter)
            for why, rows in self._cycle.search.preemption.refused(
                slots.first, slots.table, others, meeting.job
            ):
                refused = why
                if not refused and slots.is_withheld:
                    refused = _RUNS_ON
                # A submitter never preempts its own claims but by Rank: no policy stands in the
                # way there.
                here = held & rows
                if refused != OWN_CLAIM and here.any():
                    first = slots.first_of(here)
                    found[refused] = min(first, found.get(refused, first))
        for refused, (_, slot) in sorted(found.items(), key=lambda each: each[1]):
            what = f"may be preempted: {_HELD_BACK}"
            if refused:
                what = f"are not preempted: {refused}"
            text = f"claimed slots that match it, such as {slot}, {what}"
            amounts = {"why": refused or _HELD_BACK, "slot": slot}
            yield MatchFailure(PREEMPTION, text, amounts, _ADVICE.get(refused, ""))
