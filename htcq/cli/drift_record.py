"""Look at a pool and keep what is seen of its group quotas. For cron: says nothing when all is well.

The pool is captured, or it is a snapshot, which counts for the time at which it was taken. Nothing is recorded of a
pool that was not read whole enough, or whose negotiator has been silent for too long.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.source import Source, add_source_options, read, sources
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, InputError, PoolError

if TYPE_CHECKING:
    from htcq.drift.observation import Observation
    from htcq.negotiate.groups import PoolQuotas
    from htcq.pool.pool import Pool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq drift record``."""
    add_source_options(parser)
    parser.add_argument("--name", "-name", metavar="NEGOTIATOR", default="", help="the one that counts, of several")
    parser.add_argument(
        "--max-age", metavar="SECONDS", type=float, help="what is published longer ago is not recorded (default 900)"
    )
    parser.add_argument("--config", metavar="FILE", help="site file (default: htcq.toml here or in /etc/htcq)")
    parser.add_argument("--store", metavar="FILE", help="the history (default: as the site file says)")
    parser.add_argument("--prometheus", metavar="FILE", help="write metrics besides, for a textfile collector")
    parser.add_argument("-v", "--verbose", action="store_true", help="say in one line what was recorded")


def main(arguments: argparse.Namespace) -> int:
    """Look, then record, then write the metrics."""
    from htcq.cli.output_files import place_of, put_file
    from htcq.cli.site import read_site_file
    from htcq.report.moments import moment
    from htcq.report.printable import one_line
    from htcq.store.history import open_history

    site = read_site_file(arguments.config)
    store = Path(arguments.store or site.drift.store)
    if arguments.prometheus:
        place_of(arguments.prometheus)
    started = time.monotonic()
    observation = _look(arguments)
    took = time.monotonic() - started
    # Not before: a pool may take a minute to answer, and others wait for the store.
    with open_history(store, writable=True) as history:
        recorded = history.record(observation)
        aside = history.set_aside
    if arguments.prometheus:
        from htcq.report.drift_metrics import drift_metrics

        put_file(arguments.prometheus, drift_metrics(observation, time.time(), took))
    if arguments.verbose:
        done = "recorded" if recorded else "there already"
        groups = len(observation.groups)
        print(f"{store}: {one_line(observation.pool)}, {moment(observation.time)}, {groups} groups: {done}")
    if aside is None:
        return EXIT_FINE
    print(f"htcq: {store} was damaged: it is {aside} now, and a new one was begun", file=sys.stderr)
    return EXIT_FINDINGS


def _look(arguments: argparse.Namespace) -> Observation:
    from htcq.cli.site import read_site_file
    from htcq.drift.observe import observe
    from htcq.negotiate.groups import PoolQuotas
    from htcq.negotiate.published import MOST_AGE, seconds_of
    from htcq.pool.weights import Weights

    declared = read_site_file(arguments.config).groups
    most_age = MOST_AGE if arguments.max_age is None else arguments.max_age
    if not most_age >= 0:
        raise InputError(f"--max-age {most_age:g}: not a time", "give seconds, 0 or more")
    source = _source(arguments)
    pool = read(source)
    taken = seconds_of(pool.taken_at)
    if taken is None:
        raise InputError(f"{source.name} does not tell when it was taken", "'htcq snapshot' writes that into meta.json")
    quotas = PoolQuotas(pool, Weights(), source.negotiator or pool.negotiator)
    _refuse(quotas, pool, source, most_age)
    return observe(quotas, pool, declared, int(taken))


def _source(arguments: argparse.Namespace) -> Source:
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    return sources(arguments, queues=False, negotiator=arguments.name)[0]


def _refuse(quotas: PoolQuotas, pool: Pool, source: Source, most_age: float) -> None:
    """Refuse what would be taken for a change of the pool and is a lack of knowledge.

    Raises:
        PoolError: slots or configuration are not known, or what is published is missing or old.
        InputError: there is no such negotiator.
    """
    known = quotas.published.negotiators
    if source.negotiator and source.negotiator not in known:
        raise InputError(
            f"{source.name} has no negotiator {source.negotiator}", f"its negotiators: {', '.join(known) or 'none'}"
        )
    for what, there in (("slots", pool.slots), ("configuration of the central manager", pool.central)):
        if there is None:
            raise PoolError(f"{source.name}: the {what} could not be read", "; ".join(pool.incomplete))
    if not quotas.grouped:
        return
    if not quotas.published.accounts:
        raise PoolError(f"{source.name}: nobody publishes its groups", "is its negotiator running?")
    age = quotas.published.age
    if age is not None and age > most_age:
        raise PoolError(
            f"{source.name}: the negotiator last published its groups {age:.0f} s before, more than {most_age:g} s",
            "is it running, and the clocks right? --max-age sets the limit",
        )
