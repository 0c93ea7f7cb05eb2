"""Group quotas: the columns of a group; JSON, whose names htcq-quota(1) lists.

The names are a contract. Columns that end in _weight are in ``unit``, those that end in _demand in
``demand_unit``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple, TextIO

from htcq.poolquota.comparison import AmountDifference, GroupDifference, compare
from htcq.poolquota.group_status import GroupStatus, shown_limit
from htcq.poolquota.health import health_json
from htcq.poolquota.report import PoolQuotaReport
from htcq.quota.cycle_quotas import GroupQuota, Round
from htcq.quota.knobs import TreeProblem
from htcq.report.column import NONE, Column
from htcq.report.formats import csv
from htcq.report.formats.json import finite
from htcq.report.table import Table
from htcq.report.views.holders import holder_json, holders_text
from htcq.report.views.quota_sentences import difference, marked
from htcq.units import show_number

SCHEMA = 1
#: Whether a row is of the pool's configuration as it is, or with the changes of a what-if.
CURRENT, CHANGED = "current", "changed"
#: A group that the negotiator published otherwise has this in its row.
MARK = "*"
#: What amounts are of: shares of the pool, or what jobs ask for.
SHARE, _DEMAND = "weight", "demand"
#: Pools as they are, and as they would be if that is asked for.
Looks = Sequence[tuple[PoolQuotaReport, "PoolQuotaReport | None"]]


class GroupRow(NamedTuple):
    """One group of one pool; in ``configuration`` whether that is the pool as it is."""

    look: PoolQuotaReport
    group: GroupStatus
    configuration: str = CURRENT


def _kind(row: GroupRow) -> str:
    if not row.group.group.configured:
        return "none"
    if row.group.group.static:
        return "static"
    return "dynamic"


def _configured(row: GroupRow) -> str:
    """Return the quota as configured: an amount, or a share of what the parent has to hand on."""
    group = row.group.group
    if not group.configured:
        return NONE
    if group.static:
        return show_number(group.config_quota)
    return f"{show_number(100 * group.config_quota)}%"


def _config_quota(row: GroupRow) -> float | None:
    group = row.group.group
    if not group.configured:
        return None
    return group.config_quota


def _holders(row: GroupRow) -> str:
    return holders_text(row.group.held_by) if row.group.held_by else ""


def _marks(row: GroupRow) -> str:
    return "; ".join(marked(row.group, mark) for mark in row.group.marks)


def _star(row: GroupRow) -> str:
    if not row.group.marks:
        return ""
    return MARK


def _amount(
    name: str, attribute: str, heading: str = "", unit: str = SHARE, wide: bool = False
) -> Column[GroupRow]:
    """Return the column of an amount of a group; its name ends in its unit."""
    return Column(
        f"{name}_{unit}",
        lambda row: getattr(row.group, attribute),
        heading,
        unit=unit,
        right=True,
        wide=wide,
    )


_POOL: tuple[Column[GroupRow], ...] = (
    Column("pool", lambda row: row.look.source),
    Column("taken", lambda row: row.look.taken),
    Column("negotiator", lambda row: row.look.negotiator),
    Column("configuration", lambda row: row.configuration),
)
_NAME: tuple[Column[GroupRow], ...] = (
    Column("group", lambda row: row.group.name, "GROUP"),
    Column("parent", lambda row: row.group.group.parent),
    Column("depth", lambda row: row.group.depth),
    Column("kind", _kind),
)
#: What a group has and may have.
AMOUNTS: tuple[Column[GroupRow], ...] = (
    Column("configured", _config_quota, "CONFIGURED", _configured, right=True),
    Column("accept_surplus", lambda row: row.group.group.accept_surplus),
    Column("autoregroup", lambda row: row.group.group.autoregroup),
    Column("unit", lambda row: row.look.unit),
    Column("demand_unit", lambda row: row.look.demand_unit),
    Column("pool_weight", lambda row: row.look.pool_weight),
    _amount("effective", "quota", "EFFECTIVE"),
    _amount("subtree", "subtree_quota", "SUBTREE", wide=True),
    Column("submitters", lambda row: row.group.submitters),
    _amount("idle", "idle", "IDLE", _DEMAND),
    _amount("running", "running", "RUNNING", _DEMAND, wide=True),
    _amount("requested", "requested", unit=_DEMAND),
    _amount("usage", "usage", "USAGE"),
    _amount("subtree_usage", "subtree_usage", "SUBTREE\nUSAGE", wide=True),
    _amount("allocated", "allocated", "ALLOCATED", wide=True),
    Column("limit_weight", lambda row: row.group.working_limit,
           "LIMIT", lambda row: shown_limit(row.group.limit), unit=SHARE, right=True),
    _amount("computed_limit", "limit"),
    _amount("headroom", "headroom"),
    _amount("obtainable", "obtainable", "HEAD-ROOM", wide=True),
    _amount("below", "below", "BELOW", wide=True),
    Column("held_by", lambda row: _holders(row)),
    _amount("borrowed", "borrowed", "BORROWED", wide=True),
    _amount("lent", "lent", "LENT", wide=True),
    Column("turn", lambda row: row.group.turn, "TURN", right=True, wide=True),
    Column("sort_key", lambda row: row.group.sort_key),
)  # fmt: skip
_MARKS: tuple[Column[GroupRow], ...] = (Column("marks", _marks, "MARK", _star, wide=True),)
COLUMNS = (*_POOL, *_NAME, *AMOUNTS, *_MARKS)


def _compared(
    heading: str, read: Callable[[GroupDifference], AmountDifference], *, wide: bool = False
) -> list[Column[GroupDifference]]:
    """Return the columns of an amount before, after, and by how much it differs."""

    def signed(row: GroupDifference) -> str:
        return difference(read(row))

    number: Column[GroupDifference] = Column(
        "", lambda row: None, heading, unit=SHARE, right=True, wide=wide
    )
    return [
        replace(number, read=lambda row: read(row).before, heading=f"{heading}\nBEFORE"),
        replace(number, read=lambda row: read(row).after, heading=f"{heading}\nAFTER"),
        replace(number, show=signed, heading=f"{heading}\nDIFFERENCE", wide=True),
    ]


#: What is compared of a group before and after a change.
COMPARED: tuple[Column[GroupDifference], ...] = (
    *_compared("EFFECTIVE", lambda row: row.effective),
    *_compared("ALLOCATED", lambda row: row.allocated, wide=True),
    *_compared("LIMIT", lambda row: row.limit),
)


def quota_table(
    look: PoolQuotaReport, columns: Sequence[Column[GroupRow]] = COLUMNS, title: str = ""
) -> Table[GroupRow]:
    """Return the groups of a pool, depth first."""
    units = {SHARE: look.unit, _DEMAND: look.demand_unit}
    return Table(columns, [GroupRow(look, group) for group in look.standings], title, units=units)


def write_csv(looks: Looks, stream: TextIO) -> None:
    """Write every pool's groups, depth first: as they are, then with the changes of a what-if."""
    csv.write(COLUMNS, _rows(looks), stream)


def _rows(looks: Looks) -> Iterator[GroupRow]:
    for now, then in looks:
        for group in now.standings:
            yield GroupRow(now, group, CURRENT)
        if then is not None:
            for group in then.standings:
                yield GroupRow(then, group, CHANGED)


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
            "sharings": [_sharings(each) for each in look.quotas.rounds],
            "problems": [_problem(each) for each in look.problems],
            "doubts": list(look.doubts),
            "incomplete": list(look.incomplete),
            "not_offered": [{**asdict(each), "jobs": each.jobs} for each in look.kept_back],
        }
    )
    return printed


def what_if_json(
    before: PoolQuotaReport, after: PoolQuotaReport, changes: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Return both looks, the knobs that make the difference, and the groups that differ."""
    return {
        "schema": SCHEMA,
        "health": health_json(after.health),
        "changes": [{"knob": knob, "value": value} for knob, value in changes],
        "before": quota_json(before),
        "after": quota_json(after),
        "differences": finite([_difference(each) for each in compare(before, after)]),
    }


def _round(given: Round) -> dict[str, Any]:
    return {
        "surplus": given.surplus,
        "max_delta": given.max_delta,
        "groups": [asdict(group) for group in given.groups],
        "order": list(given.order),
        "limits": [{"group": limit.group, "limit": limit.limit} for limit in given.limits],
    }


def _sharings(given: Round) -> list[dict[str, Any]]:
    return [asdict(sharing) for sharing in given.sharings]


def _problem(found: TreeProblem) -> dict[str, Any]:
    return {**asdict(found), "fatal": found.fatal, "message": found.message}


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
    own = _own_fields(status)
    own["held_by"] = [holder_json(each) for each in status.held_by]
    return {**_quota(status.computed), "configured": status.group.configured, **own}


def _difference(found: GroupDifference) -> dict[str, Any]:
    place = {"name": found.name, "parent": found.status.group.parent, "depth": found.status.depth}
    return {**place, **_own_fields(found)}


def _own_fields(found: GroupQuota | GroupStatus | GroupDifference) -> dict[str, Any]:
    """Return the fields of a record without the record that it extends."""
    return {
        name: value
        for name, value in asdict(found).items()
        if name not in ("group", "computed", "status")
    }
