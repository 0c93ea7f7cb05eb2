"""What condor_gpu_discovery, NVML and the kernel's sysfs say about GPUs, each as HTCondor would name the devices.

HTCondor names a GPU by the first eight digits of its UUID and a MIG device by its whole one
(docs/man-pages/condor_gpu_discovery.rst, 25.14). The kernel tells an AMD GPU's memory without
any ROCm (Documentation/gpu/amdgpu/driver-misc.rst: mem_info_vram_total, bytes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from htcq.errors import ProbeError
from htcq.node import Gpu
from htcq.probe.machine import Machine

_AMD = "0x1002"
_DETECTED = re.compile(r"\s*DetectedGPUs\s*=\s*(.*?)\s*$", re.IGNORECASE)
_NESTED_AD = re.compile(r"\s*(\w+)\s*=\s*\[(.*)\]\s*$")
_PAIR = re.compile(r'(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')


def parse_discovery(text: str) -> tuple[Gpu, ...]:
    """Return the GPUs in what ``condor_gpu_discovery -properties`` printed, one for each time an id is listed.

    Raises:
        ProbeError: the text is no answer of that tool.
    """
    listed: tuple[str, ...] | None = None
    ads: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if found := _DETECTED.match(line):
            ids = found.group(1).strip('"')
            listed = tuple(re.findall(r"[^\s,]+", ids)) if found.group(1).startswith('"') else ()
        elif nested := _NESTED_AD.match(line):
            ads[nested.group(1).lower()] = {
                key.lower(): value.strip('" ') for key, value in _PAIR.findall(nested[2])
            }
    if listed is None:
        raise ProbeError(
            "condor_gpu_discovery: no DetectedGPUs in its answer",
            "run it by hand to see what it says",
        )
    shared = ads.get("common", {})
    return tuple(
        _from_ad(name, {**shared, **ads.get(re.sub(r"\W", "_", name).lower(), {})})
        for name in listed
    )


def _from_ad(name: str, ad: Mapping[str, str]) -> Gpu:
    memory = ad.get("globalmemorymb", "")
    return Gpu(
        id=name,
        name=ad.get("devicename", ""),
        memory_mb=int(memory) if memory.isdigit() else 0,
        capability=ad.get("capability", ""),
        mig=name.startswith("MIG-"),
    )


def gpus_of_nvml(facts: Mapping[str, Any]) -> tuple[Gpu, ...]:
    """Return the GPUs in NVML's ``facts``; a GPU in MIG mode counts as its MIG devices, even if it has none."""
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
    uuid = str(device["uuid"])
    name = uuid if mig else short_name(uuid)
    return Gpu(
        name,
        str(device.get("name", "")),
        int(device.get("memory_bytes", 0)) // 2**20,
        capability,
        mig,
    )


def short_name(uuid: str) -> str:
    """Return HTCondor's name of the GPU with ``uuid``: GPU- and eight hexadecimal digits."""
    digits = uuid[4:] if uuid.startswith("GPU-") else uuid
    return f"GPU-{digits[:8]}"


def amd_gpus(machine: Machine) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    """Return the AMD GPUs that the kernel shows, and notes on what could not be read."""
    found: list[Gpu] = []
    notes: list[str] = []
    cards = [
        path for path in machine.match("/sys/class/drm/card*") if re.search(r"/card\d+$", path)
    ]
    for card in sorted(cards, key=lambda path: int(path.rpartition("card")[2])):
        try:
            if machine.read(f"{card}/device/vendor").strip().lower() != _AMD:
                continue
            memory = int(machine.read(f"{card}/device/mem_info_vram_total"))
        except FileNotFoundError:
            continue  # a display head, or a driver that is not amdgpu, has no memory to give
        except (OSError, ValueError) as error:
            notes.append(
                f"{card}: not read ({getattr(error, 'strerror', None) or error}), so not counted"
            )
            continue
        found.append(
            Gpu(
                id=card.rpartition("/")[2], name=_amd_name(machine, card), memory_mb=memory // 2**20
            )
        )
    return tuple(found), tuple(notes)


def _amd_name(machine: Machine, card: str) -> str:
    for file in ("product_name", "device"):
        try:
            text = machine.read(f"{card}/device/{file}").strip()
        except OSError:
            continue
        if text:
            return text if file == "product_name" else f"AMD {text}"
    return ""
