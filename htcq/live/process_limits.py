"""What this process may take at most, as setrlimit(2) and its control groups know it."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Callable, Iterable
from pathlib import Path

from htcq.cgroups import read_limits

#: Places in what stat of proc(5) says after the name.
_PARENT, _THREADS = 1, 17


def limit_process(wanted: Iterable[tuple[int, int, int]]) -> None:
    """Set limits, each as (RLIMIT_…, soft, hard); one that is lower already stays."""
    for limit, soft, hard in wanted:
        allowed = resource.getrlimit(limit)[1]
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)
        resource.setrlimit(limit, (soft, hard))


def data_now() -> int:
    """Return the bytes that RLIMIT_DATA counts of this process now.

    A child that was forked has the memory of its parent, however large that is.
    """
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[5]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def addresses_now() -> int:
    """Return the bytes that RLIMIT_AS counts of this process now."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def processes_now() -> int:
    """Return the processes and threads that RLIMIT_NPROC counts of this account now."""
    user = os.getuid()
    found = 0
    for pid in _processes():
        # It may have ended meanwhile, and may belong to whoever hides it.
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}").stat().st_uid == user:
                found += int(_fields(pid)[_THREADS])
    return found


def children_now() -> frozenset[int]:
    """Return the numbers of the processes whose parent is this one, ended ones too."""
    own, found = str(os.getpid()), set[int]()
    for pid in _processes():
        with contextlib.suppress(OSError):
            if _fields(pid)[_PARENT] == own:
                found.add(pid)
    return frozenset(found)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


def _fields(pid: int) -> list[str]:
    """Return what proc(5) has of a process in stat, from its state on."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8", errors="replace")


def memory_here(read: Callable[[str], str] = _read) -> int:
    """Return the bytes of memory that this process can have: those of its control group, if fewer.

    A service or a container is ended by the kernel long before the machine is full. ``read``
    returns a file's text and raises OSError.
    """
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    group = read_limits(read).memory
    return machine if group is None else min(machine, int(group.amount))
