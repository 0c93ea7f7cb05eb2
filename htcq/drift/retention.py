"""Retention of the history: every observation, then hourly rows, then daily ones, then none."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.settings.drift import KEEP_DAYS, KEEP_FINE, KEEP_HOURS, DriftSettings


@dataclass(frozen=True)
class Retention:
    """The ages, in seconds, up to which single observations, hours and days are kept."""

    fine: int = KEEP_FINE
    hours: int = KEEP_HOURS
    days: int = KEEP_DAYS


def retention_of(settings: DriftSettings) -> Retention:
    """Return the retention that a site configures."""
    return Retention(settings.keep_fine, settings.keep_hours, settings.keep_days)
