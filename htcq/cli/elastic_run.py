"""Adapt the quotas of a pool to demand: read, plan, write and verify, again and again. Writes only with --yes.

Without it every step is only printed. With --once it takes one step and ends, for a timer. A state that cannot be
trusted changes nothing; after a long time without one, the dead-man timer restores the static quotas.

One process reads the pool and writes here. Where strangers advertise in the pool, let one account read and another
write: 'htcq elastic plan --save' and 'htcq elastic apply --from'.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from htcq.cli.elastic_look import add_step_options, look, only_one, read_declared, refuse, writer_of
from htcq.cli.failure import reason
from htcq.cli.options import add_live_pool_options
from htcq.errors import EXIT_FINE, HtcqError, InputError
from htcq.report.printable import one_line, tell
from htcq.settings.durations import parse_duration

if TYPE_CHECKING:
    from htcq.cli.elastic_look import Declared
    from htcq.operations.quota_writer import Writer

#: A step takes at least so long, in seconds, and so many cycles: what was written has to show first.
_MIN_PAUSE, _CYCLES = 300, 3
_USUAL_CYCLE = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic run``."""
    add_live_pool_options(parser, "a snapshot cannot be written to: a pool is kept elastic while it runs")
    add_step_options(parser)
    parser.add_argument(
        "--yes", action="store_true", help="write the quotas of each step; without it, each step is only printed"
    )
    parser.add_argument(
        "--interval", metavar="TIME", help="time from one step to the next (default: 5min, or 3 cycles if longer)"
    )
    steps = parser.add_mutually_exclusive_group()
    steps.add_argument("--ticks", metavar="N", type=int, help="number of steps to take (default: no end)")
    steps.add_argument("--once", action="store_true", help="take one step and end, for a timer")


def main(arguments: argparse.Namespace) -> int:
    """Take steps until told to end; the exit status is that of the last."""
    given = parse_duration("--interval", arguments.interval, zero=True) if arguments.interval else 0
    ticks = 1 if arguments.once else arguments.ticks
    if ticks is not None and ticks < 1:
        raise InputError(f"--ticks {ticks}: not a number of steps", "give 1 or more")
    status = EXIT_FINE
    taken = 0
    while True:
        started = time.monotonic()
        cycle = _USUAL_CYCLE
        try:
            # What is declared may change from step to step.
            declared = read_declared(arguments)
            interval = given or declared.settings.interval
            for told, seconds in _step(arguments, declared):
                print(one_line(told), flush=True)
                cycle = seconds
            status = EXIT_FINE
        except HtcqError as error:
            tell(f"htcq: {reason(error)}")
            status, interval = error.exit_status, given
        taken += 1
        if ticks is not None and taken >= ticks:
            return status
        pause = interval or max(_MIN_PAUSE, _CYCLES * cycle)
        time.sleep(max(0.0, pause - (time.monotonic() - started)))


def _step(arguments: argparse.Namespace, declared: Declared) -> Iterator[tuple[str, float]]:
    """Take one step and yield what was done, with the length of a cycle in seconds."""
    from htcq.store.elastic_journal import read_journal, shorten

    writer = writer_of(arguments, declared)
    if not arguments.yes:
        found = look(arguments, declared, writer.state(), writer.present(), time.time())
        refuse(found.refusals)
        done = "would change" if found.step.plan.changes else "would stay as it is"
        yield f"{writer.path}: {done} by plan {found.step.plan.id} (--yes writes it)", found.sight.cycle_seconds
        return
    with only_one(writer):
        shorten(writer.journal)
        journal = read_journal(writer.journal)
        for doubt in journal.doubts():
            tell(f"htcq: {doubt}")
        for told in writer.finish():
            yield f"finished: {told}", _USUAL_CYCLE
        yield _written(arguments, declared, writer)


def _written(arguments: argparse.Namespace, declared: Declared, writer: Writer) -> tuple[str, float]:
    from htcq.cli.elastic_apply import left_alone, take
    from htcq.elastic.journal import REFUSED, Record

    state = writer.state()
    stopped = left_alone(writer, state, declared.settings.max_failures)
    if stopped:
        return stopped, _USUAL_CYCLE
    found = look(arguments, declared, state, writer.present(), time.time())
    if found.refusals:
        told = "; ".join(each.message for each in found.refusals)
        writer.add(Record(0, 0.0, REFUSED, plan=found.step.plan.id, told=told))
        refuse(found.refusals)
    return take(writer, found.handover(state), asked=False), found.sight.cycle_seconds
