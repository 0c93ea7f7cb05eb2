"""The configuration in effect that a running startd does not have yet, from its own slot ads.

SLOT_WEIGHT, CONSUMPTION_<asset> and STARTD_ATTRS are taken over at condor_reconfig; slot types,
CONSUMPTION_POLICY and NUM_CLAIMS are read when the startd starts
(src/condor_startd.V6/Resource.cpp, 25.14). MODIFY_REQUEST_EXPR_* and START are taken over at
condor_reconfig as well, and the ads do not tell them.

The process that looks is not confined: expressions of ads are compared, and none is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from htcq.classads import Value, as_number, literal, parsed
from htcq.emit.made_for import differs
from htcq.node import Node
from htcq.quota.knobs import truth_of
from htcq.units import CPUS, GPUS, attribute

#: Attributes of an ad, in the ad's own spelling, as texts of their expressions.
SlotAd = Mapping[str, str]
#: What of a slot ad is looked at; ``Consumption<asset>`` and ``Total<asset>`` besides.
MODEL_HASH = "HtcqModelHash"
_CONSUMPTION = "Consumption"
_COUNT = re.compile(r"NUM_SLOTS_TYPE_([0-9]+)")
#: Of an expression in a message; --diff and condor_config_val show the rest.
_MAX_CHARACTERS = 60
_NUM_CPUS = "NUM_CPUS"


def restart_pending(ads: Sequence[SlotAd], values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the changes that reach the startd only when it restarts.

    ``values`` are those in effect, by upper-case name.
    """
    return tuple(dict.fromkeys((*_layout(ads, values), *_policy(ads, values))))


def _layout(ads: Sequence[SlotAd], values: Mapping[str, str]) -> Iterator[str]:
    running: dict[str, int] = {}
    for ad in ads:
        number = ad.get("SlotTypeID", "")
        running[number] = running.get(number, 0) + 1
        if literal(ad.get("PartitionableSlot", "")) is not True:
            yield f"slot {_slot(ad)} is not partitionable"
    wanted = {
        found.group(1): values[name]
        for name, found in _counts(values)
        if values[name] not in ("", "0")
    }
    for number in sorted({*running, *wanted}):
        if str(running.get(number, 0)) != wanted.get(number, "0"):
            yield (
                f"{running.get(number, 0)} slots of type {number} run, {wanted.get(number, '0')} "
                "are configured"
            )
    cpus, have = (
        _number(values.get(_NUM_CPUS, "")),
        _told(ads[0], "TotalCpus") if ads else None,
    )
    if None not in (cpus, have) and cpus != have:
        yield f"{_NUM_CPUS} is {cpus}, and the running slots have {have} cpus together"


def _counts(values: Mapping[str, str]) -> Iterator[tuple[str, re.Match[str]]]:
    for name in values:
        found = _COUNT.fullmatch(name)
        if found:
            yield name, found


def _policy(ads: Sequence[SlotAd], values: Mapping[str, str]) -> Iterator[str]:
    for ad in ads:
        wanted = truth_of(_value(ad, "CONSUMPTION_POLICY", values))
        running = any(name.startswith(_CONSUMPTION) for name in ad)
        if wanted and not running:
            yield "CONSUMPTION_POLICY is on, and the running slots have none"
        elif running and not wanted:
            yield "CONSUMPTION_POLICY is off, and the running slots have one"
        claims, have = _number(_value(ad, "NUM_CLAIMS", values)), _told(ad, "NumClaims")
        if wanted and running and None not in (claims, have) and claims != have:
            yield f"NUM_CLAIMS is {claims}, and slot {_slot(ad)} has {have}"


def reconfig_pending(ads: Sequence[SlotAd], values: Mapping[str, str]) -> tuple[str, ...]:
    """Return what the startd takes over at its next condor_reconfig."""
    found: list[str] = []
    for ad in ads:
        pairs = [
            ("SlotWeight", _value(ad, "SLOT_WEIGHT", values)),
            (MODEL_HASH, values.get(MODEL_HASH.upper(), "")),
        ]
        assets = [name[len(_CONSUMPTION) :] for name in ad if name.startswith(_CONSUMPTION)]
        pairs += [
            (f"{_CONSUMPTION}{asset}", _value(ad, f"CONSUMPTION_{asset.upper()}", values))
            for asset in assets
        ]
        found += [
            _differing(name, ad.get(name, ""), wanted)
            for name, wanted in pairs
            if _differ(ad.get(name), wanted)
        ]
    return tuple(dict.fromkeys(found))


def _differing(name: str, running: str, wanted: str) -> str:
    return (
        f"{name} is configured as {shortened(wanted)}, and the running slots have "
        f"{shortened(running) or 'none'}"
    )


def shortened(text: str) -> str:
    """Return ``text`` on one line that is not too long to read."""
    line = " ".join(text.split())
    if len(line) <= _MAX_CHARACTERS:
        return line
    return f"{line[:_MAX_CHARACTERS]}…"


def _differ(running: str | None, wanted: str) -> bool:
    """Return whether an ad's expression is not the configured one.

    A knob that is not configured has HTCondor's own value.
    """
    if not wanted:
        return False
    return running is None or _canonical(running) != _canonical(wanted)


def _canonical(text: str) -> str:
    expression = parsed(text)
    if expression is None:
        return text
    return expression.unparsed()


def hardware_changes(
    ads: Sequence[SlotAd], node: Node, cpu_shares: int, values: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the amounts of ``node`` that the running startd does not show, as ``cpus 16, now 15``.

    Where NUM_CPUS is set it decides what the startd says of cpus, whatever the hardware.
    """
    if not ads:
        return ()
    changes = []
    amounts = {GPUS: 0, **node.assets()}
    if values.get(_NUM_CPUS):
        del amounts[CPUS]
    for asset, have in amounts.items():
        told = _told(ads[0], f"Total{attribute(asset)}")
        amount = have
        if asset == CPUS:
            amount *= cpu_shares
        if told is not None and differs(asset, told, amount):
            changes.append(f"{asset} {told}, now {amount}")
    return tuple(changes)


def _value(ad: SlotAd, knob: str, values: Mapping[str, str]) -> str:
    """Return the value of ``knob`` for the type of a slot: its own comes before the general one."""
    return values.get(f"SLOT_TYPE_{ad.get('SlotTypeID', '')}_{knob}") or values.get(knob, "")


def _number(text: str) -> int | None:
    """Return the number that is configured."""
    expression = parsed(text)
    return None if expression is None else _whole(expression.evaluate())


def _told(ad: SlotAd, name: str) -> int | None:
    """Return a number of an ad; None where it is an expression, which is not evaluated."""
    return _whole(literal(ad.get(name, "")))


def _whole(value: Value | None) -> int | None:
    number = None if value is None else as_number(value)
    return None if number is None else int(number)


def _slot(ad: SlotAd) -> str:
    return ad.get("Name", "").strip('"')
