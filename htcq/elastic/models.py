"""GPUs by model: what slots have, and what jobs ask for where that can be told.

A startd publishes an ad for each device with its DeviceName (condor_gpu_discovery;
src/condor_startd.V6/ ResAttributes.cpp:MakeResourceProps, HTCondor 25.14); a partitionable slot
names all of its devices, or those that are free where only these were asked for, a dynamic slot
its own. A model's dimension is ``gpus:`` and the words of its name: a quota of ``gpus:a100`` is
one of every device that has the word a100 in its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.classads import Expr, as_number
from htcq.pool.autocluster import Autocluster
from htcq.pool.devices import COUNT
from htcq.pool.matching import Mismatch, wall
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass
from htcq.quota.elastic.kinds import MARK
from htcq.units import GPUS

_DEVICE = re.compile(r"gpus_device[0-9]+\Z")
_WORDS = re.compile(r"[a-z0-9]+")
#: Whose devices they are says nothing of what they are.
_MAKERS = frozenset({"nvidia", "tesla", "amd", "geforce", "quadro", "instinct"})
_PREFIX = f"{GPUS}{MARK}"


@dataclass(frozen=True)
class Device:
    """One model in one slot: its dimension, the attribute that describes it, and how many (None: not told)."""

    dimension: str
    attribute: str
    count: int | None


class Models:
    """The models of a pool's GPUs, named as ``declared`` dimensions name them."""

    def __init__(self, declared: Iterable[str], slots: Iterable[Slot]) -> None:
        self._declared = sorted(name for name in declared if name.startswith(_PREFIX))
        self._names: dict[str, str] = {}
        self._devices: dict[int, tuple[Device, ...]] = {}
        self._asked: dict[int, str | None] = {}
        self._samples: dict[str, tuple[Slot, Device]] = {}
        for slot in slots:
            for device in self.devices(slot):
                text = slot.frame.text(device.attribute)
                if device.attribute and text not in self._samples:
                    self._samples[text] = (slot, device)

    def dimension(self, device_name: str) -> str:
        """Return the dimension of devices called ``device_name``; the most precise one that is declared."""
        if device_name not in self._names:
            words = _WORDS.findall(device_name.lower())
            fitting = [name for name in self._declared if _fits(name, words)]
            own = [word for word in words if word not in _MAKERS] or words
            most = max(fitting, key=lambda name: (len(_WORDS.findall(name)), name), default="")
            self._names[device_name] = most or _PREFIX + "-".join(own)
        return self._names[device_name]

    def devices(self, slot: Slot) -> tuple[Device, ...]:
        """Return the different models of a slot's frame; none where it says nothing of them."""
        key = id(slot.frame)
        if key not in self._devices:
            self._devices[key] = tuple(self._found(slot))
        return self._devices[key]

    def _found(self, slot: Slot) -> Iterable[Device]:
        frame = slot.frame
        ad = slot.ad()
        common = frame.value("GPUs_DeviceName")
        named = [name for key, name in frame.names.items() if _DEVICE.match(key)]
        for attribute in named:
            name = Expr(f"{attribute}.DeviceName").evaluate(ad)
            count = as_number(Expr(f"{attribute}.{COUNT.decode()}").evaluate(ad))
            name = name if isinstance(name, str) else common
            if isinstance(name, str):
                yield Device(self.dimension(name), attribute, None if count is None else int(count))
        if not named and isinstance(common, str):
            yield Device(self.dimension(common), "", None)

    def of(self, slot: Slot, count: int) -> dict[str, int] | None:
        """Return of which models ``count`` devices of ``slot`` are; None where that cannot be told."""
        devices = self.devices(slot)
        if count <= 0:
            return {}
        if len({device.dimension for device in devices}) == 1:
            return {devices[0].dimension: count}
        found: dict[str, int] = {}
        for device in devices:
            found[device.dimension] = found.get(device.dimension, 0) + (device.count or 0)
        return found if devices and sum(found.values()) == count else None

    def asked(self, jobs: Autocluster, kinds: Iterable[SlotClass]) -> str | None:
        """Return the one model that ``jobs`` ask for; empty where several would do, None where none does.

        By RequireGPUs, or by Requirements that look at what GPUs a slot has.
        """
        key = id(jobs.frame)
        if key not in self._asked:
            self._asked[key] = self._one(jobs, kinds)
        return self._asked[key]

    def _one(self, jobs: Autocluster, kinds: Iterable[SlotClass]) -> str | None:
        if jobs.frame.text("RequireGPUs"):
            test = {text: f"countMatches(MY.RequireGPUs, {{TARGET.{device.attribute}}})"
                    for text, (_, device) in self._samples.items()}  # fmt: skip
            found = {
                device.dimension
                for text, (slot, device) in self._samples.items()
                if Expr(test[text]).evaluate(jobs.ad(), slot.ad()) == 1
            }
        else:
            requirements = jobs.frame.expression("Requirements")
            references = requirements.references() if requirements is not None else None
            names = (references.own | references.target) if references is not None else frozenset()
            if not any(name.startswith("gpus_") for name in names):
                return ""
            slots = (slot for kind in kinds for slot in kind.variants)
            suiting = (
                slot
                for slot in slots
                if self.devices(slot) and wall(SlotClass((slot,)), jobs)[0] is Mismatch.NONE
            )
            found = {device.dimension for slot in suiting for device in self.devices(slot)}
        return found.pop() if len(found) == 1 else "" if found else None


def _fits(name: str, words: Iterable[str]) -> bool:
    return set(_WORDS.findall(name[len(_PREFIX) :].lower())) <= set(words)


def cards_of(
    models: Models, whole: Slot, total: int, children: Iterable[Slot]
) -> tuple[dict[str, int], int]:
    """Return the devices of a slot that is divided, by model, and how many are of a model that is not told.

    ``total`` is how many there are in all; ``children`` are the slots that have some of them.
    """
    children = list(children)
    seen = {device.dimension for slot in (whole, *children) for device in models.devices(slot)}
    own = models.of(whole, total)
    if own is not None and seen <= set(own):
        return own, 0
    if len(seen) == 1:
        return dict.fromkeys(seen, total), 0
    found: dict[str, int] = dict(models.of(whole, int(as_number(whole.gpus) or 0)) or {})
    for child in children:
        _add(found, models.of(child, int(as_number(child.gpus) or 0)) or {})
    return found, max(0, total - sum(found.values()))


def _add(into: dict[str, int], amounts: Mapping[str, int]) -> None:
    for name, amount in amounts.items():
        into[name] = into.get(name, 0) + amount
