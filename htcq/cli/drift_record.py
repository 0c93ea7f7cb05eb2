"""Record the present state of a pool's group quotas. For cron: prints nothing when all is well.

The pool is captured, or it is a snapshot, which counts for the time at which it was taken.
Nothing is recorded of a pool with incomplete data, or with a negotiator that has been silent for
too long.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.drift_options import add_look_options, elastic_of, max_age_of, source_of
from htcq.cli.options import STDOUT, add_pool_options, add_prometheus, add_store, print_or_put
from htcq.drift.observation import DriftObservation
from htcq.errors import EXIT_FINDINGS, EXIT_FINE
from htcq.operations.health import marked, tell_ailments
from htcq.poolquota.ailment import Ailment
from htcq.report.printable import one_line, tell

if TYPE_CHECKING:
    from htcq.operations.elastic_ledger import Elastic
    from htcq.operations.pool_source import OpenSource
    from htcq.settings.groups import GroupSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq drift record``."""
    add_pool_options(parser)
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
    """Look, then record, then write the metrics.

    The pool is evaluated in a confined process; what it saw is recorded here.
    """
    from htcq.operations.handed_over import record_of
    from htcq.operations.history import record
    from htcq.operations.observe_quotas import check_time
    from htcq.operations.output_files import place_of
    from htcq.operations.pool_source import evaluated_from, open_source
    from htcq.operations.site_file import read_site_file
    from htcq.report.moments import moment

    site = read_site_file(arguments.config)
    store = Path(arguments.store or site.drift.store)
    metrics = arguments.prometheus
    if metrics and metrics != STDOUT:
        place_of(metrics)
    elastic = elastic_of(arguments, site)
    started, begun = time.monotonic(), time.time()
    opened = open_source(source_of(arguments, elastic is not None))
    look = partial(_look, opened, site.groups, max_age_of(arguments), elastic)
    seen: _Seen = record_of(_Seen, evaluated_from([opened], look))
    observation = seen.observation
    check_time(observation, opened.source, begun)
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


@dataclass(frozen=True)
class _Seen:
    """What was seen of the pool, and what is wrong with its daemons."""

    observation: DriftObservation
    health: tuple[Ailment, ...]


def _look(
    opened: OpenSource, declared: GroupSettings, max_age: float, elastic: Elastic | None
) -> _Seen:
    """Evaluate the pool, and say what is wrong with it."""
    from htcq.operations.observe_quotas import observe_quotas

    seen = observe_quotas(opened, declared, max_age, elastic)
    tell_ailments(seen.health, seen.observation.pool)
    return _Seen(seen.observation, seen.health)
