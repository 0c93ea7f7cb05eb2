"""How old a collector's ads of slots are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SlotAges:
    """Times at which the collector last heard of its slots, in seconds since 1970."""

    oldest: float
    newest: float
