"""Show what the negotiator would do in its next cycle: who is matched where, who is rejected and why.

With --set: what it would do instead if the central manager had another configuration.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from htcq.cli.changes import add_changes, read_changes, warn
from htcq.cli.source import add_source_options, read, sources
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, InputError

if TYPE_CHECKING:
    from htcq.negotiate.cycle.trace import Trace
    from htcq.pool.pool import Pool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq simulate``."""
    add_source_options(parser)
    parser.add_argument(
        "--name", "-name", metavar="NEGOTIATOR", default="", help="whose cycle it is, if a pool has several"
    )
    parser.add_argument(
        "--order", metavar="SUBMITTER,...", default="", help="whose turn is first where HTCondor leaves it open"
    )
    parser.add_argument("--skip-bad-slots", action="store_true", help="leave out slots that would end the negotiator")
    add_changes(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--matches", action="store_true", help="list every match, in order")
    output.add_argument("--json", "-json", action="store_true", help="print everything as JSON")


def main(arguments: argparse.Namespace) -> int:
    """Simulate and print."""
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    changes = read_changes(arguments.changes)
    pool = read(sources(arguments, negotiator=arguments.name)[0], changes)
    if pool.jobs is None:
        raise InputError(f"{pool.source} has no jobs", "a cycle needs the queues: jobs.ads of a snapshot")
    if changes and pool.changed is None:
        raise InputError(f"{pool.source} has no configuration of its central manager", "a what-if needs config.txt")
    now, then = _cycle(pool, arguments), None
    if changes:
        changed = replace(pool, central=pool.changed)
        warn(pool, changed)
        then = _cycle(changed, arguments)
    if arguments.json:
        from htcq.report.simulate_json import cycle_json, what_if_cycle_json

        printed = cycle_json(now, pool) if then is None else what_if_cycle_json(now, then, pool, changes)
        print(json.dumps(printed, indent=2))
    elif then is None:
        from htcq.report.simulate_text import show_cycle

        show_cycle(now, pool, sys.stdout, arguments.matches)
    else:
        from htcq.report.simulate_text import show_what_if

        show_what_if(now, then, pool, changes, sys.stdout)
    return EXIT_FINE if (then or now).crash is None else EXIT_FINDINGS


def _cycle(pool: Pool, arguments: argparse.Namespace) -> Trace:
    from htcq.negotiate.cycle.cycle import run_cycle

    order = [name.strip() for name in arguments.order.split(",") if name.strip()]
    return run_cycle(pool, order, arguments.skip_bad_slots)
