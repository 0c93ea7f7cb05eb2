"""The decision on the node of one machine by its readings; this module reads nothing itself."""

from __future__ import annotations

from htcq.node import Node
from htcq.probe.compute import (
    condor_cpus,
    condor_memory_mb,
    decide_cpus,
    decide_memory,
    decide_physical_cpus,
)
from htcq.probe.devices import decide_custom, decide_gpus
from htcq.probe.readings import Readings
from htcq.probe.storage import decide_disk, decide_swap


def decide(readings: Readings) -> Node:
    """Return the node that ``readings`` describe, with the source of every number.

    Raises:
        ProbeError: cpus, memory or disk cannot be told by anyone.
    """
    cpus, memory, disk = decide_cpus(readings), decide_memory(readings), decide_disk(readings)
    physical, swap = decide_physical_cpus(readings), decide_swap(readings)
    gpus, devices = decide_gpus(readings)
    custom, custom_notes = decide_custom(readings)
    verdicts = (cpus, physical, memory, disk, swap, gpus, *custom.values())
    decided = [each for each in verdicts if each is not None]
    notes = [*readings.notes, *readings.cgroup.notes]
    for each in decided:
        notes += each.notes
    physical_cpus = swap_mb = 0
    if physical is not None:
        physical_cpus = physical.value
    if swap is not None:
        swap_mb = swap.value
    return Node(
        cpus=cpus.value,
        memory_mb=memory.value,
        disk_kb=disk.value,
        gpus=gpus.value,
        custom={name: each.value for name, each in custom.items()},
        physical_cpus=physical_cpus,
        swap_mb=swap_mb,
        condor_cpus=condor_cpus(readings.knobs),
        condor_memory_mb=condor_memory_mb(readings.knobs),
        condor_version=readings.knobs.text("CONDOR_VERSION"),
        hostname=readings.hostname,
        gpu_devices=devices,
        sources=tuple(each.source for each in decided),
        notes=(*notes, *custom_notes),
    )
