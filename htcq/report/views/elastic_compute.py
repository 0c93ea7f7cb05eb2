"""Elastic quotas as JSON; the names, which htcq-elastic(1) lists, are a contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from htcq.audit.engine import Audit
from htcq.quota.elastic.declaration import SELF, Amounts
from htcq.quota.elastic.group_runtime import GroupRuntime, Outcome
from htcq.quota.elastic.steps import Trace

SCHEMA = 1
_AMOUNTS = (
    "runtime", "min", "scaled_min", "request", "lent", "borrowed", "waiting", "over",
    "max", "weight", "child_request", "limited", "floor", "used", "allocated", "guaranteed",
)  # fmt: skip


@dataclass(frozen=True)
class Computed:
    """One tree as it is reported: ``default_request`` is what the jobs ask for that no group takes."""

    name: str
    outcome: Outcome
    default_request: Amounts
    default_used: Amounts
    findings: Audit


def elastic_json(computed: Computed, trace: bool = False) -> dict[str, Any]:
    """Return one tree, with the steps that made every runtime if ``trace``."""
    outcome = computed.outcome
    options = outcome.options
    told = Trace(outcome) if trace else None
    return {
        "options": {
            "scale_min": options.scale_min,
            "guarantee_usage": options.guarantee_usage,
            "rounding": options.rounding.value,
            "same_dimensions": options.same_dimensions,
        },
        "total": dict(outcome.total),
        "effective_total": dict(outcome.effective_total),
        "undistributed": dict(outcome.undistributed),
        "default": {"request": dict(computed.default_request), "used": dict(computed.default_used)},
        "groups": {group.name: _group(group, outcome, told) for group in outcome.groups},
        "findings": [
            {
                "rule": each.rule,
                "severity": each.severity.word,
                "subject": each.subject,
                "message": each.message,
            }
            for each in computed.findings.findings
        ],
    }


def _group(group: GroupRuntime, outcome: Outcome, told: Trace | None) -> dict[str, Any]:
    found: dict[str, Any] = {name: dict(getattr(group, name)) for name in _AMOUNTS}
    found["parent"] = group.parent
    found["leaf"] = group.leaf
    found["lends"] = group.lends
    found["own_jobs"] = group.name.endswith(f".{SELF}")
    found["implied"] = sorted(group.implied)
    found["not_managed"] = sorted(set(outcome.total) - set(group.max))
    if told is not None:
        found["steps"] = {
            name: list(_steps(told, group.name, name)) for name in sorted(group.runtime)
        }
    return found


def _steps(told: Trace, group: str, dimension: str) -> Iterator[dict[str, Any]]:
    for step in told.steps(group, dimension):
        yield {"kind": step.kind, "runtime": step.runtime, "text": step.text}


def all_json(source: str, computed: list[Computed], trace: bool = False) -> dict[str, Any]:
    """Return the whole of a file: the tree that stands alone as it is, those of negotiators by name."""
    found: dict[str, Any] = {"schema": SCHEMA, "source": source}
    named = {each.name: elastic_json(each, trace) for each in computed if each.name}
    for each in computed:
        if not each.name:
            found.update(elastic_json(each, trace))
    if named:
        found["trees"] = named
    return found
