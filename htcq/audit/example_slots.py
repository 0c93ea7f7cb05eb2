"""Slots that stand for those of an execution point of which only the configuration is known."""

from __future__ import annotations

from dataclasses import replace

from htcq.audit.evidence import Evidence
from htcq.node import Node
from htcq.pool.configured_slots import configured_slots
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Slot

#: A node of usual size: 16 cpus, 64 GiB, 500 GB.
EXAMPLE_NODE = Node(cpus=16, memory_mb=65536, disk_kb=500_000_000)


def on_examples(evidence: Evidence) -> Evidence:
    """Return ``evidence`` where slots are known; else with those of a node of usual size.

    The configurations of the execution points say what slots such a node would have.
    """
    if evidence.slots or not evidence.execute:
        return evidence
    slots: list[Slot] = []
    frames: list[SharedAttributes] = []
    for machine, configuration in evidence.execute.items():
        own, shared = configured_slots(configuration, EXAMPLE_NODE, machine)
        slots += own
        frames += shared
    pool = replace(evidence.pool, slots=tuple(slots), slot_frames=tuple(frames))
    return Evidence(pool)
