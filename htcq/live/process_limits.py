"""What this process may take at most, as setrlimit(2) knows it."""

from __future__ import annotations

import resource
from collections.abc import Iterable


def limit_process(wanted: Iterable[tuple[int, int, int]]) -> None:
    """Set limits, each as (RLIMIT_…, soft, hard); one that is lower already stays."""
    for limit, soft, hard in wanted:
        allowed = resource.getrlimit(limit)[1]
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)
        resource.setrlimit(limit, (soft, hard))
