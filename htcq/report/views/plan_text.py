"""The plan of one node as tables for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TextIO

from htcq.capacity.plan import JobPlan, SlotPlan
from htcq.policy.consumption import NEGOTIATOR
from htcq.report.column import Column
from htcq.report.formats.text import show
from htcq.report.legend import CHARGES_AND_DEMAND
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.views.plan import CHARGES
from htcq.units import amounts_of, show_amount


class AssetRow(NamedTuple):
    """One asset of a slot type."""

    plan: SlotPlan
    name: str


class JobRow(NamedTuple):
    """One job on a slot type, with its number, counted from 1."""

    number: int
    job: JobPlan


def _amount(row: AssetRow) -> str:
    return show_amount(row.name, row.plan.slot.total[row.name])


def _claims(row: AssetRow) -> str:
    if row.name not in row.plan.claims:
        return "not counted"
    return f"{row.plan.claims[row.name]:g}"


def _gaps(row: JobRow) -> str:
    """Return both gaps; nothing of a job that does not fit."""
    if not row.job.fits:
        return ""
    standing, demand = row.job.gap
    return f"{standing:+g} / {demand:+g}"


def _carved(heading: str) -> Column[JobRow]:
    return Column("", lambda row: amounts_of(row.job.carved), heading, wide=True)


_ASSET: tuple[Column[AssetRow], ...] = (
    Column("", lambda row: row.name, "ASSET"),
    Column("", _amount, "AMOUNT"),
)
_CLAIMS: Column[AssetRow] = Column("", _claims, "CLAIMS")
_WEIGHT: Column[AssetRow] = Column("", _claims, "WEIGHT")
_ASKS: tuple[Column[JobRow], ...] = (
    Column("", lambda row: str(row.number), "#"),
    Column("", lambda row: amounts_of(row.job.shape), "ASKS", most=36),
)
_TAKES: tuple[Column[JobRow], ...] = (_carved("TAKES"),)
_CONSUMES: tuple[Column[JobRow], ...] = (
    Column("", lambda row: amounts_of(row.job.consumption), "CONSUMES", wide=True),
    _carved("IS GIVEN"),
)
_COSTS: tuple[Column[JobRow], ...] = (
    Column("", lambda row: str(row.job.fits), "FITS"),
    *(replace(column.of(lambda row: row.job), wide=column is not CHARGES[0]) for column in CHARGES),
    Column("", _gaps, "GAP"),
)


def show_plan(plans: Sequence[SlotPlan], stream: TextIO, wide: bool = False) -> None:
    """Write the plan as tables, one pair for each slot type.

    ``wide`` asks for all columns on a terminal too.
    """
    for index, plan in enumerate(plans):
        if index:
            print(file=stream)
        _show_assets(plan, stream, alone=len(plans) == 1)
        print(file=stream)
        _show_jobs(plan, stream, wide)
        _show_together(plan, stream)
        for what, why in plan.slot.policy.changes:
            print(one_line(f"changed: {what} ({why})"), file=stream)


def _show_assets(plan: SlotPlan, stream: TextIO, alone: bool) -> None:
    slot = plan.slot
    title = slot.counted.describe()
    if not alone:
        title = f"slot type {slot.type.number} ({slot.type.count}): {title}"
    last = _WEIGHT
    if plan.counts_claims:
        last = _CLAIMS
    rows = [AssetRow(plan, asset) for asset in slot.total]
    show(Table((*_ASSET, last), rows, title, repeat=0), stream)
    print(f"{_summary(plan)}; split by the {slot.policy.splitting}", file=stream)
    if slot.policy.cpu_shares > 1:
        print(f"Each core counts as {slot.policy.cpu_shares} cpus.", file=stream)


def _show_jobs(plan: SlotPlan, stream: TextIO, wide: bool) -> None:
    # Consumption and slot are the same under a sound policy: one column then says both.
    differs = any(_is_given_otherwise(job) for job in plan.jobs)
    columns = (*_ASKS, *(_CONSUMES if differs else _TAKES), *_COSTS)
    rows = [JobRow(number, job) for number, job in enumerate(plan.jobs, 1)]
    show(Table(columns, rows, "jobs, each shape alone on the empty slot", repeat=0), stream, wide)
    print(CHARGES_AND_DEMAND, file=stream)
    for row in rows:
        for problem in row.job.problems:
            print(one_line(f"job {row.number}: {problem}"), file=stream)


def _is_given_otherwise(job: JobPlan) -> bool:
    """Return whether the dynamic slot of a job has other amounts than the job consumes."""
    carved = {asset: amount for asset, amount in job.carved.items() if amount}
    consumed = {asset: amount for asset, amount in job.consumption.items() if amount}
    return bool(job.carved) and carved != consumed


def _summary(plan: SlotPlan) -> str:
    if plan.counts_claims:
        return f"W = {plan.weight:g} claims, limited by {_limit(plan)}"
    return f"slot weight {plan.weight:g}"


def _limit(plan: SlotPlan) -> str:
    """Return the limiting asset.

    With scheduler splitting no asset may count the claims of a fixed model.
    """
    if plan.limiting in plan.slot.total:
        return plan.limiting
    return "their number"


def running_text(running: Sequence[int]) -> str:
    """Return how many of each job run, as ``3 of job 1, 2 of job 4``."""
    found = [f"{count} of job {number}" for number, count in enumerate(running, 1) if count]
    return ", ".join(found) or "none"


def _show_together(plan: SlotPlan, stream: TextIO) -> None:
    together = plan.together
    if plan.slot.policy.splitting != NEGOTIATOR:
        return
    print(
        f"all of them at once, in this order: {running_text(together.running)} run; "
        f"match costs {together.match_cost:g}, standing charges {together.standing_charge:g}, "
        f"weight left {together.weight_left:g}, demand {together.demand:g}",
        file=stream,
    )
