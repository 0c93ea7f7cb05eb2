"""What HTCondor does with one job on one full slot: its source read again, for tests, with its ClassAd library alone.

src/condor_utils/consumption_policy.cpp,
src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, Accountant.cpp:
GetSlotWeight, src/condor_startd.V6/Resource.cpp:create_dslot and command.cpp:activate_claim,
HTCondor 25.14; disk as shares of the machine's up to 25.3. Nothing of htcq is used here, so that
it can be compared with this."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

import classad2

Number = Union[int, float]
#: The startd changes requests in this order, and each change is seen by the next (create_dslot).
_MODIFIED = ("Cpus", "Disk", "Memory")


@dataclass(frozen=True)
class Outcome:
    """What comes of one pair; None: an engine does not say, or HTCondor has no number.

    ``consumed`` is the negotiator's reckoning, of a slot with a consumption policy. ``carved``
    are the assets of the claimed slot, empty where there is none. ``standing`` is what the
    accountant charges for it."""

    matched: bool | None = None
    consumed: Mapping[str, Number] | None = None
    cost: Number | None = None
    carved: Mapping[str, Number] | None = None
    standing: Number | None = None
    refused: bool | None = None


@dataclass(frozen=True)
class Pair:
    """The ads of a full slot and a job as texts by attribute, and what the startd's configuration says."""

    slot: Mapping[str, str]
    job: Mapping[str, str]
    modify: Mapping[str, str]
    version: tuple[int, ...]
    must_modify: bool = False
    knobs: Mapping[str, str] = field(default_factory=dict)


def outcome(pair: Pair) -> Outcome:
    """Return what HTCondor does with ``pair``."""
    slot, job = ad(pair.slot), ad(pair.job)
    policy = _supports(slot)
    consumed = _consumption(slot, job) if policy else {}
    matched = _match(slot, job, consumed, policy)
    if not matched:
        return Outcome(matched=False, consumed=consumed if policy else None)
    cost = _cost(slot, consumed) if policy else _weight(slot)
    if number(slot, "PartitionableSlot") != 1:
        carved = {asset: number(slot, asset) or 0 for asset in _assets(slot)}
        return Outcome(True, None, cost, carved, _weight(slot), False)
    return _claimed(pair, slot, job, policy, Outcome(True, consumed if policy else None, cost))


def ad(texts: Mapping[str, str]) -> Any:
    """Return the ad of ``texts``."""
    return classad2.parseOne("".join(f"{name} = {text}\n" for name, text in texts.items()))


def _copy(original: Any) -> Any:
    return classad2.ClassAd(str(original))


def value(my: Any, text: str, target: Any = None) -> Any:
    """Return what ``text`` is in ``my`` with ``target`` as its target."""
    expression = classad2.ExprTree(text)
    return expression.eval(my) if target is None else expression.eval(my, target)


def number(my: Any, text: str, target: Any = None) -> Number | None:
    """Return the number that ``text`` is; None where it is none."""
    found = value(my, text, target)
    if isinstance(found, classad2.Value) or not isinstance(found, (bool, int, float)):
        return None
    return int(found) if isinstance(found, bool) or float(found).is_integer() else found


def _assets(slot: Any) -> list[str]:
    return [each for each in str(value(slot, "MachineResources")).split() if each.lower() != "swap"]


def _supports(slot: Any) -> bool:
    partitionable = value(slot, "PartitionableSlot") is True
    return partitionable and all(f"Consumption{asset}" in slot for asset in _assets(slot))


def _consumption(slot: Any, job: Any) -> dict[str, Number]:
    found = {}
    for asset in _assets(slot):
        name = f"Request{asset}"
        own = job.lookup(name) if name in job else None
        instead = number(job, f"_condor_{name}")
        if instead is not None:
            job[name] = float(instead)
        elif own is None:
            job[name] = 0
        amount = number(slot, f"Consumption{asset}", job)
        found[asset] = -999 if amount is None else amount
        if own is not None:
            job[name] = own
        else:
            del job[name]
    return found


def _sufficient(slot: Any, consumed: Mapping[str, Number]) -> bool:
    enough = all(0 <= amount <= (number(slot, asset) or 0) for asset, amount in consumed.items())
    return enough and any(consumed.values())


def _overridden(job: Any, consumed: Mapping[str, Number]) -> Any:
    changed = _copy(job)
    for asset, amount in consumed.items():
        if f"Request{asset}" in job:
            changed[f"_cp_orig_Request{asset}"] = job.lookup(f"Request{asset}")
            changed[f"Request{asset}"] = amount
    return changed


def _match(slot: Any, job: Any, consumed: Mapping[str, Number], policy: bool) -> bool:
    if policy and not _sufficient(slot, consumed):
        return False
    asked = _overridden(job, consumed)
    return bool(number(asked, "Requirements", slot)) and bool(number(slot, "Requirements", asked))


def _cost(slot: Any, consumed: Mapping[str, Number]) -> Number | None:
    before = number(slot, "SlotWeight")
    rest = _copy(slot)
    for asset, amount in consumed.items():
        left = (number(slot, asset) or 0) - amount
        rest[asset] = int(left) if float(left).is_integer() else left
    after = number(rest, "SlotWeight")
    return None if before is None or after is None else before - after


def _weight(slot: Any) -> Number:
    found = number(slot, "SlotWeight")
    return 1 if found is None or found < 0 else found


# The startd
# ---------------------------------------------------------------------------------------------------------


def _claimed(pair: Pair, slot: Any, job: Any, policy: bool, so_far: Outcome) -> Outcome:
    request = _copy(job)
    for asset in _MODIFIED:
        changed = number(request, pair.modify[asset], slot) if pair.modify[asset] else None
        if changed is not None and _is_taken(pair, value(request, pair.modify[asset], slot)):
            request[f"Request{asset}"] = int(changed)
    if not number(slot, "Requirements", request):
        request = _copy(job)
        if pair.must_modify or not number(slot, "Requirements", request):
            return _refused(so_far)
    bag = _consumption(slot, request) if policy else _requested(slot, request)
    if bag is None:
        return _refused(so_far)
    got = _published(bag, number(slot, "TotalDisk") or 0, pair.version)
    if got["Disk"] > (number(slot, "Disk") or 0):
        return _refused(so_far)
    dynamic = _dynamic(slot, got)
    if not (_willing(dynamic, request, policy) and _runs(dynamic, job, policy)):
        return _refused(so_far)
    return Outcome(True, so_far.consumed, so_far.cost, got, _weight(dynamic), False)


def _refused(so_far: Outcome) -> Outcome:
    return Outcome(True, so_far.consumed, so_far.cost, {}, None, True)


def _requested(slot: Any, request: Any) -> dict[str, Number] | None:
    found: dict[str, Number] = {}
    for asset in _assets(slot):
        built_in = asset in ("Cpus", "Memory", "Disk")
        amount = number(request, f"_condor_Request{asset}", slot) if built_in else None
        amount = number(request, f"Request{asset}", slot) if amount is None else amount
        if amount is None and asset in ("Memory", "Disk"):
            return None
        usual = 1 if asset == "Cpus" else 0
        amount = usual if amount is None else amount
        found[asset] = int(amount) if built_in else amount
    return found


def _is_taken(pair: Pair, changed: Any) -> bool:
    """Startds took whole numbers alone before 25.6.1, and before 24.0.16, 24.12.16 and 25.0.6 of older series."""
    first = {(24, 0): (24, 0, 16), (24, 12): (24, 12, 16), (25, 0): (25, 0, 6)}
    return type(changed) is int or pair.version >= first.get(pair.version[:2], (25, 6, 1))


def _published(
    bag: Mapping[str, Number], machine_disk: Number, version: tuple[int, ...]
) -> dict[str, Number]:
    got: dict[str, Number] = {asset: int(amount) for asset, amount in bag.items()}
    got["Cpus"] = int(max(bag["Cpus"], 1) + 0.1)
    got["Memory"] = max(int(bag["Memory"]), 1)
    got["Disk"] = math.ceil(max(0, bag["Disk"]))
    if version < (25, 4):
        slop = max(1024.0, machine_disk / (1024 * 1024))
        got["Disk"] = math.ceil(max(0.0, bag["Disk"] + slop) / machine_disk * machine_disk)
    return got


def _dynamic(slot: Any, got: Mapping[str, Number]) -> Any:
    dynamic = _copy(slot)
    for asset, amount in got.items():
        dynamic[asset] = amount
        dynamic[f"TotalSlot{asset}"] = float(amount) if asset == "Disk" else amount
    dynamic["PartitionableSlot"], dynamic["DynamicSlot"], dynamic["SlotType"] = (
        False,
        True,
        "Dynamic",
    )
    return dynamic


def _willing(dynamic: Any, request: Any, policy: bool) -> bool:
    """Return whether the dynamic slot takes the request as the startd changed it (request_claim)."""
    asked = _overridden(request, _consumption(dynamic, request)) if policy else request
    return bool(number(dynamic, "Requirements", asked))


def _runs(dynamic: Any, job: Any, policy: bool) -> bool:
    """Return whether the dynamic slot takes the job that it was carved for (activate_claim)."""
    return _match(dynamic, job, _consumption(dynamic, job) if policy else {}, policy)
