"""The runtime of elastic quotas: the columns of a group in a dimension; JSON.

The names in JSON, which htcq-elastic(1) lists, are a contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from htcq.audit.engine import Audit
from htcq.quota.elastic.declaration import Amounts
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.steps import Trace
from htcq.report.column import NONE, Column
from htcq.report.table import Table
from htcq.report.views.elastic_groups import findings_json, group_json, with_trees

SCHEMA = 1
_AMOUNTS = (
    "runtime", "min", "scaled_min", "request", "lent", "borrowed", "waiting", "over",
    "max", "weight", "child_request", "limited", "floor", "used", "allocated", "guaranteed",
)  # fmt: skip


@dataclass(frozen=True)
class Computed:
    """One tree of quotas and what was computed for it.

    ``default_request`` and ``default_used`` are of the jobs that belong to no group.
    """

    name: str
    outcome: ElasticOutcome
    default_request: Amounts
    default_used: Amounts
    findings: Audit


class DimensionRow(NamedTuple):
    """One group in one dimension."""

    group: GroupRuntime
    dimension: str


def _amount(
    heading: str,
    of: Callable[[GroupRuntime], Mapping[str, int]],
    nothing: str = "",
    wide: bool = False,
) -> Column[DimensionRow]:
    """Return the column of an amount; people see ``nothing`` in place of 0, if it is given."""

    def read(row: DimensionRow) -> int:
        return of(row.group)[row.dimension]

    def show(row: DimensionRow) -> str:
        amount = read(row)
        if nothing and not amount:
            return nothing
        return str(amount)

    return Column("", read, heading, show, right=True, wide=wide)


def _min(row: DimensionRow) -> str:
    least = row.group.min[row.dimension]
    scaled = row.group.scaled_min[row.dimension]
    if least == scaled:
        return str(least)
    return f"{scaled} of {least}"


def _max(row: DimensionRow) -> str:
    cap = row.group.max[row.dimension]
    if cap is None:
        return "unlimited"
    return str(cap)


#: What a group may use in one dimension, in HTCondor's units.
COLUMNS: tuple[Column[DimensionRow], ...] = (
    Column("", lambda row: row.group.name, "GROUP"),
    Column("", lambda row: row.dimension, "OF"),
    Column("", lambda row: row.group.min[row.dimension], "MIN", _min, right=True),
    Column("", lambda row: row.group.max[row.dimension], "MAX", _max, right=True),
    _amount("WEIGHT", lambda group: group.weight, wide=True),
    _amount("REQUEST", lambda group: group.request),
    _amount("USED", lambda group: group.used, wide=True),
    _amount("RUNTIME", lambda group: group.runtime),
    _amount("LENT", lambda group: group.lent, NONE, wide=True),
    _amount("BORROWED", lambda group: group.borrowed, NONE, wide=True),
    _amount("WAITING", lambda group: group.waiting, NONE, wide=True),
    _amount("OVER", lambda group: group.over, NONE, wide=True),
)


def runtime_table(computed: Computed, title: str) -> Table[DimensionRow]:
    """Return every group in every dimension."""
    rows: list[DimensionRow] = []
    for group in computed.outcome.groups:
        rows += [DimensionRow(group, dimension) for dimension in sorted(group.runtime)]
    return Table(COLUMNS, rows, title, repeat=2)


def elastic_json(computed: Computed, trace: bool = False) -> dict[str, Any]:
    """Return one tree, with the steps that led to every runtime if ``trace``."""
    outcome = computed.outcome
    options = outcome.options
    groups = {group.name: _group(group, outcome) for group in outcome.groups}
    if trace:
        steps = Trace(outcome)
        for group in outcome.groups:
            groups[group.name]["steps"] = _steps_by_dimension(group, steps)
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
        "groups": groups,
        "findings": findings_json(computed.findings),
    }


def _group(group: GroupRuntime, outcome: ElasticOutcome) -> dict[str, Any]:
    not_managed = sorted(set(outcome.total) - set(group.max))
    return {**group_json(group, _AMOUNTS), "not_managed": not_managed}


def _steps_by_dimension(group: GroupRuntime, trace: Trace) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for dimension in sorted(group.runtime):
        found[dimension] = list(_steps(trace, group.name, dimension))
    return found


def _steps(trace: Trace, group: str, dimension: str) -> Iterator[dict[str, Any]]:
    for step in trace.steps(group, dimension):
        yield {"kind": step.kind, "runtime": step.runtime, "text": step.text}


def all_json(source: str, computed: list[Computed], trace: bool = False) -> dict[str, Any]:
    """Return all trees of a file of quotas."""
    trees = {each.name: elastic_json(each, trace) for each in computed}
    return with_trees({"schema": SCHEMA, "source": source}, trees)
