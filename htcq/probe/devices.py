"""Decisions on GPUs and custom resources.

Only what HTCondor hands out can be claimed, so its own detection counts first. Rules seen in a
25.14 startd: MACHINE_RESOURCE_NAMES hides what it does not list (GPUs too), ids in
OFFLINE_MACHINE_RESOURCE_<name> are taken away, a negative amount counts as 0.
"""

from __future__ import annotations

import re

from htcq.node import Gpu, Source
from htcq.probe.condor import Knob, Knobs, whole_number
from htcq.probe.readings import Readings
from htcq.probe.verdict import NO_CONDOR, Claim, Verdict, verdict

_GPUS = "gpus"


def decide_gpus(readings: Readings) -> tuple[Verdict, tuple[Gpu, ...]]:
    """Return how many GPUs HTCondor can hand out, and which; 0 where none is found."""
    seen = _seen_elsewhere(readings)
    gpus, claim = _condor_gpus(readings)
    if claim is None:
        gpus = (*readings.nvml, *readings.amd)
        found = [each for each in seen if each.amount]
        origin = " and ".join(each.origin for each in found) or "NVML and sysfs"
        why = NO_CONDOR
        if readings.knobs.known:
            why = "condor_gpu_discovery is not installed"
        claim = Claim(origin, len(gpus), why)
    notes = _hidden(claim, seen) + _repeated(readings, gpus)
    notes += [
        f"{gpu.id}: named by the kernel; HTCondor's own name for it is not known"
        for gpu in gpus
        if _is_card(gpu)
    ]
    return verdict(_GPUS, claim, seen, notes), gpus


def _seen_elsewhere(readings: Readings) -> list[Claim]:
    claims = [Claim("NVML", len(readings.nvml)), Claim("sysfs", len(readings.amd))]
    return [claim for claim in claims if claim.amount]


def _condor_gpus(readings: Readings) -> tuple[tuple[Gpu, ...], Claim | None]:
    """Return the GPUs that HTCondor finds by its own rules; no claim where they are not known."""
    knobs = readings.knobs
    named = _named(knobs)
    if named is not None and _GPUS not in named:
        return (), Claim(
            "MACHINE_RESOURCE_NAMES", 0, "it does not list GPUs, so the startd hands out none"
        )
    static = knobs.known.get("MACHINE_RESOURCE_GPUS")
    if static is not None:
        amount, ids = _amount(knobs, "GPUS", static)
        gpus = tuple(Gpu(name) for name in ids)
        return gpus, Claim(
            "MACHINE_RESOURCE_GPUs", amount, f"the site's configuration sets it ({static.source})"
        )
    if readings.discovery is not None:
        offline = _ids(knobs.text("OFFLINE_MACHINE_RESOURCE_GPUS"))
        gpus = tuple(gpu for gpu in readings.discovery if gpu.id not in offline)
        why = "HTCondor's own detection, with the options the startd gives it"
        if len(gpus) < len(readings.discovery):
            why += "; OFFLINE_MACHINE_RESOURCE_GPUs takes some away"
        if _counts_an_id_once(knobs):
            gpus = tuple({gpu.id: gpu for gpu in gpus}.values())
        return gpus, Claim("condor_gpu_discovery", len(gpus), why)
    if _is_off(knobs):
        return (), Claim("STARTD_DETECT_GPUS", 0, "it is empty: the startd looks for no GPUs")
    return (), None


def _is_off(knobs: Knobs) -> bool:
    off = "STARTD_DETECT_GPUS" in knobs.known and not knobs.text("STARTD_DETECT_GPUS")
    return off and not knobs.text("MACHINE_RESOURCE_INVENTORY_GPUS")


def _hidden(winner: Claim, seen: list[Claim]) -> list[str]:
    """Return notes on GPUs that are there and that HTCondor will not advertise."""
    if winner.amount:
        return []
    return [
        f"{claim.origin} shows {claim.amount} GPUs that HTCondor does not see ({winner.origin}): "
        "it will advertise none"
        " until it finds them, or until MACHINE_RESOURCE_GPUs names them"
        for claim in seen
    ]


def _repeated(readings: Readings, gpus: tuple[Gpu, ...]) -> list[str]:
    discovered = readings.discovery or ()
    distinct = len({gpu.id for gpu in gpus})
    if distinct < len(gpus):
        return [
            (
                f"{len(gpus)} GPUs are {distinct} devices listed more than once: jobs share them "
                "(-repeat or -divide)"
            )
        ]
    if gpus and len({gpu.id for gpu in discovered}) < len(discovered):
        version = readings.knobs.text("CONDOR_VERSION")
        return [
            (
                f"HTCondor {version} counts a GPU once however often it is listed: -repeat and "
                "-divide give nothing"
            )
        ]
    return []


def _counts_an_id_once(knobs: Knobs) -> bool:
    """Return whether this startd drops repeated ids, a bug of 23.8.1 that 24.0.1 fixed.

    Seen in 23.9.6.
    """
    numbers = knobs.text("CONDOR_VERSION").split(".")
    version = tuple(int(number) for number in numbers if number.isdigit())
    return (23, 8, 1) <= version < (24, 0, 1)


def _is_card(gpu: Gpu) -> bool:
    return re.fullmatch(r"card\d+", gpu.id) is not None


def decide_custom(readings: Readings) -> tuple[dict[str, Verdict], tuple[str, ...]]:
    """Return the amounts of the site's own resources, and notes on those that a script counts."""
    knobs, named = readings.knobs, _named(readings.knobs)
    found, notes = {}, []
    for tag, knob in knobs.beginning("MACHINE_RESOURCE_"):
        key = tag.lower()
        if key in ("names", _GPUS) or key == f"inventory_{_GPUS}":
            continue
        if knob.from_htcq:
            continue  # the tokens of a model that htcq wrote: nothing the machine has
        name = tag
        if key.startswith("inventory_"):
            name = tag[len("inventory_") :]
        if named is not None and name.lower() not in named:
            notes.append(f"{name} is not in MACHINE_RESOURCE_NAMES, so HTCondor leaves it out")
        elif name != tag:
            notes.append(
                f"{name} is counted by the script '{knob.value}', which the probe does not run"
            )
        else:
            found[tag] = _custom(knobs, tag, knob)
    return found, tuple(notes)


def _custom(knobs: Knobs, tag: str, knob: Knob) -> Verdict:
    amount, _ids_left = _amount(knobs, tag.upper(), knob)
    why = "the site's configuration sets it"
    if knob.source:
        why += f" ({knob.source})"
    offline = knobs.text(f"OFFLINE_MACHINE_RESOURCE_{tag.upper()}")
    if offline:
        why += f"; {offline} offline"
    return Verdict(Source(f"custom.{tag}", amount, f"MACHINE_RESOURCE_{tag}", why))


def _amount(knobs: Knobs, tag: str, knob: Knob) -> tuple[int, tuple[str, ...]]:
    """Return the amount, and the ids where ``knob`` lists ids rather than a number."""
    number = whole_number(knob.value)
    if number is not None:
        return max(0, number), ()
    offline = _ids(knobs.text(f"OFFLINE_MACHINE_RESOURCE_{tag}"))
    ids = tuple(name for name in _ids(knob.value) if name not in offline)
    if _counts_an_id_once(knobs):
        ids = tuple(dict.fromkeys(ids))
    return len(ids), ids


def _named(knobs: Knobs) -> frozenset[str] | None:
    names = _ids(knobs.text("MACHINE_RESOURCE_NAMES"))
    if not names:
        return None
    return frozenset(map(str.lower, names))


def _ids(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s,]+", text))
