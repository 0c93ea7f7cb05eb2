"""The plan of a fleet as JSON; htcq-plan(1) lists the names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from htcq.capacity.fill import plain
from htcq.capacity.fleet import ChargeFactor, FleetPlan, KindPlan
from htcq.policy.consumption import Number
from htcq.report.views.fleet_sentences import gap_sentences, quotas_hold
from htcq.report.views.plan import SCHEMA, charges_json

#: Most nodes that are named where some of a kind stand for all.
EXAMPLES = 3


def fleet_json(fleet: FleetPlan) -> dict[str, Any]:
    """Return the plan of a fleet; amounts in HTCondor's units (MB, KiB, counts), cpus in cores."""
    return {
        "schema": SCHEMA,
        "weight": plain(fleet.weight),
        "fleet": {
            "nodes": fleet.nodes,
            "weight_busy": _range(fleet.busy()),
            "quotas": {
                "hold": quotas_hold(fleet),
                "words": list(gap_sentences(fleet)),
                "max_factor": _factor_json(fleet.worst()),
                "min_factor": _factor_json(fleet.leakiest()),
            },
            "jobs": [_shape_json(fleet, index) for index in range(len(fleet.shapes))],
            "kinds": [_kind_json(kind) for kind in fleet.kinds],
            "left_out": [_left_out_json(*each) for each in fleet.left_out.items()],
        },
    }


def _range(busy: tuple[Number, Number]) -> dict[str, Number]:
    return {"min": plain(busy[0]), "max": plain(busy[1])}


def _shape_json(fleet: FleetPlan, index: int) -> dict[str, Any]:
    shape = fleet.shapes[index]
    return {"shape": shape.full(), "count": shape.count, "fits": fleet.fits(index)}


def _left_out_json(why: str, names: Sequence[str]) -> dict[str, Any]:
    return {"why": why, "count": len(names), "nodes": list(names[:EXAMPLES])}


def _factor_json(found: ChargeFactor | None) -> dict[str, Any] | None:
    if found is None:
        return None
    number = None
    if found.shape is not None:
        number = found.shape + 1
    return {"factor": _finite(found.factor), "job": number, "kind": found.kind}


def _finite(factor: float) -> float | None:
    """Return ``factor``; JSON has no number for one without bound."""
    if math.isfinite(factor):
        return factor
    return None


def _kind_json(kind: KindPlan) -> dict[str, Any]:
    return {
        "name": kind.name,
        "count": kind.count,
        "nodes": list(kind.nodes[:EXAMPLES]),
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
        **charges_json(job),
        "max_factor": _finite(job.fill.max_factor),
        "full_factor": _finite(job.fill.factor),
        "problems": list(job.problems),
    }
