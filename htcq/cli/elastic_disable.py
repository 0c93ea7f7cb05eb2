"""Restore the static quotas: each group has its min, and all groups share the rest.

No process has to run for them.

By hand it also stops all writing until 'htcq elastic apply'. With --if-silent it is the dead-man
timer: it acts only if nothing has succeeded for that long. The journal has the static quotas; the
pool is not read.
"""

from __future__ import annotations

import argparse

from htcq.cli.elastic_options import add_place_options, writer_of
from htcq.errors import EXIT_FINE
from htcq.report.printable import one_line
from htcq.settings.durations import parse_duration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic disable``."""
    add_place_options(parser)
    parser.add_argument(
        "--if-silent", metavar="TIME",
        help=("act only if nothing has succeeded for this time, such as 30min: for the dead-man "
            "timer"),
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """Put the static quotas in place, if they are not."""
    silence = (
        parse_duration("--if-silent", arguments.if_silent, zero=True)
        if arguments.if_silent
        else None
    )
    writer = writer_of(arguments)
    if writer is None:
        print(one_line(f"{arguments.journal}: nothing was ever written"))
        return EXIT_FINE
    from htcq.operations.quota_restore import disable

    print(one_line(disable(writer, silence)))
    return EXIT_FINE
