"""Record the present state of a pool's group quotas. For cron: prints nothing when all is well.

The pool is captured, or it is a snapshot, which counts for the time at which it was taken.
Nothing is recorded of a pool with incomplete data, or with a negotiator that has been silent for
too long.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from htcq.cli.drift_options import add_look_options, elastic_of, max_age_of, source_of
from htcq.cli.options import STDOUT, add_pool_options, add_prometheus, add_store, print_or_put
from htcq.errors import EXIT_FINDINGS, EXIT_FINE
from htcq.operations.health import marked, tell_ailments
from htcq.report.printable import one_line, tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq drift record``."""
    add_pool_options(parser, confined=False)
    add_look_options(parser)
    add_store(parser)
    parser.add_argument(
        "--quotas", metavar="FILE",
        help=("file of the elastic quotas whose ledger is recorded (default: as [drift] of the "
            "site file says, or none)"),
    )  # fmt: skip
    add_prometheus(parser)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print one line about what was recorded"
    )


def main(arguments: argparse.Namespace) -> int:
    """Look, then record, then write the metrics."""
    from htcq.operations.history import record
    from htcq.operations.observe_quotas import observe_quotas
    from htcq.operations.output_files import place_of
    from htcq.operations.site_file import read_site_file
    from htcq.report.moments import moment

    site = read_site_file(arguments.config)
    store = Path(arguments.store or site.drift.store)
    metrics = arguments.prometheus
    if metrics and metrics != STDOUT:
        place_of(metrics)
    elastic = elastic_of(arguments, site)
    started = time.monotonic()
    seen = observe_quotas(
        source_of(arguments, elastic is not None), site.groups, max_age_of(arguments), elastic
    )
    observation = seen.observation
    tell_ailments(seen.health, observation.pool)
    took = time.monotonic() - started
    # Not before: a pool may take a minute to answer, and others wait for the store.
    recorded, aside = record(store, observation, live=not arguments.snapshot)
    if metrics:
        from htcq.report.views.drift_record import drift_metrics

        print_or_put(metrics, drift_metrics(observation, time.time(), took))
    if arguments.verbose:
        done = "recorded" if recorded else "there already"
        told = f"{len(observation.groups)} groups"
        if elastic is not None:
            told += f", {len(observation.ledger)} rows of the ledger"
        print(one_line(f"{store}: {observation.pool}, {moment(observation.time)}, {told}: {done}"))
    if aside is None:
        return marked(EXIT_FINE, seen.health)
    tell(f"htcq: {store} was damaged: it is {aside} now, and a new one was begun")
    return marked(EXIT_FINDINGS, seen.health)
