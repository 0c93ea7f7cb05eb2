"""Jobs that wait, by what they ask for, and which slots would take them as the cycle leaves these.

All answers are the cycle's own (:mod:`htcq.simulate.cycle.rows`): every class of waiting jobs is
compared with every slot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from htcq.balance.causes import must_be_lifted
from htcq.classads import UNDEFINED, Value, as_number, holds, named
from htcq.pool.job import Job
from htcq.pool.slot import PARTITIONABLE, Number
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.required_gpus import suiting
from htcq.simulate.cycle.rows import Rows
from htcq.units import CPUS
from htcq.why import match_failure as wall
from htcq.why.leftovers import NOTHING_TAKEN, AfterCycle
from htcq.why.match_failure import MatchFailure
from htcq.why.returned import is_given_back
from htcq.why.slot_states import SlotStates
from htcq.why.verdict import Verdict, Verdicts
from htcq.why.wanted_slots import Meeting

Array = Any
_NOTHING: Mapping[str, Value] = {}
_START, _NUMBER = "Start", "NumDynamicSlots"
#: The devices that no job has, those that a job requires, and what compares both.
_DEVICES, _REQUIRED, _REQUIREMENTS = "AvailableGPUs", "RequireGPUs", "Requirements"
#: Seconds in which a schedd has sent its ads at least once (SCHEDD_INTERVAL, SCHEDD_MIN_INTERVAL).
_UPDATES = 600.0

#: Reasons that are of the slots, follow from other jobs that take them, or are not certain.
OF_SLOTS = frozenset({
    wall.DRAINED, wall.STALE, wall.OFFLINE, wall.OWNER, wall.BROKEN, wall.ASSET_MISSING,
    wall.REQUIREMENTS, wall.START, wall.SLOT_CONSTRAINT, wall.NO_SUCH_MACHINE,
    wall.NO_ROOM, wall.NO_CLAIMS_LEFT, wall.CONSUMPTION, wall.OTHER_ACCESS_POINT, wall.OUTRANKED,
    wall.PREEMPTION, wall.GROUP_ORDER, wall.SCHEDD_SILENT, wall.NEGOTIATOR_ABSENT,
})  # fmt: skip


def keeps_from_all_slots(each: MatchFailure) -> bool:
    """Return whether a reason keeps a job from every slot, whatever becomes of some of them.

    A claim may be given back for the state of its slot.
    """
    if each.id == wall.CLAIM_REFUSED and is_given_back(each):
        return False
    return not _is_of_slots(each)


def _is_of_slots(each: MatchFailure) -> bool:
    """Return whether a reason is one of slots: START_VANILLA_UNIVERSE may look at them."""
    if each.id == wall.START_VANILLA_UNIVERSE:
        return "clause" in each.amounts
    return each.id in OF_SLOTS


class Waiting(NamedTuple):
    """Jobs that wait, ask for the same and have the same reasons.

    ``cause`` is the first reason that is not of the slots; empty where all are. ``requested`` are
    the amounts of each asset, as far as they are numbers. ``faults`` are the reasons that somebody
    must lift. ``is_wasted``: their match went to a slot that is no good.
    """

    meeting: Meeting
    request: Request
    number: int
    cause: str
    verdict: Verdict
    requested: Mapping[str, Number]
    faults: frozenset[str]
    is_wasted: bool

    @property
    def assets(self) -> frozenset[str]:
        """The assets of which they request anything."""
        return assets_of(self.requested)


def assets_of(requested: Mapping[str, Number]) -> frozenset[str]:
    """Return the assets of which something is requested."""
    return frozenset(asset for asset, amount in requested.items() if amount)


class Answers(NamedTuple):
    """What slots answer to one class of jobs, by row.

    ``fits``: as the cycle leaves them. ``wants``: the same, whatever START says. ``whole``: if
    they were empty. ``charged``: they have what it requests; their consumption policy takes more.
    """

    fits: Array
    wants: Array
    whole: Array
    charged: Array


def waiting_of(
    verdicts: Verdicts, found: Iterable[Verdict], now: float | None
) -> tuple[Waiting, ...]:
    """Return the jobs of the verdicts ``found`` that wait for slots, in the order of the queues.

    Where no cycle comes, those come first that nothing else keeps.
    Ads of access points may not count those that came shortly before ``now``.
    """
    classes = []
    for verdict in found:
        number = sum(job.wanted for job in verdict.jobs)
        if verdict.starts or not number:
            continue
        first = verdict.jobs[0]
        request = verdicts.cycle.askers.request_of(first)
        meeting = verdicts.slots.meeting(first)
        limits = [each.id for each in verdict.walls if not _is_of_slots(each)]
        cause = limits[0] if limits else ""
        requested = verdicts.slots.requested(meeting)
        is_fresh = now is not None and all(_is_fresh(job, now) for job in verdict.jobs)
        faults = frozenset(each.id for each in verdict.walls if must_be_lifted(each, is_fresh))
        is_wasted = any(is_given_back(each) for each in verdict.walls)
        classes.append(
            Waiting(meeting, request, number, cause, verdict, requested, faults, is_wasted)
        )
    if verdicts.of_cycle:
        # A cycle would start these first; the limits keep the others after that.
        of_cycle = {each.id for each in verdicts.of_cycle}
        classes.sort(key=lambda one: not of_cycle.issuperset(each.id for each in one.verdict.walls))
    return tuple(classes)


def _is_fresh(job: Job, now: float) -> bool:
    came = as_number(job.status_since) or as_number(job.queued_at)
    return came is not None and came > now - _UPDATES


class Table:
    """The slots of one table as a cycle left them."""

    def __init__(
        self,
        slots: SlotStates,
        after: AfterCycle,
    ) -> None:
        self.slots, self._after = slots, after
        without = after.without_devices.items()
        self._without = {name: slot for name, slot in without if _DEVICES in slot.frame}
        self._known: dict[tuple[int, str, str], Answers] = {}
        self._last: Rows = slots.with_left(after)
        self._like: dict[frozenset[str], Array] = {}

    def left(self, row: int) -> Mapping[str, Number]:
        """Return what the slot of a row has left."""
        offer = self.slots.offers[row]
        return self._after.left.get(offer.name, offer.at_first)

    def answers(self, verdicts: Verdicts, one: Waiting) -> Answers:
        """Return what the slots answer to jobs like ``one``."""
        meeting, slots = one.meeting, self.slots
        key = (id(one.request), meeting.submitter, meeting.schedd)
        found = self._known.get(key)
        if found is None:
            allowed = slots.open_to(meeting.schedd) & ~slots.held
            others = self._with_such_devices(one.request)
            wants = allowed & others & verdicts.slots.wants.wanted(slots, self._last, meeting)
            fits, whole = slots.nowhere, slots.nowhere
            if not slots.fault and allowed.any():
                whole = allowed & slots.unused.suits(meeting.job)
                fits = allowed & others & self._last.suits(meeting.job)
            charged = verdicts.slots.wants.charged(slots, self._last, meeting)
            charged = charged & allowed & others & ~(fits | wants)
            found = self._known[key] = Answers(fits, wants, whole, charged)
        return found

    def _with_such_devices(self, request: Request) -> Array:
        """Return where no GPU is gone, or those that are left are such as jobs require."""
        slots = self.slots
        # condor_submit writes a clause on them where a job has RequireGPUs.
        asks = _DEVICES.lower() in request.frame.text(_REQUIREMENTS).lower()
        if not (asks and self._without and _REQUIRED in request.frame):
            return ~slots.nowhere
        asked, met = request.first.ad().value("RequestGPUs"), list[bool]()
        for offer in slots.offers:
            slot = self._without.get(offer.name)
            count = math.inf if slot is None else as_number(suiting(slot, request)) or 0
            met.append(count >= (as_number(asked) or 1))
        return slots.arrays.truths_of(met)

    def dynamic_slots(self, row: int) -> Value:
        """Return how many dynamic slots the slot of a row has, where its ad looks at that."""
        return self.slots.number(row, self._after) if self.slots.is_counting else UNDEFINED

    def more_claims(self, row: int, one: Waiting) -> int | None:
        """Return for how many more claims like those of ``one`` the number of claims leaves START.

        None where START does not look at that, or is false already.
        """
        number, slot = as_number(self.dynamic_slots(row)), self.slots.offers[row].slot
        if number is None or slot.type != PARTITIONABLE:
            return None
        more = 0
        while more <= max(1, self.left(row).get(CPUS, 0)):
            if not self.start_takes(row, one, {_NUMBER: number + more}):
                return more or None
            more += 1
        return None

    def start_takes(self, row: int, one: Waiting, added: Mapping[str, Value] = _NOTHING) -> bool:
        """Return whether START of the slot of a row takes a job, whatever else keeps it."""
        slot = self.slots.offers[row].slot
        if _START not in slot.frame:
            return True
        ad = slot.ad(dict(self.left(row)), added)
        return holds(named(_START).evaluate(ad, one.request.first.ad()))

    def takes_like(self, verdicts: Verdicts, row: int, assets: frozenset[str]) -> bool:
        """Return whether the slot of a row, if it were empty, took another job of the pool.

        One that asks for these ``assets``, and runs or starts.
        """
        found = self._like.get(assets)
        if found is None:
            found, side = self.slots.nowhere, verdicts.slots
            for meeting in map(side.meeting, () if self.slots.fault else verdicts.others):
                if assets <= assets_of(side.requested(meeting)):
                    found = found | self.slots.unused.suits(meeting.job)
            self._like[assets] = found
        return bool(found[row])

    def takes_others(self, verdicts: Verdicts, row: int) -> bool:
        """Return whether the slot of a row, if it were empty, took any other job of the pool."""
        return bool(verdicts.slots.closed.takes_others(self.slots)[row])


def tables_of(verdicts: Verdicts) -> Sequence[Table]:
    """Return all slots that nobody holds whole, hidden ones among them."""
    if verdicts.of_cycle:
        # No cycle comes: nothing starts.
        return [Table(each, NOTHING_TAKEN) for each in verdicts.slots.every]
    return [Table(each, verdicts.after) for each in verdicts.slots.every]
