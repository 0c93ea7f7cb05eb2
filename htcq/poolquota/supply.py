"""What the negotiator has to share out.

The slots that it sees, what they weigh, and whom they are charged to.

Follows negotiationTime, sumSlotWeights and count_effective_slots of
src/condor_negotiator.V6/matchmaker.cpp and Accountant.cpp:GetSlotWeight, HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress, repeat
from operator import is_
from typing import NamedTuple

from htcq.classads import as_number, holds
from htcq.errors import PolicyError
from htcq.policy.claim import accounted
from htcq.pool.projection import Projection
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.pool.weights import Weights
from htcq.quota.cpp_float import total
from htcq.quota.knobs import Knobs

#: Which slots the negotiator knows at all, and which of them count for the quotas; the older name
#: of the latter.
SLOT_CONSTRAINT, POOLSIZE_CONSTRAINT = (
    "NEGOTIATOR_SLOT_CONSTRAINT",
    "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT",
)
OLD_POOLSIZE_CONSTRAINT = "GROUP_DYNAMIC_MACH_CONSTRAINT"

#: What a negotiator that never preempts asks of slots that are claimed and not partitionable
#: (matchmaker.cpp: obtainAdsFromCollector, 23.9 to 25.14).
CLAIMED_PROJECTION = (
    "Name MyType State Activity StartdIpAddr AccountingGroup Owner RemoteUser Requirements "
    "SlotWeight ConcurrencyLimits"
)

#: The accountant keeps usage and priorities as texts with so many decimals, after each change
#: (ClassAdLogAccountantDB.cpp:SetAttributeFloat).
DECIMALS = 6
#: What quotas are amounts of.
WEIGHT, SLOTS = "slot weight", "slots"


class WeighedSlot(NamedTuple):
    """One slot that the negotiator sees: ``weight`` is what the accountant reckons with.

    ``in_pool`` is what it adds to the pool's weight if it is ``counted`` there. ``customer`` is
    whom it is charged to; empty where nobody has claimed it. ``central`` tells that the central
    manager's expression weighs it.
    """

    slot: Slot
    weight: Number
    in_pool: Number
    counted: bool
    customer: str
    central: bool


class _Weighing(NamedTuple):
    """How a negotiator with some knobs weighs: which slots it sees and counts, by what text.

    Without a constraint it sees or counts all. ``claimed`` is what it gets to know of claimed
    slots, unless that is all.
    """

    seen: Weights | None
    counted: Weights | None
    central: Weights | None
    central_text: str
    forced: bool
    weighted: bool
    claimed: Projection | None

    def returned(self, slot: Slot) -> Slot:
        """Return what the negotiator gets to know of ``slot``.

        The collector evaluates NEGOTIATOR_SLOT_CONSTRAINT with all attributes; the negotiator
        evaluates the other expressions with what was returned to it.
        """
        is_partitionable = slot.frame.value("PartitionableSlot") is True
        if self.claimed is None or slot.state != "Claimed" or is_partitionable:
            return slot
        return self.claimed.of(slot)


def supply_of(
    slots: Sequence[Slot], weights: Weights, knobs: Mapping[str, str], before: Supply | None
) -> Supply:
    """Return the supply of ``slots``; that is ``before`` if nothing is different."""
    if before is not None and before.every is slots and before.weighs_by(weights, knobs):
        return before
    return Supply(slots, weights, knobs, before)


class Supply:
    """The slots of a pool as one negotiator sees them.

    ``weights`` are those that the slots' own ads say. What ``before`` found for the same slots
    with the same knobs is taken over.
    """

    def __init__(
        self,
        slots: Iterable[Slot],
        weights: Weights,
        knobs: Mapping[str, str],
        before: Supply | None = None,
    ) -> None:
        #: All slots of the collector.
        self.every = tuple(slots)
        self.weights, self._knobs = weights, knobs
        self._known: Mapping[int, WeighedSlot] = {}
        self._weighing: _Weighing
        if before is not None and before.weighs_by(weights, knobs):
            self._known = dict(zip(map(id, before.slots), before.weighed))
            self._weighing = before._weighing
        else:
            self._weighing = _weighing(Knobs(knobs))
        self.central_text, self.weighted = self._weighing.central_text, self._weighing.weighted

    def weighs_by(self, weights: Weights, knobs: Mapping[str, str]) -> bool:
        """Return whether ``weights`` and ``knobs`` weigh every slot as these do."""
        return self.weights is weights and self._knobs == knobs

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots for which NEGOTIATOR_SLOT_CONSTRAINT holds.

        No other is matched, counted or charged.
        """
        seen = self._weighing.seen
        if seen is None:
            return self.every
        return tuple(slot for slot in self.every if holds(seen.of(slot)))

    @property
    def emptied_by(self) -> str:
        """The knob whose constraint leaves no slot to share out; empty where some are left."""
        if not self.every:
            return ""
        if not self.slots:
            return SLOT_CONSTRAINT
        if next(self.in_pool(), None) is not None:
            return ""
        newer = Knobs(self._knobs).text(POOLSIZE_CONSTRAINT)
        return POOLSIZE_CONSTRAINT if newer else OLD_POOLSIZE_CONSTRAINT

    @cached_property
    def hidden(self) -> tuple[Slot, ...]:
        """The slots for which NEGOTIATOR_SLOT_CONSTRAINT does not hold."""
        seen = set(map(id, self.slots))
        return tuple(slot for slot in self.every if id(slot) not in seen)

    @cached_property
    def weighed(self) -> tuple[WeighedSlot, ...]:
        """The slots that are seen, with their weights."""
        slots, known = self.slots, self._known
        self._known = {}
        found = list(map(known.get, map(id, slots)))
        unknown = compress(range(len(found)), map(is_, found, repeat(None)))
        for place in list(unknown):
            found[place] = self._weighed(slots[place])
        return tuple(found)  # type: ignore[arg-type]

    def _weighed(self, slot: Slot) -> WeighedSlot:
        central, weight = self._central_and_weight(slot)
        counted = self._weighing.counted
        in_pool = counted is None or holds(counted.of(self._weighing.returned(slot)))
        customer = ""
        if slot.claimed:
            customer = slot.customer
        return WeighedSlot(slot, weight, weight * _multiplier(slot), in_pool, customer, central)

    def weight(self, slot: Slot) -> Number:
        """Return what the accountant reckons with: 1 each where slot weights are off.

        Where the slot's own SlotWeight is no number, or always if so configured, the central
        manager's counts.
        """
        return self._central_and_weight(slot)[1]

    def weighs_centrally(self, slot: Slot) -> bool:
        """Return whether the central manager's expression replaces the slot's own SlotWeight."""
        return self._central_and_weight(slot)[0]

    def _central_and_weight(self, slot: Slot) -> tuple[bool, Number]:
        own = self.weights.of(slot)
        is_central = self._weighing.forced or as_number(own) is None
        if not self.weighted:
            return is_central, 1
        if self._weighing.central is not None and is_central:
            return True, accounted(self._weighing.central.of(self._weighing.returned(slot)))
        return is_central, accounted(own)

    def weight_in_pool(self, slot: Slot) -> Number:
        """Return what the slot adds to the pool's weight.

        One that stands for several machines counts for all.
        """
        return self.weight(slot) * _multiplier(slot)

    @cached_property
    def pool_weight(self) -> Number:
        """What quotas are shares of: the weight of the counted slots.

        Where weights are off, their cpus and slots.
        """
        if self.weighted:
            return total(each.in_pool for each in self.weighed if each.counted)
        return sum(_slots_in(slot) for slot in self.in_pool())

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """SlotWeight expressions of the slots in the pool's weight, the heaviest first.

        None where weights are off; the central manager's alone where it is forced on every slot.
        """
        if not self.weighted:
            return ()
        if self._weighing.forced:
            return (self.central_text,)
        weights: dict[str, Number] = {}
        for each in self.weighed:
            if each.counted:
                text = each.slot.frame.text("SlotWeight") or self.central_text
                weights[text] = weights.get(text, 0) + each.in_pool
        return tuple(sorted(weights, key=lambda text: (-weights[text], text)))

    @cached_property
    def min_weight(self) -> Number:
        """The smallest weight of any slot; 0 where there are none."""
        return min((each.in_pool for each in self.weighed), default=0)

    @cached_property
    def charged(self) -> Mapping[str, Number]:
        """The weight of the claimed slots, by the submitter that is charged for it."""
        charged: dict[str, Number] = {}
        for each in self.weighed:
            if each.customer:
                used = charged.get(each.customer, 0) + each.weight
                charged[each.customer] = round(used, DECIMALS)
        return charged

    @cached_property
    def claims(self) -> Mapping[str, int]:
        """The number of claimed slots by whom they are charged to."""
        return Counter(each.customer for each in self.weighed if each.customer)

    def in_pool(self) -> Iterator[Slot]:
        """Yield the slots that count for the pool's weight.

        All that are seen, or those of the pool-size constraint.
        """
        return (each.slot for each in self.weighed if each.counted)


def _weighing(knobs: Knobs) -> _Weighing:
    text = knobs.text("SLOT_WEIGHT") or "Cpus"
    claimed = None
    if not knobs.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True):
        claimed = Projection(CLAIMED_PROJECTION)
    return _Weighing(
        seen=_parsed(knobs.text(SLOT_CONSTRAINT)),
        counted=_parsed(knobs.text(POOLSIZE_CONSTRAINT) or knobs.text(OLD_POOLSIZE_CONSTRAINT)),
        central=_parsed(text),
        central_text=text,
        forced=knobs.boolean("FORCE_NEGOTIATOR_SLOT_WEIGHT", False),
        weighted=knobs.boolean("NEGOTIATOR_USE_SLOT_WEIGHTS", True),
        claimed=claimed,
    )


def _parsed(text: str | None) -> Weights | None:
    """Return the expression, to be evaluated in slots.

    It is None where there is none or it is no ClassAd expression.
    """
    if text is None:
        return None
    try:
        return Weights(text)
    except PolicyError:
        return None


def _multiplier(slot: Slot) -> Number:
    """Return how many machines an offline slot stands for."""
    multiplier = slot.frame.value("GhostMultiplier")
    if not isinstance(multiplier, int):
        return 1
    return multiplier


def _slots_in(slot: Slot) -> int:
    if slot.type != PARTITIONABLE or not isinstance(slot.cpus, int):
        return 1
    return slot.cpus
