"""The plan of one node: the charges of a job, and the JSON. htcq-plan(1) lists the names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from htcq.capacity.plan import JobPlan, SlotPlan
from htcq.policy.consumption import Number
from htcq.report.column import Column
from htcq.report.formats.json import row_json

SCHEMA = 1


def _weight(
    name: str, read: Callable[[JobPlan], Number], heading: str, about: str
) -> Column[JobPlan]:
    return Column(name, read, heading, lambda job: f"{read(job):g}", about)


#: What a job weighs: to the negotiator, to the accountant and to the access point.
CHARGES: tuple[Column[JobPlan], ...] = (
    _weight("match_cost", lambda job: job.match_cost, "MATCH COST",
            "What the negotiator charges for the match."),
    _weight("standing_charge", lambda job: job.standing_charge, "STANDING CHARGE",
            "What the accountant charges while the claim is there."),
    _weight("schedd_weight", lambda job: job.schedd_weight, "SCHEDD WEIGHT",
            "What the access point counts for the job in its demand."),
)  # fmt: skip
#: How far the other two are from the match cost.
GAPS: tuple[Column[JobPlan], ...] = (
    Column("standing_charge", lambda job: job.gap[0],
           about="The standing charge less the match cost."),
    Column("schedd_weight", lambda job: job.gap[1],
           about="The schedd weight less the match cost."),
)  # fmt: skip


def plan_json(plans: Sequence[SlotPlan]) -> dict[str, Any]:
    """Return the plan of a node; amounts in HTCondor's units (MB, KiB, counts).

    With several slot types ``weight`` and ``claims`` are sums over all slots, and each job is
    shown on the first slot type that takes it, with ``fits`` summed; ``slot_types`` has every
    type for itself.
    """
    claims: dict[str, Number] = {}
    weights: dict[str, Number] = {}
    for plan in plans:
        if plan.counts_claims:
            _add_claims(plan, claims)
        else:
            _add_claims(plan, weights)
    return {
        "schema": SCHEMA,
        "weight": sum(plan.weight * plan.slot.type.count for plan in plans),
        "claims": claims,
        "asset_weights": weights,
        "limiting": plans[0].limiting,
        "jobs": [_best(plans, index) for index in range(len(plans[0].jobs))],
        "slot_types": [_slot_json(plan) for plan in plans],
    }


def _add_claims(plan: SlotPlan, sums: dict[str, Number]) -> None:
    """Add the claims, or the weights of assets, of all slots of a type to ``sums``."""
    for asset, count in plan.claims.items():
        sums[asset] = sums.get(asset, 0) + count * plan.slot.type.count


def _best(plans: Sequence[SlotPlan], index: int) -> dict[str, Any]:
    """Return a job on the first slot type that takes it, with ``fits`` of all slots."""
    jobs = [plan.jobs[index] for plan in plans]
    shown = next((job for job in jobs if job.fits), jobs[0])
    fits = sum(job.fits * plan.slot.type.count for job, plan in zip(jobs, plans))
    return {**_job_json(shown), "fits": fits}


def _slot_json(plan: SlotPlan) -> dict[str, Any]:
    policy = plan.slot.policy
    claims: Mapping[str, Number] = {}
    weights: Mapping[str, Number] = {}
    if plan.counts_claims:
        claims = dict(plan.claims)
    else:
        weights = dict(plan.claims)
    return {
        "number": plan.slot.type.number,
        "count": plan.slot.type.count,
        "model": plan.slot.counted.describe(),
        "splitting": policy.splitting,
        "amounts": dict(plan.slot.total),
        "weight": plan.weight,
        "claims": claims,
        "asset_weights": weights,
        "limiting": plan.limiting,
        "num_claims": policy.num_claims,
        "jobs": [_job_json(job) for job in plan.jobs],
        "together": {**vars(plan.together), "running": list(plan.together.running)},
        "changes": [{"what": what, "why": why} for what, why in policy.changes],
    }


def _job_json(job: JobPlan) -> dict[str, Any]:
    return {
        "shape": dict(job.shape),
        "consumption": dict(job.consumption),
        "carved": dict(job.carved),
        "fits": job.fits,
        **charges_json(job),
        "problems": list(job.problems),
    }


def charges_json(job: JobPlan) -> dict[str, Any]:
    """Return what a job is charged, and how far the other weights are from the match cost."""
    return {**row_json(CHARGES, job), "gap": row_json(GAPS, job)}
