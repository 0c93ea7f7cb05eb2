"""Idle jobs that no slot of the pool would take even without a job on it, and the reasons.

The clauses and the sentences are those of :mod:`htcq.why`. Slots that differ by some MB alone are
checked once, with the largest of them, unless the job or the slot refers to other attributes that
each slot has for itself. What passes with time does not count: a slot that drains or is sick, or a
clause that refers to the clock, the load or the owner of the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from htcq.classad.clauses import bare
from htcq.classads import as_number, holds, literal, named
from htcq.columns import new_engine
from htcq.htcondor.attributes import MACHINE, SLOT, names
from htcq.pool.job import PLACES as JOB_PLACES
from htcq.pool.reference_graph import ANY_NAME, ReferenceGraph
from htcq.pool.slot import PARTITIONABLE, PLACES, Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.slot_state import is_broken, is_draining
from htcq.simulate.cycle.job_table import ORIGINAL, JobTable, Ranking, TableContext
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.rows import TableKind, Weighing
from htcq.simulate.cycle.slot_table import Offer, SlotTable
from htcq.simulate.cycle.submitter_queues import SubmitterQueues
from htcq.units import DISK
from htcq.why import match_failure as wall
from htcq.why.blocked import Blocked
from htcq.why.clause_walls import waits_for_no_time
from htcq.why.clauses import Clauses, Failure
from htcq.why.hidden_slots import HIDDEN, NONE_HIDDEN, Hidden
from htcq.why.match_failure import MatchFailure
from htcq.why.requests import with_expressions
from htcq.why.requirements import Clause
from htcq.why.slot_states import SlotStates
from htcq.why.slot_walls import UNUSED, slot_side

Array = Any
#: The attributes of a slot itself that only grow with the machine.
_SIZES = frozenset(
    (
        "cpus", "memory", "disk", "gpus", "totaldisk", "totalslotdisk", "totalmemory",
        "totalslotcpus", "totalslotmemory", "detectedmemory",
    )
)  # fmt: skip
#: Words of clauses that hold at another time: the clock, the load, the owner of a machine, the
#: jobs on the slot.
_PASSING = frozenset(
    (
        "time", "currenttime", "random", "state", "activity", "accountinggroup", "remoteuser",
        "remoteowner", "currentrank", "retirementtimeremaining", "remotescheddname",
        "numdynamicslots", "enteredcurrentactivity", "enteredcurrentstate",
        "enteredcurrentstatus", "qdate", "jobstartdate", "numjobstarts", "numshadowstarts",
        "lastremotehost", "draining", "offline", "isowner",
        *(name.lower() for name in names(SLOT, MACHINE)),
    )
)  # fmt: skip
#: What jobs alone take of a machine, and give back as they end.
_IN_JOBS = frozenset(("virtualmemory", "totalvirtualmemory"))
#: Reasons for which a job does not get a slot that would take it.
_OF_SUITING = frozenset((
    wall.NO_ROOM, wall.NO_CLAIMS_LEFT, wall.OUTRANKED, wall.PREEMPTION, wall.DRAINED,
    wall.STALE, wall.OFFLINE, wall.OWNER, wall.BROKEN, wall.ASSET_MISSING,
    wall.SLOT_CONSTRAINT, wall.OTHER_ACCESS_POINT,
))  # fmt: skip
#: Reasons for which no slot takes a job.
_OF_UNSUITING = frozenset((
    wall.REQUIREMENTS, wall.START, wall.NO_SUCH_MACHINE, wall.CONSUMPTION, wall.REQUEST_UNDEFINED,
    wall.DEDICATED_SCHEDULER, wall.START_VANILLA_UNIVERSE,
))  # fmt: skip


@dataclass(frozen=True)
class Unmatched:
    """One autocluster that fits nowhere; ``idle`` is the number of each submitter's jobs."""

    request: Request
    idle: Counter[str]
    walls: tuple[MatchFailure, ...]

    @property
    def jobs(self) -> int:
        """The number of its jobs."""
        return sum(self.idle.values())

    @property
    def first(self) -> MatchFailure:
        """The last obstacle between the jobs and all slots."""
        return unsuiting(self.walls)


#: Returns which slots of a kind are rows of a table, and for how many slots each stands.
_Rows = Callable[[SlotClass], Iterable[tuple[Slot, int]]]


class _Tables:
    """Tables of slots, and what requests meet there: of all settings of one pool."""

    def __init__(self) -> None:
        links = ReferenceGraph()
        ranking = Ranking("", "", frozenset(), links)
        # Requests that are not known yet may look at any attribute.
        names = (ANY_NAME, ORIGINAL, *JOB_PLACES)
        self.context = TableContext(new_engine(), links, names, ranking)
        self._clauses, self._weighing = Clauses(self.context), Weighing()
        self._known: dict[tuple[object, ...], SlotStates | None] = {}
        #: The place of the first slot of each kind among all.
        self._places: dict[SlotClass, int] = {}
        self._count = 0
        self._blocked: dict[tuple[SlotStates, JobTable], Blocked | None] = {}
        self._room: dict[tuple[SlotStates, JobTable], bool] = {}
        self._suit: dict[tuple[SlotStates, JobTable], bool] = {}
        self._out_of_use: dict[SlotStates, Array] = {}

    def alike(self, kinds: Iterable[SlotClass]) -> Mapping[TableKind, Sequence[SlotClass]]:
        """Return ``kinds`` by what slots of one table share."""
        found: dict[TableKind, list[SlotClass]] = {}
        for kind in kinds:
            schema = self.context.shared(kind.first.frame)[0]
            shared = TableKind(schema, kind.assets, kind.supports_policy, self._weighing, ())
            found.setdefault(shared, []).append(kind)
            if kind not in self._places:
                self._places[kind] = self._count
                self._count += kind.count
        return found

    def of(self, shared: TableKind, kinds: Sequence[SlotClass], rows: _Rows) -> SlotStates | None:
        """Return the table of ``kinds``; None where it has no rows."""
        key = (rows, *kinds)
        if key not in self._known:
            self._known[key] = self._table(shared, kinds, rows)
        return self._known[key]

    def looks_at_each(self, kinds: Sequence[SlotClass], request: Request) -> bool:
        """Return whether ``request`` tells apart slots of one of ``kinds``, which share a table."""
        frame = kinds[0].first.frame
        reached = self.context.links.reached(("requirements",), frame, request.frame)
        return bool((reached & PLACES.keys()) - _SIZES - _PASSING)

    def _table(
        self, shared: TableKind, kinds: Sequence[SlotClass], rows: _Rows
    ) -> SlotStates | None:
        offers, counts = [], []
        for kind in kinds:
            for place, (slot, count) in enumerate(rows(kind), self._places[kind]):
                offers.append(Offer(place, slot, slot))
                counts.append(count)
        if not offers:
            return None
        table = SlotTable(self.context, shared)
        table.begin((), offers)
        table.number()
        return SlotStates(table, counts=counts)

    def has_room(self, slots: SlotStates, job: JobTable) -> bool:
        """Return whether one of ``slots`` would take ``job`` with what it has left now."""
        key = (slots, job)
        if key not in self._room:
            self._room[key] = bool(slots.first.suits(job).any())
        return self._room[key]

    def blocked(self, slots: SlotStates, job: JobTable) -> Blocked | None:
        """Return what keeps ``job`` from ``slots``; None where one of them would take it."""
        key = (slots, job)
        if key not in self._blocked:
            failure = self._failure(slots, job)
            blocked = Blocked(UNUSED, slots, ~slots.nowhere, failure, slots.unused.left)
            passes = self._may_pass(slots, failure, job.request).any()
            self._blocked[key] = None if passes else blocked
        return self._blocked[key]

    def suit(self, slots: SlotStates, job: JobTable) -> bool:
        """Return whether one of ``slots`` would take ``job`` if it were unused."""
        key = (slots, job)
        if key not in self._suit:
            self._suit[key] = bool(slots.unused.suits(job).any())
        return self._suit[key]

    def _failure(self, slots: SlotStates, job: JobTable) -> Failure:
        everywhere = ~slots.nowhere
        failure = self._clauses.failure(slots.table, slots.unused, job, everywhere)
        clauses = dict(failure.clauses)
        for flaw, rows in self._clauses.flaws(slots.unused, job, everywhere).items():
            clauses[Clause(flaw, False)] = rows
        return replace(failure, clauses=clauses)

    # Time
    # ----------------------------------------------------------------------------------------------

    def _may_pass(self, slots: SlotStates, failure: Failure, request: Request) -> Array:
        """Return which slots take the job now, or may at another time without any change."""
        may = ~failure.lacks_any
        for clause, rows in failure.clauses.items():
            passing = self._passing(clause, slots, request)
            if passing <= _IN_JOBS:
                refused = rows & ~self._in_use(slots) if passing else rows
                if not clause.of_job:
                    refused = rows & ~self._is_out_of_use(slots)
                may = may & ~refused
        return may

    def _in_use(self, slots: SlotStates) -> Array:
        used = [each.claimed or bool(as_number(each.dynamic_slots)) for each in slots.slots]
        return slots.arrays.truths_of(used)

    def _passing(self, clause: Clause, slots: SlotStates, request: Request) -> frozenset[str]:
        """Return what a clause looks at that changes by itself."""
        links = self.context.links
        expression = links.parsed(clause.text)
        if expression is None or waits_for_no_time(expression, request):
            return frozenset()
        frame = slots.table.offer(0).slot.frame
        return _PASSING & links.reached(expression.words(), frame, request.frame)

    def _is_out_of_use(self, slots: SlotStates) -> Array:
        known = self._out_of_use.get(slots)
        if known is None:
            each = [_is_out_of_use(slot) for slot in slots.slots]
            known = self._out_of_use[slots] = slots.arrays.truths_of(each)
        return known


class UnusedSlots:
    """Slots with no job on them; the slots of each of ``kinds`` have one shape and one frame."""

    def __init__(
        self,
        kinds: Sequence[SlotClass],
        before: UnusedSlots | None = None,
        hidden: Hidden = NONE_HIDDEN,
    ) -> None:
        """Take ``kinds``; ``before`` are the slots of the same pool with other settings.

        Both share the tables of slots that did not change, and what is ``hidden``.
        """
        self._tables: _Tables = _Tables() if before is None else before._tables
        self._of_hidden: Hidden = hidden if before is None else before._of_hidden
        seen, unseen = self._of_hidden.apart(kinds)
        self._alike, self._hidden = self._tables.alike(seen), self._tables.alike(unseen)
        #: How many the negotiator sees.
        self.count = sum(kind.count for kind in seen)

    def blocked(self, request: Request) -> Sequence[Blocked] | None:
        """Return the obstacles of ``request`` on all slots.

        None is returned where a slot would take it.
        """
        job, found = self._tables.context.job(request), []
        asked = list(self._asked(request, _largest, _each))
        hidden = list(self._asked(request, _largest, _each, are_seen=False))
        # Most jobs suit some slot, which is seen without taking Requirements apart.
        if any(self._tables.suit(slots, job) for slots in (*asked, *hidden)):
            return None
        for slots in (*asked, *hidden):
            blocked = self._tables.blocked(slots, job)
            if blocked is None:
                return None
            if slots in hidden:
                blocked = blocked._replace(how=HIDDEN, detail=self._of_hidden.cure)
            found.append(blocked)
        return found

    def walls(self, request: Request, blocked: Sequence[Blocked]) -> Iterator[MatchFailure]:
        """Yield the reasons that the obstacles of ``request`` make."""
        job = self._tables.context.job(request)
        return with_expressions(job, slot_side(blocked, self.count))

    def has_room_now(self, request: Request) -> bool:
        """Return whether some slot would take ``request`` with what it has left now."""
        job = self._tables.context.job(request)
        asked = (
            *self._asked(request, _roomiest, _offered),
            *self._asked(request, _roomiest, _offered, are_seen=False),
        )
        return any(self._tables.has_room(slots, job) for slots in asked)

    def _asked(
        self, request: Request, some: _Rows, every: _Rows, are_seen: bool = True
    ) -> Iterator[SlotStates]:
        """Yield the tables of ``some`` slots, or of ``every`` one that differs to ``request``.

        They are those that the negotiator sees, or those that are hidden from it.
        """
        alike = self._alike if are_seen else self._hidden
        for shared, kinds in alike.items():
            rows = every if self._tables.looks_at_each(kinds, request) else some
            slots = self._tables.of(shared, kinds, rows)
            if slots is not None:
                yield slots


def none_suits(walls: Iterable[MatchFailure]) -> bool:
    """Return whether ``walls`` tell of no slot that would take a job with no job on it."""
    return not any(each.id in _OF_SUITING for each in walls)


def unsuiting(walls: Sequence[MatchFailure]) -> MatchFailure:
    """Return that one of ``walls`` that is the last obstacle between a job and all slots.

    That is what holds for all of them, as it gives no number or needs no slot to be false; else the
    first, which keeps the job from the last ones (:func:`htcq.why.slot_walls.slot_side`).
    """
    found = [each for each in walls if each.id in _OF_UNSUITING]
    every = [each for each in found if "slots" not in each.amounts or _is_never(each)]
    return (every or found or list(walls))[0]


def _is_never(each: MatchFailure) -> bool:
    """Return whether the job's own Requirements are false whatever a slot has."""
    clause = str(each.amounts.get("clause", ""))
    return each.id == wall.REQUIREMENTS and literal(bare(clause)) is False


def last_first(walls: Sequence[MatchFailure]) -> Sequence[MatchFailure]:
    """Return ``walls`` of a job that no slot suits: first the last obstacle between both."""
    first = unsuiting(walls)
    return sorted(walls, key=lambda each: (each is not first, each.id not in _OF_UNSUITING))


def cause_of(each: MatchFailure) -> str:
    """Return the key by which reasons of several autoclusters are one: the clause, or the asset."""
    amounts = each.amounts
    if each.id == wall.REQUEST_UNDEFINED:
        return str(amounts["expression"])
    return str(amounts.get("clause") or amounts.get("asset") or "several assets")


def unmatched(askers: SubmitterQueues, slots: UnusedSlots) -> Iterator[Unmatched]:
    """Yield the autoclusters of offered jobs that fit nowhere, those with most jobs first."""
    idle: dict[int, Counter[str]] = {}
    requests: dict[int, Request] = {}
    for submitter, request, wanted in askers.waiting():
        requests[id(request)] = request
        idle.setdefault(id(request), Counter())[submitter] += wanted
    for key in sorted(idle, key=lambda each: -sum(idle[each].values())):
        request = requests[key]
        blocked = slots.blocked(request)
        if blocked is not None:
            walls = tuple(slots.walls(request, blocked))
            yield Unmatched(request, idle[key], walls)


def _is_out_of_use(slot: Slot) -> bool:
    """Return whether START holds only for now: the machine drains, is broken or sick.

    Or it is attached to one schedd, which gives it jobs without the negotiator.
    """
    frame = slot.frame
    if slot.state == "Owner" or is_draining(slot):
        return True
    if is_broken(slot) or "IsDirectAttach" in frame:
        return True
    return "Healthy" in frame and not holds(named("Healthy").evaluate(slot.ad()))


def _each(kind: SlotClass) -> Iterator[tuple[Slot, int]]:
    for slot in kind.slots:
        yield slot, 1


def _offered(kind: SlotClass) -> Iterator[tuple[Slot, int]]:
    """Yield the slots that the negotiator may match as they are, without preemption."""
    for slot in kind.slots:
        if slot.type == PARTITIONABLE or not slot.claimed:
            yield slot, 1


def _roomiest(kind: SlotClass) -> Iterator[tuple[Slot, int]]:
    """Yield those of the offered slots that have most disk left where all else is equal."""
    largest: dict[tuple[Number | None, ...], tuple[Number, Slot]] = {}
    for slot, _ in _offered(kind):
        left = slot.left()
        key = tuple(amount for asset, amount in left.items() if asset != DISK)
        disk = left.get(DISK) or 0
        if key not in largest or largest[key][0] < disk:
            largest[key] = (disk, slot)
    for _, slot in largest.values():
        yield slot, 1


def _largest(kind: SlotClass) -> Iterator[tuple[Slot, int]]:
    """Yield those slots that no other one exceeds in memory and disk; all else of them is equal.

    The first stands for all that are not yielded.
    """
    kept: list[tuple[tuple[Number, Number], Slot]] = []
    sizes: dict[tuple[Number, Number], Slot] = {}
    for slot in kind.slots:
        size = (as_number(slot.total_slot_memory_mb) or 0, as_number(slot.total_slot_disk_kb) or 0)
        sizes.setdefault(size, slot)
    for size in sorted(sizes, reverse=True):
        if not kept or size[1] > kept[-1][0][1]:
            kept.append((size, sizes[size]))
    for place, (_, slot) in enumerate(kept):
        yield slot, 1 if place else kind.count - len(kept) + 1
