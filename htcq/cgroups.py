"""The cpu and memory limits of the control groups this process runs in, version 1 and version 2.

Files and their meaning: the kernel's Documentation/admin-guide/cgroup-v2.rst (cpu.max,
memory.max, memory.high), cgroup-v1/memory.rst (memory.limit_in_bytes) and
scheduler/sched-bwc.rst (cpu.cfs_quota_us). A limit holds for all descendants, so the smallest
among a group and its ancestors counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

# Version 1 writes "no limit" as the largest page count in bytes, just below 2**63.
_V1_UNLIMITED = 2**62


@dataclass(frozen=True)
class Limit:
    """One limit and the file it stands in; cpus (may be a fraction) or bytes."""

    amount: Fraction
    file: str

    @property
    def origin(self) -> str:
        """Return the version and the file's short name, such as ``cgroup v2 cpu.max``."""
        name = self.file.rsplit("/", 1)[-1]
        version = 2
        if name in ("cpu.cfs_quota_us", "memory.limit_in_bytes"):
            version = 1
        return f"cgroup v{version} {name}"


@dataclass(frozen=True)
class CgroupLimits:
    """The tightest cpu and memory limit (None: unlimited), and what could not be read."""

    cpus: Limit | None = None
    memory: Limit | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Mount:
    controllers: frozenset[str]  # empty: version 2
    root: str
    point: str


def read_limits(read: Callable[[str], str]) -> CgroupLimits:
    """Return the limits on this process; ``read`` returns a file's text and raises OSError."""
    notes: list[str] = []
    groups = parse_memberships(_read_or_note(read, "/proc/self/cgroup", notes))
    mounts = parse_mounts(_read_or_note(read, "/proc/self/mountinfo", notes))
    cpus: list[Limit] = []
    memory: list[Limit] = []
    for folder in _folders(groups, mounts, "cpu"):
        cpus += _v1_cpus(read, folder, notes)
    for folder in _folders(groups, mounts, "memory"):
        memory += _v1_memory(read, folder, notes)
    for folder in _folders(groups, mounts, ""):
        cpus += _v2_cpus(read, folder, notes)
        memory += _v2_memory(read, folder, notes)
    return CgroupLimits(_tightest(cpus), _tightest(memory), tuple(notes))


def parse_memberships(text: str) -> dict[str, str]:
    """Return each version 1 controller's group, and under the empty name the version 2 group."""
    groups = {}
    for line in text.splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3:
            groups.update(dict.fromkeys(parts[1].split(","), parts[2]))
    return groups


def parse_mounts(text: str) -> tuple[_Mount, ...]:
    """Return the control group file systems that /proc/self/mountinfo lists."""
    found = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        complete = separator and len(fields) > 4 and len(kind) > 2
        if not complete or kind[0] not in ("cgroup", "cgroup2"):
            continue
        controllers = frozenset[str]()
        if kind[0] == "cgroup":
            controllers = frozenset(kind[2].split(","))
        found.append(_Mount(controllers, _unescape(fields[3]), _unescape(fields[4])))
    return tuple(found)


def _unescape(path: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found.group(1), 8)), path)


def _folders(groups: dict[str, str], mounts: tuple[_Mount, ...], controller: str) -> Iterator[str]:
    """Yield the folder of this process's group and of all its ancestors that are visible here."""
    group = groups.get(controller)
    mount = next((each for each in mounts if _serves(each, controller)), None)
    if group is None or mount is None:
        return
    below = _below(group, mount.root)
    while below:
        yield mount.point + below
        below = below.rpartition("/")[0]
    yield mount.point


def _serves(mount: _Mount, controller: str) -> bool:
    if not controller:
        return not mount.controllers
    return controller in mount.controllers


def _below(group: str, root: str) -> str:
    """Return ``group`` relative to the mounted ``root``.

    It is empty for the root itself and for a group that is not below it.
    """
    group, root = group.rstrip("/"), root.rstrip("/")
    if group.startswith("/.."):
        return ""  # outside this process's cgroup namespace: only the mount point can be seen
    if not root:
        return group
    if not group.startswith(root + "/"):
        return ""
    return group[len(root) :]


def _v1_cpus(read: Callable[[str], str], folder: str, notes: list[str]) -> Iterator[Limit]:
    file = f"{folder}/cpu.cfs_quota_us"
    quota = _number(_read_or_note(read, file, notes))
    period = _number(_read_or_note(read, f"{folder}/cpu.cfs_period_us", notes))
    if quota and period and quota > 0:
        yield Limit(Fraction(quota, period), file)


def _v1_memory(read: Callable[[str], str], folder: str, notes: list[str]) -> Iterator[Limit]:
    file = f"{folder}/memory.limit_in_bytes"
    size = _number(_read_or_note(read, file, notes))
    if size is not None and 0 < size < _V1_UNLIMITED:
        yield Limit(Fraction(size), file)


def _v2_cpus(read: Callable[[str], str], folder: str, notes: list[str]) -> Iterator[Limit]:
    file = f"{folder}/cpu.max"
    quota, _, period = _read_or_note(read, file, notes).strip().partition(" ")
    if quota.isdigit() and (_number(period) or 0) > 0:
        yield Limit(Fraction(int(quota), int(period)), file)


def _v2_memory(read: Callable[[str], str], folder: str, notes: list[str]) -> Iterator[Limit]:
    for name in ("memory.max", "memory.high"):
        size = _number(_read_or_note(read, f"{folder}/{name}", notes))
        if size is not None and size > 0:
            yield Limit(Fraction(size), f"{folder}/{name}")


def _tightest(limits: list[Limit]) -> Limit | None:
    return min(limits, key=lambda limit: limit.amount, default=None)


def _number(text: str) -> int | None:
    text = text.strip()
    if not text.lstrip("-").isdigit():
        return None
    return int(text)


def _read_or_note(read: Callable[[str], str], path: str, notes: list[str]) -> str:
    """Return the file's text, or an empty one.

    A root group has no limits, so a missing file is no error; one that cannot be read is noted.
    """
    try:
        return read(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        notes.append(
            f"{path} cannot be read ({error.strerror or error}): a limit there is not known"
        )
        return ""
