"""Explain whether the next negotiation cycle starts idle jobs, and what keeps them from starting.

The verdict is that of the simulated cycle ('htcq simulate'). WHO is a job (CLUSTER.PROC or
CLUSTER), a submitter or a group. With --cycles: also when each job starts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from htcq.cli.course_options import (
    add_course_options,
    check_no_course,
    claim_ends,
    cycles_of,
    several_cycles_of,
    simulated_source,
)
from htcq.cli.options import add_cycle_options, add_json, add_negotiator, add_pool_options, add_wide
from htcq.cli.watch import Begin, add_watch, watched
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.operations.health import check_jobs, marked, told_ailments
from htcq.operations.pool_source import confine_to, open_source, read_open
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.elastic.reclaim.ends import Draws
    from htcq.operations.elastic_quotas import TreeState
    from htcq.pool.job import Job
    from htcq.pool.pool import Pool
    from htcq.poolquota.ailment import Ailment
    from htcq.quota.elastic.declaration import ElasticQuotas
    from htcq.simulate.course.course import SeveralCycles
    from htcq.why.course import Obstacle, Starts
    from htcq.why.held import HeldJobs
    from htcq.why.verdict import Verdicts

#: How many times as long as one simulated cycle a verdict takes at most.
_CYCLES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq why``."""
    parser.add_argument(
        "who",
        metavar="WHO",
        nargs="?",
        help="a job (also ACCESS_POINT#JOB), a submitter or a group",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help=(
            "explain all idle jobs of the pool: the sum by reason, then those that are alike in "
            "one row of a table"
        ),
    )
    parser.add_argument(
        "--schedd", metavar="NAME", help="name of the access point, if several have jobs of this id"
    )
    parser.add_argument(
        "--quotas", metavar="FILE",
        help="file of elastic quotas: what they give the group WHO now, and who has what it lends",
    )  # fmt: skip
    add_pool_options(parser)
    add_negotiator(
        parser, "name of the negotiator whose cycle is simulated, if the pool has several"
    )
    add_cycle_options(parser)
    add_course_options(parser)
    output = parser.add_argument_group("output")
    add_wide(output)
    add_json(output)
    add_watch(output)


def main(arguments: argparse.Namespace) -> int:
    """Simulate, explain and print, once or again and again."""
    if bool(arguments.who) == arguments.all:
        raise InputError("give a job, a submitter or a group, or --all", "such as 'htcq why 123.0'")
    course = several_cycles_of(arguments)
    if course is None:
        check_no_course(arguments, but="run-time" if arguments.quotas else "")
    if arguments.quotas and (arguments.all or arguments.json):
        raise InputError(
            "--quotas goes with a group alone", "such as 'htcq why GROUP --quotas FILE'"
        )
    return watched(arguments, partial(_look, arguments, course))


def _look(arguments: argparse.Namespace, course: SeveralCycles | None, begin: Begin) -> int:
    """Simulate the next cycle of the pool as it is now, and print."""
    from htcq.why.holds import ATTRIBUTES

    elastic = _elastic_quotas(arguments)
    source = simulated_source(arguments)
    source = replace(source, job_attributes=source.job_attributes | ATTRIBUTES)
    opened = open_source(source)
    begin()
    confine_to([opened], (), _CYCLES + cycles_of(arguments))
    from htcq.simulate.older_reading import as_negotiator_reads

    pool = as_negotiator_reads(read_open(opened))
    check_jobs(pool)
    _tell_missing(pool)
    if elastic is not None:
        _show_elastic(pool, elastic, arguments.who, claim_ends(arguments, pool))
    order = [name.strip() for name in arguments.order.split(",") if name.strip()]
    verdicts = _judged(pool, order, arguments)
    health = told_ailments(pool)
    try:
        jobs = _chosen(verdicts, pool.jobs or (), arguments)
    except InputError:
        if elastic is None:
            raise
        # What a group without jobs has lent, and when it is back, is said already.
        return _status(pool, health)
    starts: Starts | None = None
    last: Mapping[tuple[str, str], Obstacle] = {}
    if course is not None:
        starts, last = _course(verdicts, jobs, course, order, arguments)
    _print(arguments, verdicts, jobs, starts, last)
    return _status(pool, health)


def _status(pool: Pool, health: Sequence[Ailment]) -> int:
    if pool.central is None:
        return EXIT_UNKNOWN
    return marked(EXIT_FINE, health)


def _elastic_quotas(
    arguments: argparse.Namespace,
) -> tuple[ElasticQuotas, TreeState] | None:
    """Return the elastic quotas of the negotiator that is meant, and what is known of them."""
    from htcq.operations.elastic_quotas import tree_states_of, trees_of

    if not arguments.quotas:
        return None
    trees = trees_of(arguments.quotas, arguments.name)
    if len(trees) > 1:
        raise InputError(f"{arguments.quotas} has several trees", f"--name {', '.join(trees)}")
    ((tree, quotas),) = trees.items()
    return quotas, tree_states_of(arguments.quotas, trees)[tree]


def _show_elastic(
    pool: Pool,
    elastic: tuple[ElasticQuotas, TreeState],
    who: str,
    draws: Draws,
) -> None:
    """Print what elastic quotas give the group ``who``.

    Raises:
        InputError: they declare no such group.
    """
    from htcq.elastic.status import status_of
    from htcq.report.printable import one_line
    from htcq.report.views.elastic_why import elastic_why

    quotas, state = elastic
    sentences = list(elastic_why(status_of(pool, quotas, *state, draws=draws), who))
    if not sentences:
        names = ", ".join(group.name for group in quotas.groups)
        raise InputError(f"the elastic quotas declare no group {who}", f"their groups: {names}")
    for sentence in sentences:
        print(one_line(sentence))


def _tell_missing(pool: Pool) -> None:
    """Say on standard error what the verdict does without: a plain user may not read everything."""
    for each in (*pool.damage, *(f"{what}: {why}" for what, why in pool.failed)):
        tell(f"htcq: incomplete data: {each}")
    if pool.central is None:
        tell(
            "htcq: the negotiator's configuration is not known: the verdict is that of one "
            "without groups and limits"
        )


def _judged(pool: Pool, order: Sequence[str], arguments: argparse.Namespace) -> Verdicts:
    from htcq.why.verdict import Verdicts

    return Verdicts(pool, order, arguments.skip_bad_slots)


def _chosen(
    verdicts: Verdicts, jobs: Sequence[Job], arguments: argparse.Namespace
) -> Sequence[Job]:
    """Return the jobs that are meant."""
    from htcq.why.choice import (
        access_point_in,
        all_idle,
        at_access_point,
        jobs_of,
        several_access_points,
    )

    pool = verdicts.pool
    if arguments.all:
        return at_access_point(all_idle(jobs), arguments.schedd, verdicts.access_point, pool)
    schedd, who = access_point_in(arguments.who)
    if schedd and arguments.schedd and schedd.lower() != arguments.schedd.lower():
        raise InputError(
            f"{arguments.who} and --schedd {arguments.schedd} name two access points",
            "give one of them",
        )
    found = at_access_point(
        jobs_of(pool, verdicts.cycle.quotas, who),
        schedd or arguments.schedd,
        verdicts.access_point,
        pool,
    )
    several = several_access_points(found, who, verdicts.access_point)
    if several:
        tell(f"htcq: {several}")
    return found


def _course(
    verdicts: Verdicts,
    jobs: Sequence[Job],
    asked: SeveralCycles,
    order: Sequence[str],
    arguments: argparse.Namespace,
) -> tuple[Starts, Mapping[tuple[str, str], Obstacle]]:
    """Return when jobs start in a course of several cycles, and the last obstacle of each."""
    from random import Random

    from htcq.simulate.course.course import run_course
    from htcq.why.course import Obstacles, starts_of

    plan, dice = asked.plan(verdicts.pool), Random(asked.seed)
    obstacles = Obstacles(() if arguments.all else jobs, verdicts.access_point)
    course = run_course(
        verdicts.pool, plan, asked.runs, dice, order, arguments.skip_bad_slots,
        seen=None if arguments.all else obstacles.seen,
    )  # fmt: skip
    return starts_of(course, plan, verdicts.access_point), obstacles.last


def _held(verdicts: Verdicts, arguments: argparse.Namespace) -> HeldJobs:
    """Return the jobs on hold, those of the access point that is meant."""
    from htcq.pool.demand import JobWeights
    from htcq.why.held import held_of

    pool, schedd = verdicts.pool, (arguments.schedd or "").lower()
    jobs = [
        job for job in pool.jobs or ()
        if not schedd or verdicts.access_point(job).lower() == schedd
    ]  # fmt: skip
    return held_of(jobs, JobWeights(pool), verdicts.access_point)


def _print(
    arguments: argparse.Namespace,
    verdicts: Verdicts,
    jobs: Sequence[Job],
    starts: Starts | None,
    last: Mapping[tuple[str, str], Obstacle],
) -> None:
    from htcq.expected.expectations import unmet_of

    found = verdicts.on(jobs)
    unmet = unmet_of(verdicts, found if arguments.all and not arguments.schedd else ())
    held = _held(verdicts, arguments) if arguments.all else None
    if arguments.json:
        from htcq.report.views.why import why_json

        print(json.dumps(why_json(found, verdicts.pool, unmet, starts, held), indent=2))
    elif arguments.all:
        from htcq.report.views.why_table import show_table_of

        show_table_of(found, verdicts.pool, sys.stdout, unmet, starts, arguments.wide, held)
    else:
        from htcq.report.views.why_text import show_sentences, show_verdicts
        from htcq.why.group_holders import group_sentences

        show_sentences(group_sentences(verdicts.cycle, arguments.who), sys.stdout)
        show_verdicts(found, verdicts.pool, sys.stdout, unmet, starts, last)
