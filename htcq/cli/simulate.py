"""Show what the negotiator would do in its next cycle: who is matched where, who is rejected and why.

With --cycles: how the pool goes on for so many cycles. With --set: what another configuration of the central manager
would change.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from htcq.cli.changes import add_changes, read_changes, warn
from htcq.cli.course_options import add_course_options, check_no_course, cycles_of, plan_of, run_times
from htcq.cli.health import check_jobs, marked, told_ailments
from htcq.cli.options import add_cycle_options, add_html, add_json, add_negotiator, add_pool_options
from htcq.cli.sweep import add_sweep_options, check_no_sweep, run_sweep
from htcq.cli.what_if import add_what_if, read_what_if, say, say_unit, told
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.operations.finished_jobs import read_arrivals
from htcq.operations.output_files import place_of, put_file
from htcq.operations.pool_source import Changes, confine_to, open_source, read_open, sources
from htcq.pool.users import not_asked
from htcq.report.printable import tell
from htcq.simulate.what_if import changed_pool

if TYPE_CHECKING:
    from htcq.pool.pool import Pool
    from htcq.simulate.course.runtimes import RunTime
    from htcq.simulate.course.single import Single

#: What makes the pool another one, or prints something else.
_NOT_WITH_AGREEMENT = ("changes", "remove", "drain", "add", "demand", "model", "cycles", "matches", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq simulate``."""
    add_pool_options(parser)
    add_negotiator(parser, "name of the negotiator whose cycle is simulated, if the pool has several")
    add_cycle_options(parser)
    add_changes(parser)
    add_what_if(parser)
    add_course_options(parser)
    add_sweep_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--agreement", action="store_true",
        help="compare HTCondor's own last reasons for rejections with those of the simulated cycle, instead of "
        "printing the cycle",
    )  # fmt: skip
    output.add_argument("--matches", action="store_true", help="list every match in order")
    add_json(output)
    add_html(output)


def main(arguments: argparse.Namespace) -> int:
    """Simulate and print."""
    if arguments.sweep is not None:
        return run_sweep(arguments)
    check_no_sweep(arguments)
    _check_agreement(arguments)
    if arguments.html:
        place_of(arguments.html)
    changes = read_changes(arguments.changes)
    past = read_arrivals(arguments.arrivals) if arguments.arrivals else None
    runs = run_times(arguments)
    what = read_what_if(arguments)
    opened = open_source(sources(arguments, negotiator=arguments.name)[0], changes, past)
    confine_to([opened], (arguments.html,), cycles_of(arguments))
    pool = read_open(opened, changes, past)
    check_jobs(pool)
    if changes and pool.changed is None:
        raise InputError(f"{pool.source} has no configuration of its central manager", "a what-if needs config.txt")
    _say_not_asked(pool)
    configured = replace(pool, central=pool.changed) if changes else pool
    changed = changed_pool(configured, what) if changes or what else None
    if changes:
        warn(pool, configured)
    if changed is not None:
        say(pool, changed)
        say_unit(configured, changed, what)
    changes = (*changes, *told(arguments))
    if runs is not None:
        return _course(pool, changed, changes, runs, arguments)
    check_no_course(arguments, "arrivals")
    return _one(pool, changed, changes, arguments)


def _check_agreement(arguments: argparse.Namespace) -> None:
    if not arguments.agreement:
        return
    for option in _NOT_WITH_AGREEMENT:
        if getattr(arguments, option):
            hint = f"leave out {'--set' if option == 'changes' else '--' + option}"
            raise InputError("--agreement compares with the last cycle of an unchanged pool", hint)


def _agreement(pool: Pool, arguments: argparse.Namespace) -> int:
    from htcq.simulate.cycle.cycle import Cycle
    from htcq.why.agreement import agreement

    cycle = Cycle(pool, _order(arguments), arguments.skip_bad_slots)
    cycle.run()
    found = agreement(pool, cycle)
    if arguments.json:
        from htcq.report.agreement_json import agreement_json

        print(json.dumps(agreement_json(found, pool), indent=2))
    else:
        from htcq.report.agreement_text import show_agreement

        show_agreement(found, pool, sys.stdout)
    return EXIT_FINE if found.compared else EXIT_UNKNOWN


def _say_not_asked(pool: Pool) -> None:
    missing = not_asked(pool)
    if missing:
        tell(f"htcq: {pool.source}: {missing}")


def _one(pool: Pool, changed: Pool | None, changes: Changes, arguments: argparse.Namespace) -> int:
    health = told_ailments(pool)
    if arguments.agreement:
        return marked(_agreement(pool, arguments), health)
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
    return marked(EXIT_FINE if (then or now).trace.crash is None else EXIT_FINDINGS, health)


def _course(pool: Pool, changed: Pool | None, changes: Changes, runs: RunTime, arguments: argparse.Namespace) -> int:
    from htcq.simulate.course.course import run_course

    if arguments.matches:
        raise InputError("--matches and --cycles contradict each other", "--matches lists the matches of one cycle")
    plan = plan_of(arguments)
    health = told_ailments(pool)
    order, seed = _order(arguments), arguments.seed or 0
    # A course leaves circles of objects behind in every cycle, which the process does not collect by itself.
    gc.freeze()
    gc.enable()
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
    return marked(EXIT_FINE if (then or now).crash is None else EXIT_FINDINGS, health)


def _order(arguments: argparse.Namespace) -> Sequence[str]:
    return [name.strip() for name in arguments.order.split(",") if name.strip()]


def _cycle(pool: Pool, arguments: argparse.Namespace) -> Single:
    from htcq.simulate.course.single import run_single

    return run_single(pool, _order(arguments), arguments.skip_bad_slots)
