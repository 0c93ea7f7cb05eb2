"""Show what the negotiator would do in its next cycle: matches, rejections and reasons.

With --cycles: how the pool goes on for so many cycles. With --set: what another configuration of
the central manager, of access points or of execution points would change.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from htcq.cli.changes import add_changes
from htcq.cli.course_options import (
    add_course_options,
    check_no_course,
    several_cycles_of,
    simulated_source,
)
from htcq.cli.options import (
    add_cycle_options,
    add_html,
    add_json,
    add_negotiator,
    add_pool_options,
    add_wide,
)
from htcq.cli.sweep import add_sweep_options, check_no_sweep, run_sweep
from htcq.cli.what_if import add_what_if, read_what_if, told
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.operations.finished_jobs import read_arrivals
from htcq.operations.health import marked
from htcq.operations.output_files import place_of, put_file
from htcq.operations.simulation import (
    Simulation,
    Subject,
    one_cycle,
    read_subject,
    several_cycles,
    status_of,
)
from htcq.settings.changes import read_all_changes

if TYPE_CHECKING:
    from htcq.simulate.course.course import SeveralCycles

#: What makes the pool another one, or prints something else.
_NOT_WITH_AGREEMENT = (
    "changes",
    "remove",
    "drain",
    "add",
    "demand",
    "model",
    "as_version",
    "cycles",
    "matches",
    "html",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq simulate``."""
    add_pool_options(parser)
    add_negotiator(
        parser, "name of the negotiator whose cycle is simulated, if the pool has several"
    )
    add_cycle_options(parser)
    add_changes(parser)
    add_what_if(parser)
    add_course_options(parser)
    add_sweep_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--agreement", action="store_true",
        help="compare HTCondor's own last reasons for rejections with those of the simulated "
        "cycle, instead of printing the cycle",
    )  # fmt: skip
    output.add_argument("--matches", action="store_true", help="list every match in order")
    add_wide(output)
    add_json(output)
    add_html(output)


def main(arguments: argparse.Namespace) -> int:
    """Simulate and print."""
    if arguments.sweep is not None:
        return run_sweep(arguments, simulation_of)
    check_no_sweep(arguments)
    _check_agreement(arguments)
    if arguments.cycles is not None and arguments.matches:
        raise InputError(
            "--matches and --cycles contradict each other",
            "--matches lists the matches of one cycle",
        )
    if arguments.html:
        place_of(arguments.html)
    asked = simulation_of(arguments)
    subject = read_subject(asked, (arguments.html,))
    if arguments.agreement:
        return marked(_agreement(asked, subject, arguments), subject.health)
    if asked.course is not None:
        return _print_course(asked, subject, asked.course, arguments)
    return _print_cycle(asked, subject, arguments)


def simulation_of(arguments: argparse.Namespace) -> Simulation:
    """Return what the options ask for.

    Raises:
        InputError: they contradict each other, say nothing that can be understood, or name a file
            that cannot be read.
    """
    changes, machine_changes = read_all_changes(arguments.changes)
    past = read_arrivals(arguments.arrivals) if arguments.arrivals else None
    course = several_cycles_of(arguments)
    if course is None:
        check_no_course(arguments, "arrivals")
    return Simulation(
        simulated_source(arguments),
        changes,
        past,
        read_what_if(arguments),
        told(arguments),
        course,
        [name.strip() for name in arguments.order.split(",") if name.strip()],
        arguments.skip_bad_slots,
        machine_changes,
    )


def _check_agreement(arguments: argparse.Namespace) -> None:
    if not arguments.agreement:
        return
    for option in _NOT_WITH_AGREEMENT:
        if getattr(arguments, option):
            name = "set" if option == "changes" else option.replace("_", "-")
            hint = f"leave out --{name}"
            raise InputError("--agreement compares with the last cycle of an unchanged pool", hint)


def _agreement(asked: Simulation, subject: Subject, arguments: argparse.Namespace) -> int:
    from htcq.simulate.cycle.cycle import Cycle
    from htcq.why.agreement import agreement

    cycle = Cycle(subject.pool, asked.order, asked.skip_bad_slots)
    cycle.run()
    found = agreement(subject.pool, cycle)
    if arguments.json:
        from htcq.report.views.agreement import agreement_json

        print(json.dumps(agreement_json(found, subject.pool), indent=2))
    else:
        from htcq.report.views.agreement_text import show_agreement

        show_agreement(found, subject.pool, sys.stdout, arguments.wide)
    if found.compared:
        return EXIT_FINE
    return EXIT_UNKNOWN


def _print_cycle(asked: Simulation, subject: Subject, arguments: argparse.Namespace) -> int:
    pool, changes = subject.pool, subject.changes
    now, then = one_cycle(asked, subject)
    if arguments.html:
        from htcq.report.pages.cycle import cycle_page

        put_file(arguments.html, cycle_page(now, then, pool, changes, subject.versions))
    if arguments.json:
        from htcq.operations.simulation import cycle_printed

        print(json.dumps(cycle_printed(now, then, subject), indent=2))
    elif then is None:
        from htcq.report.views.cycle_text import show_cycle

        show_cycle(now.trace, pool, sys.stdout, arguments.matches, arguments.wide)
    else:
        from htcq.report.views.cycle_text import show_what_if

        show_what_if(
            now.trace,
            then.trace,
            pool,
            changes,
            sys.stdout,
            subject.versions,
            arguments.wide,
        )
    return status_of((then or now).trace.crash, subject)


def _print_course(
    asked: Simulation, subject: Subject, course: SeveralCycles, arguments: argparse.Namespace
) -> int:
    pool, plan, changes = subject.pool, course.plan(subject.pool), subject.changes
    now, then = several_cycles(asked, subject, course)
    if arguments.html:
        from htcq.report.pages.course import course_page

        put_file(arguments.html, course_page(now, then, plan, pool, changes, subject.versions))
    if arguments.json:
        from htcq.operations.simulation import course_printed

        print(json.dumps(course_printed(now, then, course, subject), indent=2))
    elif then is None:
        from htcq.report.views.course_text import show_course

        show_course(now, plan, pool, sys.stdout, arguments.wide)
    else:
        from htcq.report.views.course_text import show_courses

        show_courses(now, then, plan, pool, changes, sys.stdout, subject.versions, arguments.wide)
    return status_of((then or now).crash, subject)
