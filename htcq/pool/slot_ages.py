"""How old a collector's ads of slots are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SlotAges:
    """Times at which the collector last heard of its slots, in seconds since 1970.

    ``heard`` has the time of each slot by name.
    """

    oldest: float
    newest: float
    heard: Mapping[str, float] = field(default_factory=dict)
