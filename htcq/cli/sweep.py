"""A grid of what-ifs: ``htcq simulate --sweep FILE``.

Its items run in processes of this machine. Each item is one run of ``htcq simulate`` with options
of its own on the same snapshot.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.pool_options import sources
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.operations.simulation import Simulation
    from htcq.operations.sweep_place import Place
    from htcq.settings.sweep import Option
    from htcq.settings.sweep_items import Sweep

#: Options of the command line that no item has, by their groups.
_GROUPS_BESIDE = ("pool", "output", "sweep")
#: Those that may stand beside --sweep.
_BESIDE = frozenset(
    (
        "snapshot", "pool", "timeout", "deadline", "name", "json", "wide", "sweep", "results",
        "processes", "retries", "limits", "unconfined",
    )
)  # fmt: skip
_MAX_RETRIES, _MAX_PROCESSES = 100, 4096


def add_sweep_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a sweep."""
    sweep = parser.add_argument_group("sweep")
    sweep.add_argument(
        "--sweep",
        metavar="FILE",
        help="run one simulation for each item of the grid of what-ifs in FILE",
    )
    sweep.add_argument(
        "--results",
        metavar="DIR",
        help="directory of results; items that have one are not run again",
    )
    sweep.add_argument(
        "--processes",
        metavar="N",
        type=int,
        help="number of simulations at a time (default: one for each cpu)",
    )
    sweep.add_argument(
        "--retries",
        metavar="N",
        type=int,
        help="number of further tries of an item whose process dies (default 1)",
    )


def check_no_sweep(arguments: argparse.Namespace) -> None:
    """Refuse options of a sweep where there is none.

    Raises:
        InputError: there is such an option.
    """
    for name in ("results", "processes", "retries"):
        if getattr(arguments, name) is not None:
            raise InputError(f"--{name} without --sweep", "give --sweep FILE too")


def run_sweep(
    arguments: argparse.Namespace, simulation_of: Callable[[argparse.Namespace], Simulation]
) -> int:
    """Run the items that have no result, then print the results of all items.

    ``simulation_of`` reads the options of an item.
    """
    from htcq.cli.main import parser_of
    from htcq.operations.sweep_place import placed

    parser = parser_of("simulate")
    sweep = _read(arguments, parser)
    source = sources(arguments, negotiator=arguments.name)[0]
    with placed(source, arguments.results, sweep) as place:
        missing = place.missing(sweep)
        if arguments.results and len(missing) < len(sweep.items):
            there = len(sweep.items) - len(missing)
            tell(f"htcq: {there} of {len(sweep.items)} results are in {arguments.results} already")
        if missing:
            from htcq.operations.sweep_local import run_here

            limits = ["--limits", str(arguments.limits), *["--unconfined"] * arguments.unconfined]

            def simulation(words: Sequence[str]) -> Simulation:
                return simulation_of(parser.parse_args([*limits, *words]))

            processes = arguments.processes or len(os.sched_getaffinity(0))
            retries = 1 if arguments.retries is None else arguments.retries
            run_here(missing, place, processes, retries, simulation)
        return _print(sweep, place, arguments)


def _print(sweep: Sweep, place: Place, arguments: argparse.Namespace) -> int:
    from htcq.simulate.sweep import Run, Verdict

    fine, statuses = [], set()

    def runs() -> Iterator[Run]:
        for item in sweep.items:
            run = place.results.kept(item) or Run(item, Verdict(reason="its result cannot be read"))
            fine.append(run.verdict.fine)
            statuses.add(run.verdict.exit_status if run.verdict.done else None)
            yield run

    if arguments.json:
        from htcq.report.views.sweep import sweep_json

        for part in sweep_json(arguments.sweep, place.source, runs(), place.results.ground):
            sys.stdout.write(part)
    else:
        from htcq.report.views.sweep_text import show_sweep

        show_sweep(place.source, sweep, runs(), sys.stdout, arguments.wide)
    if EXIT_UNKNOWN in statuses:
        # The pool is not healthy: so every result says.
        return EXIT_UNKNOWN
    if all(fine):
        return EXIT_FINE
    return EXIT_FINDINGS


def _read(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> Sweep:
    """Return what the file describes, after the other options have been looked at."""
    from htcq.operations.site_file import parse_toml
    from htcq.settings.sweep import sweep_from

    options = item_options(parser)
    _check_alone(arguments, vars(parser.parse_args([])), options)
    sources(arguments)
    for name, least, most in (("processes", 1, _MAX_PROCESSES), ("retries", 0, _MAX_RETRIES)):
        given = getattr(arguments, name)
        if given is not None and not least <= given <= most:
            raise InputError(f"--{name} {given}: out of range", f"from {least} to {most}")
    file = arguments.sweep
    return sweep_from(parse_toml(Path(file), "see htcq-simulate(1)"), options, file)


def _check_alone(
    arguments: argparse.Namespace, untouched: Mapping[str, object], options: Sequence[Option]
) -> None:
    """Refuse what says how one simulation is to be, or to be shown."""
    of_items = {option.destination: option.name for option in options}
    for destination, value in untouched.items():
        if getattr(arguments, destination) == value or destination in _BESIDE:
            continue
        if destination in of_items:
            raise InputError(
                f"--{of_items[destination]} and --sweep contradict each other",
                f"write it in [base] of {arguments.sweep}",
            )
        raise InputError(
            f"--{destination} and --sweep contradict each other",
            "it is for one simulation; a sweep has --json",
        )


def item_options(parser: argparse.ArgumentParser) -> list[Option]:
    """Return the options of ``parser`` that an item may have."""
    from htcq.settings.sweep import Option

    found = []
    beside = {action.dest for group in parser._action_groups if group.title in _GROUPS_BESIDE
              for action in group._group_actions}  # fmt: skip
    for action in parser._actions:
        name = max(action.option_strings, key=len, default="").lstrip("-")
        if name and action.dest not in {*beside, *_BESIDE, "help"}:
            repeatable = isinstance(action, argparse._AppendAction)
            found.append(Option(name, action.dest, repeatable, action.nargs == 0))
    return found
