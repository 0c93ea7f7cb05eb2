"""What this process may take at most, as setrlimit(2) and its control groups know it."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterable
from pathlib import Path

from htcq.cgroups import read_limits


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
