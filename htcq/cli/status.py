"""Show where all of a pool's capacity is, what all idle jobs wait for, and what to do about it.

One screen: health, capacity by cause, demand by reason, groups that have less than the lesser of
quota and demand, and the three things to do by the weight of the jobs that would start. The exit
status is 1 where capacity stands idle that waiting jobs would use and that somebody must give back,
or where a group lacks what it is due. With --nagios this is a monitoring plugin.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from htcq.cli.options import (
    add_cycle_options,
    add_json,
    add_nagios,
    add_negotiator,
    add_pool_options,
    add_wide,
)
from htcq.cli.pool_options import sources
from htcq.cli.watch import Begin, add_watch, watched
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN
from htcq.operations.health import marked, tell_ailments
from htcq.operations.pool_source import confine_to, open_source, read_open

if TYPE_CHECKING:
    from htcq.balance.balance import Balance
    from htcq.pool.pool import Pool
    from htcq.poolquota.ailment import Ailment

#: How many times as long as one simulated cycle a balance takes at most.
_CYCLES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq status``."""
    add_pool_options(parser)
    add_negotiator(
        parser, "name of the negotiator whose cycle is simulated, if the pool has several"
    )
    add_cycle_options(parser)
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    add_json(form)
    add_nagios(form)
    add_wide(output)
    add_watch(output)


def main(arguments: argparse.Namespace) -> int:
    """Simulate the next cycle, account for everything, and print, once or again and again."""
    return watched(arguments, partial(_look, arguments))


def _look(arguments: argparse.Namespace, begin: Begin) -> int:
    from htcq.balance.balance import balance_of
    from htcq.poolquota.health import ailments
    from htcq.simulate.older_reading import as_negotiator_reads
    from htcq.why.held import ATTRIBUTES
    from htcq.why.verdict import Verdicts

    source = sources(arguments, negotiator=arguments.name)[0]
    opened = open_source(replace(source, job_attributes=source.job_attributes | ATTRIBUTES))
    begin()
    confine_to([opened], (), _CYCLES)
    pool = as_negotiator_reads(read_open(opened, partly=True))
    order = [name.strip() for name in arguments.order.split(",") if name.strip()]
    balance = balance_of(Verdicts(pool, order, arguments.skip_bad_slots))
    return _printed(arguments, balance, pool, ailments(pool))


def _printed(
    arguments: argparse.Namespace, balance: Balance, pool: Pool, health: tuple[Ailment, ...]
) -> int:
    """Print the balance, and return the exit status."""
    if arguments.nagios:
        from htcq.report.views.status import plugin

        status, text = plugin(balance, health)
        print(text)
        return status
    tell_ailments(health, pool.source)
    if arguments.json:
        from htcq.report.views.status import status_json

        print(json.dumps(status_json(balance, pool, health), indent=2))
    else:
        from htcq.report.views.status_text import show_status

        show_status(balance, pool, health, sys.stdout, arguments.wide)
    if not balance.is_sound:
        return marked(EXIT_FINDINGS, health)
    if balance.unknown:
        return EXIT_UNKNOWN
    return marked(EXIT_FINE, health)
