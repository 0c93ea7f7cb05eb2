"""The plan of a fleet as JSON and as tables: its kinds, what jobs cost on each, what the pool weighs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from htcq.capacity.fill import CLOSE, plain
from htcq.capacity.fleet import ChargeFactor, FleetPlan, KindPlan
from htcq.policy.consumption import NEGOTIATOR, SCHEDULER, Number
from htcq.report.legend import CHARGES
from htcq.report.printable import one_line
from htcq.report.terminal import show_table
from htcq.units import show_amount, show_number, show_rough

SCHEMA = 1
#: Most nodes that are named where some of a kind stand for all.
_EXAMPLES = 3
_NOWHERE = "-"


# JSON
# -----------------------------------------------------------------------------------------------------------


def fleet_json(fleet: FleetPlan) -> dict[str, Any]:
    """Return the plan of a fleet; amounts in HTCondor's units (MB, KiB, counts), cpus in cores."""
    worst, leakiest = fleet.worst(), fleet.leakiest()
    return {
        "schema": SCHEMA,
        "weight": plain(fleet.weight),
        "fleet": {
            "nodes": fleet.nodes,
            "weight_busy": _range(fleet.busy()),
            "quotas": {
                "hold": quotas_hold(fleet),
                "words": list(gap_sentences(fleet)),
                "max_factor": _worst_json(worst),
                "min_factor": _worst_json(leakiest),
            },
            "jobs": [
                {"shape": shape.full(), "count": shape.count, "fits": fleet.fits(index)}
                for index, shape in enumerate(fleet.shapes)
            ],
            "kinds": [_kind_json(kind) for kind in fleet.kinds],
            "left_out": [
                {"why": why, "count": len(names), "nodes": list(names[:_EXAMPLES])}
                for why, names in fleet.left_out.items()
            ],
        },
    }


def _range(busy: tuple[Number, Number]) -> dict[str, Number]:
    return {"min": plain(busy[0]), "max": plain(busy[1])}


def _worst_json(worst: ChargeFactor | None) -> dict[str, Any] | None:
    if worst is None:
        return None
    number = None if worst.shape is None else worst.shape + 1
    return {"factor": _finite(worst.factor), "job": number, "kind": worst.kind}


def _finite(factor: float) -> float | None:
    """Return ``factor``; JSON has no number for one without bound."""
    return factor if math.isfinite(factor) else None


def _kind_json(kind: KindPlan) -> dict[str, Any]:
    return {
        "name": kind.name,
        "count": kind.count,
        "nodes": list(kind.nodes[:_EXAMPLES]),
        "amounts": dict(kind.amounts),
        "model": "; ".join(dict.fromkeys(plan.slot.counted.describe() for plan in kind.slots)),
        "weight": plain(kind.weight),
        "weight_busy": _range(kind.busy()),
        "jobs": [_job_json(kind, index) for index in range(len(kind.slots[0].jobs))],
        "full": {
            "running": list(kind.running()),
            "stranded": kind.stranded(),
            "stranded_weight": plain(kind.stranded_weight()),
        },
    }


def _job_json(kind: KindPlan, index: int) -> dict[str, Any]:
    job = kind.job(index)
    return {
        "fits": kind.fits(index),
        "match_cost": job.match_cost,
        "standing_charge": job.standing_charge,
        "schedd_weight": job.schedd_weight,
        "gap": {"standing_charge": job.gap[0], "schedd_weight": job.gap[1]},
        "max_factor": _finite(job.fill.max_factor),
        "full_factor": _finite(job.fill.factor),
        "problems": list(job.problems),
    }


# Words
# ----------------------------------------------------------------------------------------------------------


#: A startd before 25.4 adds about a MiB of disk to a claim, which weighs less than this part of it.
_SLIGHT = 1e-3


def _holds(worst: ChargeFactor | None) -> bool:
    return worst is None or abs(worst.factor - 1) <= _SLIGHT


def quotas_hold(fleet: FleetPlan) -> bool:
    """Tell whether every charge equals its match cost; without consumption policies a match costs the whole slot."""
    return not _splittings(fleet) and _holds(fleet.worst()) and _holds(fleet.leakiest())


def _splittings(fleet: FleetPlan) -> set[str]:
    """Return who splits slots without consumption policies."""
    found = {plan.slot.policy.splitting for kind in fleet.kinds for plan in kind.slots}
    return found - {NEGOTIATOR}


def gap_sentences(fleet: FleetPlan) -> Iterator[str]:
    """Yield what the gaps between match costs and standing charges mean for quotas."""
    worst, leakiest = fleet.worst(), fleet.leakiest()
    if worst is None or leakiest is None:
        yield "no job fits anywhere: nothing is known of quotas"
        return
    if quotas_hold(fleet):
        where = " on all kinds" if len(fleet.kinds) > 1 else ""
        yield f"every charge equals its match cost: quotas hold{where}"
        return
    splittings = _splittings(fleet)
    if SCHEDULER in splittings:
        yield (
            "the access point fills the slot that a match hands over: a group can exceed its "
            "quota by a whole slot"
        )
    elif splittings:
        yield (
            "a match costs the whole slot until the next cycle: a group can exceed its quota by "
            "one match"
        )
    if math.isinf(worst.factor):
        yield (
            f"quotas do not hold{_where(fleet, worst)}: a match costs nothing there, and its "
            "claim is charged"
        )
    elif worst.factor > 1 + _SLIGHT:
        where = f"{_where(fleet, worst)}{_when_full(fleet, worst)}"
        yield f"quotas can be exceeded up to x{show_number(worst.factor)}{where}"
    if leakiest.factor < 1 - _SLIGHT:
        factor = show_number(leakiest.factor)
        yield (
            f"claims are charged x{factor} of their match cost{_where(fleet, leakiest)}: usage "
            "leaks"
        )


def _when_full(fleet: FleetPlan, worst: ChargeFactor) -> str:
    """Return the factor when all slots are full of one shape, where it is above 1 and another one."""
    factor = max(one.factor for kind in fleet.kinds for one in kind.when_full())
    if not 1 + CLOSE < factor < worst.factor - CLOSE:
        return ""
    return f", x{show_number(factor)} when all slots are full of one shape"


def _where(fleet: FleetPlan, worst: ChargeFactor) -> str:
    jobs = "all jobs in turn" if worst.shape is None else f"job {worst.shape + 1}"
    kind = f" on nodes of kind {worst.kind}" if fleet.nodes > 1 else ""
    return f"{kind} ({jobs})"


def weight_sentence(fleet: FleetPlan) -> str:
    """Return what the pool weighs, empty and busy."""
    low, high = (plain(number) for number in fleet.busy())
    what = "the pool weighs" if fleet.nodes > 1 else "the node weighs"
    empty = show_number(fleet.weight)
    if abs(high - low) <= CLOSE:
        return f"{what} {empty} empty and {show_number(high)} busy"
    return f"{what} {empty} empty and from {show_number(low)} to {show_number(high)} busy"


# Tables
# ---------------------------------------------------------------------------------------------------------


def show_node_summary(fleet: FleetPlan, stream: TextIO) -> None:
    """Write what stands below the tables of one node."""
    kind = fleet.kinds[0]
    if any(kind.running()):
        print(
            f"full of these jobs in turn: {_running(kind)} run; left are {_stranded(kind)}",
            file=stream,
        )
    print(weight_sentence(fleet), file=stream)
    for sentence in gap_sentences(fleet):
        print(one_line(sentence), file=stream)


def show_fleet(fleet: FleetPlan, stream: TextIO) -> None:
    """Write the plan of several nodes as tables."""
    _show_kinds(fleet, stream)
    print(file=stream)
    _show_jobs(fleet, stream)
    print(file=stream)
    rows = [[kind.name, _running(kind), _stranded(kind)] for kind in fleet.kinds]
    show_table(
        "full of these jobs in turn",
        ("KIND", "JOBS THAT RUN", "LEFT FOR NONE OF THEM"),
        rows,
        stream,
    )
    print(file=stream)
    print(weight_sentence(fleet), file=stream)
    for sentence in gap_sentences(fleet):
        print(one_line(sentence), file=stream)
    for why, names in fleet.left_out.items():
        print(one_line(f"left out: {_named(names)}: {why}"), file=stream)


def _show_kinds(fleet: FleetPlan, stream: TextIO) -> None:
    rows = []
    for kind in fleet.kinds:
        low, high = kind.busy()
        rows.append(
            [
                kind.name,
                str(kind.count),
                show_number(kind.weight),
                show_number(low),
                show_number(high),
            ],
        )
    nodes = (
        f"{fleet.nodes} nodes of {len(fleet.kinds)} kinds"
        if len(fleet.kinds) > 1
        else f"{fleet.nodes} nodes"
    )
    columns = ("KIND", "NODES", "WEIGHT", "LEAST BUSY", "MOST BUSY")
    show_table(f"{nodes}: {fleet.model}", columns, rows, stream, right=(1, 2, 3, 4))


def _show_jobs(fleet: FleetPlan, stream: TextIO) -> None:
    columns = ["#", "ASKS", "DEMAND"]
    for kind in fleet.kinds:
        columns += ["\n".join([*kind.name.split(", "), "MATCH COST"]), "STANDING\nCHARGE", "FITS"]
    rows = []
    for index, shape in enumerate(fleet.shapes):
        row = [str(index + 1), amounts_text(shape.full()), _demand(fleet, index)]
        for kind in fleet.kinds:
            row += _cells(kind, index)
        rows.append(row)
    right = range(2, len(columns))
    show_table("jobs, each shape alone on empty nodes", columns, rows, stream, right, repeat=3)
    print(CHARGES, file=stream)
    for index in range(len(fleet.shapes)):
        for problem, kinds in _problems(fleet, index).items():
            print(one_line(f"job {index + 1} on {'; '.join(kinds)}: {problem}"), file=stream)


def _demand(fleet: FleetPlan, index: int) -> str:
    """Return what the schedd reports for one job, with its error against the match costs where it has one."""
    jobs = [kind.job(index) for kind in fleet.kinds]
    demand = max(job.schedd_weight for job in jobs)
    errors = [job.gap[1] for job in jobs if job.fits]
    if not errors or max(map(abs, errors)) <= CLOSE:
        return str(demand)
    least, most = f"{min(errors):+.4g}", f"{max(errors):+.4g}"
    return f"{demand} ({least})" if least == most else f"{demand} ({least} to {most})"


def _cells(kind: KindPlan, index: int) -> list[str]:
    job, fits = kind.job(index), kind.fits(index)
    if not fits:
        return [_NOWHERE] * 3
    return [show_number(job.match_cost), show_number(job.standing_charge), str(fits)]


def _problems(fleet: FleetPlan, index: int) -> Mapping[str, Sequence[str]]:
    """Return the problems of jobs that fit, with the kinds that have them; where one cannot match the table says so."""
    found: dict[str, list[str]] = {}
    for kind in fleet.kinds:
        job = kind.job(index)
        for problem in job.problems if job.fits else ():
            found.setdefault(problem, []).append(kind.name)
    if not any(kind.fits(index) for kind in fleet.kinds):
        found["can never match: no kind of node takes it"] = ["all kinds"]
    return found


def _running(kind: KindPlan) -> str:
    running = [
        f"{count} of job {number}" for number, count in enumerate(kind.running(), 1) if count
    ]
    return ", ".join(running) or "none"


def _stranded(kind: KindPlan) -> str:
    amounts = [
        f"{asset} {show_rough(asset, amount)}"
        for asset, amount in kind.stranded().items()
        if amount
    ]
    return f"{', '.join(amounts) or 'nothing'}, weight {show_number(plain(kind.stranded_weight()))}"


def amounts_text(amounts: Mapping[str, Number]) -> str:
    """Return amounts as ``cpus 1, memory 2 GiB``."""
    shown = [f"{asset} {show_amount(asset, amount)}" for asset, amount in amounts.items() if amount]
    return ", ".join(shown) or "nothing"


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    few = ", ".join(names[:_EXAMPLES])
    return f"{len(names)} machines, such as {few}" if len(names) > _EXAMPLES else few
