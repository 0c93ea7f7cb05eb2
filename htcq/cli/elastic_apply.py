"""Write the quotas of a plan for the negotiator, and wait until it shows them; otherwise restore the earlier ones.

With --plan a person agrees to the present plan: 'htcq elastic plan' prints its id. This also begins again after
'rollback' or 'disable'.

With --from one step is taken from a file that 'htcq elastic plan --save' wrote, for a timer: the account that looks at
the pool cannot write, and this one reads no ad of it.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from htcq.cli.elastic_look import add_step_options, look, only_one, read_declared, refuse, writer_of
from htcq.cli.options import add_live_pool_options
from htcq.errors import EXIT_FINE, InputError, RefusedError
from htcq.operations.system_log import log_failure
from htcq.report.printable import one_line, tell

if TYPE_CHECKING:
    from pathlib import Path

    from htcq.cli.elastic_look import Declared
    from htcq.elastic.handover import Handover
    from htcq.elastic.journal import State
    from htcq.operations.quota_writer import Writer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic apply``."""
    add_live_pool_options(parser, "a snapshot cannot be written to: a plan is applied to a live pool")
    add_step_options(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--plan", metavar="ID", help="id of the plan, as 'htcq elastic plan' prints it")
    which.add_argument(
        "--from", metavar="FILE", dest="handed",
        help="file of the plan that 'htcq elastic plan --save' wrote; the pool is not looked at",
    )  # fmt: skip
    parser.add_argument(
        "--planner", metavar="USER",
        help="with --from: name or number of the account that may have saved the plan (default: you, or root)",
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """Look again and compare, or take what was saved; and write."""
    if arguments.planner and not arguments.handed:
        raise InputError("--planner without --from", "give --from FILE too: it says who may have written that file")
    if arguments.accept_loss and arguments.handed:
        raise InputError("--accept-loss and --from contradict each other", "a person agrees to a loss by --plan ID")
    declared = read_declared(arguments)
    if not arguments.handed:
        print(one_line(_by_id(arguments, declared)))
        return EXIT_FINE
    try:
        print(one_line(_from_file(arguments, declared)))
    except (InputError, RefusedError) as error:
        # Whoever saves such a plan may have become the account that plans.
        log_failure("elastic apply", error)
        raise
    return EXIT_FINE


def _by_id(arguments: argparse.Namespace, declared: Declared) -> str:
    from htcq.elastic.plan import made_at

    made = made_at(arguments.plan)
    if made is None:
        raise InputError(f"--plan {arguments.plan} is not the id of a plan", "'htcq elastic plan' prints it")
    _check_age(time.time() - made, declared)
    writer = writer_of(arguments, declared)
    with only_one(writer):
        for told in writer.finish():
            print(one_line(f"finished: {told}"))
        state = writer.state()
        found = look(arguments, declared, state, writer.present(), made)
        refuse(found.refusals)
        if found.step.plan.id != arguments.plan:
            raise RefusedError(
                f"the pool has another plan by now: {found.step.plan.id}", "look at 'htcq elastic plan' again"
            )
        return take(writer, found.handover(state), asked=True)


def _from_file(arguments: argparse.Namespace, declared: Declared) -> str:
    """Take the step that another account has planned, if it stands all checks that need no look at the pool."""
    from htcq.cli.elastic_handover import read_handover
    from htcq.elastic.handover import refusals
    from htcq.store.elastic_journal import read_journal, shorten

    given = read_handover(arguments.handed, arguments.planner)
    if declared.negotiator and given.negotiator not in ("", declared.negotiator):
        raise RefusedError(f"the plan is for the negotiator {given.negotiator}", f"not for {declared.negotiator}")
    writer = writer_of(arguments, declared)
    with only_one(writer):
        shorten(writer.journal)
        for doubt in read_journal(writer.journal).doubts():
            tell(f"htcq: {doubt}")
        for told in writer.finish():
            print(one_line(f"finished: {told}"))
        state = writer.state()
        stopped = left_alone(writer, state, declared.settings.max_failures)
        if stopped:
            return stopped
        groups = declared.quotas.groups
        refuse(tuple(refusals(given, groups, declared.settings, state, writer.present(), time.time())))
        return take(writer, given, asked=False)


def left_alone(writer: Writer, state: State, max_failures: int) -> str:
    """Return why nothing may be written without a person, who stopped it; empty where it may.

    Raises:
        RefusedError: ``max_failures`` writes came to nothing.
    """
    if state.stopped:
        return f"{writer.path}: left alone after {state.stopped}; 'htcq elastic apply' begins again"
    if state.failures >= max_failures > 0:
        raise RefusedError(
            f"the last {state.failures} writes failed: {writer.path} is left alone",
            "see the journal; 'htcq elastic apply' begins again",
        )
    return ""


def _check_age(age: float, declared: Declared) -> None:
    most, skew = declared.settings.plan_age, declared.settings.skew
    if age > most:
        raise RefusedError(f"the plan is {age:.0f} s old, more than {most} s", "look at 'htcq elastic plan' again")
    if age < -skew:
        raise RefusedError(f"the plan was made {-age:.0f} s in the future", "set this machine's clock")


def check_place(path: Path, text: str) -> None:
    """Refuse a file that the HTCondor of this machine would not read, or that cannot be written.

    Raises:
        InstallError: with the reason.
    """
    from htcq.emit.install import DIRECTORIES_KNOB, EXCLUDED_KNOB, prepare
    from htcq.live.configuration import ParserProcess, installed_configuration, values_here

    own = installed_configuration()
    knobs = own((DIRECTORIES_KNOB, EXCLUDED_KNOB)) if own else {}
    defaults = ParserProcess().call(values_here, (EXCLUDED_KNOB,))
    prepare(path.parent, path.name, text, {**defaults, **knobs})


def take(writer: Writer, given: Handover, asked: bool) -> str:
    """Take the next step, journal it, and return in a sentence what was done.

    Raises:
        HtcqError: it could not be; what was there is there again, or the journal says what is.
    """
    from dataclasses import replace

    from htcq.elastic.journal import APPLY, INTENT, LOOK, Record
    from htcq.elastic.quota_file import file_of
    from htcq.emit.elastic import check_values, quota_text
    from htcq.live.configuration import read_configuration
    from htcq.live.sandbox import values_with

    state = writer.state()
    fallback = quota_text(given.static, writer.instance, static=True)
    new = fallback != state.fallback
    record = Record(
        0, 0.0, LOOK,
        plan=given.plan, inputs=given.inputs, what=APPLY, asked=asked, seen=given.seen,
        fallback=fallback if new else "", fallback_quotas=given.static.quotas if new else {},
    )  # fmt: skip
    there = file_of(state.in_force.quotas) if state.elastic and state.in_force is not None else None
    changes = there is None or there.knobs() != given.file.knobs()
    if not changes and not (asked and state.stopped):
        writer.add(record)
        return f"{writer.path}: unchanged, as the plan {given.plan} wants it"
    text = quota_text(given.file, writer.instance)
    names = [name for name, _ in given.file.knobs()]
    check_values(given.file, read_configuration(text, names), "when HTCondor reads the file")
    check_place(writer.path, text)
    tried = values_with(writer.path.parent, writer.path.name, text, names)
    if tried is not None:
        check_values(given.file, tried, "in this machine's configuration")
    writer.write(replace(record, kind=INTENT, text=text, quotas=given.file.quotas))
    over = f"; {given.over} groups are over" if given.over else ""
    return f"{writer.path}: written, and the negotiator shows plan {given.plan}{over}"
