"""Slots that would take a job, and that the state of their machine closes to all: one wall a state.

The states are those for which the balance has capacity stand (:mod:`htcq.poolquota.closings`), so
that a slot's cause and the reason of the jobs that it would take are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from htcq.classads import as_number, holds, named
from htcq.pool.autocluster import made_up
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_causes import SLOT_CAUSES, STALE
from htcq.pool.slot_shortages import DiskInFiles
from htcq.pool.slot_state import (
    BROKEN,
    DEFRAGMENTED,
    DRAINED,
    HIBERNATING,
    LIMITS,
    OFFLINE,
    OWNER,
    OWNER_ACTIVE,
    START_FALSE,
    drain_of,
    has_no_limits,
    machine_of,
    utc,
)
from htcq.poolquota.closings import Closings
from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.rows import Rows
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY, counted, shortened
from htcq.why import match_failure as wall
from htcq.why.clauses import Failure, any_of
from htcq.why.match_failure import Amount, MatchFailure
from htcq.why.slot_states import SlotStates

Array = Any
#: Which slots with so much left a job would have, whatever closes them.
Wanted = Callable[[SlotStates, Rows], Array]
#: The walls of the causes, and what their machines are.
_WALLS: Mapping[str, tuple[str, str]] = {
    STALE: (wall.STALE, "silent"), OFFLINE: (wall.OFFLINE, "offline"),
    HIBERNATING: (wall.OFFLINE, "asleep"), BROKEN: (wall.BROKEN, "broken"),
    OWNER: (wall.OWNER, "in the state Owner"), OWNER_ACTIVE: (wall.OWNER, "in the state Owner"),
    DRAINED: (wall.DRAINED, "drained"), DEFRAGMENTED: (wall.DRAINED, "drained"),
}  # fmt: skip
#: States in which nothing but START closes a slot.
_OF_START = ("", START_FALSE, OWNER)
_START = "Start"
#: Those that end by themselves, which come last.
_END = (HIBERNATING, DEFRAGMENTED, OWNER_ACTIVE)
#: Where START refuses a job as well, its clauses say more than the state.
_OWNED = (OWNER, OWNER_ACTIVE)
#: A job that asks for no asset but those of every machine.
_PLAIN_JOB: Mapping[str, int] = {CPUS: 1, MEMORY: 1, DISK: 1}
#: How much of a reason that somebody wrote is in a sentence.
_LETTERS = 80


class ClosedSlots:
    """The slots of ``tables`` that the states of their machines, or START, close to all jobs.

    ``others`` returns jobs of the pool that run or start: START that takes none of them is a fault.
    """

    def __init__(
        self,
        closings: Closings,
        files: DiskInFiles,
        tables: Sequence[SlotStates],
        others: Callable[[], Iterable[JobTable]],
    ) -> None:
        self._closings, self._tables, self._others = closings, tables, others
        self._files = files
        self._rows: dict[SlotStates, Mapping[str, Array]] = {}
        self._taken: dict[SlotStates, Array] = {}
        self._wanting: dict[tuple[object, ...], bool] = {}
        #: The slots that nothing else closes as well.
        self._alone: set[str] = set()

    def taking(self, slots: SlotStates, job: JobTable, wanted: Wanted) -> Mapping[str, Array]:
        """Return by cause the rows that ``job`` would have otherwise."""
        found: dict[str, Array] = {}
        for cause in self._of(slots).keys() & _WALLS.keys():
            # A broken slot has nothing left in its ad.
            left = slots.unused if cause == BROKEN else slots.first
            rows = self._of(slots)[cause] & wanted(slots, left)
            if cause in _OWNED and rows.any():
                rows = rows & slots.first.suits(job)
            if rows.any():
                found[cause] = rows
        return found

    def _of(self, slots: SlotStates) -> Mapping[str, Array]:
        """Return the free machines of one table by the first of their causes; empty: none."""
        known = self._rows.get(slots)
        if known is not None:
            return known
        causes: list[str] = []
        for offer in slots.offers:
            every = tuple(self._closings.of(offer.slot))
            causes.append(every[0] if every else "")
            if len(every) == 1:
                self._alone.add(offer.name)
        free = slots.machines & ~slots.held
        known = self._rows[slots] = {
            cause: free & slots.arrays.truths_of([cause == each for each in causes])
            for cause in dict.fromkeys(causes)
        }
        return known

    def start_refuses(self, job: JobTable, wanted: Wanted) -> bool:
        """Return whether a free slot has room for ``job``, and START takes no job of the pool."""
        for slots in self._tables:
            rows = any_of(
                [rows for cause, rows in self._of(slots).items() if cause in _OF_START],
                slots.nowhere,
            )
            if not rows.any():
                continue
            rows = rows & wanted(slots, slots.first) & ~slots.unused.suits(job)
            rows = rows & _is_not_of_limits(slots, job)
            if rows.any() and (rows & ~self.takes_others(slots)).any():
                return True
        return False

    def takes_others(self, slots: SlotStates) -> Array:
        """Return which slots, if they were empty, took any other job of the pool.

        Those that ask for an asset that other machines lack do, whether or not such jobs are there.
        """
        known = self._taken.get(slots)
        if known is None:
            known = slots.nowhere
            if not slots.fault:
                known = any_of(map(slots.unused.suits, self._others()), known)
                known = known | slots.arrays.truths_of(list(map(self._wants_asset, slots.slots)))
            self._taken[slots] = known
        return known

    def _wants_asset(self, slot: Slot) -> bool:
        """Return whether START takes a job for its request of a scarce asset, and not without."""
        amounts = slot.whole()
        scarce = [asset for asset, amount in amounts.items() if amount and asset in self._scarce]
        if not scarce:
            return False
        key = slot.frame, *scarce
        if key not in self._wanting:
            self._wanting[key] = not _takes(slot, _PLAIN_JOB) and any(
                _takes(slot, {**_PLAIN_JOB, asset: 1}) for asset in scarce
            )
        return self._wanting[key]

    @cached_property
    def _scarce(self) -> frozenset[str]:
        """The assets that some machines have and others lack."""
        found: set[str] = set()
        machines = [slot.total() for slots in self._tables for slot in slots.slots]
        for asset in set().union(*machines) - set(BUILT_IN_ASSETS):
            if not all(amounts.get(asset) for amounts in machines):
                found.add(asset)
        return frozenset(found)

    def full_disks(self, slots: SlotStates, rows: Array, short: Failure) -> Array:
        """Return those of ``rows`` that are short of nothing but disk, which files have."""
        others = any_of(
            [each for asset, each in short.lacking.items() if asset != DISK], slots.nowhere
        )
        rows = rows & short.lacking.get(DISK, slots.nowhere) & ~(others | short.refuses)
        if not rows.any():
            return rows
        arrays, number = slots.arrays, slots.table.rows
        left = arrays.listed(slots.first.left[DISK], number)
        enough = [False] * number
        for shortage in short.short:
            if shortage.asset != DISK:
                continue
            asked = arrays.listed(shortage.amounts, number)
            for row in slots.table.rows_of(rows & shortage.rows):
                whole = (left[row] or 0) + self._files.of(slots.offers[row].slot)
                enough[row] = whole >= (asked[row] or 0)
        return rows & arrays.truths_of(enough)

    def walls(self, job: JobTable, wanted: Wanted) -> Iterator[MatchFailure]:
        """Yield a wall for each state that closes slots which ``job`` would have."""
        found: dict[str, list[Slot]] = {}
        for slots in self._tables:
            for cause, rows in self.taking(slots, job, wanted).items():
                those = [slots.offers[row].slot for row in slots.table.rows_of(rows)]
                found.setdefault(cause, []).extend(those)
        # Where several states close all slots of one cause nothing starts when it alone ends.
        order = sorted(_WALLS.keys() & found.keys(), key=list(_WALLS).index)
        order.sort(key=lambda each: (each in _END, not self._any_alone(found[each])))
        for cause in order:
            slots_of = sorted(found[cause], key=lambda each: str(each.name) not in self._alone)
            yield _closed_wall(cause, slots_of)

    def _any_alone(self, slots: Sequence[Slot]) -> bool:
        return any(str(each.name) in self._alone for each in slots)


def _is_not_of_limits(slots: SlotStates, job: JobTable) -> Array:
    """Return the slots that do not refuse ``job`` for what WithinResourceLimits compares alone."""
    if has_no_limits(slots.table.offer(0).slot):
        return ~slots.nowhere
    unused = slots.unused
    return ~unused.hold(named(_START), job) | unused.hold(named(LIMITS), job)


def _closed_wall(cause: str, slots: Sequence[Slot]) -> MatchFailure:
    """Return the wall of slots that are closed for one cause."""
    id_, word = _WALLS[cause]
    first, machines = slots[0], list(dict.fromkeys(map(machine_of, slots)))
    amounts: dict[str, Amount] = {
        "slots": len(slots), "machines": len(machines), "machine": machines[0],
    }  # fmt: skip
    text, advice = f"{machines[0]} is {word}", SLOT_CAUSES[cause].lifted_by
    if id_ == wall.DRAINED:
        drain = drain_of(first)
        text = f"{text} {drain.text}".rstrip()
        if drain.since is not None:
            amounts["since"] = drain.since
        if drain.why:
            amounts["why"] = drain.why
    elif cause == STALE:
        heard = as_number(first.last_heard)
        text += "" if heard is None or heard <= 0 else f": its last ad came {utc(float(heard))}"
    elif cause == BROKEN:
        why = first.frame.value("SlotBrokenReason")
        text += f" ({shortened(why, _LETTERS)})" if isinstance(why, str) else ""
    if len(machines) > 1:
        more = counted(len(machines) - 1, "more machine")
        verb = "is" if len(machines) == 2 else "are"
        text += f", and {more} that would take it {verb} {word}"
    if cause == DRAINED:
        return MatchFailure(id_, f"{text}: condor_drain -cancel {machines[0]}", amounts)
    return MatchFailure(id_, text, amounts, advice)


def _takes(slot: Slot, amounts: Mapping[str, Number]) -> bool:
    """Return whether START of a whole slot takes a job that asks for so much."""
    return holds(named(_START).evaluate(slot.ad(slot.whole()), made_up("", amounts).ad()))
