"""Random slot types of one startd: static and partitionable, plain or with a consumption policy, of any weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

_CPUS = "max({1, ceiling(TARGET.RequestCpus ?: 0)})"
_MEMORY = "max({1, ceiling(TARGET.RequestMemory ?: 0)})"
_DISK = "max({1, ceiling(TARGET.RequestDisk ?: 0)})"
_DISK_SIZE_KB = 100_000_000
#: More would not fit on a disk of 100 percent.
_MAX_PERCENT = 6
#: In a wide pool each type has so many times more slots, with as much less disk.
_WIDE = 3
_WEIGHTS = (
    "Cpus",
    "Cpus",
    "Cpus * 0.75",
    "3",
    "Cpus / 2.0 + Memory / 4096.0",
    "floor(Memory / 1024)",
)


@dataclass(frozen=True)
class SlotTypes:
    """Knobs of so many ``slots`` that have so many ``cpus`` and ``tokens`` together.

    ``strange`` is whether some of them hand out tokens, of which the startd makes something else
    than the negotiator."""

    knobs: Mapping[str, str]
    slots: int
    cpus: int
    tokens: int
    strange: bool


def _consumption(
    cpus: str = _CPUS, memory: str = _MEMORY, disk: str = _DISK, **more: str
) -> dict[str, str]:
    knobs = {"CONSUMPTION_POLICY": "True", "CONSUMPTION_CPUS": cpus, "CONSUMPTION_MEMORY": memory}
    return {**knobs, "CONSUMPTION_DISK": disk, **more}


def _plain(dice: Random) -> dict[str, str]:
    return {"SLOT_WEIGHT": dice.choice(_WEIGHTS)} if dice.random() < 0.6 else {}


def _static(dice: Random) -> dict[str, str]:
    return {**_plain(dice), "PARTITIONABLE": "False"}


def _default(dice: Random) -> dict[str, str]:
    return {"CONSUMPTION_POLICY": "True", **_plain(dice)}


def _by_cpus(dice: Random) -> dict[str, str]:
    return _consumption(SLOT_WEIGHT=dice.choice(("Cpus", "Cpus * 1.5", "Cpus / 3.0")))


def _memory_quanta(dice: Random) -> dict[str, str]:
    quantum = dice.choice((256, 512, 1024))
    memory = f"quantize(TARGET.RequestMemory, {{{quantum}}})"
    return _consumption(memory=memory, SLOT_WEIGHT=f"floor(Memory / {quantum}.0)")


def _minimum_charge(dice: Random) -> dict[str, str]:
    charge_mb = dice.choice((500, 1000, 2000))
    memory = f"max({{{charge_mb}, ceiling(TARGET.RequestMemory ?: 0)}})"
    weight = dice.choice(("Cpus", f"min({{Cpus, floor(Memory / {charge_mb})}})"))
    return _consumption(
        memory=memory, disk="max({100000, ceiling(TARGET.RequestDisk ?: 0)})", SLOT_WEIGHT=weight
    )


def _multi_asset(dice: Random) -> dict[str, str]:
    least = "min({Cpus, floor(Memory / 2048), floor(Disk / 100000)})"
    sum_ = "Cpus + Memory / 2048.0 + Disk / 1000000.0"
    dominant = (
        "ifThenElse(DynamicSlot =?= true, max({Cpus, ceiling(Memory / 2048.0)}), min({Cpus, "
        "floor(Memory / 2048)}))"
    )
    return _consumption(SLOT_WEIGHT=dice.choice((least, sum_, dominant)))


def _tokens(dice: Random) -> dict[str, str]:
    each = dice.choice(("1", "TARGET.RequestTokens ?: 1", "max({1, TARGET.RequestCpus})"))
    free = dice.random() < 0.5
    cpus, memory, disk = ("0", "0", "0") if free else (_CPUS, _MEMORY, _DISK)
    return _consumption(
        cpus,
        memory,
        disk,
        CONSUMPTION_TOKENS=each,
        SLOT_WEIGHT=dice.choice(("Tokens", "Tokens * 2")),
    )


_POLICIES: tuple[Callable[[Random], dict[str, str]], ...] = (
    _plain, _static, _default, _by_cpus, _memory_quanta, _minimum_charge, _multi_asset, _tokens,
)  # fmt: skip


def slot_types(dice: Random, wide: bool = False) -> SlotTypes:
    """Return one to four types of one to four slots each, or of three to twelve."""
    knobs, cpus, memory_mb, tokens, slots, strange = dict[str, str](), 0, 0, 0, 0, False
    for number in range(1, dice.choice((1, 2, 2, 3, 4)) + 1):
        make = dice.choice(_POLICIES)
        count, each = dice.randint(1, 4), dice.choice((1, 2, 4, 4, 8, 16))
        each_mb = dice.choice((512, 1024, 2048, 2048)) * each + dice.choice((0, 0, 100))
        if wide:
            count *= _WIDE
        has_tokens = dice.randint(1, 12) if make is _tokens or dice.random() < 0.1 else 0
        percent = dice.randint(1, _MAX_PERCENT)
        if wide:
            percent = max(1, percent // _WIDE)
        text = f"cpus={each}, memory={each_mb}, disk={percent}%, Tokens={has_tokens}"
        policy = {"PARTITIONABLE": "True", **make(dice)}
        if "CONSUMPTION_POLICY" in policy and dice.random() < 0.4:
            policy["NUM_CLAIMS"] = str(dice.randint(1, 12))
        knobs[f"SLOT_TYPE_{number}"], knobs[f"NUM_SLOTS_TYPE_{number}"] = text, str(count)
        knobs.update(_of_type(number, policy))
        strange = strange or make is _tokens
        cpus, memory_mb = cpus + count * each, memory_mb + count * each_mb
        tokens, slots = tokens + count * has_tokens, slots + count
    knobs.update({"NUM_CPUS": str(cpus), "MEMORY": str(memory_mb), "DISK": str(_DISK_SIZE_KB)})
    # A type that names an asset that there is none of is an error; types without tokens name 0 of
    # them.
    knobs["MACHINE_RESOURCE_Tokens"] = str(max(1, tokens))
    return SlotTypes(knobs, slots, cpus, tokens, strange)


def _of_type(number: int, policy: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in policy.items():
        yield f"SLOT_TYPE_{number}_{name}", text
