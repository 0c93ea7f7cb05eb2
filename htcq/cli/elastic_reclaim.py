"""Plan which jobs to vacate: those of groups over their quota, while other groups wait for their own.

Nothing is done by default. --record adds the present state to the journal, which shows since when groups are over or in
need. --apply does that and then carries out the plan: ceilings first, then jobs, few at a time.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from htcq.cli.pool_options import add_source_options, sources
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.report.printable import one_line, tell

if TYPE_CHECKING:
    from htcq.operations.plan_reclaim import Observed, Wanted
    from htcq.operations.pool_source import Source
    from htcq.operations.reclaim import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic reclaim``."""
    add_source_options(parser)
    parser.add_argument(
        "--quotas", metavar="FILE", required=True, help="file of the quotas (TOML), with [elastic.reclaim]"
    )
    parser.add_argument(
        "--name", "-name", metavar="NEGOTIATOR", default="", help="name of the negotiator, if the pool has several"
    )
    parser.add_argument("--journal", metavar="FILE", help="journal of journal of journal of what was seen and done")
    does = parser.add_mutually_exclusive_group()
    does.add_argument("--apply", action="store_true", help="record the state, set the ceilings, vacate the jobs")
    does.add_argument("--record", action="store_true", help="record the state, and do no more")
    does.add_argument("--resume", action="store_true", help="begin again after a stop")
    does.add_argument("--release", action="store_true", help="remove all ceilings that htcq has set")
    does.add_argument(
        "--emit-preemption",
        action="store_true",
        help="print configuration with which the negotiator preempts by itself",
    )
    does.add_argument("--ceilings", action="store_true", help="list the ceilings and their owners")
    parser.add_argument("--json", "-json", action="store_true", help="print everything as JSON")


def main(arguments: argparse.Namespace) -> int:
    """Look, plan, print, and act if told."""
    from htcq.operations.plan_reclaim import read_wanted

    acts = arguments.apply or arguments.record or arguments.resume or arguments.release
    if arguments.snapshot and (acts or arguments.ceilings):
        raise InputError("--snapshot cannot be acted on", "jobs are taken back from a live pool")
    wanted = read_wanted(arguments.quotas, arguments.name, arguments.journal)
    if arguments.emit_preemption:
        from htcq.emit.preemption import preemption_text

        sys.stdout.write(preemption_text(wanted.limits.min_runtime))
        return EXIT_FINE
    source = sources(arguments, negotiator=arguments.name)[0]
    if arguments.resume:
        return _resume(source, wanted)
    if arguments.release:
        return _release(source, wanted)
    if arguments.ceilings:
        return _ceilings(source, wanted, arguments)
    return _act(source, wanted, arguments) if acts else _plan(source, wanted, arguments)


def _plan(source: Source, wanted: Wanted, arguments: argparse.Namespace) -> int:
    from htcq.operations.health import marked
    from htcq.operations.plan_reclaim import plan_reclaim
    from htcq.poolquota.health import ailments

    found = plan_reclaim(source, wanted)
    _show(arguments, found, None)
    if found.refusals:
        return EXIT_UNKNOWN
    return marked(EXIT_FINDINGS if found.plan.stopped else EXIT_FINE, ailments(found.pool))


def _act(source: Source, wanted: Wanted, arguments: argparse.Namespace) -> int:
    from htcq.operations.reclaim_steps import record_state, take_back

    if arguments.apply:
        found, report = take_back(source, wanted)
        _show(arguments, found, report)
        return EXIT_FINDINGS if found.plan.stopped or report.failed else EXIT_FINE
    found = record_state(source, wanted)
    _show(arguments, found, None)
    return EXIT_FINDINGS if found.plan.stopped else EXIT_FINE


def _show(arguments: argparse.Namespace, found: Observed, report: Report | None) -> None:
    if arguments.json:
        import json

        from htcq.poolquota.health import ailments, health_json
        from htcq.report.reclaim_json import reclaim_json

        done: tuple[Any, ...] = () if report is None else (report.vacated, report.failed, report.told)
        printed = reclaim_json(found.plan, found.refusals, *done)
        print(json.dumps({**printed, "health": health_json(ailments(found.pool))}, indent=2))
        return
    from htcq.report.reclaim_text import show_reclaim

    show_reclaim(found.plan, sys.stdout)
    for each in found.refusals:
        tell(f"htcq: not now: {each}")
    if report is None:
        return
    for told in report.told:
        print(one_line(told))
    for victim in report.vacated:
        print(one_line(f"vacated {victim.job} of {victim.schedd}"))
    for victim, why in report.failed:
        print(one_line(f"not vacated: {victim.job} of {victim.schedd}: {why}"))


def _resume(source: Source, wanted: Wanted) -> int:
    from htcq.operations.reclaim_steps import begin_again

    begin_again(source, wanted)
    print("what was of no use before counts no more")
    return EXIT_FINE


def _release(source: Source, wanted: Wanted) -> int:
    from htcq.operations.reclaim_steps import release_ceilings

    gone, told = release_ceilings(source, wanted)
    print("\n".join(map(one_line, told)) or "no ceiling is ours")
    return EXIT_FINE if gone else EXIT_UNKNOWN


def _ceilings(source: Source, wanted: Wanted, arguments: argparse.Namespace) -> int:
    from htcq.operations.reclaim_steps import list_ceilings

    found = list_ceilings(source, wanted)
    if arguments.json:
        import json

        print(json.dumps([each._asdict() for each in found], indent=2))
        return EXIT_FINE
    for each in found:
        print(one_line(f"{each.submitter}: {each.ceiling}{_lasts(each.until)}, {each.whose}"))
    if not found:
        print("there are no ceilings")
    return EXIT_FINE


def _lasts(until: int) -> str:
    from htcq.report.moments import moment

    return f" until {moment(until)}" if until else ""
