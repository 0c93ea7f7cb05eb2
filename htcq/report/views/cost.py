"""The match-cost audit as JSON, CSV rows and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from htcq.pool.autocluster import Autocluster
from htcq.pool.costs import Charge, Costs, tidy
from htcq.pool.files import JOBS_ADS
from htcq.pool.matching import Mismatch
from htcq.pool.pool import Pool
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.poolquota.health import ailments, health_json
from htcq.report.formats.csv import Figure
from htcq.report.legend import CHARGES_AND_GAP, CONSERVATION
from htcq.report.printable import one_line
from htcq.report.terminal import show_table
from htcq.units import show_amount

SCHEMA = 1
#: Autoclusters and weight expressions that the tables show unless all are asked for: those of most
#: jobs or weight.
MAX_ROWS = 20
COLUMNS = (
    "slots", "slot_count", "weight_expression", "job", "idle", "running", "matches", "why", "match_cost",
    "standing_charge", "gap", "claims", "held",
)  # fmt: skip


def missing(costs: Costs, pool: Pool) -> tuple[str, ...]:
    """Return what the audit lacks, as sentences."""
    told = [*pool.incomplete]
    if (
        pool.jobs is None
        and not costs.classes
        and not any(each.startswith(JOBS_ADS) for each in told)
    ):
        told.append(f"there is no {JOBS_ADS}: the jobs of the pool are not known")
    return tuple(told)


def cost_json(costs: Costs, pool: Pool) -> dict[str, Any]:
    """Return the audit; weights in the slots' own unit, amounts in MB, KiB and counts; None: there is no number."""
    numbers = {id(kind): index for index, kind in enumerate(costs.kinds)}
    return {
        "schema": SCHEMA,
        "source": pool.source,
        "taken": pool.taken_at,
        "health": health_json(ailments(pool)),
        "incomplete": list(missing(costs, pool)),
        "slots": [_kind_json(kind) for kind in costs.kinds],
        "jobs": [_class_json(jobs) for jobs in costs.classes],
        "charges": [
            {"slots": numbers[id(charge.kind)], **_charge_json(charge)} for charge in costs.charges
        ],
        "conservation": [
            {
                "slots": numbers[id(one.kind)],
                "full": one.full,
                "left": one.left,
                "charged": one.charged,
                "gap": tidy(one.gap),
                "broken": one.broken,
                "worst": one.worst,
                "examples": list(one.examples),
            }
            for one in costs.conservation
        ],
        "weights": [vars(share) for share in costs.shares],
        "customers": [vars(customer) for customer in costs.customers],
    }


def _kind_json(kind: SlotClass) -> dict[str, Any]:
    return {
        "count": kind.count,
        "examples": list(kind.examples),
        "type": kind.type,
        "policy": kind.supports_policy,
        "weight": kind.weight_text,
        "consumption": dict(kind.consumption),
        "total": dict(kind.total),
        "full_weight": kind.plain_weight(),
    }


def _class_json(jobs: Autocluster) -> dict[str, Any]:
    return {
        "job": jobs.name,
        "request": dict(jobs.request),
        "idle": sum(jobs.idle.values()),
        "running": sum(jobs.running.values()),
        "submitters": list(jobs.submitters),
    }


def _charge_json(charge: Charge) -> dict[str, Any]:
    return {
        "job": charge.jobs.name,
        "matches": charge.wall is Mismatch.NONE,
        "why": _why(charge),
        "consumption": dict(charge.consumption),
        "match_cost": charge.match_cost,
        "standing_charge": charge.standing_charge,
        "gap": charge.gap,
        "claims": charge.claims,
        "held": charge.held,
    }


def _why(charge: Charge) -> str:
    """Return why they do not match; empty where they do."""
    if charge.wall is Mismatch.NONE:
        return ""
    return f"{charge.wall.value}: {charge.asset}" if charge.asset else charge.wall.value


def cost_rows(costs: Costs) -> Iterator[list[str]]:
    """Yield the charges as rows of :data:`COLUMNS`."""
    for charge in costs.charges:
        jobs = _class_json(charge.jobs)
        yield [
            str(charge.kind.first.name),
            str(charge.kind.count),
            charge.kind.weight_text,
            charge.jobs.name,
            str(jobs["idle"]),
            str(jobs["running"]),
            "yes" if charge.wall is Mismatch.NONE else "no",
            _why(charge),
            *(_shown(each) for each in (charge.match_cost, charge.standing_charge, charge.gap)),
            str(charge.claims),
            _shown(charge.held),
        ]


def _shown(number: Number | None) -> str:
    return "" if number is None else Figure(f"{number:g}")


def show_costs(costs: Costs, stream: TextIO, everything: bool = False) -> None:
    """Write the audit as tables."""
    _show_kinds(costs, stream)
    _show_charges(costs, stream, everything)
    _show_conservation(costs, stream)
    _show_shares(costs, stream, everything)
    _show_customers(costs, stream)


def _show_kinds(costs: Costs, stream: TextIO) -> None:
    rows = [
        [
            _label(index),
            str(kind.count),
            kind.type.lower(),
            "yes" if kind.supports_policy else "no",
            _amounts(kind.total),
            f"{kind.plain_weight():g}",
            kind.weight_text or "(none)",
            kind.examples[0],
        ]
        for index, kind in enumerate(costs.kinds)
    ]
    columns = ("#", "SLOTS", "TYPE", "POLICY", "EACH HAD", "WEIGHT", "SLOT WEIGHT", "SUCH AS")
    _table("kinds of slots", columns, rows, stream)


def _show_charges(costs: Costs, stream: TextIO, everything: bool) -> None:
    labels = {id(kind): _label(index) for index, kind in enumerate(costs.kinds)}
    ranked = sorted(
        costs.classes, key=lambda jobs: -(sum(jobs.idle.values()) + sum(jobs.running.values()))
    )
    shown = {id(jobs) for jobs in (ranked if everything else ranked[:MAX_ROWS])}
    rows = [
        [
            charge.jobs.name,
            str(sum(charge.jobs.idle.values())),
            str(sum(charge.jobs.running.values())),
            labels[id(charge.kind)],
            _amounts(charge.consumption) if charge.wall is Mismatch.NONE else _why(charge),
            *(
                _shown(each)
                for each in (charge.match_cost, charge.standing_charge, charge.gap, charge.held)
            ),
        ]
        for charge in costs.charges
        if id(charge.jobs) in shown
    ]
    if not rows:
        return
    print(file=stream)
    columns = (
        "JOB",
        "IDLE",
        "RUNNING",
        "ON",
        "TAKES",
        "MATCH COST",
        "STANDING CHARGE",
        "GAP",
        "HELD",
    )
    _table("autoclusters on full slots, each by its first job", columns, rows, stream)
    print(CHARGES_AND_GAP, file=stream)
    if len(shown) < len(ranked):
        print(f"{len(ranked) - len(shown)} more autoclusters; --all shows them", file=stream)


def _show_conservation(costs: Costs, stream: TextIO) -> None:
    labels = {id(kind): _label(index) for index, kind in enumerate(costs.kinds)}
    rows = [
        [
            labels[id(one.kind)],
            *(f"{each:g}" for each in (one.full, one.left, one.charged)),
            f"{tidy(one.gap):+g}" if one.broken else "0",
            f"{one.broken} of {one.kind.count}" if one.broken else "none",
            f"{one.worst:+g} on {one.examples[0]}" if one.broken else "",
        ]
        for one in costs.conservation
    ]
    if rows:
        print(file=stream)
        columns = ("#", "FULL", "LEFT", "CHARGED", "GAP", "BROKEN ON", "WORST")
        _table(
            "conservation: the weight of the full slot is what is left and what is charged",
            columns,
            rows,
            stream,
        )
        print(CONSERVATION, file=stream)


def _show_shares(costs: Costs, stream: TextIO, everything: bool) -> None:
    shares = costs.shares if everything else costs.shares[:MAX_ROWS]
    rows = [
        [
            str(one.slots),
            f"{one.weight:g}",
            f"{one.share:.1%}",
            one.expression or "(none: counts as 1)",
        ]
        for one in shares
    ]
    if rows:
        print(file=stream)
        _table(
            "weight expressions of all slots",
            ("SLOTS", "WEIGHT", "SHARE", "SLOT WEIGHT"),
            rows,
            stream,
        )
    if len(shares) < len(costs.shares):
        print(f"{len(costs.shares) - len(shares)} more expressions; --all shows them", file=stream)


def _show_customers(costs: Costs, stream: TextIO) -> None:
    rows = [
        [one.name, "unknown" if one.published is None else f"{one.published:g}", f"{one.claimed:g}"]
        for one in costs.customers
        if one.published is None or abs(one.published - one.claimed) > 1e-6
    ]
    if rows:
        print(file=stream)
        columns = ("SUBMITTER", "ACCOUNTANT", "CLAIMED SLOTS")
        _table(
            "submitters whose charge is not the weight of their claimed slots",
            columns,
            rows,
            stream,
        )


def _table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], stream: TextIO
) -> None:
    """Show a table whose cells come from ads, which may hold anything."""
    show_table(title, columns, [[one_line(cell) for cell in row] for row in rows], stream)


def _label(index: int) -> str:
    return str(index + 1)


def _amounts(amounts: Mapping[str, Number | None]) -> str:
    return (
        ", ".join(
            f"{asset} {show_amount(asset, amount)}" for asset, amount in amounts.items() if amount
        )
        or "nothing"
    )
