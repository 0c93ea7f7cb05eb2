"""Show what a claim-capacity model would do on nodes: claims, and what each job costs and gets."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from htcq.capacity.fleet import FleetPlan, plan_fleet
from htcq.capacity.prices import FOR_ONE_NODE
from htcq.capacity.scarcity import scarcity
from htcq.capacity.shape import Shape
from htcq.cli.model_options import add_model_options
from htcq.cli.options import add_json, add_wide, limits_of
from htcq.cli.request import Request, read_request
from htcq.errors import EXIT_FINE, InputError
from htcq.operations.health import marked
from htcq.operations.site_file import SITE_FILES, site_file
from htcq.report.views.fleet import fleet_json
from htcq.report.views.fleet_text import show_fleet, show_node_summary
from htcq.report.views.mix import Mix, mix_json, show_mix
from htcq.report.views.plan import plan_json
from htcq.report.views.plan_text import show_plan

#: Most shapes of a snapshot's jobs that are planned, the most frequent first.
MAX_SHAPES = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq plan``."""
    add_model_options(parser)
    jobs = parser.add_argument_group("jobs").add_mutually_exclusive_group()
    jobs.add_argument(
        "--job", metavar="SHAPE", action="append",
        help="job shape ASSET=AMOUNT,..., such as cpus=1,memory=8GiB,disk=1GiB,gpus=1, or with "
        "count=10 for a mix (default: jobs of the site file, or shapes that show most about the "
        "nodes); repeatable",
    )  # fmt: skip
    jobs.add_argument(
        "--jobs", metavar="SNAPSHOT",
        help=(f"use the idle and running jobs of a snapshot as a mix: the {MAX_SHAPES} most "
            "frequent shapes are planned"),
    )  # fmt: skip
    weights = parser.add_argument_group("weights that htcq finds")
    weights.add_argument(
        "--gpu-share", metavar="SHARE",
        help="linear: the part of the pool's weight that its GPUs stand for, such as 0.25 or "
        "25%% (default: a third of the weight of their nodes' cores)",
    )  # fmt: skip
    weights.add_argument(
        "--write-weights", metavar="FILE", nargs="?", const="",
        help="linear: find weights and write them into [capacity] of this site file (default: "
        "that of --config, or htcq.toml); the former file is kept as FILE~",
    )  # fmt: skip
    output = parser.add_argument_group("output")
    add_wide(output)
    add_json(output, "print the plan as JSON")


def main(arguments: argparse.Namespace) -> int:
    """Print the plan, and write the weights with ``--write-weights``."""
    request = read_request(arguments, arguments.job)
    if arguments.write_weights is not None:
        _write_weights(arguments, request)
    shapes, mix = _jobs(arguments, request)
    fleet = plan_fleet(request.nodes, shapes, request.left_out)
    if arguments.json:
        printed = _json(arguments, request, fleet, mix)
        print(json.dumps(printed, indent=2, allow_nan=False))
    else:
        _show(request, fleet, mix, arguments.wide)
    return marked(EXIT_FINE, request.health)


def _write_weights(arguments: argparse.Namespace, request: Request) -> None:
    if not request.prices:
        raise InputError(
            "--write-weights: the weights are not htcq's own choice",
            "leave out --model and its settings",
        )
    from htcq.cli.weights_file import write_weights

    file = arguments.write_weights or str(site_file(arguments.config) or SITE_FILES[0])
    write_weights(file, request.prices)


def _json(
    arguments: argparse.Namespace, request: Request, fleet: FleetPlan, mix: Mix | None
) -> dict[str, Any]:
    printed: dict[str, Any] = {}
    if fleet.nodes == 1:
        printed.update(plan_json(fleet.kinds[0].slots))
    printed.update(fleet_json(fleet))
    printed["mix"] = mix_json(mix)
    printed["notes"] = []
    if request.for_one_node:
        printed["notes"] = [FOR_ONE_NODE]
    if arguments.pool or arguments.snapshot:
        from htcq.poolquota.health import health_json

        printed["health"] = health_json(request.health)
    return printed


def _show(request: Request, fleet: FleetPlan, mix: Mix | None, wide: bool) -> None:
    if fleet.nodes == 1:
        show_plan(fleet.kinds[0].slots, sys.stdout, wide)
        show_node_summary(fleet, sys.stdout)
        if request.for_one_node:
            print(FOR_ONE_NODE)
    else:
        show_fleet(fleet, sys.stdout, wide)
    show_mix(mix, sys.stdout)


def _jobs(arguments: argparse.Namespace, request: Request) -> tuple[tuple[Shape, ...], Mix | None]:
    """Return the shapes that are planned, and the mix of jobs that they are of, if they are one.

    Raises:
        InputError: the jobs cannot be read.
    """
    if not arguments.jobs:
        mix = None
        if any(shape.count > 1 for shape in request.shapes):
            mix = _mix(request, request.shapes)
        return request.shapes, mix
    from htcq.cli.job_mix import read_job_mix

    assets = {asset for node in request.nodes for asset in node.amounts}
    jobs = read_job_mix(arguments.jobs, assets, limits_of(arguments))
    return jobs.shapes[:MAX_SHAPES], _mix(request, jobs.shapes, jobs.left_out)


def _mix(request: Request, shapes: Sequence[Shape], left_out: int = 0) -> Mix:
    nodes = [node.amounts for node in request.nodes]
    return Mix(tuple(shapes), min(len(shapes), MAX_SHAPES), left_out, scarcity(nodes, shapes))
