"""Machines: what each has, and how claims were carved out of it.

Amounts add up: what is left on a partitionable slot and what its dynamic slots have is what it
had at birth, and all partitionable and static slots together are the machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from tests.invented.ads import COMMON, DOMAIN, NOW, address
from tests.invented.demand import Work
from tests.invented.kinds import KINDS, Kind
from tests.invented.policies import Shape

#: Some machines are empty, some half empty, most as full as it goes.
_FILLED = (0.0, 0.4, 0.7, *(1.0,) * 17)
_MISSES = 8
_STATIC_MEMORY_MB, _STATIC_DISK_KB = 4096, 20_000_000

Pick = Callable[[str, bool], "Work | None"]


class Claim(NamedTuple):
    """One claim: what it got, for which work, since when; ``weight`` is None where SlotWeight is undefined."""

    work: Work
    proc: int
    got: Shape
    devices: tuple[int, ...]
    weight: int | None
    since: int


class Slot(NamedTuple):
    """A static or partitionable slot with its claims; ``had`` is what it had at birth."""

    number: int
    had: Shape
    left: Shape
    claims: tuple[Claim, ...]
    partitionable: bool
    owner: bool = False


@dataclass(frozen=True)
class Machine:
    """One machine and its slots."""

    number: int
    kind: Kind
    had: Shape
    slots: tuple[Slot, ...]
    rolled: float

    @property
    def host(self) -> str:
        """Its name, which begins with its kind's."""
        return f"{self.kind.name}-{self.number:05d}.{DOMAIN}"

    @property
    def ads(self) -> int:
        """How many slot ads it has."""
        return sum(1 + len(slot.claims) if slot.partitionable else 1 for slot in self.slots)

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """The names of its GPUs, without the prefix."""
        return tuple(
            f"{(self.number * 2654435761 + device * 40503) % 2**32:08x}"
            for device in range(self.had.gpus)
        )

    def device_ads(self, wanted: tuple[int, ...]) -> str:
        """Return the nested ads of some of its GPUs, one a line, each after a line's end."""
        gpu = self.kind.gpu
        if gpu is None:
            return ""
        return "".join(
            f'\nGPUs_GPU_{self.devices[device]} = [ Id = "GPU-{self.devices[device]}"; Capability '
            f"= {gpu.capability}; "
            f'DeviceName = "{gpu.name}"; DeviceUuid = '
            f'"{self.devices[device]}-4445-5667-899a-abbccddeeff0"; '
            f'ECCEnabled = true; DevicePciBusId = "0000:{64 + device:02x}:00.0"; GlobalMemoryMb = '
            f"{gpu.memory_mb} ]"
            for device in wanted
        )

    @cached_property
    def values(self) -> dict[str, object]:
        """What all ads of the machine say, by the names that the recorded ads use."""
        claims = [claim for slot in self.slots for claim in slot.claims]
        system, gpu, policy = self.kind.system, self.kind.gpu, self.kind.policy
        started = 100 + int(self.rolled * 5000)
        resident = 19_000 + self.number % 5000
        return {
            **COMMON,
            "host": self.host,
            "ip": address(self.number),
            "mac": f"02:00:0a:{self.number >> 16 & 255:02x}:{self.number >> 8 & 255:02x}:{self.number & 255:02x}",
            "booted": NOW - 86_400 - int(self.rolled * 5_000_000),
            "age": 86_400 + int(self.rolled * 5_000_000),
            "cpus": self.had.cpus,
            "memory": self.had.memory_mb,
            "disk": self.had.disk_kb,
            "gpus": self.had.gpus,
            "virtual": self.had.memory_mb * 1024,
            "slots": self.ads,
            "started": started,
            "recent": len(claims),
            "sessions": 20 + len(claims),
            "resident": resident,
            "image": resident + 9000,
            "badput": 600 * len(claims),
            "load": f"{sum(claim.got.cpus for claim in claims) * (0.9 + self.rolled / 10):.2f}",
            "used_cpus": sum(claim.got.cpus for claim in claims),
            "used_memory": sum(claim.got.memory_mb for claim in claims),
            "used_disk": sum(claim.got.disk_kb for claim in claims),
            "used_gpus": sum(claim.got.gpus for claim in claims),
            "cpu_family": 25,
            "cpu_model": 1 + self.kind.cpus // 16,
            "cpu_cache": 512 if self.kind.cpus < 64 else 1024,
            "os": system.version,
            "os_name": system.name,
            "os_short": system.name,
            "os_long": system.long_name,
            "kernel": system.kernel,
            "weight": policy.weight,
            "limits": policy.limits(),
            "gpu_name": gpu.name if gpu else "",
            "gpu_capability": gpu.capability if gpu else "",
            "gpu_memory": gpu.memory_mb if gpu else 0,
            "detected_gpus": f'"{", ".join(f"GPU-{name}" for name in self.devices)}"'
            if gpu
            else "0",
            "gpu_attributes": ",".join(f"GPUs_GPU_{name}" for name in self.devices),
        }


def machines(rng: Random, pick: Pick, slots: int) -> Iterator[Machine]:
    """Yield machines until they have exactly ``slots`` slots: one of each kind, then by share, the last ones cut."""
    sums = list(itertools.accumulate(kind.share for kind in KINDS))
    for number in itertools.count():
        if slots <= 0:
            return
        kind = KINDS[number] if number < len(KINDS) else rng.choices(KINDS, cum_weights=sums)[0]
        if not kind.partitionable and kind.cpus // kind.static_cpus > slots:
            continue
        machine = _machine(rng, pick, number, kind, slots)
        slots -= machine.ads
        yield machine


def _machine(rng: Random, pick: Pick, number: int, kind: Kind, most: int) -> Machine:
    memory = kind.memory_mb - rng.randrange(2048)
    disk = kind.disk_kb - rng.randrange(kind.disk_kb // 20)
    if not kind.partitionable:
        return _static_machine(rng, pick, number, kind, Shape(kind.cpus, memory, disk, 0))
    had = Shape(kind.cpus, memory, disk, kind.gpus)
    beside = min(kind.static_slots, most - 1)
    static = Shape(kind.static_cpus, _STATIC_MEMORY_MB, _STATIC_DISK_KB, 0)
    pslot = Shape(*(whole - beside * part for whole, part in zip(had, static)))
    claims = tuple(_carve(rng, pick, kind, pslot, most - 1 - beside))
    taken = [sum(amounts) for amounts in zip(*(claim.got for claim in claims))] or [0, 0, 0, 0]
    left = Shape(*(whole - part for whole, part in zip(pslot, taken)))
    slots = [Slot(1, pslot, left, claims, True)]
    slots += [_static_slot(rng, pick, kind, 2 + order, static) for order in range(beside)]
    return Machine(number, kind, had, tuple(slots), rng.random())


def _static_machine(rng: Random, pick: Pick, number: int, kind: Kind, about: Shape) -> Machine:
    count = kind.cpus // kind.static_cpus
    each = Shape(kind.static_cpus, about.memory_mb // count, about.disk_kb // count, 0)
    slots = tuple(_static_slot(rng, pick, kind, 1 + order, each) for order in range(count))
    return Machine(number, kind, Shape(*(count * part for part in each)), slots, rng.random())


def _static_slot(rng: Random, pick: Pick, kind: Kind, number: int, had: Shape) -> Slot:
    rolled = rng.random()
    work = pick(kind.system.name, False) if rolled < 0.8 else None
    if work is None or not _fits(work.autocluster.request, had):
        return Slot(number, had, had, (), False, owner=rolled > 0.97)
    weight = kind.policy.weigh(had.cpus, had.memory_mb, had.gpus, False)
    return Slot(number, had, had, (Claim(work, work.proc(), had, (), weight, _since(rng)),), False)


def _carve(rng: Random, pick: Pick, kind: Kind, pslot: Shape, most: int) -> Iterator[Claim]:
    """Yield claims until nothing fits any more, or as much is taken as this machine happens to have work for."""
    idle_cpus = kind.cpus * (1 - rng.choice(_FILLED)) if kind.claims else kind.cpus
    left, misses, made = pslot, 0, 0
    while made < most and misses < _MISSES and left.cpus > idle_cpus:
        work = pick(kind.system.name, left.gpus > 0 and rng.random() < 0.7)
        got = kind.policy.taken(work.autocluster.request) if work else left
        if work is None or not _fits(got, left):
            misses += 1
            continue
        devices = tuple(range(pslot.gpus - left.gpus, pslot.gpus - left.gpus + got.gpus))
        weight = kind.policy.weigh(got.cpus, got.memory_mb, got.gpus, True)
        yield Claim(work, work.proc(), got, devices, weight, _since(rng))
        left = Shape(*(whole - part for whole, part in zip(left, got)))
        made += 1


def _fits(wanted: Shape, left: Shape) -> bool:
    return all(want <= have for want, have in zip(wanted, left))


def _since(rng: Random) -> int:
    return NOW - 60 - int(rng.random() * 86_000)
