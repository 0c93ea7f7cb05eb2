"""Write the quotas of a plan for the negotiator, and wait until it shows them; else put back what was there.

The plan must be the one that the pool has now: 'htcq elastic plan' prints its id. Where a person stopped the writing by
'rollback' or 'disable', this begins it again.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from htcq.cli.elastic_look import add_step_options, look, only_one, read_declared, refuse, writer_of
from htcq.cli.source import add_source_options
from htcq.errors import EXIT_FINE, InputError, RefusedError

if TYPE_CHECKING:
    from pathlib import Path

    from htcq.cli.elastic_look import Declared, Looked
    from htcq.cli.elastic_writer import Writer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic apply``."""
    add_source_options(parser)
    add_step_options(parser)
    parser.add_argument(
        "--plan", metavar="ID", required=True, help="the plan that is meant, as 'htcq elastic plan' names it"
    )


def main(arguments: argparse.Namespace) -> int:
    """Look again, compare, and write."""
    from htcq.elastic.plan import made_at

    if arguments.snapshot:
        raise InputError("--snapshot cannot be written to", "a plan is applied to a live pool")
    declared = read_declared(arguments)
    made = made_at(arguments.plan)
    if made is None:
        raise InputError(f"--plan {arguments.plan} is no plan's id", "'htcq elastic plan' prints it")
    _check_age(time.time() - made, declared)
    writer = writer_of(arguments, declared)
    with only_one(writer):
        for told in writer.finish():
            print(f"finished: {told}")
        found = look(arguments, declared, writer.state(), writer.present(), made)
        refuse(found.refusals)
        if found.step.plan.id != arguments.plan:
            raise RefusedError(
                f"the pool has another plan by now: {found.step.plan.id}", "look at 'htcq elastic plan' again"
            )
        print(take(writer, found, asked=True))
    return EXIT_FINE


def _check_age(age: float, declared: Declared) -> None:
    most, skew = declared.settings.plan_age, declared.settings.skew
    if age > most:
        raise RefusedError(f"the plan is {age:.0f} s old, more than {most} s", "look at 'htcq elastic plan' again")
    if age < -skew:
        raise RefusedError(f"the plan was made {-age:.0f} s from now", "set this machine's clock")


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


def take(writer: Writer, found: Looked, asked: bool) -> str:
    """Take the next step, journal it, and return in a sentence what was done.

    Raises:
        HtcqError: it could not be; what was there is there again, or the journal says what is.
    """
    from dataclasses import replace

    from htcq.elastic.journal import APPLY, INTENT, LOOK, Record
    from htcq.emit.elastic import check_values, quota_text
    from htcq.live.configuration import read_configuration
    from htcq.live.sandbox import values_with

    plan, static = found.step.plan, found.step.static
    state = writer.state()
    fallback = quota_text(static, writer.instance, static=True)
    new = fallback != state.fallback
    record = Record(
        0, 0.0, LOOK,
        plan=plan.id, inputs=plan.inputs, what=APPLY, asked=asked, seen=found.seen,
        fallback=fallback if new else "", fallback_quotas=static.quotas if new else {},
    )  # fmt: skip
    if not plan.changes and not (asked and state.stopped):
        writer.add(record)
        return f"{writer.path}: unchanged, as the plan {plan.id} wants it"
    text = quota_text(plan.file, writer.instance)
    names = [name for name, _ in plan.file.knobs()]
    check_values(plan.file, read_configuration(text, names), "when HTCondor reads the file")
    check_place(writer.path, text)
    tried = values_with(writer.path.parent, writer.path.name, text, names)
    if tried is not None:
        check_values(plan.file, tried, "in this machine's configuration")
    writer.write(replace(record, kind=INTENT, text=text, quotas=plan.file.quotas))
    over = f"; {len(plan.over)} groups are over" if plan.over else ""
    return f"{writer.path}: written, and the negotiator shows plan {plan.id}{over}"
