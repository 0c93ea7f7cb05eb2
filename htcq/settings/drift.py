"""The history of ``htcq drift``: its file, its age, and its quotas; ``[drift]`` of htcq.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from htcq.errors import InputError
from htcq.settings.durations import DAY, parse_duration
from htcq.settings.tables import check_keys

DRIFT_KEYS = ("store", "keep_fine", "keep_hours", "keep_days", "quotas")
STORE = "/var/lib/htcq/drift.db"
KEEP_FINE, KEEP_HOURS, KEEP_DAYS = 14 * DAY, 90 * DAY, 5 * 365 * DAY


@dataclass(frozen=True)
class DriftSettings:
    """The settings of the history.

    ``store`` is its file. ``keep_fine``, ``keep_hours`` and ``keep_days`` are the seconds for
    which every sample, every hour and every day are kept. ``quotas`` is the file of the elastic
    quotas whose ledger is kept; empty where there are none.
    """

    store: str = STORE
    keep_fine: int = KEEP_FINE
    keep_hours: int = KEEP_HOURS
    keep_days: int = KEEP_DAYS
    quotas: str = ""


def drift_settings_from(table: Mapping[str, Any]) -> DriftSettings:
    """Return the settings of the table ``[drift]``.

    Raises:
        InputError: an unknown key (with the near one), a value of the wrong kind, or coarse numbers
            that are kept for less time than fine ones.
    """
    check_keys("drift.", table, DRIFT_KEYS)
    store = _file(table, "store", STORE)
    quotas = ""
    if "quotas" in table:
        quotas = _file(table, "quotas", "/etc/htcq/elastic.toml")
    keep = {"keep_fine": KEEP_FINE, "keep_hours": KEEP_HOURS, "keep_days": KEEP_DAYS}
    for key in keep:
        if key in table:
            keep[key] = parse_duration(f"htcq.toml: drift.{key}", table[key])
    for finer, coarser in (("keep_fine", "keep_hours"), ("keep_hours", "keep_days")):
        if keep[finer] > keep[coarser]:
            raise InputError(
                f"htcq.toml: drift.{finer} is longer than drift.{coarser} ({_days(keep[coarser])})",
                f"{coarser} begins when {finer} ends: set {coarser} to the same time or longer",
            )
    return DriftSettings(store, **keep, quotas=quotas)


def _file(table: Mapping[str, Any], key: str, usual: str) -> str:
    name = table.get(key, usual)
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(
            f"htcq.toml: drift.{key} is {name!r}",
            f'it must be the name of a file, such as "{usual}"',
        )
    return name


def _days(seconds: int) -> str:
    return f"{seconds / DAY:g}d"
