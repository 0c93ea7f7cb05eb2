"""Show what jobs cost on the slots of a pool.

Costs are the charge at the match, the charge while a job runs, and the accountant's records.
"""

from __future__ import annotations

import argparse
import sys

from htcq.claims.costs import costs
from htcq.cli.options import add_csv, add_json, add_pool_options, add_wide
from htcq.cli.pool_options import read_source
from htcq.errors import EXIT_FINE
from htcq.operations.health import marked, slots_of, told_ailments
from htcq.pool.autocluster import autoclusters_of, made_up
from htcq.pool.slot_class import slot_classes
from htcq.pool.weights import Weights
from htcq.report.printable import tell
from htcq.report.views.cost import missing
from htcq.settings import parse_shape


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq cost``."""
    add_pool_options(parser)
    parser.add_argument(
        "--job", metavar="SHAPE", action="append",
        help=("cost of such a job instead of the pool's: ASSET=AMOUNT,..., such as "
            "cpus=1,memory=8GiB; repeatable"),
    )  # fmt: skip
    output = parser.add_argument_group("output")
    output.add_argument(
        "--all", action="store_true",
        help=("show every kind of slots, autocluster and weight expression in the tables, not only "
            "those with most slots, jobs or weight, and no sums"),
    )  # fmt: skip
    add_wide(output)
    form = output.add_mutually_exclusive_group()
    add_json(form)
    add_csv(form, "print the charges as CSV: a row for each autocluster and kind of slots")


def main(arguments: argparse.Namespace) -> int:
    """Print the match-cost audit."""
    shapes = [parse_shape(text) for text in arguments.job or ()]
    pool = read_source(arguments, files=())
    slots = slots_of(pool, "a cost needs the slot ads")
    health = told_ailments(pool)
    if shapes:
        classes = tuple(made_up(text, shape.full()) for text, shape in zip(arguments.job, shapes))
    else:
        classes = autoclusters_of(pool.jobs or ())
    found = costs(pool, slot_classes(slots), classes, Weights())
    if arguments.json:
        import json

        from htcq.report.views.cost import cost_json

        print(json.dumps(cost_json(found, pool), indent=2))
    elif arguments.csv:
        from htcq.report.views.cost import write_csv

        write_csv(found, sys.stdout)
    else:
        from htcq.report.views.cost_text import show_costs

        show_costs(found, sys.stdout, arguments.all, arguments.wide)
    if not arguments.json:
        for sentence in missing(found, pool):
            tell(f"htcq: incomplete: {sentence}")
    return marked(EXIT_FINE, health)
