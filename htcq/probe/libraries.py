"""The facts of psutil and NVML about this machine, as plain mappings that can be recorded.

No other module imports these libraries.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from htcq.errors import ProbeError

_NVML_LIBRARY = "libnvidia-ml.so.1"


def load_psutil() -> None:
    """Load psutil while a tool is running.

    That takes 20 ms, about as long as HTCondor's tools need to answer.
    """
    with suppress(ImportError):
        import psutil  # noqa: F401


def psutil_facts() -> Mapping[str, Any]:
    """Return psutil's logical and physical cpus, affinity, memory_bytes and swap_bytes.

    The affinity is a list of cpu numbers.

    Raises:
        ProbeError: psutil is missing, or could not read this machine.
    """
    try:
        import psutil

        return {
            "logical": psutil.cpu_count(),
            "physical": psutil.cpu_count(logical=False),
            # Not psutil's own: that looks this process up in /proc, which a process in a namespace
            # may not find there.
            "affinity": sorted(os.sched_getaffinity(0)),
            "memory_bytes": psutil.virtual_memory().total,
            "swap_bytes": psutil.swap_memory().total,
        }
    except (ImportError, OSError, RuntimeError, ValueError, AttributeError) as error:
        raise ProbeError(f"psutil: {error}", "python3 -m pip install psutil") from error


def kernel_facts() -> Mapping[str, Any]:
    """Return the facts of :func:`psutil_facts` that a configuration needs, without psutil.

    They come from the same sources. Importing psutil takes as long as all the rest of a probe,
    and ``htcq emit`` may run whenever a daemon reads its configuration. Cores and swap, which no
    configuration needs, are left out.

    Raises:
        ProbeError: the kernel does not say it this way, and psutil could not read it either.
    """
    try:
        return {
            "origin": "the kernel",
            "logical": os.sysconf("SC_NPROCESSORS_ONLN"),
            "affinity": sorted(os.sched_getaffinity(0)),
            "memory_bytes": _memory_bytes(),
        }
    except (OSError, ValueError):
        return psutil_facts()


def _memory_bytes() -> int:
    """Return MemTotal of /proc/meminfo, as psutil does; a container may have its own."""
    with open("/proc/meminfo", encoding="ascii") as lines:  # noqa: PTH123 - no gain by pathlib
        for line in lines:
            if line.startswith("MemTotal:"):
                return int(line.split()[1]) * 1024
    raise ValueError("no MemTotal")


def nvml_facts() -> Mapping[str, Any]:
    """Return NVML's driver version and devices, MIG devices within their parent.

    The mapping is empty without NVIDIA's library.

    Raises:
        ProbeError: the library is there and does not work, as after a driver update without a
            reboot.
    """
    import ctypes

    try:
        # The same library that pynvml would look for, without the 20 ms that importing pynvml costs
        # where it is absent.
        ctypes.CDLL(_NVML_LIBRARY)
    except OSError:
        return {}
    try:
        import pynvml
    except ImportError as error:
        raise ProbeError(f"NVML: {error}", "python3 -m pip install nvidia-ml-py") from error
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise ProbeError(f"NVML: {error}", "nvidia-smi shows what the driver says") from error
    try:
        devices = [_device(pynvml, index) for index in range(pynvml.nvmlDeviceGetCount())]
        return {"driver": _text(pynvml.nvmlSystemGetDriverVersion()), "devices": devices}
    except pynvml.NVMLError as error:
        raise ProbeError(f"NVML: {error}", "nvidia-smi shows what the driver says") from error
    finally:
        pynvml.nvmlShutdown()


def _device(nvml: Any, index: int) -> dict[str, Any]:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    facts = {
        **_identity(nvml, handle),
        "capability": list(nvml.nvmlDeviceGetCudaComputeCapability(handle)),
    }
    try:
        mode, _pending = nvml.nvmlDeviceGetMigMode(handle)
    except nvml.NVMLError:
        return facts  # a GPU that knows no MIG answers "not supported"
    facts["mig_mode"] = mode
    if mode == nvml.NVML_DEVICE_MIG_ENABLE:
        facts["mig_devices"] = _mig_devices(nvml, handle)
    return facts


def _mig_devices(nvml: Any, parent: Any) -> list[dict[str, Any]]:
    found = []
    for index in range(nvml.nvmlDeviceGetMaxMigDeviceCount(parent)):
        try:
            handle = nvml.nvmlDeviceGetMigDeviceHandleByIndex(parent, index)
        except nvml.NVMLError:
            continue  # the places of a parent need not all be filled
        found.append(_identity(nvml, handle))
    return found


def _identity(nvml: Any, handle: Any) -> dict[str, Any]:
    return {
        "uuid": _text(nvml.nvmlDeviceGetUUID(handle)),
        "name": _text(nvml.nvmlDeviceGetName(handle)),
        "memory_bytes": int(nvml.nvmlDeviceGetMemoryInfo(handle).total),
    }


def _text(value: str | bytes) -> str:
    # nvidia-ml-py before 12 answered in bytes.
    if isinstance(value, bytes):
        return value.decode()
    return value
