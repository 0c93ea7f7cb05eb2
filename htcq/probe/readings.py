"""The readings of every authority on one machine.

:mod:`htcq.probe.decide` then weighs them without reading more.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from htcq.cgroups import CgroupLimits, read_limits
from htcq.errors import ProbeError
from htcq.node import Gpu
from htcq.probe.condor import Knobs, read_knobs
from htcq.probe.gpus import amd_gpus, gpus_of_nvml, parse_discovery
from htcq.probe.machine import Machine

_DISCOVERY = "condor_gpu_discovery"
_USUAL_EXECUTE = "/var/lib/condor/execute"


@dataclass(frozen=True)
class Execute:
    """The directory where jobs run.

    ``origin`` says who named it; ``free_kb`` is the free space of its file system in KiB (None:
    not known).
    """

    path: str
    origin: str
    free_kb: int | None = None


@dataclass(frozen=True)
class Readings:
    """The raw facts.

    ``discovery`` is None where condor_gpu_discovery was not run, and empty where it failed.
    """

    execute: Execute
    knobs: Knobs = field(default_factory=Knobs)
    psutil: Mapping[str, Any] = field(default_factory=dict)
    cgroup: CgroupLimits = field(default_factory=CgroupLimits)
    discovery: tuple[Gpu, ...] | None = None
    nvml: tuple[Gpu, ...] = ()
    amd: tuple[Gpu, ...] = ()
    hostname: str = ""
    notes: tuple[str, ...] = ()


def read_machine(machine: Machine, execute: str | None = None) -> Readings:
    """Return the readings of all authorities on ``machine``; one that fails makes a note."""
    notes: list[str] = []
    knobs = _knobs(machine, notes)
    discovery = _discovery(machine, knobs, notes)
    # NVML costs a library and a driver; it has no say where HTCondor's own tool has found GPUs.
    nvml: tuple[Gpu, ...] = ()
    if not discovery:
        nvml = _nvml(machine, notes)
    amd, amd_notes = amd_gpus(machine)
    return Readings(
        execute=_execute(machine, knobs, execute, notes),
        knobs=knobs,
        psutil=_psutil(machine, notes),
        cgroup=read_limits(machine.read),
        discovery=discovery,
        nvml=nvml,
        amd=amd,
        hostname=_hostname(machine),
        notes=(*notes, *amd_notes),
    )


def _knobs(machine: Machine, notes: list[str]) -> Knobs:
    try:
        return read_knobs(machine)
    except ProbeError as error:
        notes.append(f"{error}: HTCondor's own detection is not known")
        return Knobs()


def _psutil(machine: Machine, notes: list[str]) -> Mapping[str, Any]:
    try:
        return machine.psutil_facts()
    except ProbeError as error:
        notes.append(str(error))
        return {}


def _nvml(machine: Machine, notes: list[str]) -> tuple[Gpu, ...]:
    try:
        return gpus_of_nvml(machine.nvml_facts())
    except ProbeError as error:
        notes.append(f"{error}: the NVIDIA driver does not work, so its GPUs cannot be seen")
        return ()


def _hostname(machine: Machine) -> str:
    try:
        return machine.read("/proc/sys/kernel/hostname").strip()
    except OSError:
        return ""


def _execute(machine: Machine, knobs: Knobs, asked: str | None, notes: list[str]) -> Execute:
    path, origin = _execute_place(machine, knobs, asked)
    for place in (PurePosixPath(path), *PurePosixPath(path).parents):
        try:
            free = machine.free_kb(str(place))
        except FileNotFoundError:
            continue
        except OSError as error:
            notes.append(f"{place}: free space not read ({error.strerror or error})")
            break
        if str(place) != path:
            notes.append(f"{path} does not exist: its disk is taken to be that of {place}")
        return Execute(path, origin, free)
    return Execute(path, origin)


def _execute_place(machine: Machine, knobs: Knobs, asked: str | None) -> tuple[str, str]:
    configured = knobs.text("EXECUTE")
    if asked:
        return asked, "--execute"
    if configured.startswith("/"):
        return configured, "HTCondor's EXECUTE"
    if machine.match(_USUAL_EXECUTE):
        return _USUAL_EXECUTE, "the usual place of packages"
    return "/", "no EXECUTE directory was found"


def _discovery(machine: Machine, knobs: Knobs, notes: list[str]) -> tuple[Gpu, ...] | None:
    """Return the GPUs of condor_gpu_discovery with the options that the startd would give it."""
    options = _discovery_options(knobs)
    if options is None:
        return None
    answer, libexec = None, knobs.text("LIBEXEC")
    if libexec:
        answer = machine.command((f"{libexec}/{_DISCOVERY}", *options))
    if answer is None:
        answer = machine.command((_DISCOVERY, *options))
    if answer is None:
        return None
    if answer.status != 0:
        reason = answer.complaint or f"exit status {answer.status}"
        notes.append(f"condor_gpu_discovery failed ({reason}): HTCondor will advertise no GPUs")
        return ()
    try:
        return parse_discovery(answer.output)
    except ProbeError as error:
        notes.append(f"{error}; HTCondor will advertise no GPUs")
        return ()


def _discovery_options(knobs: Knobs) -> tuple[str, ...] | None:
    """Return the options of the site's GPU discovery, None where the startd would not run it."""
    if "MACHINE_RESOURCE_GPUS" in knobs.known:
        return None
    words = shlex.split(knobs.text("MACHINE_RESOURCE_INVENTORY_GPUS"))
    if words and not words[0].endswith(_DISCOVERY):
        return None
    if words:
        return tuple(words[1:])
    if "STARTD_DETECT_GPUS" not in knobs.known:
        return ("-properties",)
    return tuple(shlex.split(knobs.text("STARTD_DETECT_GPUS"))) or None
