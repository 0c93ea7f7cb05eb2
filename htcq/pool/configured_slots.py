"""Slots that a startd would advertise, from its configuration and its machine's hardware.

Nothing is claimed on them. Follows src/condor_startd.V6/Resource.cpp (Resource::Resource,
publish_static), ResAttributes.cpp (MachAttributes) and src/condor_sysapi/phys_mem.cpp, 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from htcq.classads import as_number, parsed
from htcq.node import Node
from htcq.pool.ads import read_collector
from htcq.pool.configuration import Configuration
from htcq.pool.resource_limits import limits_by_policy, limits_without_policy
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import Slot
from htcq.pool.slot_types import SlotShape, integer, of_type, slot_shapes
from htcq.pool.versions import version
from htcq.quota.knobs import truth_of
from htcq.units import CPUS, DISK, GPUS, MEMORY, attribute

_RESOURCE = re.compile(r"MACHINE_RESOURCE_(?!NAMES\Z|INVENTORY_)(\w+)\Z", re.IGNORECASE)
_INVENTORY = "MACHINE_RESOURCE_INVENTORY_GPUS"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
#: Lists of knobs that become attributes of every slot.
_LISTS = ("STARTD_ATTRS", "STARTD_EXPRS", "SYSTEM_STARTD_ATTRS")
_MB = 1024


def detected(node: Node) -> dict[str, str]:
    """Return what HTCondor detects on ``node``, by the name of the macro."""
    cpus = str(node.condor_cpus or node.cpus)
    return {
        "DETECTED_CPUS": cpus,
        "DETECTED_CORES": cpus,
        "DETECTED_CPUS_LIMIT": cpus,
        "DETECTED_PHYSICAL_CPUS": str(node.physical_cpus or cpus),
        "DETECTED_MEMORY": str(node.condor_memory_mb or node.memory_mb),
    }


def machine_of(configuration: Configuration, node: Node) -> dict[str, int]:
    """Return what the startd hands out on ``node``, by asset."""
    found = detected(node)
    cpus = integer(configuration, "NUM_CPUS", int(found["DETECTED_CPUS_LIMIT"]))
    memory = integer(configuration, "MEMORY", 0) or int(found["DETECTED_MEMORY"])
    memory -= max(0, integer(configuration, "RESERVED_MEMORY", 0))
    measured = node.disk_kb - _MB * max(0, integer(configuration, "RESERVED_DISK", 0))
    disk = integer(configuration, "DISK", 0) or measured
    built_in = {CPUS: max(1, cpus), MEMORY: max(1, memory), DISK: max(1, disk)}
    return {**built_in, **_custom(configuration, node)}


def _custom(configuration: Configuration, node: Node) -> dict[str, int]:
    found = {name.lower(): amount for name, amount in node.custom.items()}
    for knob in configuration:
        named = _RESOURCE.match(knob.name)
        words = knob.value.replace(",", " ").split()
        if named and words:
            number = integer(configuration, knob.name, -1)
            found[named.group(1).lower()] = len(words) if number < 0 else number
    asked = configuration.value(_INVENTORY) or configuration.value("STARTD_DETECT_GPUS")
    if node.gpus and asked.strip() and asked.strip().lower() != "false":
        found.setdefault(GPUS, node.gpus)
    names = configuration.value("MACHINE_RESOURCE_NAMES").replace(",", " ").lower().split()
    return {name: amount for name, amount in found.items() if not names or name in names}


def configured_slots(
    configuration: Configuration, node: Node, machine: str
) -> tuple[tuple[Slot, ...], tuple[SharedAttributes, ...]]:
    """Return the slots of ``machine``, and the frames that they share.

    Raises:
        InputError: an attribute is too long or too large to be read.
    """
    has = machine_of(configuration, node)
    shapes = slot_shapes(configuration, has, version(_version_of(node)))
    # The startd advertises the disk of its slots as that of the machine.
    told = {**has, DISK: sum(shape.amounts[DISK] for shape in shapes)}
    ads = [
        _ad(configuration, node, shape, told, f"slot{number}@{machine}")
        for number, shape in enumerate(shapes, 1)
    ]
    if not ads:
        return (), ()
    named = frozenset(name.lower() for ad in ads for name in ad)
    text = "\n".join(_long(ad) for ad in ads).encode()
    read = read_collector(lambda: iter((text,)), Expressions(), named)
    return tuple(read.slots), tuple(dict.fromkeys(read.frames.values()))


def _long(ad: Mapping[str, str]) -> str:
    return "".join(f"{name} = {' '.join(text.split())}\n" for name, text in ad.items())


def _version_of(node: Node) -> str:
    return f"$CondorVersion: {node.condor_version} $"


def _ad(
    configuration: Configuration, node: Node, shape: SlotShape, has: Mapping[str, int], name: str
) -> dict[str, str]:
    """Return the ad of one slot as texts of expressions."""
    assets = [attribute(asset) for asset in has]
    slot, _, machine = name.partition("@")
    told = {
        "MyType": '"Machine"',
        "Name": f'"{name}"',
        "Machine": f'"{machine}"',
        "State": '"Unclaimed"',
        "Activity": '"Idle"',
        "SlotID": slot.removeprefix("slot"),
        "SlotTypeID": str(shape.type_id),
        "SlotType": '"Partitionable"' if shape.partitionable else '"Static"',
        "MachineResources": f'"{" ".join([*assets[:3], "Swap", *assets[3:]])}"',
        "Requirements": "Start && WithinResourceLimits",
        "DetectedMemory": detected(node)["DETECTED_MEMORY"],
    }
    if shape.partitionable:
        told.update({"PartitionableSlot": "true", "NumDynamicSlots": "0"})
    if node.condor_version:
        told["CondorVersion"] = f'"{_version_of(node)}"'
    for asset, amount in shape.amounts.items():
        own = attribute(asset)
        told.update(
            {own: str(amount), f"TotalSlot{own}": str(amount), f"Total{own}": str(has[asset])}
        )
    return {**_attributes(configuration, shape), **told, **_policy(configuration, shape, assets)}


def _policy(configuration: Configuration, shape: SlotShape, assets: list[str]) -> dict[str, str]:
    """Return the attributes by which a slot is matched and weighed."""

    def knob(name: str) -> str:
        return of_type(configuration, shape.type_id, name)

    told = {
        "SlotWeight": knob("SLOT_WEIGHT") or knob("SlotWeight") or "Cpus",
        "Start": knob("START") or "true",
        "Rank": knob("RANK") or "0.0",
        "WithinResourceLimits": " && ".join(limits_without_policy(assets)),
    }
    if shape.partitionable and truth_of(knob("CONSUMPTION_POLICY").strip()):
        told["WithinResourceLimits"] = " && ".join(limits_by_policy(assets))
        claims = parsed(knob("NUM_CLAIMS"))
        number = None if claims is None else as_number(claims.evaluate())
        told["NumClaims"] = str(shape.amounts[CPUS] if number is None else int(number))
        for name in assets:
            request = f"target.Request{name}"
            told[f"Consumption{name}"] = (
                knob(f"CONSUMPTION_{name.upper()}")
                or f"ifthenelse({request} =?= undefined, 0, {request})"
            )
    # HTCondor advertises an expression that does not parse as an error.
    return {name: text if parsed(text) is not None else "error" for name, text in told.items()}


def _attributes(configuration: Configuration, shape: SlotShape) -> dict[str, str]:
    """Return the attributes that the site adds to every slot."""
    found = {}
    for each in _LISTS:
        for name in configuration.value(each).replace(",", " ").split():
            text = of_type(configuration, shape.type_id, name)
            if _IDENTIFIER.match(name) and parsed(text) is not None:
                found[name] = text
    return found
