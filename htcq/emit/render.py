"""From a layout to the text of one role's configuration file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from htcq import __version__
from htcq.capacity.fingerprint import fingerprint, settled
from htcq.capacity.layout import Slot, slot_type_text
from htcq.capacity.prices import FOR_ONE_NODE
from htcq.emit import ACCESS, EXECUTE
from htcq.emit.made_for import made_for_text
from htcq.node import Node
from htcq.policy.weight import greatest
from htcq.templating import render


def configuration(
    role: str,
    node: Node,
    slots: Sequence[Slot],
    literal: bool = False,
    templates: Path | None = None,
    model_hash: str = "",
    for_one_node: bool = False,
) -> str:
    """Return the configuration text of ``role``; ``templates`` is a site's own directory.

    ``model_hash`` is the :func:`~htcq.capacity.fingerprint.fingerprint` of all the site's settings
    (empty: that of the slots' own). ``for_one_node``: htcq found the model's weights for this node.

    Raises:
        TemplateError: a template cannot be rendered.
    """
    values: dict[str, Any] = {
        "htcq": __version__,
        "model": "; ".join(dict.fromkeys(slot.counted.describe() for slot in slots)),
        "splitting": slots[0].policy.splitting,
    }
    if role == EXECUTE:
        values.update(_execute(node, slots, literal))
        values["note"] = FOR_ONE_NODE if for_one_node else ""
        values["model_hash"] = model_hash or fingerprint([("", [settled(slot) for slot in slots])])
    elif role == ACCESS:
        values["schedd_weight"] = greatest(
            list(dict.fromkeys(slot.policy.schedd_weight for slot in slots))
        )
    else:
        values["weight"] = _central_weight(slots)
    return render(f"condor/{role}.config.j2", values, templates)


def _central_weight(slots: Sequence[Slot]) -> str:
    """Return the weight of a slot of any type.

    The weight of one type need not be a number on a slot of another.

    It stands in for a slot's own weight that is no number, so that of the first kind of node
    serves all kinds.
    """
    firsts = {slot.type.number: slot for slot in reversed(slots)}
    weights = [
        (number, slot.policy.expanded(slot.policy.weight))
        for number, slot in reversed(firsts.items())
    ]
    weight = weights[0][1]
    for number, other in reversed(weights[1:]):
        if other != weights[0][1]:
            weight = f"ifThenElse(SlotTypeID =?= {number}, {other}, {weight})"
    return weight


def _execute(node: Node, slots: Sequence[Slot], literal: bool) -> dict[str, Any]:
    shares = slots[0].policy.cpu_shares
    return {
        "form": "literal, for this node alone" if literal else "portable, for nodes of any size",
        "made_for": made_for_text(node, literal),
        "model_name": ", ".join(dict.fromkeys(slot.counted.name for slot in slots)),
        "machine": _machine(node, shares, literal),
        "provides": sorted({item for slot in slots for item in slot.policy.provides.items()}),
        "changes": slots[0].policy.changes,
        "slots": [
            _slot(slot, alone=len(slots) == 1, literal=literal, shares=shares) for slot in slots
        ],
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
    """Return the knobs that say what the machine has, where HTCondor would find something else.

    What the site's own configuration sets is not repeated: the next probe would see it no more.
    """
    knobs = []
    cpus = _num_cpus(node, shares, literal)
    if cpus is not None:
        knobs.append(cpus)
    if literal or node.memory_mb < node.condor_memory_mb:
        why = "What this node has, and what the startd will subtract from it."
        knobs.append(("MEMORY", f"{node.memory_mb} + $(RESERVED_MEMORY:0)", why))
    if literal:
        why = "Free space (KiB) as it was found, without what is reserved."
        knobs.append(("DISK", str(node.disk_kb), why))
    of_site = {source.origin for source in node.sources}
    return [each for each in knobs if each[0] not in of_site or (each is cpus and shares > 1)]


def _num_cpus(node: Node, shares: int, literal: bool) -> tuple[str, str, str] | None:
    """Return NUM_CPUS with its value and the reason; None where HTCondor finds it by itself."""
    scaled = f"Each core counts as {shares} cpus, so that a claim can have a part of one."
    if literal or (node.condor_cpus and node.condor_cpus != node.cpus):
        why = "What this node has; HTCondor sees neither affinity nor a cgroup's cpu limit."
        if shares > 1:
            why = scaled
        return "NUM_CPUS", str(node.cpus * shares), why
    if shares > 1:
        return "NUM_CPUS", f"($(DETECTED_CPUS_LIMIT) * {shares})", scaled
    return None
