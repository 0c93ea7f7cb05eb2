"""Adapt the quotas of a pool to demand: read, plan, write and verify, again and again.

Quotas are written only with --yes. Without it every step is only printed. With --once it takes one
step and ends, for a timer. While the file of quotas is refused, steps go on with the last one that
was accepted. A state that cannot be trusted changes nothing; after a long time
without a trusted state, the dead-man timer restores the static quotas.

One process reads the pool and writes here. Where strangers advertise in the pool, let one
account read and another write: 'htcq elastic plan --save' and 'htcq elastic apply --from'.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from htcq import time_limit
from htcq.cli.elastic_options import add_step_options, in_force_of, pool_of
from htcq.cli.options import add_live_pool_options
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE, HtcqError, InputError
from htcq.report.failure import reason
from htcq.report.printable import one_line, tell
from htcq.settings.durations import parse_duration

if TYPE_CHECKING:
    from htcq.operations.elastic_quotas import Declared

#: A step takes at least so long, in seconds, and so many cycles: what was written has to show
#: first.
_MIN_PAUSE, _CYCLES = 300, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic run``."""
    add_live_pool_options(
        parser, "a snapshot cannot be written to: a pool is kept elastic while it runs"
    )
    add_step_options(parser)
    parser.add_argument(
        "--yes",
        action="store_true",
        help="write the quotas of each step; without it, each step is only printed",
    )
    parser.add_argument(
        "--interval",
        metavar="TIME",
        help="time from one step to the next (default: 5min, or 3 cycles if longer)",
    )
    steps = parser.add_mutually_exclusive_group()
    steps.add_argument(
        "--ticks", metavar="N", type=int, help="number of steps to take (default: no end)"
    )
    steps.add_argument("--once", action="store_true", help="take one step and end, for a timer")


def main(arguments: argparse.Namespace) -> int:
    """Take steps until told to end; the exit status is that of the last."""
    from htcq.operations.quota_steps import USUAL_CYCLE

    given = parse_duration("--interval", arguments.interval, zero=True) if arguments.interval else 0
    ticks = 1 if arguments.once else arguments.ticks
    if ticks is not None and ticks < 1:
        raise InputError(f"--ticks {ticks}: not a number of steps", "give 1 or more")
    status = EXIT_FINE
    taken, known = 0, ""
    while True:
        started = time.monotonic()
        time_limit.begin_again()
        cycle = USUAL_CYCLE
        try:
            # What is declared may change from step to step.
            declared = in_force_of(arguments, known)
            known = declared.settings.journal
            interval = given or declared.settings.interval
            for told, seconds in _step(arguments, declared):
                print(one_line(told), flush=True)
                cycle = seconds
            status = EXIT_USAGE if declared.refused else EXIT_FINE
        except (HtcqError, time_limit.Late) as error:
            tell(f"htcq: {reason(error)}")
            status, interval = getattr(error, "exit_status", EXIT_UNKNOWN), given
        time_limit.rest()
        taken += 1
        if ticks is not None and taken >= ticks:
            return status
        pause = interval or max(_MIN_PAUSE, _CYCLES * cycle)
        time.sleep(max(0.0, pause - (time.monotonic() - started)))


def _step(arguments: argparse.Namespace, declared: Declared) -> Iterator[tuple[str, float]]:
    """Take one step, or only print it; yield what was done, and the seconds of a cycle."""
    from htcq.operations.quota_steps import show_step, take_step

    source = pool_of(arguments, declared)
    if arguments.yes:
        return take_step(source, declared, arguments.accept_loss)
    return iter((show_step(source, declared, arguments.accept_loss),))
