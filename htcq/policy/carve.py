"""What the startd really hands out: the dynamic slot that it carves, or its refusal.

Follows src/condor_startd.V6/Resource.cpp:create_dslot and command.cpp:activate_claim, HTCondor 23.9 to 25.14.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from htcq.policy.charge import Amounts, Charges, deduct, job_ad, modified_request
from htcq.policy.consumption import NEGOTIATOR, Number
from htcq.units import CPUS, DISK, MEMORY, whole_number

#: From this version on disk is carved as an absolute amount; before it the startd added some slop.
ABSOLUTE_DISK = (25, 4)


@dataclass(frozen=True)
class Carved:
    """A dynamic slot's amounts, what the partitionable slot keeps, or why the startd refuses.

    ``consumed`` is what the policy takes, which an old startd adds some disk to.
    """

    amounts: dict[str, int]
    left: dict[str, Number]
    refusal: str = ""
    consumed: Amounts = field(default_factory=dict)


def version_tuple(text: str) -> tuple[int, ...]:
    """Return '25.14.1' as (25, 14, 1); nothing known counts as the newest."""
    numbers = [whole_number(part) for part in text.split(".")]
    return tuple(number for number in numbers if number is not None) or (999,)


def carve(charges: Charges, left: Amounts, shape: Amounts, version: str = "", running: int = 0) -> Carved:
    """Return what the startd does with a claim for a job of ``shape`` on a slot that has ``left``."""
    slot = charges.pslot(left, running)
    request = modified_request(charges, shape, slot)
    if charges.policy.splitting == NEGOTIATOR:
        taken = charges.consumed(slot, job_ad(request))
        short = _short_of(left, taken)
    else:
        taken = {asset: request.get(asset, 0) for asset in charges.total}
        short = _unsplit_shortage(left, taken)
    if short:
        return Carved({}, dict(left), short)
    sure: dict[str, Number] = {asset: amount for asset, amount in taken.items() if amount is not None}
    return _hand_out(charges, left, sure, version)


def _hand_out(charges: Charges, left: Amounts, sure: Amounts, version: str) -> Carved:
    policy, bag = charges.policy, _bag(charges, sure, version)
    amounts = {asset: int(amount + 0.1) if asset == CPUS else int(amount) for asset, amount in bag.items()}
    keeps = deduct(left, bag)
    if version_tuple(version) < ABSOLUTE_DISK and keeps.get(DISK, 0) < 0:
        return Carved({}, dict(left), "disk: the startd adds its own slop and then has too little left")
    if policy.splitting == NEGOTIATOR:
        for asset, amount in sure.items():
            if amounts[asset] < amount:
                return Carved({}, dict(left), f"{asset}: {amount:g} is consumed, but the startd hands out whole units")
    return Carved(amounts, keeps, consumed=sure)


def _bag(charges: Charges, taken: Amounts, version: str) -> dict[str, Number]:
    """Return what leaves the partitionable slot: at least 1 cpu and 1 MB, whole MB, whole KiB."""
    bag: dict[str, Number] = dict(taken)
    bag[CPUS] = max(taken[CPUS], 1)
    bag[MEMORY] = max(int(taken[MEMORY]), 1)
    bag[DISK] = math.ceil(max(0, taken[DISK]))
    slop, machine = disk_slop(charges.machine[DISK], version), charges.machine[DISK]
    if slop:
        # Up to 25.3 disk is kept as a share of the machine's, in binary floating point: a unit more here and there.
        bag[DISK] = math.ceil((bag[DISK] + slop) / machine * machine)
    return bag


def disk_slop(machine_disk_kb: Number, version: str) -> int:
    """Return the KiB that a startd before 25.4 adds to each dynamic slot's disk."""
    if version_tuple(version) >= ABSOLUTE_DISK:
        return 0
    return max(1024, int(machine_disk_kb) // 1048576)


def _short_of(left: Amounts, taken: dict[str, Number | None]) -> str:
    # What the startd compares with is the published count: one cpu below zero is published as 0, and 0 fits in it.
    left = {**left, CPUS: int(left[CPUS] + 0.1)}
    for asset, amount in taken.items():
        if amount is None:
            return f"{asset}: its consumption is undefined"
        if amount < 0:
            return f"{asset}: its consumption is negative"
        if amount > left[asset]:
            return f"{asset}: {amount:g} needed, {left[asset]:g} left"
    return "" if any(taken.values()) else "it consumes nothing at all, which HTCondor never matches"


def _unsplit_shortage(left: Amounts, taken: dict[str, Number | None]) -> str:
    for asset, amount in taken.items():
        floor = 1 if asset in (CPUS, MEMORY, DISK) else 0
        if left[asset] < floor or (amount or 0) > left[asset]:
            return f"{asset}: {amount:g} needed, {left[asset]:g} left"
    return ""
