"""Plan which jobs to vacate: those of groups over their quota, while other groups wait for their own.

Nothing is done by default. --record adds the present state to the journal, which shows since when groups are over or in
need. --apply does that and then carries out the plan: ceilings first, then jobs, few at a time.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from htcq.cli.pool_options import add_source_options
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, InputError, RefusedError
from htcq.report.printable import one_line, tell

if TYPE_CHECKING:
    from htcq.cli.elastic_reclaim_look import Looked, Wanted
    from htcq.operations.reclaim import Reclaimer, Report


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
    from htcq.cli.elastic_look import operator
    from htcq.cli.elastic_reclaim_look import wanted_of
    from htcq.store.lock import held

    acts = arguments.apply or arguments.record or arguments.resume or arguments.release
    if arguments.snapshot and (acts or arguments.ceilings):
        raise InputError("--snapshot cannot be acted on", "jobs are taken back from a live pool")
    wanted = wanted_of(arguments)
    if arguments.emit_preemption:
        from htcq.emit.preemption import preemption_text

        sys.stdout.write(preemption_text(wanted.limits.min_runtime))
        return EXIT_FINE
    if not acts:
        return _ceilings(arguments, wanted) if arguments.ceilings else _plan(arguments, wanted)
    who = f"process {os.getpid()}, {operator()}"
    with held(wanted.journal.lock, who):
        if arguments.resume:
            return _resume(arguments, wanted)
        return _release(arguments, wanted) if arguments.release else _act(arguments, wanted)


def _plan(arguments: argparse.Namespace, wanted: Wanted) -> int:
    from htcq.cli.elastic_reclaim_look import look
    from htcq.operations.health import marked
    from htcq.poolquota.health import ailments

    found = look(arguments, wanted)
    _show(arguments, found, None)
    if found.refusals:
        return EXIT_UNKNOWN
    return marked(EXIT_FINDINGS if found.plan.stopped else EXIT_FINE, ailments(found.pool))


def _act(arguments: argparse.Namespace, wanted: Wanted) -> int:
    from htcq.cli.elastic_reclaim_look import look, reclaimer_of
    from htcq.elastic.reclaim.reclaim_history import DAY

    limits = wanted.limits
    wanted.journal.shorten(max(DAY, 2 * max(limits.over_for, limits.need_for)) + limits.max_gap)
    found = look(arguments, wanted)
    if found.refusals:
        more = f" (and {len(found.refusals) - 1} more)" if len(found.refusals) > 1 else ""
        raise RefusedError(f"nothing is taken back: {found.refusals[0]}{more}", "the whole plan: without --apply")
    reclaimer = reclaimer_of(arguments, wanted, found.pool)
    reclaimer.look(found.plan, found.past)
    report = None
    if arguments.apply:
        report = reclaimer.act(found.plan, found.observation, found.places)
        _log(wanted, report)
    _show(arguments, found, report)
    return EXIT_FINDINGS if found.plan.stopped or (report is not None and report.failed) else EXIT_FINE


def _log(wanted: Wanted, report: Report) -> None:
    from htcq.operations.system_log import log_change

    for victim in report.vacated:
        log_change("elastic reclaim", f"{wanted.limits.journal}: vacated {victim.job} of {victim.schedd}")
    for victim, why in report.failed:
        what = f"{wanted.limits.journal}: not vacated: {victim.job} of {victim.schedd}: {why}"
        log_change("elastic reclaim", what, failed=True)
    for told in report.told:
        log_change("elastic reclaim", f"{wanted.limits.journal}: {told}")


def _show(arguments: argparse.Namespace, found: Looked, report: Report | None) -> None:
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


def _resume(arguments: argparse.Namespace, wanted: Wanted) -> int:
    from htcq.cli.elastic_look import operator
    from htcq.elastic.reclaim.reclaim_history import PAYLOAD, RESUMED
    from htcq.operations.system_log import log_change

    told = {"negotiator": _negotiator(arguments, wanted)}
    wanted.journal.append({"kind": RESUMED, "time": time.time(), "operator": operator(), PAYLOAD: told})
    log_change("elastic reclaim", f"{wanted.limits.journal}: begun again after a stop")
    print("what was of no use before counts no more")
    return EXIT_FINE


def _release(arguments: argparse.Namespace, wanted: Wanted) -> int:
    from htcq.operations.system_log import log_change

    reclaimer = _reclaimer(arguments, wanted)
    told: list[str] = []
    reclaimer.ceilings.look(told)
    gone = reclaimer.ceilings.release(sorted(reclaimer.ceilings.own), told)
    for each in told:
        log_change("elastic reclaim", f"{wanted.limits.journal}: {each}", failed=not gone)
    print("\n".join(map(one_line, told)) or "no ceiling is ours")
    return EXIT_FINE if gone else EXIT_UNKNOWN


def _ceilings(arguments: argparse.Namespace, wanted: Wanted) -> int:
    ceilings = _reclaimer(arguments, wanted).ceilings
    found = ceilings.listed()
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


def _reclaimer(arguments: argparse.Namespace, wanted: Wanted) -> Reclaimer:
    from htcq.cli.elastic_reclaim_look import reclaimer_of
    from htcq.cli.pool_options import sources
    from htcq.operations.pool_source import read

    return reclaimer_of(arguments, wanted, read(sources(arguments, queues=False, negotiator=arguments.name)[0]))


def _negotiator(arguments: argparse.Namespace, wanted: Wanted) -> str:
    return _reclaimer(arguments, wanted).negotiator
