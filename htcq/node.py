"""One execution point as plain facts, in HTCondor's units.

``htcq probe --json`` prints these facts and every command that needs a node reads them back
(``--node FILE``). Five keys suffice: cpus, memory_mb, disk_kb, gpus and custom. The others say
where the numbers came from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from htcq.errors import InputError
from htcq.units import CPUS, DISK, GPUS, MEMORY

SCHEMA = 1
_REQUIRED = ("cpus", "memory_mb", "disk_kb")
#: A word that can be a part of the name of a knob.
_RESOURCE = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_RESERVED_CUSTOM = frozenset({"cpu", "cpus", "disk", "swap", "mem", "memory", "ram", "gpus"})


@dataclass(frozen=True)
class Source:
    """Origin of one number, and why it was preferred to the others."""

    fact: str
    value: int
    origin: str
    why: str = ""
    others: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Gpu:
    """One GPU or one slice of one, as HTCondor would name it."""

    id: str
    name: str = ""
    memory_mb: int = 0
    capability: str = ""
    mig: bool = False


@dataclass(frozen=True)
class Node:
    """Amounts that one execution point can hand out, after everything that limits it.

    Units: ``memory_mb`` and ``swap_mb`` MB (2**20 bytes), ``disk_kb`` KiB, the rest counts.
    ``condor_cpus`` and ``condor_memory_mb`` are what HTCondor itself would advertise without
    configuration (0: not known); where they differ from ``cpus`` and ``memory_mb`` the
    configuration must say so. ``condor_version`` is empty when no HTCondor was found.
    """

    cpus: int
    memory_mb: int
    disk_kb: int
    gpus: int = 0
    custom: Mapping[str, int] = field(default_factory=dict)
    physical_cpus: int = 0
    swap_mb: int = 0
    condor_cpus: int = 0
    condor_memory_mb: int = 0
    condor_version: str = ""
    hostname: str = ""
    gpu_devices: tuple[Gpu, ...] = ()
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*_REQUIRED, "gpus"):
            least = 0 if name == "gpus" else 1
            value = getattr(self, name)
            if value < least:
                raise InputError(f"node: {name} is {value}", f"{name} must be at least {least}")
        for name, amount in self.custom.items():
            _check_custom(name, amount)

    def assets(self) -> dict[str, int]:
        """Return the amount of every asset, in HTCondor's order; GPUs only where there are any."""
        amounts = {CPUS: self.cpus, MEMORY: self.memory_mb, DISK: self.disk_kb}
        if self.gpus:
            amounts[GPUS] = self.gpus
        amounts.update({name.lower(): amount for name, amount in self.custom.items()})
        return amounts


def card_of(node: Node) -> str:
    """Return the name that all GPUs of ``node`` have; empty where they differ or it has none."""
    names = {gpu.name for gpu in node.gpu_devices}
    if len(names) != 1:
        return ""
    return names.pop()


def _check_custom(name: str, amount: int) -> None:
    if not _RESOURCE.match(name):
        raise InputError(
            f"node: custom resource {name!r} is no name",
            "letters, digits and _, beginning with a letter",
        )
    if name.lower() in _RESERVED_CUSTOM:
        raise InputError(
            f"node: custom resource '{name}' has a reserved name",
            "choose another name: HTCondor refuses it",
        )
    if amount < 0:
        raise InputError(
            f"node: custom resource '{name}' is {amount}", "an amount cannot be negative"
        )


def node_from_facts(facts: Mapping[str, Any]) -> Node:
    """Return the node that ``facts`` (one JSON object) describes.

    Raises:
        InputError: a key is missing, or a value is not what its name promises.
    """
    if not isinstance(facts, Mapping):
        raise InputError(
            "node: not a JSON object", 'give {"cpus": 16, "memory_mb": 65536, "disk_kb": 100000000}'
        )
    missing = [name for name in _REQUIRED if name not in facts]
    if missing:
        raise InputError(
            f"node: {', '.join(missing)} missing", "'htcq probe --json' prints a complete file"
        )
    known: dict[str, Any] = {}
    for name, type_ in _TYPES.items():
        if name in facts:
            known[name] = _checked(name, facts[name], type_)
    for name, record in _RECORDS.items():
        known[name] = tuple(_record(record, name, each) for each in _list(name, facts))
    known["notes"] = tuple(map(str, _list("notes", facts)))
    return Node(**known)


_TYPES: dict[str, type] = {
    "cpus": int,
    "memory_mb": int,
    "disk_kb": int,
    "gpus": int,
    "custom": dict,
    "physical_cpus": int,
    "swap_mb": int,
    "condor_cpus": int,
    "condor_memory_mb": int,
    "condor_version": str,
    "hostname": str,
}
_RECORDS: dict[str, type] = {"gpu_devices": Gpu, "sources": Source}


def _checked(name: str, value: Any, type_: type) -> Any:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if type_ is int and not is_number:
        raise InputError(f"node: {name} is {value!r}", f"{name} must be a whole number")
    if not isinstance(value, type_):
        raise InputError(f"node: {name} is {value!r}", f"{name} must be a JSON {type_.__name__}")
    if isinstance(value, dict):
        return {str(key): _checked(f"custom.{key}", amount, int) for key, amount in value.items()}
    return value


def _list(name: str, facts: Mapping[str, Any]) -> list[Any]:
    value = facts.get(name, [])
    if not isinstance(value, list):
        raise InputError(f"node: {name} is {value!r}", f"{name} must be a JSON list")
    return value


def _record(record: type, name: str, value: Any) -> Any:
    try:
        fields = dict(value)
        if "others" in fields:
            others = [(str(origin), int(amount)) for origin, amount in fields["others"]]
            fields["others"] = tuple(others)
        return record(**fields)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"node: {name}: {error}", "'htcq probe --json' prints a complete file"
        ) from error


def node_facts(node: Node) -> dict[str, Any]:
    """Return ``node`` as the JSON object that :func:`node_from_facts` reads."""
    facts: dict[str, Any] = {"schema": SCHEMA}
    for name in _TYPES:
        facts[name] = getattr(node, name)
    facts["custom"] = dict(node.custom)
    facts["gpu_devices"] = [vars(gpu).copy() for gpu in node.gpu_devices]
    facts["sources"] = []
    for source in node.sources:
        others = [list(each) for each in source.others]
        facts["sources"].append({**vars(source), "others": others})
    facts["notes"] = list(node.notes)
    return facts
