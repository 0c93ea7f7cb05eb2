"""What this process may take at most, as setrlimit(2) knows it."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from pathlib import Path


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
