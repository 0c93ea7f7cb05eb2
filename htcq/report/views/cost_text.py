"""The match-cost audit as tables for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from htcq.claims.costs import Costs, Customer
from htcq.report.column import Row
from htcq.report.formats.text import show
from htcq.report.legend import CHARGES_AND_GAP
from htcq.report.legend import CONSERVATION as CONSERVATION_LEGEND
from htcq.report.table import Table
from htcq.report.views.cost import (
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

#: How many autoclusters and weight expressions the tables show, those of most jobs or weight,
#: unless all are asked for.
MAX_ROWS = 20
#: An accountant's usage and the weight of the claims are the same if they differ by less.
_CLOSE = 1e-6


def show_costs(costs: Costs, stream: TextIO, everything: bool = False, wide: bool = False) -> None:
    """Write the audit as tables; ``wide`` asks for all columns on a terminal too."""
    rows = [SlotsRow(*each) for each in enumerate(costs.kinds)]
    show(Table(SLOTS, rows, "kinds of slots", repeat=0), stream, wide)
    _show_charges(costs, stream, everything, wide)
    _show_conservation(costs, stream, wide)
    _show_weights(costs, stream, everything, wide)
    _show_customers(costs, stream, wide)


def _show_charges(costs: Costs, stream: TextIO, everything: bool, wide: bool) -> None:
    ranked = sorted(costs.classes, key=wanted_and_running, reverse=True)
    most = ranked[: _most(ranked, everything)]
    chosen = {id(jobs) for jobs in most}
    rows = [row for row in charge_rows(costs) if id(row.charge.jobs) in chosen]
    if not rows:
        return
    title = "autoclusters on full slots, each by its first job"
    _show_below(Table(COLUMNS, rows, title, repeat=0), stream, wide)
    print(CHARGES_AND_GAP, file=stream)
    _tell_more(len(ranked) - len(most), "autoclusters", stream)


def _most(rows: Sequence[object], everything: bool) -> int:
    """Return how many rows a table shows."""
    if everything:
        return len(rows)
    return MAX_ROWS


def _show_conservation(costs: Costs, stream: TextIO, wide: bool) -> None:
    rows = conservation_rows(costs)
    if not rows:
        return
    title = "conservation: the weight of the full slot is what is left and what is charged"
    _show_below(Table(CONSERVATION, rows, title, repeat=0), stream, wide)
    print(CONSERVATION_LEGEND, file=stream)


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
