"""What a startd carves of a partitionable slot, and what the ad of the dynamic slot says.

Follows src/condor_startd.V6/Resource.cpp:create_dslot and ResAttributes.cpp, HTCondor 23.9 to
25.14. Amounts are in HTCondor's units: MB, KiB, counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Union

from htcq.classads import Value
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
    """Return what the dynamic slot has when a claim consumes ``taken``, of a startd since 25.4."""
    return published(bag_of(taken, 0, 0))


@dataclass(frozen=True)
class Way:
    """One way in which a startd serves a request.

    ``needs`` is what the slot must have left, ``bag`` what is taken of it, ``got`` what the
    dynamic slot has. ``consumed`` is what the request takes before anything is added or rounded.
    ``impossible`` says why no slot can serve it, ``refusal`` why the dynamic slot that is carved
    does not take its job; both are empty where it does. ``changed`` is what the startd changes of
    the request.
    """

    needs: Amounts = field(default_factory=dict)
    bag: Amounts = field(default_factory=dict)
    got: Amounts = field(default_factory=dict)
    consumed: Amounts = field(default_factory=dict)
    impossible: str = ""
    refusal: str = ""
    changed: Mapping[str, Value] = field(default_factory=dict)

    def short(self, left: Amounts) -> str:
        """Return what a slot that has ``left`` is short of; empty where it has enough."""
        for asset, amount in self.needs.items():
            # What the startd compares with is the published count of cpus, whole.
            have = int(left[asset] + 0.1) if asset == CPUS else left[asset]
            if amount > have:
                return f"{asset}: {amount:g} needed, {have:g} left"
        return self.impossible

    def refused(self, left: Amounts) -> str:
        """Return why the job does not run on a slot with enough ``left``; empty where it does."""
        if self.bag.get(DISK, 0) > max(self.needs.get(DISK, 0), left.get(DISK, 0)):
            return "disk: the startd adds its own slop and then has too little left"
        return self.refusal


def first_that_fits(
    tried: Iterable[Way], left: Amounts, judge: Callable[[Way], str] | None = None
) -> Way:
    """Return the first way for which a slot has enough.

    Where there is none, return the last one, refused for the asset that is short.

    ``judge`` says of ways that were not judged why their dynamic slot does not take its job.
    """
    way = Way(impossible="nothing was tried")
    for way in tried:
        if way.short(left):
            continue
        refusal = way.refused(left)
        if judge is not None and not refusal:
            refusal = judge(way)
        return replace(way, refusal=refusal) if refusal else way
    return replace(way, refusal=way.short(left))
