"""A plan as JSON and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from htcq.capacity.plan import JobPlan, SlotPlan
from htcq.policy.consumption import NEGOTIATOR, Number
from htcq.report.legend import CHARGES_AND_DEMAND
from htcq.report.printable import one_line
from htcq.report.terminal import show_table
from htcq.report.views.fleet import SCHEMA, amounts_text
from htcq.units import show_amount


def plan_json(plans: Sequence[SlotPlan]) -> dict[str, Any]:
    """Return the plan of a node; amounts in HTCondor's units (MB, KiB, counts).

    With several slot types ``weight`` and ``claims`` are sums over all slots, and each job is
    shown on the first slot type that takes it, with ``fits`` summed; ``slot_types`` has every
    type for itself.
    """
    claims: dict[str, Number] = {}
    weights: dict[str, Number] = {}
    for plan in plans:
        counted = claims if plan.counts_claims else weights
        for asset, count in plan.claims.items():
            counted[asset] = counted.get(asset, 0) + count * plan.slot.type.count
    return {
        "schema": SCHEMA,
        "weight": sum(plan.weight * plan.slot.type.count for plan in plans),
        "claims": claims,
        "asset_weights": weights,
        "limiting": plans[0].limiting,
        "jobs": [_best(plans, index) for index in range(len(plans[0].jobs))],
        "slot_types": [_slot_json(plan) for plan in plans],
    }


def _best(plans: Sequence[SlotPlan], index: int) -> dict[str, Any]:
    jobs = [plan.jobs[index] for plan in plans]
    shown = _job_json(next((job for job in jobs if job.fits), jobs[0]))
    shown["fits"] = sum(job.fits * plan.slot.type.count for job, plan in zip(jobs, plans))
    return shown


def _slot_json(plan: SlotPlan) -> dict[str, Any]:
    policy, together = plan.slot.policy, plan.together
    return {
        "number": plan.slot.type.number,
        "count": plan.slot.type.count,
        "model": plan.slot.counted.describe(),
        "splitting": policy.splitting,
        "amounts": dict(plan.slot.total),
        "weight": plan.weight,
        "claims": dict(plan.claims) if plan.counts_claims else {},
        "asset_weights": {} if plan.counts_claims else dict(plan.claims),
        "limiting": plan.limiting,
        "num_claims": policy.num_claims,
        "jobs": [_job_json(job) for job in plan.jobs],
        "together": None
        if together is None
        else {**vars(together), "running": list(together.running)},
        "changes": [{"what": what, "why": why} for what, why in policy.changes],
    }


def _job_json(job: JobPlan) -> dict[str, Any]:
    return {
        "shape": dict(job.shape),
        "consumption": dict(job.consumption),
        "carved": dict(job.carved),
        "fits": job.fits,
        "match_cost": job.match_cost,
        "standing_charge": job.standing_charge,
        "schedd_weight": job.schedd_weight,
        "gap": {"standing_charge": job.gap[0], "schedd_weight": job.gap[1]},
        "problems": list(job.problems),
    }


def show_plan(plans: Sequence[SlotPlan], stream: TextIO) -> None:
    """Write the plan as tables, one pair for each slot type."""
    for index, plan in enumerate(plans):
        if index:
            print(file=stream)
        _show_slot(plan, stream, alone=len(plans) == 1)


def _show_slot(plan: SlotPlan, stream: TextIO, alone: bool) -> None:
    slot = plan.slot
    model = slot.counted.describe()
    title = model if alone else f"slot type {slot.type.number} ({slot.type.count}): {model}"
    rows = [
        [asset, show_amount(asset, amount), _claims(plan, asset)]
        for asset, amount in slot.total.items()
    ]
    show_table(
        title, ("ASSET", "AMOUNT", "CLAIMS" if plan.counts_claims else "WEIGHT"), rows, stream
    )
    print(f"{_summary(plan)}; split by the {slot.policy.splitting}", file=stream)
    if slot.policy.cpu_shares > 1:
        print(f"Each core counts as {slot.policy.cpu_shares} cpus.", file=stream)
    print(file=stream)
    # Consumption and slot are the same under a sound policy: one column then says both.
    same = all(
        not job.carved or amounts_text(job.carved) == amounts_text(job.consumption)
        for job in plan.jobs
    )
    taken = ("TAKES",) if same else ("CONSUMES", "IS GIVEN")
    show_table(
        "jobs, each shape alone on the empty slot",
        ("#", "ASKS", *taken, "FITS", "MATCH COST", "STANDING CHARGE", "SCHEDD WEIGHT", "GAP"),
        [_row(number, job, same) for number, job in enumerate(plan.jobs, 1)],
        stream,
    )
    print(CHARGES_AND_DEMAND, file=stream)
    for number, job in enumerate(plan.jobs, 1):
        for problem in job.problems:
            print(one_line(f"job {number}: {problem}"), file=stream)
    _show_together(plan, stream)
    for what, why in slot.policy.changes:
        print(one_line(f"changed: {what} ({why})"), file=stream)


def _summary(plan: SlotPlan) -> str:
    if plan.counts_claims:
        return f"W = {plan.weight:g} claims, limited by {_limit(plan)}"
    return f"slot weight {plan.weight:g}"


def _limit(plan: SlotPlan) -> str:
    """Return the limiting asset; with scheduler splitting no asset may count the claims of a fixed model."""
    return plan.limiting if plan.limiting in plan.slot.total else "their number"


def _claims(plan: SlotPlan, asset: str) -> str:
    return f"{plan.claims[asset]:g}" if asset in plan.claims else "not counted"


def _row(number: int, job: JobPlan, same: bool) -> list[str]:
    return [
        str(number),
        amounts_text(job.shape),
        *([] if same else [amounts_text(job.consumption)]),
        amounts_text(job.carved),
        str(job.fits),
        f"{job.match_cost:g}",
        f"{job.standing_charge:g}",
        f"{job.schedd_weight:g}",
        f"{job.gap[0]:+g} / {job.gap[1]:+g}" if job.fits else "",
    ]


def _show_together(plan: SlotPlan, stream: TextIO) -> None:
    together = plan.together
    if together is None or plan.slot.policy.splitting != NEGOTIATOR:
        return
    running = ", ".join(
        f"{count} of job {number}" for number, count in enumerate(together.running, 1) if count
    )
    print(
        f"all of them at once, in this order: {running or 'none'} run; match costs "
        f"{together.match_cost:g}, "
        f"standing charges {together.standing_charge:g}, weight left {together.weight_left:g}, "
        f"demand {together.demand:g}",
        file=stream,
    )
