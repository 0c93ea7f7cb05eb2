"""What machines have and none of their slots has: slot types that leave cores, GPUs or memory out.

A startd publishes what it may give in all as Total*, and of each slot TotalSlot*
(ResAttributes.cpp: publish_static, HTCondor 25.14). What is in no slot weighs nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from htcq.balance.amounts import Amounts
from htcq.balance.causes import IN_NO_SLOT, UNSLOTTED
from htcq.balance.lifting import Gain, Lifting
from htcq.balance.standing import Part
from htcq.classads import as_number
from htcq.htcondor.starting import is_default
from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import DYNAMIC, Number, Slot, number_or
from htcq.pool.slot_shortages import lost_with_slots
from htcq.pool.slot_state import is_backfill, machine_of
from htcq.units import CPUS, GPUS, MEMORY, amount_of, attribute, show_number
from htcq.why.other_amounts import Takers, times

#: Sites leave a core or some out for the system: no more than this part of a machine.
_RESERVE = 0.25
_ASSETS = (CPUS, MEMORY, GPUS)
_KNOBS = "SLOT_TYPE_n, NUM_SLOTS_TYPE_n, NUM_SLOTS or NUM_CPUS"
_MAKES_SLOTS = re.compile(r"NUM_CPUS|NUM_SLOTS(_TYPE_[0-9]+)?|SLOT_TYPE_[0-9]+")


class Unslotted(NamedTuple):
    """What is in no slot of the startd of ``slot``; ``left`` and ``machine`` are by asset.

    ``lacks_ads``: the startd has more slots than there are ads. ``is_odd``: it is more than a site
    keeps for the system, and most machines of the pool leave nothing out.
    """

    slot: Slot
    left: Mapping[str, Number]
    machine: Mapping[str, Number]
    lacks_ads: bool
    is_odd: bool = False

    @property
    def is_memory(self) -> bool:
        """Whether it is memory alone."""
        return not (self.left[CPUS] or self.left[GPUS])

    @property
    def amounts(self) -> Amounts:
        """What it is."""
        return Amounts(0, *(self.left[asset] for asset in _ASSETS))

    def part(self, kind: str, pool: Pool) -> Part:
        """Return it as a part of the capacity of a ``kind`` of node, with its knobs if known."""
        name, machine = str(self.slot.name), machine_of(self.slot)
        if self.lacks_ads:
            return Part(IN_NO_SLOT, self.amounts, kind, (name,))
        asset = next(each for each in (CPUS, GPUS, MEMORY) if self.left[each])
        whole, left = self.machine[asset], self.left[asset]
        in_slots = show_number(whole - left)
        if asset == MEMORY:
            in_slots = amount_of(asset, whole - left)
        detail = f"{machine} has {amount_of(asset, whole)}, its slots {in_slots}"
        cure = None
        if self.is_odd:
            cure = f"{_set_in(of_startd(pool.execute, self.slot)) or _KNOBS} of {machine}"
        return Part(UNSLOTTED, self.amounts, kind, (name,), detail, machine=machine, cure=cure)


def _set_in(configuration: Configuration | None) -> str:
    """Return the knobs by which a startd makes its slots, as they are set."""
    if configuration is None:
        return ""
    return ", ".join(
        f"{each.name} = {each.value}"
        for each in configuration
        if _MAKES_SLOTS.fullmatch(each.bare.upper())
        and not is_default(each.bare, each.value, (), configuration.value)
    )


def unslotted_of(slots: Iterable[Slot]) -> Sequence[Unslotted]:
    """Return what the slots of each startd leave out of the cores, GPUs and memory that it has.

    With cores or GPUs counts the memory beside them; of memory alone a little is what sizes of
    slots are rounded by.
    """
    of_startd = defaultdict[str, list[Slot]](list)
    for slot in slots:
        if slot.type != DYNAMIC:
            of_startd[slot.startd].append(slot)
    every = [each for own in of_startd.values() for each in _of_startd(own)]
    found = list[Unslotted]()
    for memory_alone in (False, True):
        alike = [each for each in every if each.is_memory == memory_alone]
        # Where most machines are like that, somebody means it.
        is_meant = 2 * len(alike) > len(of_startd) > 1
        found += [each._replace(is_odd=not is_meant and _is_much(each)) for each in alike]
    return found


def _of_startd(slots: Sequence[Slot]) -> Iterator[Unslotted]:
    own = [slot for slot in slots if not is_backfill(slot)]
    if not own:
        return
    first = own[0]
    machine = {asset: _most(own, asset) for asset in _ASSETS}
    left = {}
    for asset, whole in machine.items():
        in_slots = sum(_whole(slot).get(asset, 0) for slot in own)
        left[asset] = max(0, whole - in_slots)
    if left[CPUS] or left[GPUS]:
        yield Unslotted(first, left, machine, _lacks_ads(slots))
    elif left[MEMORY] > _RESERVE * machine[MEMORY]:
        # What the largest slot would have with it is what jobs wait for.
        largest = max(own, key=lambda slot: number_or(slot.cpus, 0))
        yield Unslotted(largest, left, machine, _lacks_ads(slots))


def _whole(slot: Slot) -> Mapping[str, Number]:
    """Return what a slot had at first, with what it lost with broken dynamic slots."""
    whole = slot.whole()
    lost = lost_with_slots(slot)
    return {asset: amount + lost.get(asset, 0) for asset, amount in whole.items()}


def _most(slots: Sequence[Slot], asset: str) -> Number:
    numbers = [as_number(slot.value(f"Total{attribute(asset)}")) or 0 for slot in slots]
    return max(numbers)


def _lacks_ads(slots: Sequence[Slot]) -> bool:
    """Return whether a startd says that it has more slots that are not dynamic than ``slots``."""
    every = max(as_number(slot.total_slots) or 0 for slot in slots)
    dynamic = sum(as_number(slot.dynamic_slots) or 0 for slot in slots)
    return every - dynamic > len(slots)


def _is_much(each: Unslotted) -> bool:
    return any(each.left[asset] > _RESERVE * each.machine[asset] > 0 for asset in _ASSETS)


def lift_unslotted(found: Iterable[Unslotted], lifting: Lifting) -> None:
    """Note what waiting jobs would use of what slots leave out.

    That is what one slot more would have, or of memory alone one slot of the machine with it.
    """
    rest = [each.number for each in lifting.waiting]
    limits, takers = lifting.limits(UNSLOTTED, lasts=True), Takers()
    for each in found:
        if each.lacks_ads or not each.is_odd:
            continue
        left, without = dict(each.left), dict[str, Number]()
        if each.is_memory:
            if each.slot.claimed:
                continue
            without = {asset: each.slot.left().get(asset) or 0 for asset in _ASSETS}
            left = {asset: without[asset] + left[asset] for asset in _ASSETS}
        for number, one in enumerate(lifting.waiting):
            fit = min(rest[number], times(left, one.requested))
            if not fit or not limits.may_start(one):
                continue
            if without and times(without, one.requested):
                # It lacks no memory there.
                continue
            if not takers.takes(each.slot, left, one.request.first):
                continue
            jobs = limits.match(one, fit, 0.0)
            rest[number] -= jobs
            used = {asset: jobs * one.requested.get(asset, 0) for asset in _ASSETS}
            left = {asset: left[asset] - used[asset] for asset in _ASSETS}
            gained = Amounts(0, *(min(used[asset], each.left[asset]) for asset in _ASSETS))
            lifting.add(UNSLOTTED, one, Gain(gained, jobs, behind=jobs))
