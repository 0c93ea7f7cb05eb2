"""Typical jobs of a node or a fleet, where a site names none of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.capacity.shape import Shape
from htcq.units import CPUS, DISK, GPUS, MEMORY

#: What a small job asks for (MB), and the disk of every typical job unless a core has less (KiB).
_SMALL_MB, _DISK_KB = 128, 1024 * 1024
#: How many even shares of memory a job has that is hungry for it.
_HUNGRY = 4


@dataclass(frozen=True)
class Size:
    """What a slot has: cores (not cpu shares), memory (MB), disk (KiB), GPUs."""

    cores: int
    memory_mb: int
    disk_kb: int
    gpus: int = 0

    @property
    def memory_per_core(self) -> int:
        """The even share of one core, in MB."""
        return max(1, self.memory_mb // self.cores)


def size_of(total: Mapping[str, int], cpu_shares: int = 1) -> Size:
    """Return the size of a slot that has ``total``, cpus in shares."""
    cores = max(1, total[CPUS] // cpu_shares)
    return Size(cores, total[MEMORY], total[DISK], total.get(GPUS, 0))


def typical_shapes(total: Mapping[str, int], cpu_shares: int = 1) -> tuple[Shape, ...]:
    """Return typical jobs of one node: small, even, hungry for memory, wide, whole, with a GPU."""
    return typical_of_fleet([size_of(total, cpu_shares)])


def typical_of_fleet(sizes: Sequence[Size]) -> tuple[Shape, ...]:
    """Return typical jobs of a fleet, one size for each slot: the same for all kinds of node.

    An even share is that of the median slot, and the whole node is the smallest.
    """
    middle = len(sizes) // 2
    memory = sorted(size.memory_per_core for size in sizes)[middle]
    cores = sorted(size.cores for size in sizes)[middle]
    smallest = min(sizes, key=lambda size: (size.cores, size.memory_mb))
    max_memory = max(size.memory_mb for size in sizes)
    disk = max(1, min(*(size.disk_kb // size.cores for size in sizes), _DISK_KB))
    half = max(1, cores // 2)
    shapes = [
        {CPUS: 1, MEMORY: min(_SMALL_MB, smallest.memory_mb), DISK: disk},
        {CPUS: 1, MEMORY: memory, DISK: disk},
        {CPUS: 1, MEMORY: min(_HUNGRY * memory, max_memory), DISK: disk},
        {CPUS: half, MEMORY: memory * half, DISK: disk},
        {CPUS: smallest.cores, MEMORY: smallest.memory_mb, DISK: disk},
    ]
    if any(size.gpus for size in sizes):
        shapes.append({CPUS: 1, MEMORY: memory, DISK: disk, GPUS: 1})
    unique = {tuple(shape.items()): shape for shape in shapes}
    return tuple(Shape(shape) for shape in unique.values())
