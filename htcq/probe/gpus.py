"""The GPUs of condor_gpu_discovery, NVML and the kernel's sysfs, by HTCondor's names.

HTCondor names a GPU by the first eight digits of its UUID and a MIG device by its whole one
(docs/man-pages/condor_gpu_discovery.rst, 25.14). The kernel tells an AMD GPU's memory without
any ROCm (Documentation/gpu/amdgpu/driver-misc.rst: mem_info_vram_total, bytes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from htcq.classad.parser import parse
from htcq.classad.tree import AdOf, Literal
from htcq.errors import ProbeError
from htcq.node import Gpu
from htcq.probe.machine import Machine

_AMD = "0x1002"
_DETECTED = re.compile(r"\s*DetectedGPUs\s*=\s*(.*?)\s*$", re.IGNORECASE)
_NESTED_AD = re.compile(r"\s*(\w+)\s*=\s*(\[.*\])\s*$")


def parse_discovery(text: str) -> tuple[Gpu, ...]:
    """Return the GPUs in the output of ``condor_gpu_discovery -properties``.

    An id that is listed twice makes two GPUs.

    Raises:
        ProbeError: the text is no answer of that tool.
    """
    listed: tuple[str, ...] | None = None
    ads: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if found := _DETECTED.match(line):
            listed = ()
            if found.group(1).startswith('"'):
                listed = tuple(re.findall(r"[^\s,]+", found.group(1).strip('"')))
        elif nested := _NESTED_AD.match(line):
            ads[nested.group(1).lower()] = _values(nested.group(2))
    if listed is None:
        raise ProbeError(
            "condor_gpu_discovery: no DetectedGPUs in its answer",
            "run it by hand to see what it says",
        )
    shared = ads.get("common", {})
    gpus = []
    for name in listed:
        own = ads.get(re.sub(r"\W", "_", name).lower(), {})
        gpus.append(_from_ad(name, {**shared, **own}))
    return tuple(gpus)


def _values(text: str) -> dict[str, str]:
    """Return the values in the ad ``text`` as texts, by name in lower case."""
    tree, found = parse(text), dict[str, str]()
    if isinstance(tree, AdOf):
        for name, part in tree.attributes:
            found[name] = text[part.span.start : part.span.end]
            if isinstance(part, Literal) and isinstance(part.value, str):
                found[name] = part.value.strip()
    return found


def _from_ad(name: str, ad: Mapping[str, str]) -> Gpu:
    memory, memory_mb = ad.get("globalmemorymb", ""), 0
    if memory.isdigit():
        memory_mb = int(memory)
    return Gpu(
        id=name,
        name=ad.get("devicename", ""),
        memory_mb=memory_mb,
        capability=ad.get("capability", ""),
        mig=name.startswith("MIG-"),
    )


def gpus_of_nvml(facts: Mapping[str, Any]) -> tuple[Gpu, ...]:
    """Return the GPUs in NVML's ``facts``.

    A GPU in MIG mode counts as its MIG devices, even if it has none.
    """
    found: list[Gpu] = []
    for device in facts.get("devices", ()):
        capability = ".".join(str(each) for each in device.get("capability", ()))
        if device.get("mig_mode"):
            found += [
                _from_nvml(each, capability, mig=True) for each in device.get("mig_devices", ())
            ]
        else:
            found.append(_from_nvml(device, capability, mig=False))
    return tuple(found)


def _from_nvml(device: Mapping[str, Any], capability: str, *, mig: bool) -> Gpu:
    name = str(device["uuid"])
    if not mig:
        name = short_name(name)
    return Gpu(
        name,
        str(device.get("name", "")),
        int(device.get("memory_bytes", 0)) // 2**20,
        capability,
        mig,
    )


def short_name(uuid: str) -> str:
    """Return HTCondor's name of the GPU with ``uuid``: GPU- and eight hexadecimal digits."""
    if uuid.startswith("GPU-"):
        uuid = uuid[4:]
    return f"GPU-{uuid[:8]}"


def amd_gpus(machine: Machine) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    """Return the AMD GPUs that the kernel shows, and notes on what could not be read."""
    found: list[Gpu] = []
    notes: list[str] = []
    paths = machine.match("/sys/class/drm/card*")
    cards = [path for path in paths if re.search(r"/card\d+$", path)]
    for card in sorted(cards, key=lambda path: int(path.rpartition("card")[2])):
        try:
            if machine.read(f"{card}/device/vendor").strip().lower() != _AMD:
                continue
            memory = int(machine.read(f"{card}/device/mem_info_vram_total"))
        except FileNotFoundError:
            continue  # a display head, or a driver that is not amdgpu, has no memory to give
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            notes.append(f"{card}: not read ({why}), so not counted")
            continue
        id_ = card.rpartition("/")[2]
        found.append(Gpu(id_, _amd_name(machine, card), memory // 2**20))
    return tuple(found), tuple(notes)


def _amd_name(machine: Machine, card: str) -> str:
    for file in ("product_name", "device"):
        try:
            text = machine.read(f"{card}/device/{file}").strip()
        except OSError:
            continue
        if text and file == "device":
            return f"AMD {text}"
        if text:
            return text
    return ""
