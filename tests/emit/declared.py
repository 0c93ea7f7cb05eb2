"""Groups as a site file declares them, and what HTCondor's own parser makes of the text that is written for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from htcq.audit.evidence import Evidence
from htcq.emit.groups import adopted, groups_configuration, read_back
from htcq.live.configuration import read_dump
from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.settings import GroupSettings, settings_from


def declared(quotas: dict[str, Any] | None = None, **groups: Any) -> GroupSettings:
    """Return the groups of a site file with these tables."""
    return settings_from({"groups": groups, "quotas": quotas or {}}).groups


def emitted(settings: GroupSettings, templates: Path | None = None) -> Configuration:
    """Return what the text written for them sets."""
    return read_back(groups_configuration(settings, templates), read_dump)


def alone(settings: GroupSettings) -> PoolQuotas:
    """Return what a negotiator makes of the text alone."""
    return Evidence(Pool("alone", central=emitted(settings))).quotas


def having(pool: Pool, settings: GroupSettings) -> Evidence:
    """Return ``pool`` with these groups in place of its own."""
    return Evidence(adopted(pool, emitted(settings)))
