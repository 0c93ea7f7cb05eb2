"""A short hash of capacity settings, which shows the nodes that read the same settings.

All nodes of a fleet have the same one, whatever their kind and their hardware: it covers the
models of every kind with all their numbers. Amounts count, not how they are spelled: 0.25/GiB
and 0.250/GiB are one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from htcq.capacity.choice import FIXED, QUANTIZED, Choice
from htcq.capacity.layout import Slot, SlotType

#: Hexadecimal digits of SHA-256 that are kept.
DIGITS = 12
#: The settings that a model may propose for the node; a model has an attribute of the same name.
_PROPOSED = ("charges", "levels", "weights")
#: Settings that change nothing of what a claim takes or weighs.
_WITHOUT_EFFECT = ("model", "forced")
_DEFAULTS: Mapping[str, Mapping[str, str]] = {FIXED: {"share": "even"}, QUANTIZED: {"rule": "min"}}


def fingerprint(kinds: Iterable[tuple[str, Sequence[SlotType]]]) -> str:
    """Return the hash of the settings of all kinds of node.

    Each of ``kinds`` has the expression that a node matches, and its slot types.

    Where there is one kind for all nodes its expression is empty.
    """
    settings = {match: [_slot_type(each) for each in types] for match, types in kinds}
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def settled(slot: Slot) -> SlotType:
    """Return the type of ``slot`` with the numbers that its model proposed for the node."""
    choice = slot.type.choice
    if not choice.leaves_it_to_the_node:
        return slot.type
    proposed = {}
    for name in _PROPOSED:
        if hasattr(slot.counted, name):
            proposed[name] = getattr(slot.counted, name)
    return replace(slot.type, choice=replace(choice, model=choice.kind, **proposed))


def _slot_type(slot_type: SlotType) -> dict[str, Any]:
    parts = {asset: _part(part) for asset, part in slot_type.parts.items()}
    return {
        "number": slot_type.number,
        "count": slot_type.count,
        "parts": _plain(parts),
        "choice": _choice(slot_type.choice),
    }


def _part(part: Fraction | int) -> str:
    """Return a share of the machine so that it differs from the same amount."""
    if isinstance(part, Fraction):
        return f"{part} of all"
    return str(part)


def _choice(choice: Choice) -> dict[str, Any]:
    """Return the settings that are set.

    Others are left out, so that a setting of a later version changes nothing.
    """
    found: dict[str, Any] = {"kind": choice.kind, **_DEFAULTS.get(choice.kind, {})}
    for each in fields(choice):
        value = getattr(choice, each.name)
        is_set = value not in (None, "", False, (), {})
        if is_set and each.name not in _WITHOUT_EFFECT:
            found[each.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return sorted(_plain(each) for each in value)
    if isinstance(value, (Fraction, int)) and not isinstance(value, bool):
        return str(Fraction(value))
    return value
