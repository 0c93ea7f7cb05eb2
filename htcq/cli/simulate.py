"""Show what the negotiator would do in its next cycle: who is matched where, who is rejected and why.

With --cycles: what becomes of the pool in so many. With --set: what would be otherwise if the central manager had
another configuration.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from htcq.cli.changes import add_changes, read_changes, warn
from htcq.cli.output_files import place_of, put_file
from htcq.cli.past import read_arrivals, read_run_time
from htcq.cli.source import Changes, add_source_options, read, sources
from htcq.cli.sweep import add_sweep_options, check_no_sweep, run_sweep
from htcq.cli.what_if import add_what_if, read_what_if, say, told
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, InputError
from htcq.negotiate.what_if import changed_pool

if TYPE_CHECKING:
    from htcq.negotiate.cycles.single import Single
    from htcq.pool.pool import Pool

#: How long jobs run if nobody says, and the most cycles that one may ask for.
_RUN_TIME, _MOST_CYCLES = "exponential:3600", 100_000
#: Options that say nothing of one cycle.
_OF_CYCLES = ("interval", "run-time", "seed", "arrivals")
Number = TypeVar("Number", int, float)


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
    add_what_if(parser)
    course = parser.add_argument_group("several cycles")
    course.add_argument("--cycles", metavar="N", type=int, help="go on for so many cycles, in which jobs start and end")
    course.add_argument("--interval", metavar="SECONDS", type=float, help="from cycle to cycle (default 60)")
    course.add_argument("--run-time", metavar="TIME", help="how long jobs run (default exponential:3600)")
    course.add_argument("--seed", metavar="N", type=int, help="what the dice start from (default 0)")
    add_sweep_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--matches", action="store_true", help="list every match, in order")
    output.add_argument("--json", "-json", action="store_true", help="print everything as JSON")
    output.add_argument("--html", metavar="FILE", help="write a page besides")


def main(arguments: argparse.Namespace) -> int:
    """Simulate and print."""
    if arguments.sweep is not None:
        return run_sweep(arguments)
    check_no_sweep(arguments)
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    if arguments.html:
        place_of(arguments.html)
    changes = read_changes(arguments.changes)
    past = read_arrivals(arguments.arrivals) if arguments.arrivals else None
    pool = read(sources(arguments, negotiator=arguments.name)[0], changes, past)
    if pool.jobs is None:
        raise InputError(f"{pool.source} has no jobs", "a cycle needs the queues: jobs.ads of a snapshot")
    if changes and pool.changed is None:
        raise InputError(f"{pool.source} has no configuration of its central manager", "a what-if needs config.txt")
    what = read_what_if(arguments)
    configured = replace(pool, central=pool.changed) if changes else pool
    changed = changed_pool(configured, what) if changes or what else None
    if changes:
        warn(pool, configured)
    if changed is not None:
        say(pool, changed)
    changes = (*changes, *told(arguments))
    if arguments.cycles is not None:
        return _course(pool, changed, changes, arguments)
    given = [f"--{name}" for name in _OF_CYCLES if _of(arguments, name) is not None]
    if given:
        raise InputError(f"{given[0]} is for several cycles", "give --cycles too")
    return _one(pool, changed, changes, arguments)


def _one(pool: Pool, changed: Pool | None, changes: Changes, arguments: argparse.Namespace) -> int:
    now = _cycle(pool, arguments)
    then = None if changed is None else _cycle(changed, arguments)
    if arguments.html:
        from htcq.report.cycle_html import cycle_page

        put_file(arguments.html, cycle_page(now, then, pool, changes))
    if arguments.json:
        from htcq.report.simulate_json import cycle_json, what_if_cycle_json

        printed = cycle_json(now, pool) if then is None else what_if_cycle_json(now, then, pool, changes)
        print(json.dumps(printed, indent=2))
    elif then is None:
        from htcq.report.simulate_text import show_cycle

        show_cycle(now.trace, pool, sys.stdout, arguments.matches)
    else:
        from htcq.report.simulate_text import show_what_if

        show_what_if(now.trace, then.trace, pool, changes, sys.stdout)
    return EXIT_FINE if (then or now).trace.crash is None else EXIT_FINDINGS


def _course(pool: Pool, changed: Pool | None, changes: Changes, arguments: argparse.Namespace) -> int:
    from htcq.negotiate.cycles.course import Plan, run_course

    if arguments.matches:
        raise InputError("--matches lists those of one cycle", "leave out --cycles")
    plan = Plan(
        cycles=_within("--cycles", arguments.cycles, 1, _MOST_CYCLES),
        interval_seconds=_within("--interval", 60.0 if arguments.interval is None else arguments.interval, 1, 86400),
    )
    runs, order, seed = read_run_time(arguments.run_time or _RUN_TIME), _order(arguments), arguments.seed or 0
    now, then = (
        None if each is None else run_course(each, plan, runs, Random(seed), order, arguments.skip_bad_slots)
        for each in (pool, changed)
    )
    assert now is not None
    if arguments.html:
        from htcq.report.course_html import course_page

        put_file(arguments.html, course_page(now, then, plan, pool, changes))
    if arguments.json:
        from htcq.report.course_json import course_json, what_if_course_json

        one = course_json(now, plan, seed, pool)
        print(json.dumps(one if then is None else what_if_course_json(now, then, plan, seed, pool, changes), indent=2))
    elif then is None:
        from htcq.report.course_text import show_course

        show_course(now, plan, pool, sys.stdout)
    else:
        from htcq.report.course_text import show_courses

        show_courses(now, then, plan, pool, changes, sys.stdout)
    return EXIT_FINE if (then or now).crash is None else EXIT_FINDINGS


def _within(option: str, number: Number, least: Number, most: Number) -> Number:
    if not least <= number <= most:
        raise InputError(f"{option} {number:g}: out of range", f"from {least:g} to {most:g}")
    return number


def _of(arguments: argparse.Namespace, option: str) -> Any:
    return getattr(arguments, option.replace("-", "_"))


def _order(arguments: argparse.Namespace) -> Sequence[str]:
    return [name.strip() for name in arguments.order.split(",") if name.strip()]


def _cycle(pool: Pool, arguments: argparse.Namespace) -> Single:
    from htcq.negotiate.cycles.single import run_single

    return run_single(pool, _order(arguments), arguments.skip_bad_slots)
