"""Looks at small pools, written as configuration and ads."""

from __future__ import annotations

from dataclasses import replace

from htcq.pool.pool import Pool
from htcq.pool.weights import Weights
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.published import Published
from htcq.poolquota.report import PoolQuotaReport, look_at
from tests.audit.rules.quota.groups import PHYSICS, groups, uses, wants
from tests.audit.sites import Text, accounting

#: hep uses 7 of the 20 of physics and wants 60 more, lep wants 2, chemistry 60, nobody's group 5.
BUSY = (
    wants("physics.hep", 60, 7),
    *uses("physics.hep", 7),
    wants("physics.lep", 2),
    wants("chem", 60),
    wants("", 5),
)


def looked(pool: Pool, negotiator: str = "") -> PoolQuotaReport:
    return look_at(PoolQuotas(pool, Weights(), negotiator), pool)


def look(config: str, *ads: str, weight: int = 100) -> PoolQuotaReport:
    return looked(groups(config, *ads, weight=weight))


def busy(more: str = "", *ads: str) -> PoolQuotaReport:
    """Return the look at physics with its pool of 107: 100 free, and the 7 that hep uses."""
    return look(PHYSICS + more, *BUSY, *ads)


def standing(given: PoolQuotaReport, name: str) -> GroupStatus:
    found = given.find(name)
    assert found is not None
    return found


def group_ad(name: str, **changes: Text | None) -> str:
    """Return what a negotiator publishes of a group that uses nothing."""
    return accounting(name, **{"IsAccountingGroup": "true", **changes})


def published(*ads: str, taken: str = "", negotiator: str = "") -> Published:
    return Published(replace(groups(PHYSICS, *ads), taken_at=taken), negotiator)
