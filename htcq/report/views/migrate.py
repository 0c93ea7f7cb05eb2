"""A migration as JSON and as CSV; the names, which htcq-migrate(1) lists, are a contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from htcq.elastic.migration import ElasticMove
from htcq.report.formats.csv import Figure, write_table
from htcq.report.formats.json import finite
from htcq.report.views.migrate_sentences import amount, ceiling_commands, priority_commands, verdict
from htcq.report.views.migrate_steps import Step
from htcq.simulate.migration.records import Amount, GroupMove, Migration

SCHEMA = 1
COLUMNS = (
    "group", "parent", "depth", "kind", "quota_before", "quota_after", "effective_before", "effective_after",
    "share_before", "share_after", "usage_before", "usage_after", "running_before", "running_after", "idle_before",
    "idle_after", "idle_jobs", "cheapest_match", "allocated", "limit", "over", "starves", "starves_later",
)  # fmt: skip


def migration_json(
    found: Migration, elastic: Sequence[ElasticMove], todo: Sequence[Step]
) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    printed: dict[str, Any] = finite(
        {
            "schema": SCHEMA,
            **asdict(found),
            "factor": found.factor,
            "groups": [
                {**asdict(group), "over": group.over, "verdict": verdict(group)}
                for group in found.groups
            ],
            "submitters": [
                {**asdict(each), "too_good": each.too_good} for each in found.submitters
            ],
            "elastic": [asdict(move) for move in elastic],
            "ceiling_commands": list(ceiling_commands(found)),
            "priority_commands": list(priority_commands(found)),
            "steps": [asdict(step) for step in todo],
        }
    )
    return printed


def write_migration_csv(found: Migration, stream: TextIO) -> None:
    """Write a row for each group, depth first."""
    write_table(COLUMNS, (list(_row(group)) for group in found.groups), stream)


def _row(group: GroupMove) -> Iterator[str]:
    yield from (group.name, group.parent or "", str(group.depth), _kind(group))
    config = group.config_quota
    yield from ("", "") if config is None else _both(config)
    for amounts in (group.quota, group.share, group.usage, group.running, group.idle):
        yield from _both(amounts)
    yield str(group.idle_jobs)
    for number in (group.cheapest, group.allocated, group.limit, group.over):
        yield "" if number is None else Figure(amount(number))
    yield from (group.starves, group.starves_later)


def _kind(group: GroupMove) -> str:
    if group.config_quota is None:
        return "none"
    return "static" if group.static else "dynamic"


def _both(amounts: Amount) -> Iterator[str]:
    yield Figure(amount(amounts.before))
    yield Figure(amount(amounts.after))
