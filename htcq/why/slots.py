"""The walls between a job and the slots of one simulated cycle.

Slots are looked at with no job on them, as they were when the cycle began, and as they were at
its end; those that are alike once for each autocluster. Follows matchmakingAlgorithm and
trimStartdAds of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.pool.job import Job
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import ConcurrencyLimits
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.offer_groups import CrashError
from htcq.simulate.cycle.offers import Offer
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.search import OWN_CLAIM, limits_of
from htcq.units import GPUS, counted
from htcq.why.alike import Alike, alike_slots, hidden_slots
from htcq.why.clauses import Failure, Shortage
from htcq.why.crowd import Crowd, at_first, crowds, unused, uses_devices
from htcq.why.match_failure import (
    CONCURRENCY_LIMIT,
    PREEMPTION,
    REQUIREMENTS,
    SLOT_CONSTRAINT,
    START_VANILLA_UNIVERSE,
    MatchFailure,
)
from htcq.why.meeting import Meeting
from htcq.why.slot_walls import (
    CLAIMER,
    CLAIMS,
    POLICY,
    ROOM,
    TAKEN,
    UNUSED,
    WEIGHT,
    Blocked,
    left_on,
    slot_side,
)

#: The devices of a slot that no job has.
_AVAILABLE = "availablegpus"
#: The priority of a submitter that the negotiator does not know.
_UNKNOWN_PRIORITY = 0.5
_NOT_FOLLOWED = "the simulated cycle does not preempt"
_RUNS_ON = "its job still has RetirementTimeRemaining"


class SlotSide:
    """The slots of ``cycle``, which has run, as jobs meet them."""

    def __init__(self, cycle: Cycle) -> None:
        self._cycle = cycle
        every = tuple(alike_slots(cycle))
        self._open = tuple(each for each in every if each.last is not None and not each.withheld)
        self._machines = tuple(each for each in every if each.is_machine)
        self._held = tuple(each for each in every if each.first.held)
        self._crowds = crowds(self._machines)
        self._place = {each: place for place, each in enumerate(self._machines)}
        self._hidden = tuple(hidden_slots(cycle))
        self._slots = sum(each.count for each in self._machines)
        self._known: dict[tuple[int, str, str, bool], tuple[MatchFailure, ...]] = {}
        self._submitters = {each.name: each for each in cycle.quotas.submitters}
        knobs = Knobs(cycle.quotas.knobs)
        claims = (slot.concurrency_limits for slot in cycle.quotas.supply.slots)
        self._limits_at_first = ConcurrencyLimits(
            knobs, (each for each in claims if isinstance(each, str))
        )

    def walls(self, job: Job, none_left: bool = False) -> tuple[MatchFailure, ...]:
        """Return what keeps ``job`` from the slots; equal jobs of one submitter have equal walls.

        ``none_left``: the cycle itself found no slot for it that its limits would allow.
        """
        request = self._cycle.askers.request_of(job)
        schedd = self._cycle.askers.access.name_of(job)
        key = (id(request), job.submitter, schedd, none_left)
        found = self._known.get(key)
        if found is None:
            of_slots = self._named(job, self._of(self._meeting(job, request), none_left))
            found = self._known[key] = (*self._concurrency_limits(request), *of_slots)
        return found

    def preemption_walls(self, job: Job) -> tuple[MatchFailure, ...]:
        """Return why claimed slots that suit ``job`` are not preempted for it."""
        return tuple(self._preemption(self._meeting(job, self._cycle.askers.request_of(job))))

    def _meeting(self, job: Job, request: Request) -> Meeting:
        schedd = self._cycle.askers.access.name_of(job)
        return Meeting(
            self._request(request, job.submitter), job.submitter, schedd, self._cycle.links
        )

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
        if not none_left and any(self._takes(each, meeting) for each in self._open):
            return
        yield from slot_side(self._blocked(meeting), self._slots)
        yield from self._hiding(meeting)
        yield from self._preemption(meeting)

    def _blocked(self, meeting: Meeting) -> Iterator[tuple[Blocked, int]]:
        """Yield what keeps a request from machines, with slot counts, in the collector's order."""
        suited: list[Crowd] = []
        unsuited: list[Crowd] = []
        for crowd in self._crowds:
            for part in meeting.suiting(crowd):
                if meeting.suits(part.one.unused):
                    suited.append(part)
                else:
                    unsuited.append(part)
        yield from self._in_order(each for part in suited for each in self._suited(part, meeting))
        yield from self._in_order(
            each for part in unsuited for each in self._unsuited(part, meeting, not suited)
        )

    def _in_order(self, found: Iterable[tuple[Crowd, Blocked]]) -> list[tuple[Blocked, int]]:
        ordered = sorted(found, key=lambda each: self._place[each[0].one])
        return [(blocked, crowd.count) for crowd, blocked in ordered]

    def _hiding(self, meeting: Meeting) -> Iterator[MatchFailure]:
        """Yield a wall where the negotiator does not see slots that have room for a job."""
        free = (each for each in self._hidden if not each.first.held)
        number = sum(each.count for each in free if meeting.suits(each.first))
        if number:
            text = f"NEGOTIATOR_SLOT_CONSTRAINT hides {counted(number, 'slot')} that could take it"
            yield MatchFailure(SLOT_CONSTRAINT, text, {"slots": number})

    def _takes(self, alike: Alike, meeting: Meeting) -> bool:
        """Tell whether slots are left at the end of the cycle that would take a job."""
        if alike.last is None or alike.last.held:
            return False
        if alike.drained or not _may_have(alike.offer, meeting):
            return False
        try:
            return meeting.fits(alike.last)
        except CrashError:
            return False

    def _suited(self, crowd: Crowd, meeting: Meeting) -> Iterator[tuple[Crowd, Blocked]]:
        """Yield what keeps a request from slots that it would fit into if they were unused."""
        offer, is_withheld = crowd.one.offer, crowd.one.withheld
        if not _may_have(offer, meeting):
            yield crowd, Blocked(CLAIMER, detail=offer.claimer)
            return
        if crowd.one.first.held:
            return
        if is_withheld:
            yield crowd, Blocked(CLAIMER, detail="a job")
            return
        for part in meeting.falling_short(crowd):
            short = meeting.short(part.one.first)
            if short:
                yield part, Blocked(ROOM, Failure(short=short), part.left(at_first))
                continue
            for alike in part.members:
                yield Crowd([alike]), self._large_enough(alike, meeting)

    def _large_enough(self, alike: Alike, meeting: Meeting) -> Blocked:
        """Return what keeps a request from slots that are large enough when the cycle begins."""
        try:
            fits = meeting.fits(alike.first)
            still_fits = alike.last is not None and meeting.fits(alike.last)
        except CrashError as error:
            return Blocked(WEIGHT, detail=f"{alike.offer.name}: {error}")
        if fits and still_fits and alike.drained:
            return Blocked(CLAIMS)
        if fits:
            return Blocked(TAKEN)
        failure = meeting.failure(alike.first)
        if isinstance(failure, str):
            return Blocked(POLICY, detail=failure)
        return Blocked(ROOM, failure, left_on([(alike.first.amounts, alike.count)]))

    def _unsuited(
        self, crowd: Crowd, meeting: Meeting, every: bool
    ) -> Iterator[tuple[Crowd, Blocked]]:
        """Yield what keeps a request from slots that would not take it even unused.

        Unless ``every``, where is room.
        """
        is_free = not crowd.one.withheld and not crowd.one.first.held
        if not is_free and not every:
            return
        for large in meeting.falling_short(crowd):
            has_room = is_free and not meeting.short(large.one.first)
            if has_room or every:
                for part in meeting.failing(large):
                    yield part, _refused(part, meeting, has_room)

    # Claimed slots
    # ----------------------------------------------------------------------------------------------

    def _preemption(self, meeting: Meeting) -> Iterator[MatchFailure]:
        """Yield why matching claimed slots are not preempted, each reason with one slot."""
        found: dict[str, str] = {}
        for alike in self._held:
            if not _may_have(alike.offer, meeting):
                continue
            refused = self._cycle.search.preemption_refused(
                alike.offer, meeting.request, meeting.submitter
            )
            if not refused and alike.withheld:
                refused = _RUNS_ON
            # A submitter never preempts its own claims but by Rank: no policy stands in the way
            # there.
            if refused != OWN_CLAIM and refused not in found and meeting.suits(alike.first):
                found[refused] = alike.offer.name
        for refused, slot in found.items():
            what = f"may be preempted: {_NOT_FOLLOWED}"
            if refused:
                what = f"are not preempted: {refused}"
            text = f"claimed slots that match it, such as {slot}, {what}"
            yield MatchFailure(PREEMPTION, text, {"why": refused or _NOT_FOLLOWED, "slot": slot})

    # Limits
    # ----------------------------------------------------------------------------------------------

    def _concurrency_limits(self, request: Request) -> Iterator[MatchFailure]:
        limits = limits_of(request)
        if not limits and self._machines:
            limits = limits_of(request, self._machines[0].offer)
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


def _may_have(offer: Offer, meeting: Meeting) -> bool:
    """Tell whether jobs of the request's schedd may have a slot at all.

    Another may have claimed it as a whole.
    """
    return offer.claimer in ("", meeting.schedd)


def _refused(crowd: Crowd, meeting: Meeting, has_room: bool) -> Blocked:
    """Return what keeps a request from slots on all of which the same is false."""
    failure = meeting.failure(crowd.one.unused)
    if isinstance(failure, str):
        return Blocked(POLICY, detail=failure)
    if uses_devices(crowd.one) and _names_devices(failure):
        asked = Shortage(GPUS, meeting.asked.get(GPUS, 1))
        return Blocked(ROOM, Failure(short=(asked,)), crowd.left(at_first))
    return Blocked(UNUSED, failure, crowd.left(unused), has_room=has_room)


def _names_devices(failure: Failure) -> bool:
    """Tell whether only the devices decide: AvailableGPUs does not list those that are in use."""
    named = all(each.of_job and _AVAILABLE in each.text.lower() for each in failure.clauses)
    return bool(failure.clauses) and named and not failure.short


def slot_walls(side: SlotSide, job: Job) -> Iterator[MatchFailure]:
    """Yield the walls between ``job`` and the slots of the cycle of ``side``.

    There is none where a slot is left for it.
    """
    yield from side.walls(job)
