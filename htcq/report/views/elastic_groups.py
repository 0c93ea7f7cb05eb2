"""A group of elastic quotas in JSON, as every command prints it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from htcq.audit.engine import Audit
from htcq.quota.elastic.declaration import SELF
from htcq.quota.elastic.group_runtime import GroupRuntime


def group_json(group: GroupRuntime, amounts: Iterable[str]) -> dict[str, Any]:
    """Return a group with the ``amounts`` of these names, each by dimension."""
    found: dict[str, Any] = {name: dict(getattr(group, name)) for name in amounts}
    return {
        **found,
        "parent": group.parent,
        "leaf": group.leaf,
        "lends": group.lends,
        "priority": group.group.priority,
        "max_lent": dict(group.group.max_lent),
        "own_jobs": group.name.endswith(f".{SELF}"),
        "implied": sorted(group.implied),
    }


def findings_json(findings: Audit) -> list[dict[str, str]]:
    """Return what is wrong with the declared quotas."""
    return [
        {
            "rule": finding.rule,
            "severity": finding.severity.word,
            "subject": finding.subject,
            "message": finding.message,
        }
        for finding in findings.findings
    ]


def with_trees(top: dict[str, Any], trees: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return ``top`` with the trees of a file.

    The keys of the tree without a name are those of the whole; the others are under ``trees``.
    """
    found = {**top, **trees.get("", {})}
    named = {name: tree for name, tree in trees.items() if name}
    if named:
        found["trees"] = named
    return found
