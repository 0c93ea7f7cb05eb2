"""The walls between a job and the slots of one simulated cycle.

Slots are looked at with no job on them, as they were when the cycle began, and as they were at
its end: all slots of a table at once, for each autocluster. Follows matchmakingAlgorithm and
trimStartdAds of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from htcq.pool.job import Job
from htcq.pool.slot import Number
from htcq.pool.slot_state import Drain, drain_of
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import ConcurrencyLimits
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.preemption import OWN_CLAIM
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.rows import Rows
from htcq.simulate.cycle.search import limits_of
from htcq.units import GPUS, counted
from htcq.why.blocked import Blocked
from htcq.why.clauses import Clauses, Failure, Shortage, any_of, too_little
from htcq.why.match_failure import (
    CONCURRENCY_LIMIT,
    OUTRANKED,
    PREEMPTION,
    REQUIREMENTS,
    SLOT_CONSTRAINT,
    START_VANILLA_UNIVERSE,
    MatchFailure,
)
from htcq.why.requests import with_expressions
from htcq.why.slot_states import SlotStates, drained_wall
from htcq.why.slot_walls import (
    CLAIMER,
    CLAIMS,
    POLICY,
    ROOM,
    TAKEN,
    UNUSED,
    WEIGHT,
    slot_side,
)  # fmt: skip

if TYPE_CHECKING:
    from htcq.columns.column import Column

Array = Any
#: The devices of a slot that no job has.
_AVAILABLE = "availablegpus"
_LIMITS, _REQUEST = "WithinResourceLimits", "request"
#: The priority of a submitter that the negotiator does not know.
_UNKNOWN_PRIORITY = 0.5
_NONE_LEFT = MatchFailure(OUTRANKED, "no slot that suits it is left")
_HELD_BACK = "other matches or the share of its submitter came first"
_RUNS_ON = "its job still has RetirementTimeRemaining"
_NO_WEIGHT = "Failed to evaluate SlotWeight"


class Meeting(NamedTuple):
    """The jobs of one request of a ``submitter`` at one ``schedd``."""

    job: JobTable
    submitter: str
    schedd: str


class SlotSide:
    """The slots of ``cycle``, which has run, as jobs meet them."""

    def __init__(self, cycle: Cycle) -> None:
        self._cycle, self._clauses = cycle, Clauses(cycle.context, cycle.moment)
        offers = cycle.offers
        self._offered = [SlotStates(table, False) for table in offers.tables]
        withheld = [SlotStates(table, True) for table in offers.apart(offers.withheld)]
        hidden = cycle.quotas.supply.hidden
        self._seen = [*self._offered, *withheld]
        self._hidden = [SlotStates(table, True) for table in offers.apart(hidden)]
        self._slots = sum(int(each.machines.sum()) for each in self._seen)
        self._known: dict[tuple[int, str, str, bool, bool], tuple[MatchFailure, ...]] = {}
        self._submitters = {each.name: each for each in cycle.quotas.submitters}
        knobs = Knobs(cycle.quotas.knobs)
        self._limits_at_first = ConcurrencyLimits(knobs, cycle.quotas.supply.slots)

    def walls(
        self, job: Job, none_left: bool = False, explains: bool = True
    ) -> tuple[MatchFailure, ...]:
        """Return what keeps ``job`` from the slots; equal jobs of one submitter have equal walls.

        ``none_left``: the cycle itself found no slot for it that its limits would allow. Unless it
        ``explains`` one wall stands for all slots.
        """
        request = self._cycle.askers.request_of(job)
        schedd = self._cycle.askers.access.name_of(job)
        key = (id(request), job.submitter, schedd, none_left, explains)
        found = self._known.get(key)
        if found is None:
            meeting = self.meeting(job)
            of_slots: Iterable[MatchFailure] = ()
            if explains:
                walls = self._of(meeting, none_left)
                of_slots = self._named(job, with_expressions(meeting.job, walls))
            elif none_left or not self._is_any_left(meeting):
                of_slots = (_NONE_LEFT,)
            found = self._known[key] = (*self._concurrency_limits(request), *of_slots)
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
        """Yield ``walls``, naming the schedd where it, not the job, sets the Requirements."""
        access = self._cycle.askers.access
        start = access[access.name_of(job)].start
        if start is None:
            yield from walls
            return
        condition, own = "", job.frame.text("Requirements")
        if not job.parallel:
            condition = start.condition(job)
        for each in walls:
            clause, slots = each.amounts.get("clause"), each.amounts.get("slots")
            is_written = isinstance(clause, str) and clause in condition and clause not in own
            if each.id != REQUIREMENTS or not is_written:
                yield each
                continue
            text = (
                f"START_VANILLA_UNIVERSE of the schedd is false on {slots} of "
                f"{each.amounts['of']} slots: {start.text}"
            )
            yield MatchFailure(
                START_VANILLA_UNIVERSE, text, {**each.amounts, "expression": start.text}
            )

    def _request(self, request: Request, submitter: str) -> Request:
        """Return ``request`` with what the negotiator writes into it about its submitter."""
        known, accounts = self._submitters.get(submitter), self._cycle.accounts
        priority = _UNKNOWN_PRIORITY
        if known is not None:
            priority = accounts.claimant(known).priority
        return self._cycle.talks.submitting.of(
            request, submitter, priority, accounts.group_of(submitter)
        )

    def _of(self, meeting: Meeting, none_left: bool) -> Iterator[MatchFailure]:
        if not none_left and self._is_any_left(meeting):
            return
        yield from self._draining(meeting)
        yield from slot_side(self._blocked(meeting), self._slots)
        yield from self._hiding(meeting)
        yield from self._preemption(meeting)

    def _is_any_left(self, meeting: Meeting) -> bool:
        return any(self._takes(each, meeting) for each in self._offered)

    def _takes(self, slots: SlotStates, meeting: Meeting) -> bool:
        """Return whether slots are left at the end of the cycle that would take a job."""
        answer = slots.table.answer(meeting.job)
        if answer is None or slots.fault:
            return False
        fits = (
            answer.fits & slots.table.free_for(meeting.schedd) & ~slots.held & ~slots.out_of_claims
        )
        if answer.crashes is not None:
            fits = fits & ~answer.crashes
        return bool(fits.any())

    def _blocked(self, meeting: Meeting) -> Iterator[Blocked]:
        """Yield what keeps a request from machines."""
        suiting = [slots.machines & slots.unused.suits(meeting.job) for slots in self._seen]
        none_suits = not any(rows.any() for rows in suiting)
        for slots, suited in zip(self._seen, suiting):
            wanted = self._wanted(slots, meeting)
            short = Failure(slots.nowhere, short=too_little(slots.first, wanted, slots.machines))
            if suited.any():
                yield from self._suited(slots, suited, short, meeting)
            unsuited = slots.machines & ~suited
            if unsuited.any():
                yield from self._unsuited(slots, unsuited, short, meeting, none_suits)

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
        rows = rows & slots.open_to(meeting.schedd) & ~slots.held
        if slots.is_withheld:
            yield Blocked(CLAIMER, slots, rows, detail="a job")
            return
        small = rows & short.lacks_any
        yield Blocked(ROOM, slots, small, short, slots.first.left)
        rows = rows & ~small
        if rows.any():
            yield from self._large_enough(slots, rows, meeting)

    def _large_enough(self, slots: SlotStates, rows: Array, meeting: Meeting) -> Iterator[Blocked]:
        """Yield what keeps a request from slots that are large enough when the cycle begins."""
        if slots.fault:
            yield Blocked(WEIGHT, slots, rows, detail=slots.fault)
            return
        first, last = slots.first.answer(meeting.job), slots.at_last(meeting.job)
        for crashes in (first.crashes, last.crashes):
            if crashes is not None:
                yield Blocked(WEIGHT, slots, rows & crashes, detail=_NO_WEIGHT)
                rows = rows & ~crashes
        no_claims = rows & first.fits & last.fits & slots.out_of_claims
        yield Blocked(CLAIMS, slots, no_claims)
        yield Blocked(TAKEN, slots, rows & first.fits & ~no_claims)
        rows = rows & ~first.fits
        flaws = self._clauses.flaws(slots.first, meeting.job, rows)
        for flaw, flawed in flaws.items():
            yield Blocked(POLICY, slots, flawed, detail=flaw)
        rows = rows & ~any_of(flaws.values(), slots.nowhere)
        if rows.any():
            failure = self._clauses.failure(slots.table, slots.first, meeting.job, rows)
            yield Blocked(ROOM, slots, rows, failure, slots.first.left)

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
            rows = has_room
        drained = rows & slots.drained
        if drained.any():
            # That START is false there is what the drain does, not its reason.
            rows = rows & ~(drained & self.wanted(slots, slots.first, meeting))
        flaws = self._clauses.flaws(slots.unused, meeting.job, rows)
        for flaw, flawed in flaws.items():
            yield Blocked(POLICY, slots, flawed, detail=flaw)
        rows = rows & ~any_of(flaws.values(), slots.nowhere)
        if not rows.any():
            return
        failure = self._clauses.failure(slots.table, slots.unused, meeting.job, rows)
        in_use = rows & slots.in_use & _names_devices(failure)
        if in_use.any():
            asked = self._clauses.requested(meeting.job).get(GPUS, 1)
            amounts = self._cycle.context.engine.column([asked])
            devices = Failure(slots.nowhere, short=[Shortage(GPUS, in_use, amounts)])
            yield Blocked(ROOM, slots, in_use, devices, slots.first.left)
            rows = rows & ~in_use
        for where, is_roomy in ((has_room, True), (~has_room, False)):
            left = slots.unused.left
            yield Blocked(UNUSED, slots, rows & where, failure, left, has_room=is_roomy)

    def wanted(self, slots: SlotStates, rows: Rows, meeting: Meeting) -> Array:
        """Return which slots with so much left jobs would have, if nothing closed them to jobs.

        The job's own Requirements hold there, and there is as much as it requests.
        """
        asked = self._clauses.requested(meeting.job)
        column = self._cycle.context.engine.column
        amounts = {asset: column([asked[asset]]) for asset in asked if asset in rows.left}
        short = too_little(rows, amounts, ~slots.nowhere)
        return rows.wanted_by(meeting.job) & ~any_of((each.rows for each in short), slots.nowhere)

    def _draining(self, meeting: Meeting) -> Iterator[MatchFailure]:
        """Yield a wall where drained machines would take a job."""
        drains = dict[str, Drain]()
        number = 0
        for slots in self._offered:
            rows = slots.machines & slots.drained & ~slots.held
            if not rows.any():
                continue
            rows = rows & self.wanted(slots, slots.first, meeting)
            number += int(rows.sum())
            for row in slots.table.rows_of(rows):
                drain = drain_of(slots.table.offer(row).slot)
                drains.setdefault(drain.machine, drain)
        if drains:
            yield drained_wall(tuple(drains.values()), number)

    def _hiding(self, meeting: Meeting) -> Iterator[MatchFailure]:
        """Yield a wall where the negotiator does not see slots that have room for a job."""
        number = 0
        for slots in self._hidden:
            number += int((~slots.held & slots.first.suits(meeting.job)).sum())
        if number:
            text = f"NEGOTIATOR_SLOT_CONSTRAINT hides {counted(number, 'slot')} that could take it"
            yield MatchFailure(SLOT_CONSTRAINT, text, {"slots": number})

    # Claimed slots
    # ----------------------------------------------------------------------------------------------

    def _preemption(self, meeting: Meeting) -> Iterator[MatchFailure]:
        """Yield why matching claimed slots are not preempted, each reason with one slot."""
        found: dict[str, tuple[int, str]] = {}
        for slots in self._seen:
            held = slots.held & slots.open_to(meeting.schedd)
            if not held.any():
                continue
            held = held & slots.first.suits(meeting.job)
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
            yield MatchFailure(PREEMPTION, text, {"why": refused or _HELD_BACK, "slot": slot})

    # Limits
    # ----------------------------------------------------------------------------------------------

    def _concurrency_limits(self, request: Request) -> Iterator[MatchFailure]:
        if request.limits == "" and "ConcurrencyLimits" in request.frame:
            text = "ConcurrencyLimits are an empty string: the negotiator rejects every slot"
            yield MatchFailure(CONCURRENCY_LIMIT, text, {})
            return
        limits = limits_of(request) or self._limits_on_first(request)
        before = {each.name for each in self._limits_at_first.asked(limits) if each.reached}
        for limit in self._cycle.limits.asked(limits):
            if not limit.reached:
                continue
            when = " once this cycle's earlier matches are counted"
            if limit.name in before:
                when = ""
            used, asked = f"{limit.used:g} is used{when}", f"{limit.asked:g} requested"
            text = f"concurrency limit {limit.name} is {limit.limit:g}: {used}, {asked}"
            yield MatchFailure(CONCURRENCY_LIMIT, text, {**limit._asdict()})

    def _limits_on_first(self, request: Request) -> str:
        """Return the concurrency limits of a request on the first machine."""
        machines = [slots for slots in self._seen if slots.machines.any()]
        if not machines:
            return ""
        first = min(machines, key=lambda slots: slots.first_of(slots.machines))
        row = first.table.rows_of(first.machines)[0]
        return limits_of(request, first.table.offer(row))


def _names_devices(failure: Failure) -> Array:
    """Return where only the devices decide: AvailableGPUs does not list those that are in use."""
    of_devices, others = failure.nowhere, failure.lacks_any
    for clause, rows in failure.clauses.items():
        if clause.of_job and _AVAILABLE in clause.text.lower():
            of_devices = of_devices | rows
        else:
            others = others | rows
    return of_devices & ~others
