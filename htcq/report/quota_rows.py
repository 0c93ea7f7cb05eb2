"""Group quotas as CSV: a row for each group of each pool.

Columns that end in _weight are in ``unit``, those that end in _demand in ``demand_unit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.report import PoolQuotaReport
from htcq.report.csv_table import Figure, write_table
from htcq.report.quota_words import marked
from htcq.units import plain_number

COLUMNS = (
    "pool", "taken", "negotiator", "configuration", "group", "parent", "depth", "kind", "configured", "accept_surplus",
    "autoregroup", "unit", "demand_unit", "pool_weight", "effective_weight", "subtree_weight", "submitters",
    "idle_demand", "running_demand", "requested_demand", "usage_weight", "subtree_usage_weight", "allocated_weight",
    "limit_weight", "computed_limit_weight", "headroom_weight", "borrowed_weight", "lent_weight", "turn", "sort_key",
    "marks",
)  # fmt: skip
#: Whether a row is of the pool's configuration as it is, or with the changes of a what-if.
CURRENT, CHANGED = "current", "changed"


def write_csv(looks: Sequence[tuple[PoolQuotaReport, PoolQuotaReport | None]], stream: TextIO) -> None:
    """Write every pool's groups, depth first: as they are, then as they would be if that is asked for."""
    write_table(COLUMNS, _all_rows(looks), stream)


def _all_rows(looks: Sequence[tuple[PoolQuotaReport, PoolQuotaReport | None]]) -> Iterator[list[str]]:
    for now, then in looks:
        yield from quota_rows(now, CURRENT)
        if then is not None:
            yield from quota_rows(then, CHANGED)


def quota_rows(look: PoolQuotaReport, configuration: str = CURRENT) -> Iterator[list[str]]:
    """Yield the groups as rows of :data:`COLUMNS`; what a group does not have is empty, NaN is nan."""
    for standing in look.standings:
        yield [
            look.source,
            look.taken,
            look.negotiator,
            configuration,
            standing.name,
            standing.parent or "",
            str(standing.depth),
            *_configured(standing),
            _truth(standing.accept_surplus),
            _truth(standing.autoregroup),
            look.unit,
            look.demand_unit,
            _number(look.pool_weight),
            *_amounts(standing),
            "" if standing.turn is None else str(standing.turn),
            _number(standing.sort_key),
            "; ".join(marked(standing, mark) for mark in standing.marks),
        ]


def _configured(standing: GroupStatus) -> tuple[str, str]:
    """Return what kind of quota a group has and, in ``unit`` or as a share from 0 to 1, how much."""
    if not standing.configured:
        return "none", ""
    return "static" if standing.static else "dynamic", _number(standing.config_quota)


def _amounts(standing: GroupStatus) -> Iterator[str]:
    for amount in (
        standing.quota,
        standing.subtree_quota,
        standing.submitters,
        standing.idle,
        standing.running,
        standing.requested,
        standing.usage,
        standing.subtree_usage,
        standing.allocated,
        standing.working_limit,
        standing.limit,
        standing.headroom,
        standing.borrowed,
        standing.lent,
    ):
        yield "" if amount is None else _number(amount)


def _number(number: float) -> str:
    """Return a number with all its digits."""
    return Figure(plain_number(number))


def _truth(value: bool) -> str:
    return "true" if value else "false"
