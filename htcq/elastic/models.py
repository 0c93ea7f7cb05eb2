"""GPUs by model: what slots have, and what jobs ask for where that is known.

A startd publishes an ad for each device with its DeviceName (condor_gpu_discovery;
src/condor_startd.V6/ResAttributes.cpp:MakeResourceProps, HTCondor 25.14). A partitionable slot
names all of its devices, or only the free ones if that was asked for; a dynamic slot names its own.
A model's dimension is ``gpus:`` and the words of its name: a quota of ``gpus:a100`` counts every
device with the word a100 in its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.claims.matching import Mismatch, wall
from htcq.classads import Expr, as_number
from htcq.pool.autocluster import Autocluster
from htcq.pool.devices import COUNT
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass
from htcq.quota.elastic.kinds import MARK
from htcq.units import GPUS

_DEVICE = re.compile(r"gpus_device[0-9]+\Z")
_WORDS = re.compile(r"[a-z0-9]+")
#: The name of the maker does not tell models apart.
_MAKERS = frozenset({"nvidia", "tesla", "amd", "geforce", "quadro", "instinct"})
_PREFIX = f"{GPUS}{MARK}"


@dataclass(frozen=True)
class Device:
    """One model of GPU in one slot: its dimension, its attribute and its count (None: unknown)."""

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
        """Return the dimension of a device name: the most precise one that is declared."""
        if device_name not in self._names:
            words = _WORDS.findall(device_name.lower())
            fitting = [name for name in self._declared if _fits(name, words)]
            own = [word for word in words if word not in _MAKERS] or words
            most = max(fitting, key=lambda name: (len(_WORDS.findall(name)), name), default="")
            self._names[device_name] = most or _PREFIX + "-".join(own)
        return self._names[device_name]

    def devices(self, slot: Slot) -> tuple[Device, ...]:
        """Return the models in a slot's ad; none where the ad has none."""
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
            if not isinstance(name, str):
                name = common
            if isinstance(name, str):
                whole = count if count is None else int(count)
                yield Device(self.dimension(name), attribute, whole)
        if not named and isinstance(common, str):
            yield Device(self.dimension(common), "", None)

    def of(self, slot: Slot, count: int) -> dict[str, int] | None:
        """Return ``count`` devices of ``slot`` by model; None where their models are not known."""
        devices = self.devices(slot)
        if count <= 0:
            return {}
        if len({device.dimension for device in devices}) == 1:
            return {devices[0].dimension: count}
        found: dict[str, int] = {}
        for device in devices:
            found[device.dimension] = found.get(device.dimension, 0) + (device.count or 0)
        if sum(found.values()) != count:
            return None
        return found

    def asked(self, jobs: Autocluster, kinds: Iterable[SlotClass]) -> str | None:
        """Return the one model that ``jobs`` ask for; empty: several would do, None: none does.

        By RequireGPUs, or by Requirements that look at what GPUs a slot has.
        """
        key = id(jobs.frame)
        if key not in self._asked:
            self._asked[key] = self._one(jobs, kinds)
        return self._asked[key]

    def _one(self, jobs: Autocluster, kinds: Iterable[SlotClass]) -> str | None:
        if jobs.frame.text("RequireGPUs"):
            found = self._required(jobs)
        elif _refers_to_gpus(jobs):
            found = self._matching(jobs, kinds)
        else:
            return ""
        if not found:
            return None
        if len(found) > 1:
            return ""
        return found.pop()

    def _required(self, jobs: Autocluster) -> set[str]:
        """Return the models that RequireGPUs of ``jobs`` accepts."""
        found = set()
        for slot, device in self._samples.values():
            test = f"countMatches(MY.RequireGPUs, {{TARGET.{device.attribute}}})"
            if Expr(test).evaluate(jobs.ad(), slot.ad()) == 1:
                found.add(device.dimension)
        return found

    def _matching(self, jobs: Autocluster, kinds: Iterable[SlotClass]) -> set[str]:
        """Return the models in slots that match ``jobs``."""
        found: set[str] = set()
        for kind in kinds:
            for slot in kind.variants:
                devices = self.devices(slot)
                if devices and wall(SlotClass((slot,)), jobs)[0] is Mismatch.NONE:
                    found.update(device.dimension for device in devices)
        return found


def _refers_to_gpus(jobs: Autocluster) -> bool:
    """Return whether Requirements of ``jobs`` refer to properties of GPUs."""
    requirements = jobs.frame.expression("Requirements")
    if requirements is None:
        return False
    references = requirements.references()
    return any(name.startswith("gpus_") for name in references.own | references.target)


def _fits(name: str, words: Iterable[str]) -> bool:
    return set(_WORDS.findall(name[len(_PREFIX) :].lower())) <= set(words)


def gpus_by_model(
    models: Models, whole: Slot, total: int, children: Iterable[Slot]
) -> tuple[dict[str, int], int]:
    """Return the devices of a divided slot by model, and how many are of an unknown model.

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
