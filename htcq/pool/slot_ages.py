"""How old a collector's ads of slots are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SlotAges:
    """When the collector heard of the slots: the least and the greatest time, in seconds since 1970."""

    oldest: float
    newest: float
