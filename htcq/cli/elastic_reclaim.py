"""Take back lent slots: vacate jobs of groups over their quota, while other groups wait for their own.

'plan' does nothing. 'record' adds the present state to the journal, which shows since when groups are over or in need.
'apply' does that and then carries out the plan: ceilings first, then jobs, few at a time.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from htcq.cli.actions import add_action, chooser_of
from htcq.cli.options import (
    add_journal,
    add_json,
    add_live_pool_options,
    add_negotiator,
    add_pool_options,
    add_quotas,
)
from htcq.cli.parser import refuse_options
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, RefusedError
from htcq.report.printable import one_line, tell

if TYPE_CHECKING:
    from htcq.cli.elastic_reclaim_look import Looked, Wanted
    from htcq.operations.reclaim import Reclaimer, Report


PLAN, RECORD, APPLY, RESUME = "plan", "record", "apply", "resume"
CEILINGS, RELEASE, EMIT = "ceilings", "release", "emit"
ACTIONS = {
    PLAN: "print which jobs would be vacated, and do nothing",
    RECORD: "record the state in the journal, and do no more",
    APPLY: "record the state, set the ceilings, vacate the jobs",
    RESUME: "begin again after a stop",
    CEILINGS: "list the ceilings and their owners",
    RELEASE: "remove all ceilings that htcq has set",
    EMIT: "print configuration with which the negotiator preempts by itself",
}
#: What were options once, and the actions that they are.
_FORMER = {
    "--apply": APPLY,
    "--record": RECORD,
    "--resume": RESUME,
    "--release": RELEASE,
    "--ceilings": CEILINGS,
    "--emit-preemption": EMIT,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``htcq elastic reclaim``."""
    refuse_options(parser, {option: _no_option(option, action) for option, action in _FORMER.items()})
    chooser = chooser_of(parser, ACTIONS, required=True)
    for name, summary in ACTIONS.items():
        options = partial(_add_options, name=name)
        add_action(chooser, name, summary, f"{summary[:1].upper()}{summary[1:]}.", options, _MAINS[name])


def _no_option(option: str, action: str) -> tuple[str, str]:
    return f"{option} is no option", f"it is an action: htcq elastic reclaim {action} --quotas FILE"


def _add_options(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the options of the action ``name``."""
    add_quotas(parser)
    if name == EMIT:
        add_negotiator(parser, "name of the negotiator, if the file of quotas has trees of several")
        parser.set_defaults(journal=None)
        return
    if name == PLAN:
        add_pool_options(parser)
    else:
        add_live_pool_options(parser, "a snapshot cannot be acted on: jobs are taken back from a live pool")
    add_negotiator(parser)
    add_journal(parser)
    if name in (PLAN, RECORD, APPLY, CEILINGS):
        add_json(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    status: int = arguments.run_action(arguments)
    return status


def _emit(arguments: argparse.Namespace) -> int:
    from htcq.emit.preemption import preemption_text

    sys.stdout.write(preemption_text(_wanted(arguments).limits.min_runtime))
    return EXIT_FINE


def _wanted(arguments: argparse.Namespace) -> Wanted:
    from htcq.cli.elastic_reclaim_look import wanted_of

    return wanted_of(arguments)


@contextmanager
def _alone(arguments: argparse.Namespace) -> Iterator[Wanted]:
    """Let nobody else change the journal."""
    from htcq.cli.elastic_look import operator
    from htcq.store.lock import held

    wanted = _wanted(arguments)
    with held(wanted.journal.lock, f"process {os.getpid()}, {operator()}"):
        yield wanted


def _record(arguments: argparse.Namespace) -> int:
    with _alone(arguments) as wanted:
        return _act(arguments, wanted, applies=False)


def _apply(arguments: argparse.Namespace) -> int:
    with _alone(arguments) as wanted:
        return _act(arguments, wanted, applies=True)


def _plan(arguments: argparse.Namespace) -> int:
    from htcq.cli.elastic_reclaim_look import look
    from htcq.cli.health import marked
    from htcq.poolquota.health import ailments

    found = look(arguments, _wanted(arguments))
    _show(arguments, found, None)
    if found.refusals:
        return EXIT_UNKNOWN
    return marked(EXIT_FINDINGS if found.plan.stopped else EXIT_FINE, ailments(found.pool))


def _act(arguments: argparse.Namespace, wanted: Wanted, applies: bool) -> int:
    from htcq.cli.elastic_reclaim_look import look, reclaimer_of
    from htcq.elastic.reclaim.reclaim_history import DAY

    limits = wanted.limits
    wanted.journal.shorten(max(DAY, 2 * max(limits.over_for, limits.need_for)) + limits.max_gap)
    found = look(arguments, wanted)
    if found.refusals:
        more = f" (and {len(found.refusals) - 1} more)" if len(found.refusals) > 1 else ""
        raise RefusedError(
            f"nothing is taken back: {found.refusals[0]}{more}", "'htcq elastic reclaim plan' prints the whole plan"
        )
    reclaimer = reclaimer_of(arguments, wanted, found.pool)
    reclaimer.look(found.plan, found.past)
    report = None
    if applies:
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


def _resume(arguments: argparse.Namespace) -> int:
    with _alone(arguments) as wanted:
        return _begin_again(arguments, wanted)


def _begin_again(arguments: argparse.Namespace, wanted: Wanted) -> int:
    from htcq.cli.elastic_look import operator
    from htcq.elastic.reclaim.reclaim_history import PAYLOAD, RESUMED
    from htcq.operations.system_log import log_change

    told = {"negotiator": _negotiator(arguments, wanted)}
    wanted.journal.append({"kind": RESUMED, "time": time.time(), "operator": operator(), PAYLOAD: told})
    log_change("elastic reclaim", f"{wanted.limits.journal}: begun again after a stop")
    print("what was of no use before counts no more")
    return EXIT_FINE


def _release(arguments: argparse.Namespace) -> int:
    with _alone(arguments) as wanted:
        return _remove_ceilings(arguments, wanted)


def _remove_ceilings(arguments: argparse.Namespace, wanted: Wanted) -> int:
    from htcq.operations.system_log import log_change

    reclaimer = _reclaimer(arguments, wanted)
    told: list[str] = []
    reclaimer.ceilings.look(told)
    gone = reclaimer.ceilings.release(sorted(reclaimer.ceilings.own), told)
    for each in told:
        log_change("elastic reclaim", f"{wanted.limits.journal}: {each}", failed=not gone)
    print("\n".join(map(one_line, told)) or "no ceiling is ours")
    return EXIT_FINE if gone else EXIT_UNKNOWN


def _ceilings(arguments: argparse.Namespace) -> int:
    ceilings = _reclaimer(arguments, _wanted(arguments)).ceilings
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
    from htcq.operations.pool_source import read, sources

    return reclaimer_of(arguments, wanted, read(sources(arguments, queues=False, negotiator=arguments.name)[0]))


def _negotiator(arguments: argparse.Namespace, wanted: Wanted) -> str:
    return _reclaimer(arguments, wanted).negotiator


_MAINS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    PLAN: _plan,
    RECORD: _record,
    APPLY: _apply,
    RESUME: _resume,
    CEILINGS: _ceilings,
    RELEASE: _release,
    EMIT: _emit,
}
