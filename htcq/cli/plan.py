"""Show what a claim-capacity model would do on a node: claims, and what every job costs and is given."""

from __future__ import annotations

import argparse
import json
import sys

from htcq.capacity.plan import plan_slot, typical_shapes
from htcq.capacity.shape import Shape
from htcq.cli.options import add_model_options
from htcq.cli.request import Request, read_request
from htcq.errors import EXIT_FINE
from htcq.report.plan import plan_json, show_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq plan``."""
    add_model_options(parser)
    parser.add_argument(
        "--job",
        metavar="ASSET=AMOUNT,…",
        action="append",
        help="a job shape, such as cpus=1,memory=8GiB,disk=1GiB,gpus=1 or with count=10 (several times)",
    )
    parser.add_argument("--json", "-json", action="store_true", help="print the plan as JSON")


def main(arguments: argparse.Namespace) -> int:
    """Print the plan."""
    request = read_request(arguments, arguments.job)
    shapes = _shapes(request)
    plans = [plan_slot(slot, shapes, request.node.condor_version) for slot in request.slots]
    if arguments.json:
        print(json.dumps(plan_json(plans), indent=2))
    else:
        show_plan(plans, sys.stdout)
    return EXIT_FINE


def _shapes(request: Request) -> tuple[Shape, ...]:
    """Return the jobs asked about, or typical ones for the first slot type."""
    first = request.slots[0]
    return request.shapes or typical_shapes(first.total, first.policy.cpu_shares)
