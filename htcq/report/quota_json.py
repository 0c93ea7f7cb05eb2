"""Group quotas as JSON; the names, which htcq-quota(1) lists, are a contract.

JSON has no NaN, which HTCondor computes for some limits: it stands as the text "nan".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from htcq.poolquota.comparison import GroupDifference, compare
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.health import health_json
from htcq.poolquota.report import PoolQuotaReport
from htcq.quota.results import GroupQuota, Round

SCHEMA = 1


def quota_json(look: PoolQuotaReport) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    printed: dict[str, Any] = finite(
        {
            "schema": SCHEMA,
            "source": look.source,
            "taken": look.taken,
            "health": health_json(look.health),
            "unit": look.unit,
            "demand_unit": look.demand_unit,
            "pool_weight": look.quotas.pool_weight,
            "published_pool_weight": look.published_weight,
            "groups": [_quota(group) for group in look.quotas.groups],
            "rounds": [_round(each) for each in look.quotas.rounds],
            "standings": [_status(status) for status in look.standings],
            "sharings": [[asdict(sharing) for sharing in each.sharings] for each in look.quotas.rounds],
            "problems": [{**asdict(each), "fatal": each.fatal, "message": each.message} for each in look.problems],
            "doubts": list(look.doubts),
            "incomplete": list(look.incomplete),
            "not_offered": [{**asdict(each), "jobs": each.jobs} for each in look.kept_back],
        }
    )
    return printed


def what_if_json(before: PoolQuotaReport, after: PoolQuotaReport, changes: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return both looks, the knobs that make the difference, and the groups that differ."""
    return {
        "schema": SCHEMA,
        "health": health_json(after.health),
        "changes": [{"knob": knob, "value": value} for knob, value in changes],
        "before": quota_json(before),
        "after": quota_json(after),
        "differences": finite([_difference(each) for each in compare(before, after)]),
    }


def _quota(found: GroupQuota) -> dict[str, Any]:
    group = found.group
    return {
        "name": group.name,
        "parent": group.parent,
        "config_quota": group.config_quota,
        "static": group.static,
        "accept_surplus": group.accept_surplus,
        "autoregroup": group.autoregroup,
        **_own_fields(found),
    }


def _status(status: GroupStatus) -> dict[str, Any]:
    return {**_quota(status.computed), "configured": status.group.configured, **_own_fields(status)}


def _difference(found: GroupDifference) -> dict[str, Any]:
    return {"name": found.name, "parent": found.status.group.parent, "depth": found.status.depth,
            **_own_fields(found)}  # fmt: skip


def _own_fields(found: GroupQuota | GroupStatus | GroupDifference) -> dict[str, Any]:
    """Return the fields of a record without the record that it extends."""
    return {name: value for name, value in asdict(found).items() if name not in ("group", "computed", "status")}


def _round(given: Round) -> dict[str, Any]:
    return {
        "surplus": given.surplus,
        "max_delta": given.max_delta,
        "groups": [asdict(group) for group in given.groups],
        "order": list(given.order),
        "limits": [{"group": limit.group, "limit": limit.limit} for limit in given.limits],
    }


def finite(value: Any) -> Any:
    """Return ``value`` with texts in the place of NaN and infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "infinity" if value > 0 else "-infinity"
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(each) for each in value]
    return value
