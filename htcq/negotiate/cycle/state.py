"""Slots that look equal to every expression of a cycle, and what becomes of them when a job is matched there.

Follows matchmakingAlgorithm and SubmitterLimitPermits of src/condor_negotiator.V6/matchmaker.cpp and
src/condor_utils/consumption_policy.cpp, HTCondor 25.14. Whatever is asked of one such slot is asked once for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.classads import Expr, as_number, named
from htcq.negotiate.cycle.queues import Request
from htcq.negotiate.cycle.trace import Crash
from htcq.pool.jobclass import JobClass
from htcq.pool.kind import Kind
from htcq.pool.matching import Wall, wall
from htcq.pool.slot import PLACES, Number, Slot
from htcq.pool.weights import places
from htcq.units import attribute

#: What of a slot decides about matches and costs, besides what jobs name.
_DECIDES = (
    "requirements", "rank", "currentrank", "withinresourcelimits", "slotweight", "machineresources",
    "partitionableslot", "wantclaiming",
)  # fmt: skip


class CrashError(Exception):
    """The negotiator ends here, with these words; ``crash`` has the slot and the job as well."""

    crash: Crash | None = None


@dataclass(frozen=True)
class Outcome:
    """What a request meets in a slot: ``fits`` or not, what the match would cost, and the slot's state after it.

    ``after`` is None where the whole slot is taken.
    """

    fits: bool
    cost: float = 0.0
    after: State | None = None


class State:
    """Slots of one kind with equal amounts left, of which ``kind`` holds one."""

    __slots__ = ("_known", "amounts", "kind", "number", "states", "weight")

    def __init__(self, states: States, kind: Kind, amounts: Mapping[str, Number], weight: Weighing) -> None:
        self.states, self.kind, self.amounts, self.weight = states, kind, amounts, weight
        self.number = states.count()
        self._known: dict[int, Outcome] = {}

    def outcome(self, request: Request) -> Outcome:
        """Return what ``request`` meets here.

        Raises:
            CrashError: an asset or a weight is no number.
        """
        found = self._known.get(id(request))
        if found is None:
            found = self._known[id(request)] = self._met(request)
        return found

    def _met(self, request: Request) -> Outcome:
        jobs = JobClass(request.frame, request.first, Counter(), Counter())
        policy = self.kind.supports_policy
        if policy and self.kind.missing_assets:
            raise CrashError(f"Missing {attribute(self.kind.missing_assets[0])} asset")
        if wall(self.kind, jobs, self.amounts)[0] is not Wall.NONE:
            return Outcome(False)
        if not policy:
            return Outcome(True, self.weight.accounted(self))
        taken = self.kind.consumed(jobs.ad(), self.amounts)
        left = {asset: whole(amount - (taken.get(asset) or 0)) for asset, amount in self.amounts.items()}
        after = self.states.state(self, left)
        before, then = self.weight.of(self), self.weight.of(after)
        if before is None or then is None:
            raise CrashError("Failed to evaluate SlotWeight")
        return Outcome(True, before - then, after)


class Weighing:
    """How the negotiator weighs a slot: by its own SlotWeight or by the central manager's ``text``."""

    def __init__(self, text: str = "", weighted: bool = True) -> None:
        self._expression = Expr(text) if text else named("SlotWeight")
        self._weighted = weighted
        self._known: dict[State, Number | None] = {}

    def of(self, state: State) -> Number | None:
        """Return the weight of a slot in ``state``; None where it is no number."""
        if state not in self._known:
            self._known[state] = as_number(self._expression.evaluate(state.kind.ad(state.amounts)))
        return self._known[state]

    def accounted(self, state: State) -> Number:
        """Return what the accountant charges for the whole slot: 1 where weights are off, or it is none to speak of."""
        weight = self.of(state) if self._weighted else None
        return 1 if weight is None or weight < 0 else weight


class States:
    """All states of a cycle; ``names`` are all words that expressions of jobs and of the negotiator contain."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        self._places: dict[int, tuple[int, ...]] = {}
        self._kinds: dict[tuple[object, ...], Kind] = {}
        self._states: dict[tuple[object, ...], State] = {}
        self._count = 0

    def count(self) -> int:
        """Return a number that no other state has."""
        self._count += 1
        return self._count

    def first(self, slot: Slot, weighing: Weighing) -> State:
        """Return the state of ``slot`` before the cycle."""
        kind = self._kind(slot, weighing)
        amounts = {asset: amount if amount is not None else 0 for asset, amount in slot.left().items()}
        return self._interned(kind, amounts, weighing)

    def state(self, before: State, left: Mapping[str, Number]) -> State:
        """Return the state of a slot in ``before`` when it has ``left``."""
        return self._interned(before.kind, left, before.weight)

    def _interned(self, kind: Kind, amounts: Mapping[str, Number], weighing: Weighing) -> State:
        key = (id(kind), *amounts.values())
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = State(self, kind, dict(amounts), weighing)
        return found

    def _kind(self, slot: Slot, weighing: Weighing) -> Kind:
        frame = slot.frame
        looked_at = self._places.get(id(frame))
        if looked_at is None:
            consumption = [name for name in frame.texts if name.startswith("consumption")]
            amounts = {PLACES.get(attribute(asset).lower()) for asset in slot.assets}
            found = places(frame, (*self._names, *_DECIDES, *consumption))
            looked_at = self._places[id(frame)] = tuple(sorted(found - amounts))
        values = [slot[place] for place in looked_at]
        missing = tuple(asset for asset, amount in slot.left().items() if amount is None)
        key = (id(frame), id(weighing), missing, *values, *map(type, values))
        known = self._kinds.get(key)
        if known is None:
            known = self._kinds[key] = Kind((slot,))
        return known


def whole(amount: Number) -> Number:
    """Return ``amount`` as an integer if it is one: so the negotiator writes it back (assign_preserve_integers)."""
    return int(amount) if amount == int(amount) else amount
