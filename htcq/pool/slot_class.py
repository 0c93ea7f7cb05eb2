"""Slots of equal policy and shape, what a claim takes of such a slot, and what it costs.

Everything is evaluated on the ads themselves: with the slot's own expressions, whoever wrote
them (htcq.policy.claim).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import is_

from htcq.classads import UNDEFINED, Ad, Value, as_number, named
from htcq.policy.claim import accounted, consumed, match_cost, supports
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, STATIC, Number, Slot
from htcq.units import BUILT_IN_ASSETS, DISK, attribute, two_digits

#: The number of slots that a class names.
EXAMPLES = 3


@dataclass(frozen=True, eq=False)
class SlotClass:
    """All slots with one policy and one shape; amounts in MB, KiB and counts."""

    slots: tuple[Slot, ...]

    @property
    def first(self) -> Slot:
        """The slot in whose ad everything is evaluated."""
        return self.slots[0]

    @property
    def count(self) -> int:
        """The number of slots."""
        return len(self.slots)

    @property
    def examples(self) -> tuple[str, ...]:
        """The names of a few of them."""
        return tuple(str(slot.name) for slot in self.slots[:EXAMPLES])

    @cached_property
    def variants(self) -> tuple[Slot, ...]:
        """One slot of each frame: among them is every value of the attributes that slots share."""
        return tuple({id(slot.frame): slot for slot in reversed(self.slots)}.values())[::-1]

    @cached_property
    def places(self) -> tuple[Slot, ...]:
        """One slot of each machine and slot type."""
        types = {id(slot.frame): slot.type_id for slot in self.variants}
        found: dict[tuple[str, int], Slot] = {}
        for slot in self.slots:
            found.setdefault((str(slot.machine), types[id(slot.frame)]), slot)
        return tuple(found.values())

    @property
    def type(self) -> str:
        """Partitionable, Dynamic or Static."""
        return self.first.type

    @cached_property
    def assets(self) -> tuple[str, ...]:
        """The assets that the slots hand out."""
        return self.first.assets

    @cached_property
    def total(self) -> dict[str, Number]:
        """The amounts of each slot at birth; an asset without a number in the ad counts as 0."""
        return self.first.whole()

    @cached_property
    def missing_assets(self) -> tuple[str, ...]:
        """Assets that MachineResources lists without a number in the ad.

        The negotiator exits when it matches such a slot.
        """
        return tuple(asset for asset, amount in self.first.left().items() if amount is None)

    @property
    def weight_text(self) -> str:
        """The text of SlotWeight; empty where the ad has none."""
        return self.first.frame.text("SlotWeight")

    @cached_property
    def consumption(self) -> dict[str, str]:
        """The text of Consumption<asset> by asset, as far as the ad has them."""
        texts = {}
        for asset in self.assets:
            text = self.first.frame.text(f"Consumption{asset}")
            if text:
                texts[asset] = text
        return texts

    @cached_property
    def supports_policy(self) -> bool:
        """Whether HTCondor matches by consumption policy.

        The slot is partitionable and has an expression for every asset.
        """
        return supports(self.ad(self.total))

    @cached_property
    def full_weight(self) -> Value:
        """SlotWeight of the slot with all that it had at birth."""
        return self.weight(self.total)

    def ad(self, amounts: Mapping[str, Number]) -> Ad:
        """Return the slot's ad with ``amounts`` left; valid until the next call."""
        return self.first.ad(dict(amounts))

    def weight(self, amounts: Mapping[str, Number]) -> Value:
        """Return SlotWeight with ``amounts`` left."""
        return named("SlotWeight").evaluate(self.ad(amounts))

    def dynamic_ad(self, amounts: Mapping[str, Number]) -> Ad:
        """Return the ad of a dynamic slot that got ``amounts``; valid until the next call."""
        own: dict[str, Value] = {}
        for asset in self.assets:
            name, amount = attribute(asset), amounts.get(asset, 0)
            own[name] = own[f"TotalSlot{name}"] = amount
            if asset == DISK:
                # The startd publishes this total as a real.
                own[f"TotalSlot{name}"] = float(amount)
        own.update(DynamicSlot=True, PartitionableSlot=False, SlotType=DYNAMIC)
        return self.first.frame.twin.ad_of(self.first, own)

    def consumed(
        self, job: Ad, amounts: Mapping[str, Number] | None = None
    ) -> dict[str, Number | None]:
        """Return what ``job`` takes of each asset by the slot's policy, as the negotiator does.

        None stands for a consumption that is no number.
        """
        left: Mapping[str, Number] = self.total
        if amounts is not None:
            left = amounts
        return consumed(self.ad(left), job, self.consumption)

    def cost(
        self, taken: Mapping[str, Number | None], amounts: Mapping[str, Number] | None = None
    ) -> Number | None:
        """Return the match cost W(R) - W(R') of ``taken``; None where a weight is no number."""
        left: Mapping[str, Number] = self.total
        if amounts is not None:
            left = amounts
        return match_cost(lambda rest: as_number(self._weight_of(rest)), left, taken)

    def plain_weight(self, amounts: Mapping[str, Number] | None = None) -> Number:
        """Return what the negotiator charges for the whole slot.

        SlotWeight, or 1 where it is no number or negative.
        """
        left: Mapping[str, Number] = self.total
        if amounts is not None:
            left = amounts
        return accounted(self._weight_of(left))

    def _weight_of(self, amounts: Mapping[str, Number]) -> Value:
        if amounts is self.total:
            return self.full_weight
        return self.weight(amounts)


def slot_classes(slots: Iterable[Slot]) -> tuple[SlotClass, ...]:
    """Return the classes of ``slots``, in the order of their first slots."""
    found: dict[tuple[object, ...], list[Slot]] = {}
    policies: dict[int, tuple[object, ...]] = {}
    #: The same lists by frame and by amounts that are not rounded: few slots differ in them.
    alike: dict[tuple[object, ...], list[Slot]] = {}
    for slot in slots:
        frame = id(slot.frame)
        policy = policies.get(frame)
        if policy is None:
            policy = policies[frame] = _policy(slot)
        key: tuple[object, ...] = (frame,)
        if policy[0] != DYNAMIC:
            key = (frame, *_amounts(slot))
        same = alike.get(key)
        if same is None:
            same = found.setdefault((policy, _shape(slot, policy[0])), [])
            alike[key] = same
        same.append(slot)
    return tuple(SlotClass(tuple(each)) for each in found.values())


def offered_classes(classes: Iterable[SlotClass]) -> tuple[SlotClass, ...]:
    """Return the slots that the negotiator can match, by shape and frame.

    The expressions of each of these classes are the same.
    """
    found: dict[tuple[SlotClass, SharedAttributes], list[Slot]] = {}
    for slot_class in classes:
        if slot_class.type in (PARTITIONABLE, STATIC):
            for slot in slot_class.slots:
                found.setdefault((slot_class, slot.frame), []).append(slot)
    return tuple(SlotClass(tuple(slots)) for slots in found.values())


def known_again(classes: Iterable[SlotClass], before: Iterable[SlotClass]) -> Iterator[SlotClass]:
    """Yield ``classes``, but the class of ``before`` in place of one that has the same slots."""
    by_first = {id(slot_class.first): slot_class for slot_class in before}
    for slot_class in classes:
        known = by_first.get(id(slot_class.first))
        if known is not None and _same_slots(known, slot_class):
            slot_class = known
        yield slot_class


def _same_slots(one: SlotClass, other: SlotClass) -> bool:
    return len(one.slots) == len(other.slots) and all(map(is_, one.slots, other.slots))


def _shape(slot: Slot, type_: object) -> tuple[Value, ...]:
    """Return the slot's amounts at birth, memory and disk to two digits.

    Machines of one kind differ by some MB.
    """
    if type_ == DYNAMIC:
        return ()
    cpus, memory, disk = _amounts(slot)
    return cpus, _rounded(memory), _rounded(disk)


def _amounts(slot: Slot) -> tuple[Value, Value, Value]:
    return slot.total_slot_cpus, slot.total_slot_memory_mb, slot.total_slot_disk_kb


def _policy(slot: Slot) -> tuple[object, ...]:
    frame, slot_type = slot.frame, slot.type
    names = ["SlotWeight", "MachineResources", "WithinResourceLimits", "CondorVersion"]
    texts = [frame.text(name) for name in names]
    shape: list[tuple[str, str]] = []
    if slot_type != DYNAMIC:
        shaping = [name for name in frame.texts if name.startswith(("consumption", "totalslot"))]
        shape = [(name, frame.text(name)) for name in sorted(shaping)]
    return (slot_type, *texts, tuple(shape))


def _rounded(amount: Value) -> Value:
    number = as_number(amount)
    if number is None:
        return UNDEFINED
    return two_digits(number)


def requested(job: Ad, assets: Iterable[str] = BUILT_IN_ASSETS) -> dict[str, Number | None]:
    """Return what ``job`` requests of each of ``assets``; None where it has no such number."""
    return {asset: as_number(job.value(f"Request{attribute(asset)}")) for asset in assets}
