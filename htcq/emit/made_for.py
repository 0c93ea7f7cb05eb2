"""The node that a configuration file was made for, and its changes since.

A comment in the file has the node.

The portable form has no amounts of the node in its expressions, so the comment is what tells
that a node has lost a core or a card. Free disk space comes and goes and is not compared; it is
kept in the literal form, which has DISK.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from htcq.errors import InputError
from htcq.node import Node, node_from_facts
from htcq.units import DISK, MEMORY

_BEGINNING = "# Made for: "
#: A new kernel finds a little more or less memory; a module that fails takes more than this part
#: with it.
_MEMORY_PLAY = Fraction(1, 100)
_FACTS = (
    "cpus",
    "memory_mb",
    "disk_kb",
    "gpus",
    "custom",
    "condor_cpus",
    "condor_memory_mb",
    "hostname",
)


def made_for_text(node: Node, literal: bool) -> str:
    """Return the comment that says which ``node`` a file is made for."""
    facts: dict[str, Any] = {}
    for name in _FACTS:
        value = getattr(node, name)
        wanted = value and (literal or name != "disk_kb")
        if wanted:
            facts[name] = dict(value) if isinstance(value, Mapping) else value
    return f"{_BEGINNING}{json.dumps(facts)}"


def node_made_for(text: str, node: Node) -> Node | None:
    """Return ``node`` with the amounts that the file ``text`` was made for; None if it has none."""
    line = next((each for each in text.splitlines() if each.startswith(_BEGINNING)), None)
    if line is None:
        return None
    try:
        facts = json.loads(line[len(_BEGINNING) :])
        made = node_from_facts({"disk_kb": node.disk_kb, **facts})
    except (ValueError, TypeError, InputError):
        return None
    return replace(node, **{name: getattr(made, name) for name in _FACTS})


def same_node(made: Node, node: Node) -> bool:
    """Return whether a file was made on ``node`` itself: one portable file may serve many nodes."""
    return made.hostname == node.hostname


def hardware_changes(made: Node, node: Node) -> tuple[str, ...]:
    """Return what ``node`` has other than when the file was made, such as ``cpus 16, now 15``."""
    return tuple(_changes(made.assets(), node.assets()))


def _changes(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[str]:
    for asset in dict.fromkeys((*before, *after)):
        old, new = before.get(asset, 0), after.get(asset, 0)
        if differs(asset, old, new):
            yield f"{asset} {old}, now {new}"


def differs(asset: str, before: int, after: int) -> bool:
    """Return whether two amounts of ``asset`` are those of different hardware."""
    if asset == MEMORY:
        return abs(after - before) > before * _MEMORY_PLAY
    return asset != DISK and before != after
