"""Records the machine it runs on for tests/golden/nodes: ``python3 record_machine.py DIRECTORY``.

Stands alone (psutil and nvidia-ml-py where they are installed), so that one file is all a
strange machine needs, and asks everything itself, so that a recording does not depend on the
code it is there to test. Names of hosts, groups and devices are for a person to replace;
``origin`` and ``expected.json`` are for a person to write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

FILES = (
    "proc/self/cgroup",
    "proc/self/mountinfo",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/smt/control",
    "sys/devices/system/node/online",
    "sys/class/drm/card*/device/vendor",
    "sys/class/drm/card*/device/device",
    "sys/class/drm/card*/device/product_name",
    "sys/class/drm/card*/device/mem_info_vram_total",
)
LIMITS = (
    "cpu.max",
    "memory.max",
    "memory.high",
    "cpu.cfs_quota_us",
    "cpu.cfs_period_us",
    "memory.limit_in_bytes",
    "cpuset.cpus.effective",
)
KNOBS = (
    r"^(STARTD\.)?(DETECTED_CPUS|DETECTED_CPUS_LIMIT|DETECTED_PHYSICAL_CPUS|DETECTED_MEMORY|CONDOR_VERSION|NUM_CPUS"
    r"|MEMORY|RESERVED_MEMORY|DISK|RESERVED_DISK|EXECUTE|LIBEXEC|STARTD_DETECT_GPUS|STARTD_ENFORCE_DISK_LIMITS"
    r"|MACHINE_RESOURCE_.*|OFFLINE_MACHINE_RESOURCE_.*)$"
)
COMMANDS = {
    "condor_config_val": ["condor_config_val", "-subsystem", "STARTD", "-verbose", "-dump", KNOBS],
    "condor_gpu_discovery": ["/usr/libexec/condor/condor_gpu_discovery", "-properties"],
}
EXECUTE = Path("/var/lib/condor/execute")


def read(path: str) -> str | None:
    try:
        return Path(path).read_text()
    except OSError:
        return None


def cgroup_files() -> list[str]:
    """Return every file that could hold a limit of this process's groups or of their ancestors."""
    groups = [line.split(":", 2)[2] for line in (read("/proc/self/cgroup") or "").splitlines()]
    found = set()
    for fields in (line.split() for line in (read("/proc/self/mountinfo") or "").splitlines()):
        if fields[fields.index("-") + 1] not in ("cgroup", "cgroup2"):
            continue
        root = fields[3].rstrip("/")
        for group in groups:
            parts = [
                part
                for part in (group[len(root) :] if group.startswith(root) else group).split("/")
                if part
            ]
            folders = ["/".join([fields[4], *parts[:depth]]) for depth in range(len(parts) + 1)]
            found |= {f"{folder}/{name}" for folder in folders for name in LIMITS}
    return sorted(found)


def psutil_facts() -> dict[str, Any] | None:
    try:
        import psutil
    except ImportError:
        return None
    return {
        "logical": psutil.cpu_count(),
        "physical": psutil.cpu_count(logical=False),
        "affinity": sorted(os.sched_getaffinity(0)),
        "memory_bytes": psutil.virtual_memory().total,
        "swap_bytes": psutil.swap_memory().total,
    }


def free_kb(path: Path) -> int | None:
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize // 1024


def run(words: list[str]) -> dict[str, Any] | None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return {"status": done.returncode, "output": done.stdout, "error": done.stderr}


def record() -> dict[str, Any]:
    """Return everything that is known about this machine."""
    paths = [
        str(path) for pattern in FILES for path in sorted(Path("/").glob(pattern))
    ] + cgroup_files()
    texts = {**{path: read(path) for path in paths}, "/proc/sys/kernel/hostname": "node.example\n"}
    places = {str(place): free_kb(place) for place in (EXECUTE, *EXECUTE.parents)}
    return {
        "files": {path: text for path, text in texts.items() if text is not None},
        "psutil": psutil_facts(),
        "nvml": None,
        "free_kb": {place: size for place, size in places.items() if size is not None},
        "commands": {name: run(words) for name, words in COMMANDS.items()},
    }


def save(directory: Path, recorded: dict[str, Any]) -> None:
    """Write ``recorded`` as the files of one case."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, answer in recorded.pop("commands").items():
        if answer is not None:
            (directory / "commands").mkdir(exist_ok=True)
            (directory / "commands" / f"{name}.txt").write_text(answer["output"])
            if answer["status"]:
                (directory / "commands" / f"{name}.failed").write_text(answer["error"])
    (directory / "machine.json").write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        save(Path(sys.argv[1]), record())
    else:
        json.dump(record(), sys.stdout)
