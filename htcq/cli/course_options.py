"""The options of a course of several cycles, which ``simulate`` and ``why`` share."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from htcq.cli.options import seconds
from htcq.cli.pool_options import sources
from htcq.errors import InputError
from htcq.operations.finished_jobs import attribute_of_run_time, read_run_time

if TYPE_CHECKING:
    from htcq.elastic.reclaim.ends import Draws
    from htcq.operations.pool_source import Source
    from htcq.pool.pool import Pool
    from htcq.simulate.course.course import SeveralCycles
    from htcq.simulate.course.runtimes import RunTime

#: How long jobs run if nobody says, and the most cycles that one may ask for.
_RUN_TIME, _MAX_CYCLES = "exponential:3600", 100_000
#: Options that say nothing of one cycle.
OF_CYCLES = ("interval", "run-time", "seed")
Number = TypeVar("Number", int, float)


def add_course_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    course = parser.add_argument_group("several cycles")
    course.add_argument(
        "--cycles",
        metavar="N",
        type=int,
        help="number of cycles to simulate; jobs start and end in them",
    )
    course.add_argument(
        "--interval", metavar="TIME", type=seconds,
        help="time from the beginning of one cycle to that of the next (default: "
        "NEGOTIATOR_INTERVAL of the pool, or 60s)",
    )  # fmt: skip
    course.add_argument(
        "--run-time", metavar="RUNTIME",
        help="run time of jobs: a number of seconds, exponential:MEAN, uniform:LEAST..MOST, "
        "lognormal:MEDIAN:SIGMA, attribute:NAME or history:FILE (default exponential:3600)",
    )  # fmt: skip
    course.add_argument(
        "--seed", metavar="N", type=int,
        help="seed of the random numbers (default 0); the same seed gives the same course",
    )  # fmt: skip


def run_times(arguments: argparse.Namespace) -> RunTime | None:
    """Return how long jobs run; None where one cycle is asked for.

    Raises:
        InputError: --run-time says nothing, or its file holds no finished job.
    """
    if arguments.cycles is None:
        return None
    return read_run_time(arguments.run_time or _RUN_TIME)


def simulated_source(arguments: argparse.Namespace) -> Source:
    """Return the pool that the options name; its jobs are read with the attribute of --run-time."""
    source = sources(arguments, negotiator=arguments.name)[0]
    return replace(source, job_attributes=attribute_of_run_time(arguments.run_time or ""))


def claim_ends(arguments: argparse.Namespace, pool: Pool) -> Draws:
    """Return what the ends of claims are drawn from: run times, where --run-time gives them.

    Raises:
        InputError: it says nothing, or its file holds no finished job.
    """
    from random import Random

    from htcq.elastic.reclaim.ends import Draws

    dice = Random(0)
    if arguments.run_time is None:
        return Draws(dice)
    run_time = read_run_time(arguments.run_time)
    jobs = {(job.schedd, job.id): job for job in pool.jobs or () if job.running}
    return Draws(dice, lambda claim, dice: run_time(jobs.get((claim.schedd, claim.job)), dice))


def check_no_course(arguments: argparse.Namespace, *others: str, but: str = "") -> None:
    """Refuse options of several cycles, ``others`` too, where one is asked for.

    The option ``but`` is allowed.

    Raises:
        InputError: one is given.
    """
    for name in (*OF_CYCLES, *others):
        value: Any = getattr(arguments, name.replace("-", "_"))
        if value is not None and name != but:
            raise InputError(f"--{name} without --cycles", "give --cycles N too")


def cycles_of(arguments: argparse.Namespace) -> int:
    """Return how many cycles are asked for: one where the option is not given.

    Raises:
        InputError: it is out of range.
    """
    cycles: int | None = arguments.cycles
    if cycles is None:
        return 1
    return _within("--cycles", cycles, 1, _MAX_CYCLES)


def several_cycles_of(arguments: argparse.Namespace) -> SeveralCycles | None:
    """Return the course that is asked for; None where one cycle is.

    Raises:
        InputError: an option is out of range, or --run-time says nothing.
    """
    from htcq.simulate.course.course import SeveralCycles

    runs, interval = run_times(arguments), arguments.interval
    if runs is None:
        return None
    if interval is not None:
        interval = _within("--interval", interval, 1, 86400)
    return SeveralCycles(cycles_of(arguments), interval, runs, arguments.seed or 0)


def _within(option: str, number: Number, least: Number, most: Number) -> Number:
    if not least <= number <= most:
        raise InputError(f"{option} {number:g}: out of range", f"from {least:g} to {most:g}")
    return number
