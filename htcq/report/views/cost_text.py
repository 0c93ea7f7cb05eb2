"""The match-cost audit as tables for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from htcq.claims.costs import Costs, Customer
from htcq.pool.autocluster import Autocluster
from htcq.report.column import Column, Row
from htcq.report.formats.text import show
from htcq.report.legend import CHARGES_AND_GAP
from htcq.report.legend import CONSERVATION as CONSERVATION_LEGEND
from htcq.report.table import Table
from htcq.report.views.cost import (
    ACCESS_POINT,
    COLUMNS,
    CONSERVATION,
    CUSTOMERS,
    EXPRESSION,
    SLOTS,
    WEIGHTS,
    SlotsRow,
    charge_rows,
    conservation_rows,
    wanted_and_running,
)
from htcq.report.views.cost_sums import SUMS, charge_sums

#: How many kinds of slots, autoclusters and weight expressions the tables show, those of most
#: slots, jobs or weight, unless all are asked for.
MAX_ROWS = 20
#: An accountant's usage and the weight of the claims are the same if they differ by less.
_CLOSE = 1e-6


def show_costs(costs: Costs, stream: TextIO, everything: bool = False, wide: bool = False) -> None:
    """Write the audit as tables; ``wide`` asks for all columns on a terminal too.

    Of many kinds of slots those with most slots have a row, and charges are summed up over all.
    """
    rows = [SlotsRow(*each) for each in enumerate(costs.kinds)]
    most = sorted(rows, key=lambda row: -row.kind.count)[: _most(rows, everything)]
    most.sort(key=lambda row: row.place)
    show(Table(SLOTS, most, "kinds of slots", repeat=0), stream, wide)
    _tell_more(len(rows) - len(most), "kinds of slots", stream)
    _show_charges(costs, stream, everything, wide)
    _show_conservation(costs, stream, everything, wide)
    _show_weights(costs, stream, everything, wide)
    _show_customers(costs, stream, wide)


def _show_charges(costs: Costs, stream: TextIO, everything: bool, wide: bool) -> None:
    ranked = sorted(costs.classes, key=wanted_and_running, reverse=True)
    most = ranked[: _most(ranked, everything)]
    if not most:
        return
    if len(costs.kinds) > _most(costs.kinds, everything):
        title = f"autoclusters on full slots of {len(costs.kinds)} kinds, each by its first job"
        sums = Table(_with_access_points(SUMS, most), charge_sums(costs, most), title, repeat=0)
        _show_below(sums, stream, wide)
    else:
        chosen = {id(jobs) for jobs in most}
        rows = [row for row in charge_rows(costs) if id(row.charge.jobs) in chosen]
        title = "autoclusters on full slots, each by its first job"
        columns = _with_access_points(COLUMNS, most)
        _show_below(Table(columns, rows, title, repeat=0), stream, wide)
    print(CHARGES_AND_GAP, file=stream)
    _tell_more(len(ranked) - len(most), "autoclusters", stream)


def _with_access_points(
    columns: Sequence[Column[Row]], classes: Sequence[Autocluster]
) -> list[Column[Row]]:
    """Return ``columns``, that of access points only if any is known."""
    known = any(jobs.access_point for jobs in classes)
    return [each for each in columns if known or each.name != ACCESS_POINT.name]


def _most(rows: Sequence[object], everything: bool) -> int:
    """Return how many rows a table shows."""
    if everything:
        return len(rows)
    return MAX_ROWS


def _show_conservation(costs: Costs, stream: TextIO, everything: bool, wide: bool) -> None:
    rows = conservation_rows(costs)
    if not rows:
        return
    ranked = sorted(rows, key=lambda row: -row.sums.broken)
    most = sorted(ranked[: _most(rows, everything)], key=lambda row: row.place)
    title = "conservation: the weight of the full slot is what is left and what is charged"
    _show_below(Table(CONSERVATION, most, title, repeat=0), stream, wide)
    print(CONSERVATION_LEGEND, file=stream)
    left = ranked[len(most) :]
    broken = sum(row.sums.broken for row in left)
    what = f"kinds of slots, {broken} of whose slots do not add up"
    _tell_more(len(left), what, stream)


def _show_weights(costs: Costs, stream: TextIO, everything: bool, wide: bool) -> None:
    most = costs.shares[: _most(costs.shares, everything)]
    if most:
        columns = (*WEIGHTS, EXPRESSION)
        _show_below(Table(columns, most, "weight expressions of all slots", repeat=0), stream, wide)
    _tell_more(len(costs.shares) - len(most), "expressions", stream)


def _show_customers(costs: Costs, stream: TextIO, wide: bool) -> None:
    rows = [customer for customer in costs.customers if _differs(customer)]
    if rows:
        title = "submitters whose charge is not the weight of their claimed slots"
        _show_below(Table(CUSTOMERS, rows, title, repeat=0), stream, wide)


def _differs(customer: Customer) -> bool:
    """Return whether the accountant's usage is unknown, or not the weight of the claims."""
    if customer.published is None:
        return True
    return abs(customer.published - customer.claimed) > _CLOSE


def _show_below(table: Table[Row], stream: TextIO, wide: bool) -> None:
    print(file=stream)
    show(table, stream, wide)


def _tell_more(count: int, what: str, stream: TextIO) -> None:
    if count:
        print(f"{count} more {what}; --all shows them", file=stream)
