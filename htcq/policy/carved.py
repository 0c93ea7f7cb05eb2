"""What a startd carves of a partitionable slot, and what the ad of the dynamic slot says.

Follows src/condor_startd.V6/Resource.cpp:create_dslot and ResAttributes.cpp, HTCondor 23.9 to
25.14. Amounts are in HTCondor's units: MB, KiB, counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Union

from htcq.units import CPUS, DISK, MEMORY

Number = Union[int, float]
Amounts = Mapping[str, Number]


def bag_of(taken: Amounts, slop: int, machine_disk_kb: Number) -> dict[str, Number]:
    """Return what leaves the partitionable slot: at least 1 cpu and 1 MB, whole MB, whole KiB."""
    bag = dict(taken)
    if CPUS in taken:
        bag[CPUS] = max(taken[CPUS], 1)
    if MEMORY in taken:
        bag[MEMORY] = max(int(taken[MEMORY]), 1)
    if DISK in taken:
        bag[DISK] = math.ceil(max(0, taken[DISK]))
        if slop:
            # Up to 25.3 disk is kept as a share of the machine's, in binary floating point: a unit
            # more here and there.
            machine = machine_disk_kb or 1
            bag[DISK] = math.ceil((taken[DISK] + slop) / machine * machine)
    return bag


def published(bag: Amounts) -> dict[str, int]:
    """Return what the ad of a dynamic slot says that got ``bag``: whole units."""
    return {
        asset: int(amount + 0.1) if asset == CPUS else int(amount) for asset, amount in bag.items()
    }


def handed_out(taken: Amounts) -> dict[str, int]:
    """Return what the dynamic slot of a claim has by which ``taken`` is consumed, of a startd since 25.4."""
    return published(bag_of(taken, 0, 0))
