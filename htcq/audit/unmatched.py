"""Idle jobs that no slot of the pool would take even without a job on it, and the reasons.

The clauses and the sentences are those of :mod:`htcq.why`. Slots that differ by some MB alone are
checked once, with the largest of them, unless the job or the slot refers to other attributes that
each slot has for itself. What passes with time does not count: a slot that drains or is sick, or a
clause that refers to the clock, the load or the owner of the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.classads import as_number, holds, literal, named
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, PLACES, Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.simulate.cycle.cached_expressions import ReferenceGraph, job_ad
from htcq.simulate.cycle.clauses import bare, conjuncts
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.submitter_queues import SubmitterQueues
from htcq.units import DISK
from htcq.why.clauses import Clause, Clauses, Failure
from htcq.why.match_failure import MatchFailure
from htcq.why.slot_walls import UNUSED, Blocked, left_on, slot_side

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
        "time", "currenttime", "mycurrenttime", "clockmin", "clockday", "loadavg", "totalloadavg",
        "condorloadavg", "totalcondorloadavg", "keyboardidle", "consoleidle", "cpubusy",
        "cpuisbusy", "random", "state", "activity", "accountinggroup", "remoteuser", "remoteowner",
        "currentrank", "retirementtimeremaining", "remotescheddname", "numdynamicslots",
        "enteredcurrentactivity", "enteredcurrentstate", "enteredcurrentstatus", "qdate",
        "jobstartdate", "numjobstarts", "numshadowstarts", "lastremotehost", "draining", "offline",
        "isowner",
    )
)  # fmt: skip
#: States of slots whose START holds only for now.
_SHUT = ("Drained", "Owner")


@dataclass(frozen=True)
class Unmatched:
    """One autocluster that fits nowhere.

    ``idle`` is the number of slots that each submitter's jobs want. ``only_start`` says whether
    there is a slot that only its own Requirements keep from the jobs.
    """

    request: Request
    idle: Counter[str]
    walls: tuple[MatchFailure, ...]
    only_start: bool

    @property
    def jobs(self) -> int:
        """The number of slots that its jobs want."""
        return sum(self.idle.values())


@dataclass(frozen=True)
class _ByFrame:
    """The results by identity of frames and requests, which are kept here as well."""

    links: ReferenceGraph = field(default_factory=ReferenceGraph)
    clauses: dict[tuple[object, ...], Clauses] = field(default_factory=dict)
    passing: dict[tuple[str, int, int], bool] = field(default_factory=dict)
    out_of_use: dict[int, bool] = field(default_factory=dict)
    slots: list[SharedAttributes] = field(default_factory=list)
    requests: dict[tuple[int, int], Request] = field(default_factory=dict)

    def first(self, request: Request) -> Request:
        """Return the first request that asks for the same job with the same frame."""
        return self.requests.setdefault((id(request.first), id(request.frame)), request)


class UnusedSlots:
    """Slots with no job on them; the slots of each of ``kinds`` have one shape and one frame."""

    def __init__(self, kinds: Sequence[SlotClass], before: UnusedSlots | None = None) -> None:
        """Take ``kinds``; ``before`` are the slots of the same pool with other settings.

        Both share the results by frames of slots and jobs: some slots did not change.
        """
        self._kinds = kinds
        self._by_frame = _ByFrame()
        if before is not None:
            self._by_frame = before._by_frame
        # An identity is valid only as long as its frame exists.
        self._by_frame.slots.extend(kind.first.frame for kind in kinds)
        self._blocked: dict[int, Sequence[tuple[Blocked, int]] | None] = {}
        self._largest: dict[int, tuple[Slot, ...]] = {}
        self._left: dict[int, Sequence[tuple[Slot, Mapping[str, Number]]]] = {}
        self._has_room: dict[int, bool] = {}
        self.count = sum(kind.count for kind in kinds)

    def blocked(self, request: Request) -> Sequence[tuple[Blocked, int]] | None:
        """Return the obstacles of ``request`` on all slots, each with its number of slots.

        None is returned where a slot would take it.
        """
        request = self._by_frame.first(request)
        key = id(request)
        if key not in self._blocked:
            self._blocked[key] = self._blocked_anew(request)
        return self._blocked[key]

    def _blocked_anew(self, request: Request) -> Sequence[tuple[Blocked, int]] | None:
        found: list[tuple[Blocked, int]] = []
        for kind in self._kinds:
            for slot, count in self._asked(kind, request):
                failure, total = self._failure(kind, slot, request)
                if self._may_pass(slot, request, failure):
                    return None
                left = left_on([(total, count)])
                blocked = Blocked(UNUSED, failure, left, has_room=not failure.short)
                found.append((blocked, count))
        return found

    def has_room_now(self, request: Request) -> bool:
        """Tell whether some slot would take ``request`` with what it has left now."""
        request = self._by_frame.first(request)
        key = id(request)
        if key not in self._has_room:
            self._has_room[key] = any(self._room_in(kind, request) for kind in self._kinds)
        return self._has_room[key]

    def _room_in(self, kind: SlotClass, request: Request) -> bool:
        if self._looks_at_each(kind, request):
            offered = filter(_is_offered, kind.slots)
            return any(not self._failure_with(kind, slot, request, _left(slot)) for slot in offered)
        for clause in self._failure(kind, kind.first, request)[0].clauses:
            if not self._passes(clause, kind.first, request):
                return False
        for slot, left in self._room(kind):
            if not self._failure_with(kind, slot, request, left):
                return True
        return False

    def _room(self, kind: SlotClass) -> Sequence[tuple[Slot, Mapping[str, Number]]]:
        """Return the slots of ``kind`` with the amounts that are left on them.

        Of slots that differ in disk alone it is the largest.
        """
        if id(kind) not in self._left:
            largest: dict[tuple[Number, ...], tuple[Slot, Mapping[str, Number]]] = {}
            for slot in filter(_is_offered, kind.slots):
                left = _left(slot)
                key = tuple(amount for asset, amount in left.items() if asset != DISK)
                if key not in largest or largest[key][1].get(DISK, 0) < left.get(DISK, 0):
                    largest[key] = (slot, left)
            self._left[id(kind)] = tuple(largest.values())
        return self._left[id(kind)]

    # One slot
    # ----------------------------------------------------------------------------------------------

    def _asked(self, kind: SlotClass, request: Request) -> Iterator[tuple[Slot, int]]:
        """Yield the slots of ``kind`` to check, each with the number of slots it stands for."""
        if self._looks_at_each(kind, request):
            for slot in kind.slots:
                yield slot, 1
            return
        if id(kind) not in self._largest:
            self._largest[id(kind)] = _largest(kind.slots)
        first, *others = self._largest[id(kind)]
        yield first, kind.count - len(others)
        for slot in others:
            yield slot, 1

    def _looks_at_each(self, kind: SlotClass, request: Request) -> bool:
        frame = kind.first.frame
        reached = self._by_frame.links.reached(("requirements",), frame, request.frame)
        return bool((reached & PLACES.keys()) - _SIZES - _PASSING)

    def _failure(
        self, kind: SlotClass, slot: Slot, request: Request
    ) -> tuple[Failure, Mapping[str, Number]]:
        total = kind.total
        if slot is not kind.first:
            total = SlotClass((slot,)).total
        return self._failure_with(kind, slot, request, total), total

    def _failure_with(
        self, kind: SlotClass, slot: Slot, request: Request, amounts: Mapping[str, Number]
    ) -> Failure:
        taken: Mapping[str, Number | None] = {}
        if kind.supports_policy:
            taken = kind.consumed(job_ad(request), amounts)
        known = self._by_frame.clauses
        key = (id(slot.frame), id(request), tuple(taken.values()))
        if key not in known:
            known[key] = Clauses(slot, request, taken, self._by_frame.links)
        clauses = known[key]
        failure = clauses.failure(slot, amounts)
        if clauses.flaw:
            return failure._replace(clauses=(*failure.clauses, Clause(clauses.flaw, False)))
        return failure

    # Time
    # ----------------------------------------------------------------------------------------------

    def _may_pass(self, slot: Slot, request: Request, failure: Failure) -> bool:
        """Tell whether the slot takes the job now, or may at another time without any change."""
        if failure.short:
            return False
        if any(each.of_job and not self._passes(each, slot, request) for each in failure.clauses):
            return False
        if slot.state in _SHUT or self._is_out_of_use(slot):
            return True
        return all(self._passes(each, slot, request) for each in failure.clauses)

    def _is_out_of_use(self, slot: Slot) -> bool:
        """Tell whether the machine drains, is broken or sick, or is attached to one schedd.

        The last gets its jobs from that schedd, without the negotiator.
        """
        frame, known = slot.frame, self._by_frame.out_of_use
        if id(frame) not in known:
            sick = "Healthy" in frame and not holds(named("Healthy").evaluate(slot.ad()))
            broken = "SlotBrokenCode" in frame
            attached = "IsDirectAttach" in frame
            drains = frame.value("Draining") is True
            known[id(frame)] = sick or broken or attached or drains
        return known[id(frame)]

    def _passes(self, clause: Clause, slot: Slot, request: Request) -> bool:
        known, links = self._by_frame.passing, self._by_frame.links
        key = (clause.text, id(slot.frame), id(request.frame))
        if key not in known:
            expression = links.parsed(clause.text)
            words: Iterable[str] = ()
            if expression is not None:
                words = expression.words()
            reached = links.reached(words, slot.frame, request.frame)
            known[key] = not _PASSING.isdisjoint(reached)
        return known[key]


def unmatched(askers: SubmitterQueues, slots: UnusedSlots) -> Iterator[Unmatched]:
    """Yield the autoclusters of offered jobs that fit nowhere, those with most jobs first."""
    idle: dict[int, Counter[str]] = {}
    requests: dict[int, Request] = {}
    for job in askers.jobs:
        request = askers.likenesses.request(job)
        requests[id(request)] = request
        idle.setdefault(id(request), Counter())[job.submitter] += job.wanted
    for key in sorted(idle, key=lambda each: -sum(idle[each].values())):
        request = requests[key]
        if _held_back(request):
            continue
        blocked = slots.blocked(request)
        if blocked is not None:
            walls = tuple(slot_side(blocked, slots.count))
            only_start = any(_is_start(each.failure) for each, _ in blocked)
            yield Unmatched(request, idle[key], walls, only_start)


def _is_start(failure: Failure) -> bool:
    return not failure.short and not any(clause.of_job for clause in failure.clauses)


def _held_back(request: Request) -> bool:
    """Tell whether the job itself does not want to run: a clause of its Requirements is false."""
    clauses = conjuncts(request.frame.text("Requirements"))
    return any(literal(bare(clause)) is False for clause in clauses)


def _is_offered(slot: Slot) -> bool:
    """Tell whether the negotiator may match the slot as it is, without preemption."""
    return slot.type == PARTITIONABLE or not slot.claimed


def _left(slot: Slot) -> dict[str, Number]:
    return {asset: amount or 0 for asset, amount in slot.left().items()}


def _largest(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    """Return those of ``slots`` that no other one exceeds in memory and disk.

    All else of ``slots`` is equal.
    """
    kept: list[tuple[tuple[Number, Number], Slot]] = []
    sizes: dict[tuple[Number, Number], Slot] = {}
    for slot in slots:
        size = (as_number(slot.total_slot_memory_mb) or 0, as_number(slot.total_slot_disk_kb) or 0)
        sizes.setdefault(size, slot)
    for size in sorted(sizes, reverse=True):
        if not kept or size[1] > kept[-1][0][1]:
            kept.append((size, sizes[size]))
    return tuple(slot for _, slot in kept)
