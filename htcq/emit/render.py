"""From a layout to the text of one role's configuration file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from htcq import __version__
from htcq.capacity.layout import Slot, slot_type_text
from htcq.emit import ACCESS, EXECUTE
from htcq.node import Node
from htcq.policy.weight import greatest
from htcq.templating import render


def configuration(
    role: str, node: Node, slots: Sequence[Slot], literal: bool = False, templates: Path | None = None
) -> str:
    """Return the configuration text of ``role``; ``templates`` is a site's own directory.

    Raises:
        TemplateError: a template cannot be rendered.
    """
    values: dict[str, Any] = {
        "htcq": __version__,
        "model": "; ".join(slot.counted.describe() for slot in slots),
        "splitting": slots[0].policy.splitting,
    }
    if role == EXECUTE:
        values.update(_execute(node, slots, literal))
    elif role == ACCESS:
        values["schedd_weight"] = greatest(list(dict.fromkeys(slot.policy.schedd_weight for slot in slots)))
    else:
        values["weight"] = _central_weight(slots)
    return render(f"condor/{role}.config.j2", values, templates)


def _central_weight(slots: Sequence[Slot]) -> str:
    """Return the weight of a slot of any of the types: that of one need not be a number on a slot of another."""
    weights = [(slot.type.number, slot.policy.expanded(slot.policy.weight)) for slot in slots]
    weight = weights[0][1]
    for number, other in reversed(weights[1:]):
        if other != weights[0][1]:
            weight = f"ifThenElse(SlotTypeID =?= {number}, {other}, {weight})"
    return weight


def _execute(node: Node, slots: Sequence[Slot], literal: bool) -> dict[str, Any]:
    shares = slots[0].policy.cpu_shares
    return {
        "form": "literal, for this node alone" if literal else "portable, for nodes of any size",
        "machine": _machine(node, shares, literal),
        "provides": sorted({item for slot in slots for item in slot.policy.provides.items()}),
        "changes": slots[0].policy.changes,
        "slots": [_slot(slot, alone=len(slots) == 1, literal=literal, shares=shares) for slot in slots],
    }


def _slot(slot: Slot, alone: bool, literal: bool, shares: int) -> dict[str, Any]:
    policy, number = slot.policy, slot.type.number
    return {
        "number": number,
        "count": slot.type.count,
        "layout": slot_type_text(slot.type, slot.machine, shares),
        "prefix": "" if alone else f"SLOT_TYPE_{number}_",
        "model": slot.counted.describe(),
        "weight": policy.weight,
        "num_claims": policy.claims(literal),
        "consumption": [(asset.upper(), text) for asset, text in policy.consumption.items()],
        "modify": [(asset.upper(), text) for asset, text in policy.modify.items()],
        "start": policy.start,
        "macros": list(policy.macros.items()),
    }


def _machine(node: Node, shares: int, literal: bool) -> list[tuple[str, str, str]]:
    """Return the knobs that say what the machine has, where HTCondor would find something else."""
    scaled = f"Each core counts as {shares} cpus, so that a claim can have a part of one."
    knobs = []
    if literal or (node.condor_cpus and node.condor_cpus != node.cpus):
        why = scaled if shares > 1 else "What this node has; HTCondor sees neither affinity nor a cgroup's cpu limit."
        knobs.append(("NUM_CPUS", str(node.cpus * shares), why))
    elif shares > 1:
        knobs.append(("NUM_CPUS", f"($(DETECTED_CPUS_LIMIT) * {shares})", scaled))
    if literal or node.memory_mb < node.condor_memory_mb:
        why = "What this node has, and what the startd will subtract from it."
        knobs.append(("MEMORY", f"{node.memory_mb} + $(RESERVED_MEMORY:0)", why))
    if literal:
        knobs.append(("DISK", str(node.disk_kb), "Free space (KiB) as it was found, without what is reserved."))
    return knobs
