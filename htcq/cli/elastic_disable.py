"""Restore the static quotas: each group has its min, all groups share the rest, and no process has to run.

By hand it also stops all writing until 'htcq elastic apply'. With --if-silent it is the dead-man timer:
it acts only if nothing has succeeded for that long. The journal has the static quotas; the pool is not read.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from htcq.cli.elastic_look import only_one
from htcq.cli.elastic_place import add_place_options, writer_of_journal
from htcq.errors import EXIT_FINE, InputError, RefusedError
from htcq.report.printable import one_line
from htcq.settings.durations import parse_duration

if TYPE_CHECKING:
    from htcq.operations.quota_writer import Writer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic disable``."""
    add_place_options(parser)
    parser.add_argument(
        "--if-silent", metavar="TIME",
        help="act only if nothing has succeeded for this time, such as 30min: for the dead-man timer",
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """Put the static quotas in place, if they are not."""
    silence = parse_duration("--if-silent", arguments.if_silent, zero=True) if arguments.if_silent else None
    writer = writer_of_journal(arguments)
    if writer is None:
        print(one_line(f"{arguments.journal}: nothing was ever written"))
        return EXIT_FINE
    state = writer.state()
    if silence is not None and state.silent_for(time.time()) <= silence:
        print(one_line(f"{writer.path}: left alone; something succeeded {state.silent_for(time.time()):.0f} s ago"))
        return EXIT_FINE
    with only_one(writer):
        print(one_line(_disabled(writer, silence is not None)))
    return EXIT_FINE


def _disabled(writer: Writer, dead_man: bool) -> str:
    from htcq.elastic.journal import DEAD_MAN, DISABLE, INTENT, VERIFIED, Record
    from htcq.elastic.quota_file import digest_of

    writer.resolve()
    state = writer.state()
    present = writer.present()
    if dead_man and present is None:
        return f"{writer.path}: nothing is there that needs to be kept"
    if dead_man and digest_of(present) != state.digest:
        raise RefusedError(
            f"{writer.path} was changed by somebody else, and is left alone", "'htcq elastic disable' takes it over"
        )
    if dead_man and not state.elastic and state.result == VERIFIED:
        return f"{writer.path}: unchanged; nothing there needs to be kept"
    if not state.fallback:
        raise InputError("the journal has no static quotas", "remove the file, then condor_reconfig -negotiator")
    there = digest_of(present) == digest_of(state.fallback)
    if there and state.result == VERIFIED and (dead_man or state.stopped):
        return f"{writer.path}: unchanged; the static quotas are there"
    what = DEAD_MAN if dead_man else DISABLE
    writer.write(
        Record(0, 0.0, INTENT, what=what, asked=not dead_man, text=state.fallback, quotas=state.fallback_quotas)
    )
    return f"{writer.path}: the static quotas are there, and the negotiator shows them"
