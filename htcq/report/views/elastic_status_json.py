"""How elastic quotas stand on a pool, as JSON; the names, which htcq-elastic(1) lists, are a contract.

Amounts are whole numbers in HTCondor's units; the dimension ``weight`` is in thousandths of slot
weight, and what is about quotas in slot weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from htcq.audit.engine import Audit
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.status import Status
from htcq.poolquota.health import health_json
from htcq.quota.elastic.declaration import SELF
from htcq.quota.elastic.group_runtime import GroupRuntime

SCHEMA = 1
_AMOUNTS = (
    "min", "max", "weight", "scaled_min", "child_request", "request", "limited", "runtime", "used", "lent", "borrowed",
    "waiting", "over",
)  # fmt: skip


def status_json(status: Status, findings: Audit) -> dict[str, Any]:
    """Return one tree."""
    seen, outcome = status.observation, status.outcome
    quotas = {target.group: target for target in status.targets}
    return {
        "taken": status.taken,
        "negotiator": seen.negotiator,
        "pool_weight": seen.pool_weight,
        "dimensions": {
            each.dimension: {
                "total": outcome.total.get(each.dimension, 0),
                "effective_total": outcome.effective_total.get(each.dimension, 0),
                "unmatchable": seen.unmatchable.get(each.dimension, 0),
                "undistributed": outcome.undistributed.get(each.dimension, 0),
                "enforcement": each.how.value,
                "why": each.why,
            }
            for each in status.enforcement
        },
        "groups": {
            group.name: _group(group, status, quotas.get(group.name)) for group in outcome.groups
        },
        "default": {"used": dict(seen.demand.default_used)},
        "system": {"used": dict(seen.demand.system_used)},
        "capacity": dict(seen.capacity),
        "claims": len(seen.claims),
        "idle_jobs": sum(each.count for each in seen.idle),
        "problems": list(seen.problems),
        "findings": [
            {
                "rule": each.rule,
                "severity": each.severity.word,
                "subject": each.subject,
                "message": each.message,
            }
            for each in findings.findings
        ],
    }


def _group(group: GroupRuntime, status: Status, target: QuotaTarget | None) -> dict[str, Any]:
    found: dict[str, Any] = {name: dict(getattr(group, name)) for name in _AMOUNTS}
    found["parent"] = group.parent
    found["leaf"] = group.leaf
    found["lends"] = group.lends
    found["own_jobs"] = group.name.endswith(f".{SELF}")
    found["implied"] = sorted(group.implied)
    found["binding"] = target.binding if target is not None else ""
    found["quota"] = None if target is None else _quota(target, status)
    return found


def _quota(target: QuotaTarget, status: Status) -> dict[str, Any]:
    return {
        "now": status.observation.configured.get(target.group),
        "target": target.quota,
        "headroom": target.headroom,
        "given": target.given,
        "accept_surplus": target.accept_surplus,
        "used": status.observation.weights.get(target.group, 0.0),
    }


def all_status_json(
    source: str, quotas: str, looked: Sequence[tuple[Status, Audit]]
) -> dict[str, Any]:
    """Return the whole of a file of quotas on a pool: the tree that stands alone as it is, others by name."""
    health = list(dict.fromkeys(each for status, _ in looked for each in status.health))
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "source": source,
        "quotas": quotas,
        "health": health_json(health),
    }
    named = {
        status.tree: status_json(status, findings) for status, findings in looked if status.tree
    }
    for status, findings in looked:
        if not status.tree:
            found.update(status_json(status, findings))
    if named:
        found["trees"] = named
    return found
