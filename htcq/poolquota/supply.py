"""What the negotiator has to share out.

The slots that it sees, what they weigh, and whom they are charged to.

Follows negotiationTime, sumSlotWeights and count_effective_slots of
src/condor_negotiator.V6/matchmaker.cpp and Accountant.cpp:GetSlotWeight, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from htcq.classads import as_number, holds
from htcq.errors import PolicyError
from htcq.policy.claim import accounted
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

#: What quotas are amounts of.
WEIGHT, SLOTS = "slot weight", "slots"


class Supply:
    """The slots of a pool as one negotiator sees them.

    ``weights`` are those that the slots' own ads say.
    """

    def __init__(self, slots: Iterable[Slot], weights: Weights, knobs: Mapping[str, str]) -> None:
        reader = Knobs(knobs)
        self._all = tuple(slots)
        self._weights = weights
        self._seen = _parsed(reader.text(SLOT_CONSTRAINT))
        self._counted = _parsed(
            reader.text(POOLSIZE_CONSTRAINT) or reader.text(OLD_POOLSIZE_CONSTRAINT)
        )
        self.central_text = reader.text("SLOT_WEIGHT") or "Cpus"
        self._central = _parsed(self.central_text)
        self._forced = reader.boolean("FORCE_NEGOTIATOR_SLOT_WEIGHT", False)
        self.weighted = reader.boolean("NEGOTIATOR_USE_SLOT_WEIGHTS", True)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots for which NEGOTIATOR_SLOT_CONSTRAINT holds.

        No other is matched, counted or charged.
        """
        seen = self._seen
        if seen is None:
            return self._all
        return tuple(slot for slot in self._all if holds(seen.of(slot)))

    @cached_property
    def hidden(self) -> tuple[Slot, ...]:
        """The slots for which NEGOTIATOR_SLOT_CONSTRAINT does not hold."""
        seen = set(map(id, self.slots))
        return tuple(slot for slot in self._all if id(slot) not in seen)

    def weight(self, slot: Slot) -> Number:
        """Return what the accountant reckons with: 1 each where slot weights are off.

        Where the slot's own SlotWeight is no number, or always if so configured, the central
        manager's counts.
        """
        if not self.weighted:
            return 1
        if self._central is not None and self.weighs_centrally(slot):
            return accounted(self._central.of(slot))
        return accounted(self._weights.of(slot))

    def weighs_centrally(self, slot: Slot) -> bool:
        """Tell whether the central manager's expression replaces the slot's own SlotWeight."""
        return self._forced or as_number(self._weights.of(slot)) is None

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
            return total(self.weight_in_pool(slot) for slot in self.in_pool())
        return sum(_slots_in(slot) for slot in self.in_pool())

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """SlotWeight expressions of the slots in the pool's weight, the heaviest first.

        None where weights are off; the central manager's alone where it is forced on every slot.
        """
        if not self.weighted:
            return ()
        if self._forced:
            return (self.central_text,)
        weights: dict[str, Number] = {}
        for slot in self.in_pool():
            text = slot.frame.text("SlotWeight") or self.central_text
            weights[text] = weights.get(text, 0) + self.weight_in_pool(slot)
        return tuple(sorted(weights, key=lambda text: (-weights[text], text)))

    @cached_property
    def min_weight(self) -> Number:
        """The smallest weight of any slot; 0 where there are none."""
        return min((self.weight_in_pool(slot) for slot in self.slots), default=0)

    @cached_property
    def charged(self) -> Mapping[str, Number]:
        """The weight of the claimed slots by whom it is charged to."""
        charged: dict[str, Number] = {}
        for slot in self.slots:
            if slot.claimed and slot.customer:
                charged[slot.customer] = charged.get(slot.customer, 0) + self.weight(slot)
        return charged

    @cached_property
    def claims(self) -> Mapping[str, int]:
        """The number of claimed slots by whom they are charged to."""
        claims: dict[str, int] = {}
        for slot in self.slots:
            if slot.claimed and slot.customer:
                claims[slot.customer] = claims.get(slot.customer, 0) + 1
        return claims

    def in_pool(self) -> Iterator[Slot]:
        """Yield the slots that count for the pool's weight.

        All that are seen, or those of the pool-size constraint.
        """
        counted = self._counted
        return (slot for slot in self.slots if counted is None or holds(counted.of(slot)))


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
