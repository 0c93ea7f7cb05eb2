"""Take back lent slots: vacate jobs of groups over their runtime.

That is done while other groups wait for their own slots.

'plan' does nothing. 'record' adds the present state to the journal, which shows since when
groups are over or in need. 'apply' does that and then carries out the plan: ceilings first, then
jobs, few at a time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from htcq.cli.actions import add_action, chooser_of
from htcq.cli.options import (
    add_journal,
    add_json,
    add_live_pool_options,
    add_negotiator,
    add_pool_options,
    add_quotas,
    add_wide,
)
from htcq.cli.parser import refuse_options
from htcq.cli.pool_options import sources
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN
from htcq.operations.elastic_quotas import WHAT
from htcq.operations.trusted import refuse_shared
from htcq.report.printable import one_line, tell

if TYPE_CHECKING:
    from htcq.operations.plan_reclaim import ReclaimRequest
    from htcq.operations.pool_source import Source
    from htcq.operations.reclaim import ReclaimReport
    from htcq.operations.reclaim_record import ObservedReclaim


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
    refuse_options(
        parser, {option: _no_option(option, action) for option, action in _FORMER.items()}
    )
    chooser = chooser_of(parser, ACTIONS, required=True)
    for name, summary in ACTIONS.items():
        options = partial(_add_options, name=name)
        add_action(
            chooser, name, summary, f"{summary[:1].upper()}{summary[1:]}.", options, _MAINS[name]
        )


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
        add_live_pool_options(
            parser, "a snapshot cannot be acted on: jobs are taken back from a live pool"
        )
    add_negotiator(parser)
    add_journal(parser)
    if name in (PLAN, RECORD, APPLY, CEILINGS):
        add_json(parser)
    if name in (PLAN, RECORD, APPLY):
        add_wide(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    status: int = arguments.run_action(arguments)
    return status


def _wanted(arguments: argparse.Namespace) -> ReclaimRequest:
    from htcq.operations.plan_reclaim import read_request

    return read_request(arguments.quotas, arguments.name, arguments.journal)


def _asked(arguments: argparse.Namespace) -> tuple[Source, ReclaimRequest]:
    """Return the pool, as the negotiator that serves sees it, and what is to be reclaimed there."""
    from htcq.operations.serving_negotiator import serving_source

    wanted = _wanted(arguments)
    source = sources(arguments, negotiator=arguments.name)[0]
    source, serves = serving_source(source, wanted.gates)
    if serves is not None and not serves.here:
        wanted = replace(wanted, elsewhere=serves.sentence)
    return source, wanted


def _acted_on(arguments: argparse.Namespace) -> tuple[Source, ReclaimRequest]:
    """As :func:`_asked`; a file of quotas that others can write says nothing of what is done."""
    refuse_shared(Path(arguments.quotas), WHAT)
    return _asked(arguments)


def _emit(arguments: argparse.Namespace) -> int:
    from htcq.emit.preemption import preemption_text

    sys.stdout.write(preemption_text(_wanted(arguments).limits.min_runtime))
    return EXIT_FINE


def _plan(arguments: argparse.Namespace) -> int:
    from htcq.operations.health import marked
    from htcq.operations.plan_reclaim import plan_reclaim

    source, wanted = _asked(arguments)
    found = plan_reclaim(source, wanted).found
    _show(arguments, found, None)
    if found.refusals:
        return EXIT_UNKNOWN
    return marked(EXIT_FINDINGS if found.plan.stopped else EXIT_FINE, found.health)


def _record(arguments: argparse.Namespace) -> int:
    from htcq.operations.reclaim_steps import record_state

    source, wanted = _acted_on(arguments)
    if wanted.elsewhere and not arguments.json:
        return _follow(wanted)
    found = record_state(source, wanted)
    _show(arguments, found, None)
    if found.plan.stopped:
        return EXIT_FINDINGS
    return EXIT_FINE


def _apply(arguments: argparse.Namespace) -> int:
    from htcq.operations.reclaim_steps import take_back

    source, wanted = _acted_on(arguments)
    if wanted.elsewhere and not arguments.json:
        return _follow(wanted)
    found, report = take_back(source, wanted)
    _show(arguments, found, report)
    if found.plan.stopped or report.failed:
        return EXIT_FINDINGS
    return EXIT_FINE


def _follow(wanted: ReclaimRequest) -> int:
    """Say on a central manager whose negotiator does not serve that another one acts.

    Its timer runs as everywhere: that is no failure. After a fail-over need counts anew.
    """
    print(f"nothing is taken back here: {wanted.elsewhere}")
    return EXIT_FINE


def _show(
    arguments: argparse.Namespace, found: ObservedReclaim, report: ReclaimReport | None
) -> None:
    if arguments.json:
        import json

        from htcq.poolquota.health import health_json
        from htcq.report.views.reclaim import reclaim_json

        done: tuple[Any, ...] = (
            () if report is None else (report.vacated, report.failed, report.messages)
        )
        printed = reclaim_json(found.plan, found.refusals, *done)
        print(json.dumps({**printed, "health": health_json(found.health)}, indent=2))
        return
    from htcq.report.views.reclaim_text import show_reclaim

    show_reclaim(found.plan, sys.stdout, arguments.wide)
    for each in found.refusals:
        tell(f"htcq: not now: {each}")
    if report is None:
        return
    for message in report.messages:
        print(one_line(message))
    for eviction in report.vacated:
        print(one_line(f"vacated {eviction.job} of {eviction.schedd}"))
    for eviction, why in report.failed:
        print(one_line(f"not vacated: {eviction.job} of {eviction.schedd}: {why}"))


def _resume(arguments: argparse.Namespace) -> int:
    from htcq.operations.reclaim_steps import begin_again

    source, wanted = _acted_on(arguments)
    begin_again(source, wanted)
    print("what was of no use before counts no more")
    return EXIT_FINE


def _release(arguments: argparse.Namespace) -> int:
    from htcq.operations.reclaim_steps import release_ceilings

    source, wanted = _acted_on(arguments)
    gone, told = release_ceilings(source, wanted)
    print("\n".join(map(one_line, told)) or "no ceiling is ours")
    if gone:
        return EXIT_FINE
    return EXIT_UNKNOWN


def _ceilings(arguments: argparse.Namespace) -> int:
    from htcq.operations.reclaim_steps import list_ceilings

    source, wanted = _asked(arguments)
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

    if not until:
        return ""
    return f" until {moment(until)}"


_MAINS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    PLAN: _plan,
    RECORD: _record,
    APPLY: _apply,
    RESUME: _resume,
    CEILINGS: _ceilings,
    RELEASE: _release,
    EMIT: _emit,
}
