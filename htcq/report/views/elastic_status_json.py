"""The state of elastic quotas on a pool as JSON.

The names, which htcq-elastic(1) lists, are a contract. Amounts are whole numbers in HTCondor's
units; the dimension ``weight`` is in thousandths of slot weight, and everything about HTCondor's
quotas in slot weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from htcq.audit.engine import Audit
from htcq.elastic.enforcement import Enforcement
from htcq.elastic.fitted_runtime import held_back
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.status import Status
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.health import health_json
from htcq.quota.elastic.group_runtime import GroupRuntime
from htcq.report.views.elastic_back import back_json
from htcq.report.views.elastic_groups import findings_json, group_json, with_trees

SCHEMA = 1
_AMOUNTS = (
    "min", "max", "weight", "scaled_min", "child_request", "request", "limited", "runtime", "used",
    "lent", "borrowed", "waiting", "over",
)  # fmt: skip


def status_json(status: Status, findings: Audit) -> dict[str, Any]:
    """Return one tree."""
    seen = status.observation
    targets = {target.group: target for target in status.targets}
    groups = status.outcome.groups
    return {
        "taken": status.taken,
        "negotiator": seen.negotiator,
        "pool_weight": seen.pool_weight,
        "activity": {"state": status.activity.word, "why": status.activity.why},
        "last_day": {
            "refused": status.last_day.refused,
            "writes": status.last_day.writes,
            "vacated": status.last_day.vacated,
            "lost_weight_hours": status.last_day.lost,
        },
        "refused_file": status.refused_file,
        "windows": [each.name for each in status.windows],
        "dimensions": {each.dimension: _dimension(each, status) for each in status.enforcement},
        "groups": {group.name: _group(group, status, targets.get(group.name)) for group in groups},
        "protected": [asdict(each) for each in status.protected],
        "default": {"used": dict(seen.demand.default_used)},
        "system": {"used": dict(seen.demand.system_used)},
        "capacity": dict(seen.capacity),
        "claims": len(seen.claims),
        "idle_jobs": sum(each.count for each in seen.idle),
        "held_back": list(held_back(status.outcome, seen)),
        "problems": list(seen.problems),
        "findings": findings_json(findings),
    }


def _dimension(found: Enforcement, status: Status) -> dict[str, Any]:
    name, outcome = found.dimension, status.outcome
    return {
        "total": outcome.total.get(name, 0),
        "effective_total": outcome.effective_total.get(name, 0),
        "unmatchable": status.observation.unmatchable.get(name, 0),
        "undistributed": outcome.undistributed.get(name, 0),
        "enforcement": found.how.value,
        "why": found.why,
    }


def _group(group: GroupRuntime, status: Status, target: QuotaTarget | None) -> dict[str, Any]:
    found = group_json(group, _AMOUNTS)
    if target is None:
        return {**found, "binding": "", "quota": None, "min_back": None}
    back = next((each for each in status.mins_back if each.group == target.group), None)
    return {
        **found,
        "binding": target.binding,
        "quota": _quota(target, status),
        "min_back": back_json(back),
    }


def _quota(target: QuotaTarget, status: Status) -> dict[str, Any]:
    seen = status.observation
    return {
        "now": seen.configured.get(target.group),
        "target": target.quota,
        "headroom": target.headroom,
        "accept_surplus": target.accept_surplus,
        "used": seen.weights.get(target.group, 0.0),
    }


def all_status_json(
    source: str, quotas: str, looked: Sequence[tuple[Status, Audit]]
) -> dict[str, Any]:
    """Return all trees of the file ``quotas`` on a pool."""
    health: dict[Ailment, None] = {}
    trees = {}
    for status, findings in looked:
        health.update(dict.fromkeys(status.health))
        trees[status.tree] = status_json(status, findings)
    top = {
        "schema": SCHEMA,
        "source": source,
        "quotas": quotas,
        "health": health_json(list(health)),
    }
    return with_trees(top, trees)
