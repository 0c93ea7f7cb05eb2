"""Retention of the history: every observation, then hourly rows, then daily ones, then none."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.settings.drift import KEEP_DAYS, KEEP_FINE, KEEP_HOURS, DriftSettings


@dataclass(frozen=True)
class Retention:
    """Until which age, in seconds, looks are kept as they were, hours as hours, and days at all."""

    fine: int = KEEP_FINE
    hours: int = KEEP_HOURS
    days: int = KEEP_DAYS


def retention_of(settings: DriftSettings) -> Retention:
    """Return what a site wants."""
    return Retention(settings.keep_fine, settings.keep_hours, settings.keep_days)
