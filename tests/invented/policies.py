"""What the slots of the pool charge: consumption policies and slot weights, good ones and bad ones.

Expressions stand as the startd of HTCondor 25.14 prints them. The good policies are those of
htcq's models and of the manual; what is wrong with the bad ones stands in :data:`BAD_KINDS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

#: SlotWeight from cpus, memory (MB) and GPUs of a slot, and whether it is dynamic; None where it is
#: undefined.
Weigh = Callable[[int, int, int, bool], Optional[int]]


class Shape(NamedTuple):
    """Amounts of a request, a claim or a slot."""

    cpus: int
    memory_mb: int
    disk_kb: int
    gpus: int


def _consumption(cpus: str, memory: str, disk: str, gpus: str) -> Mapping[str, str]:
    return {
        "ConsumptionCpus": cpus,
        "ConsumptionMemory": memory,
        "ConsumptionDisk": disk,
        "ConsumptionGPUs": gpus,
    }


def _quantized(memory_mb: int) -> Mapping[str, str]:
    return _consumption(
        "quantize(target.RequestCpus,{ 1 })",
        f"quantize(target.RequestMemory,{{ {memory_mb} }})",
        "quantize(target.RequestDisk,{ 1024 })",
        "ifthenelse(target.RequestGPUs =?= undefined,0,target.RequestGPUs)",
    )


@dataclass(frozen=True, eq=False)
class Policy:
    """What a claim takes of a slot and what it weighs; ``consumption`` is empty where the scheduler's rules hold."""

    name: str
    weight: str
    weigh: Weigh
    consumption: Mapping[str, str] = field(default_factory=dict)
    memory_step_mb: int = 128
    min_memory_mb: int = 0
    disk_step_kb: int = 1024

    def taken(self, request: Shape) -> Shape:
        """Return what a claim of ``request`` gets."""
        memory = -(-request.memory_mb // self.memory_step_mb) * self.memory_step_mb
        disk = -(-request.disk_kb // self.disk_step_kb) * self.disk_step_kb
        return Shape(request.cpus, max(memory, self.min_memory_mb), disk, request.gpus)

    def limits(self) -> str:
        """Return WithinResourceLimits, which the startd writes by itself."""
        if not self.consumption:
            catalogs = "ifthenelse(RequestedCatalogs =?= undefined || catalogs =?= undefined,0,"
            catalogs += (
                "sum(evalInEachContext(member(CatalogID,RequestedCatalogIDs) ? CatalogSize : "
                "0,catalogs)))"
            )
            return (
                "MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0 && "
                "TARGET.RequestMemory <= MY.Memory"
                ' && MY.Disk > 0 && (TARGET.RequestDisk - ifthenelse(MappingMethod ?: "" != '
                f'"Copy",{catalogs},0))'
                " <= MY.Disk && (TARGET.RequestGPUs =?= undefined || MY.GPUs >= TARGET.RequestGPUs)"
            )
        assets = sorted(name[len("Consumption") :] for name in self.consumption)
        terms = [
            f"ifThenElse(TARGET._cp_orig_Request{asset} =!= undefined,"
            f"TARGET.Request{asset} <= MY.{asset},MY.Consumption{asset} <= MY.{asset})"
            for asset in assets
        ]
        return f"({' && '.join(terms)})"


def _claims_of_4_gib(cpus: int, memory_mb: int, _gpus: int, dynamic: bool) -> int:
    return max(1, cpus, -(-memory_mb // 4096)) if dynamic else max(0, min(cpus, memory_mb // 4096))


def _claims_of_2_gib(cpus: int, memory_mb: int, _gpus: int, dynamic: bool) -> int:
    return max(1, cpus, -(-memory_mb // 2048)) if dynamic else max(0, min(cpus, memory_mb // 2048))


def _claims(memory_mb: int) -> str:
    return (
        f"ifThenElse(DynamicSlot =?= true,max({{ 1,Cpus,ceiling(Memory / {memory_mb}.0) }}),"
        f"max({{ 0,min({{ Cpus,floor(Memory / {memory_mb}) }}) }}))"
    )


def _cpus(cpus: int, _memory_mb: int, _gpus: int, _dynamic: bool) -> int:
    return cpus


def _cpus_and_gpus(cpus: int, _memory_mb: int, gpus: int, _dynamic: bool) -> int:
    return cpus + 8 * gpus


def _memory(_cpus: int, memory_mb: int, _gpus: int, _dynamic: bool) -> int:
    return memory_mb // 4096


PLAIN = Policy("plain", "Cpus", _cpus)
PLAIN_GPUS = Policy("gpus", "Cpus + 8 * GPUs", _cpus_and_gpus)
MANUAL = Policy("cp", "Cpus", _cpus, _quantized(128))
QUANTA = Policy("quanta", _claims(2048), _claims_of_2_gib, _quantized(2048), memory_step_mb=2048)
MINIMUM = Policy(
    "minimum",
    _claims(4096),
    _claims_of_4_gib,
    _consumption(
        "max({ 1,ceiling(target.RequestCpus ?: 0) })",
        "max({ 4096,ceiling(target.RequestMemory ?: 0) })",
        "ceiling(target.RequestDisk ?: 0)",
        "ceiling(target.RequestGPUs ?: 0)",
    ),
    memory_step_mb=1,
    min_memory_mb=4096,
    disk_step_kb=1,
)

#: Kinds of machines whose policy is wrong, and what is wrong with each.
BAD_KINDS: Mapping[str, str] = {
    "undefined-consumption": "ConsumptionGPUs is undefined for a job that asks for no GPUs: such jobs never match",
    "undefined-weight": "SlotWeight is undefined: the negotiator exits at the first match",
    "memory-weight": (
        "SlotWeight is floor(Memory / 4096): not the sum of its parts, and 0 on small dynamic slots"
    ),
    "partial-consumption": "ConsumptionGPUs is missing: the negotiator takes the slot for an ordinary one",
    "constant-weight": "SlotWeight is 1 whatever is left: a match costs nothing",
    "fractional-cpus": (
        "ConsumptionCpus is no whole number for odd requests: the startd refuses the claim forever"
    ),
}

MISTAKES: Mapping[str, Policy] = {
    "undefined-consumption": Policy(
        "bad",
        "Cpus",
        _cpus,
        {**_quantized(128), "ConsumptionGPUs": "quantize(target.RequestGPUs,{ 1 })"},
    ),
    "undefined-weight": Policy("bad", "floor(Licenses / 2)", lambda *_: None, _quantized(128)),
    "memory-weight": Policy("bad", "floor(Memory / 4096)", _memory, _quantized(128)),
    "partial-consumption": Policy(
        "bad",
        "Cpus",
        _cpus,
        {name: text for name, text in _quantized(128).items() if name != "ConsumptionGPUs"},
    ),
    "constant-weight": Policy("bad", "1", lambda *_: 1, _quantized(128)),
    "fractional-cpus": Policy(
        "bad", "Cpus", _cpus, {**_quantized(128), "ConsumptionCpus": "1.5 * target.RequestCpus"}
    ),
}
#: Where hardly a job could run: these machines are empty.
UNCLAIMED = frozenset({"undefined-consumption", "fractional-cpus"})
