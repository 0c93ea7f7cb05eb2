"""The kinds of machines in the pool: hardware, operating system, policy, and how many there are of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tests.invented.policies import (
    MANUAL,
    MINIMUM,
    MISTAKES,
    PLAIN,
    PLAIN_GPUS,
    QUANTA,
    UNCLAIMED,
    Policy,
)


class System(NamedTuple):
    """An operating system as ads name it."""

    name: str
    version: str
    long_name: str
    kernel: str


class Gpu(NamedTuple):
    """A model of GPU; memory in MB."""

    name: str
    capability: str
    memory_mb: int


ENTERPRISE = System(
    "AlmaLinux", "AlmaLinux9", "AlmaLinux 9.5 (Teal Serval)", "5.14.0-503.el9.x86_64"
)
DEBIAN = System("Debian", "Debian12", "Debian GNU/Linux 12 (bookworm)", "6.1.0-28-amd64")
SYSTEMS = (ENTERPRISE, DEBIAN)


@dataclass(frozen=True, eq=False)
class Kind:
    """Machines that are alike, but for what each has a little less of: memory and disk.

    ``static_cpus`` says how many cpus each static slot has, and ``static_slots`` how many there
    are beside the partitionable slot; without one (``partitionable`` false) they fill the
    machine."""

    name: str
    cpus: int
    memory_mb: int
    disk_kb: int
    share: float
    policy: Policy
    system: System = ENTERPRISE
    gpus: int = 0
    gpu: Gpu | None = None
    partitionable: bool = True
    static_slots: int = 0
    static_cpus: int = 1
    claims: bool = True


#: Cpus, memory in GiB, disk in GB, and the share of all machines.
_HARDWARE = (
    (8, 32, 200, 0.06),
    (16, 64, 400, 0.16),
    (24, 96, 500, 0.10),
    (32, 128, 1000, 0.22),
    (48, 192, 1000, 0.14),
    (64, 256, 2000, 0.16),
    (96, 384, 2000, 0.07),
    (128, 512, 4000, 0.05),
    (192, 768, 4000, 0.02),
    (256, 1024, 8000, 0.01),
)
_GB_IN_KB = 1_000_000


def _good() -> list[Kind]:
    kinds = []
    for cpus, memory, disk, share in _HARDWARE:
        for system, part in zip(SYSTEMS, (0.75, 0.25)):
            name = f"c{cpus}-{system.name.lower()}"
            kinds.append(
                Kind(name, cpus, memory * 1024, disk * _GB_IN_KB, share * part, PLAIN, system)
            )
        for policy in (MANUAL, MINIMUM, QUANTA):
            if cpus in (16, 32, 64):
                name = f"c{cpus}-{policy.name}"
                kinds.append(Kind(name, cpus, memory * 1024, disk * _GB_IN_KB, share * 0.2, policy))
    t4, a100 = Gpu("Tesla T4", "7.5", 15_095), Gpu("NVIDIA A100-SXM4-40GB", "8.0", 40_326)
    kinds += [
        Kind("g8-t4", 64, 262_144, 2_000_000_000, 0.01, PLAIN_GPUS, ENTERPRISE, 8, t4),
        Kind("g4-a100", 128, 524_288, 4_000_000_000, 0.01, PLAIN_GPUS, ENTERPRISE, 4, a100),
        Kind("g4-a100-cp", 64, 524_288, 4_000_000_000, 0.005, MANUAL, ENTERPRISE, 4, a100),
        Kind("static", 16, 65_536, 400_000_000, 0.02, PLAIN, partitionable=False),
        Kind(
            "static-pairs",
            32,
            131_072,
            1_000_000_000,
            0.01,
            PLAIN,
            DEBIAN,
            partitionable=False,
            static_cpus=2,
        ),
        Kind("mixed", 32, 131_072, 1_000_000_000, 0.01, PLAIN, static_slots=2),
    ]
    return kinds


#: The bad kinds come first: even the smallest pool has one machine of each.
KINDS = (
    *(
        Kind(name, 32, 131_072, 1_000_000_000, 0.002, policy, claims=name not in UNCLAIMED)
        for name, policy in MISTAKES.items()
    ),
    *_good(),
)
