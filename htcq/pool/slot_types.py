"""The slots that a startd makes of its machine: SLOT_TYPE_<n>, NUM_SLOTS_TYPE_<n>, NUM_SLOTS.

Follows src/condor_startd.V6/slot_builder.cpp (countTypes, buildSlotRequest, buildCpuAttrs),
HTCondor 23.9 and 25.14. Amounts are in HTCondor's units: MB of memory, KiB of disk, counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from htcq.classads import as_number, parsed
from htcq.htcondor.releases import UNITS_OF_SLOT_TYPES, Version
from htcq.pool.configuration import Configuration
from htcq.quota.knobs import truth_of
from htcq.units import CPUS, DISK, MEMORY

#: The largest number of a slot type where MAX_SLOT_TYPES does not say.
MAX_TYPES = 10
#: No machine has more.
_MAX_SLOTS = 4096
_AUTO, _MINIMAL = ("auto", "automatic"), ("min", "minimal")
#: The names of built-in assets; any beginning of one stands for it.
_WORDS = (("cpus", CPUS), ("ram", MEMORY), ("memory", MEMORY), ("disk", DISK))
_IGNORED = ("swap", "virtualmemory")
_SCALES = "kmgtp"
#: The scale of an asset's own unit.
_OWN_SCALE = {MEMORY: 2, DISK: 1}
_BEGINS = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))")
_LEAST = {CPUS: 1, MEMORY: 1, DISK: 1024}


@dataclass(frozen=True)
class SlotShape:
    """One slot: the number of its type, its amounts by asset, and whether it can be split.

    ``fits`` is False where the machine has not as much: the startd makes it smaller, or not.
    """

    type_id: int
    amounts: Mapping[str, int]
    partitionable: bool
    fits: bool = True


def of_type(configuration: Configuration, type_id: int, name: str) -> str:
    """Return the knob of the slot type, even an empty one, else the general one."""
    typed = configuration.knob(f"SLOT_TYPE_{type_id}_{name}")
    return configuration.value(name) if typed is None else typed.value


def integer(configuration: Configuration, name: str, default: int) -> int:
    """Return a knob as param_integer does: a number, or an expression that makes one."""
    expression = parsed(configuration.value(name).strip())
    number = None if expression is None else as_number(expression.evaluate())
    if number is None:
        return default
    return int(number)


def slot_shapes(
    configuration: Configuration, machine: Mapping[str, int], version: Version = ()
) -> tuple[SlotShape, ...]:
    """Return the slots of a machine that has ``machine`` of each asset.

    ``version`` is that of its startd, empty where it is not known.
    """
    wanted = list(_wanted(configuration, machine, UNITS_OF_SLOT_TYPES.holds(version)))
    left = dict(machine)
    for _, shares, _ in wanted:
        for asset, amount in shares.items():
            left[asset] -= amount or 0
    waiting = {
        asset: sum(shares[asset] is None for _, shares, _ in wanted) or 1 for asset in machine
    }
    spent = dict.fromkeys(machine, 0)
    found = []
    for type_id, shares, partitionable in wanted:
        amounts = {}
        for asset, amount in shares.items():
            amounts[asset] = amount
            if amount is None:
                amounts[asset] = max(0, left[asset]) // waiting[asset]
            spent[asset] += amounts[asset] or 0
        fits = all(spent[asset] <= machine[asset] for asset in machine)
        whole = {asset: amount or 0 for asset, amount in amounts.items()}
        found.append(SlotShape(type_id, whole, partitionable, fits and whole[CPUS] > 0))
    return tuple(found)


def _wanted(
    configuration: Configuration, machine: Mapping[str, int], units: bool
) -> Iterator[tuple[int, dict[str, int | None], bool]]:
    """Yield type, shares (None: an even part of the rest) and kind of every slot."""
    left = _MAX_SLOTS
    most = integer(configuration, "MAX_SLOT_TYPES", MAX_TYPES)
    counts = {
        type_id: integer(configuration, f"NUM_SLOTS_TYPE_{type_id}", 0)
        for type_id in range(1, min(most, _MAX_SLOTS) + 1)
    }
    if not any(counts.values()):
        partitionable = _is_partitionable(configuration, 0)
        counts = {0: integer(configuration, "NUM_SLOTS", 1 if partitionable else machine[CPUS])}
    for type_id, count in counts.items():
        text = configuration.value(f"SLOT_TYPE_{type_id}") if type_id else _AUTO[0]
        shares = shares_of(text, machine, units)
        for _ in range(min(count, left)):
            yield type_id, shares, _is_partitionable(configuration, type_id)
        left -= min(count, left)


def _is_partitionable(configuration: Configuration, type_id: int) -> bool:
    knob = configuration.knob(f"SLOT_TYPE_{type_id}_PARTITIONABLE")
    said = None if knob is None else truth_of(knob.value.strip())
    if said is None:
        return type_id == 0 and knob is None
    return said


def shares_of(text: str, machine: Mapping[str, int], units: bool = True) -> dict[str, int | None]:
    """Return the amounts that a value of SLOT_TYPE_<n> asks for; None is an even part of the rest.

    An asset that the machine does not have, and what HTCondor refuses, is passed over. Without
    ``units`` the startd reads no unit behind a number, and parts at spaces even where commas are.
    """
    default = _AUTO[0]
    named: dict[str, str] = {}
    for item in _items(text, units):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            default = name
            continue
        asset = _asset(name, machine)
        if asset:
            named[asset] = value.partition(":")[0].strip()
    return {
        asset: _amount(named.get(asset, default), asset, machine[asset], units) for asset in machine
    }


def _items(text: str, units: bool) -> Iterable[str]:
    lines = text.split("\n")
    if len(lines) == 1:
        commas = units and "," in text
        lines = text.split(",") if commas else text.replace(",", " ").split()
    return [line.strip() for line in lines if line.strip()]


def _asset(name: str, machine: Mapping[str, int]) -> str:
    lower = name.lower()
    if lower in machine and lower not in (CPUS, MEMORY, DISK):
        return lower
    if not lower or any(word.startswith(lower) for word in _IGNORED):
        return ""
    return next((asset for word, asset in _WORDS if word.startswith(lower)), "")


def _amount(share: str, asset: str, have: int, units: bool) -> int | None:
    """Return how much ``share`` is of ``have``; None where it is an even part of the rest."""
    word = share.lower()
    if word in _AUTO:
        return None
    least = _LEAST.get(asset, 0)
    if word in _MINIMAL:
        return max(int(have / 128), least)
    number, rest = _number(share)
    if "%" in share:
        return max(int(number / 100 * have), least)
    above, slash, below = share.partition("/")
    if slash:
        divisor = _number(below)[0]
        return max(int(_number(above)[0] / divisor * have), least) if divisor > 0 else least
    scale = _SCALES.find(rest[:1].lower()) + 1 if rest and units else 0
    own = _OWN_SCALE.get(asset, 0)
    if own and scale > own:
        number *= 1024 ** (scale - own)
    return max(int(number), least)


def _number(text: str) -> tuple[float, str]:
    """Return the number at the beginning of ``text`` as atof reads it, and what follows."""
    found = _BEGINS.match(text)
    if found is None:
        return 0.0, text.strip()
    return min(float(found.group(1)), 1e18), text[found.end() :].strip()
