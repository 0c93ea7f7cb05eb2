"""Switch elastic quotas off: the writer and reclaim stop until 'htcq elastic on'.

The static quotas are put in place: each group has its min, and all groups share the rest. With
--restore the file is, byte for byte, what it was before the first write. The journal has both; the
pool is not read. The ceilings that reclaim has set are removed.
"""

from __future__ import annotations

import argparse

from htcq.cli.elastic_options import add_place_options, writer_of
from htcq.errors import EXIT_FINE
from htcq.report.printable import one_line
from htcq.settings.reclaim import ReclaimLimits

_RECLAIM = ReclaimLimits().journal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic off``."""
    add_place_options(parser)
    parser.add_argument(
        "--restore", action="store_true",
        help="give back the configuration from before the first write",
    )  # fmt: skip
    parser.add_argument(
        "--reclaim-journal", metavar="FILE", default=_RECLAIM,
        help=f"journal of reclaim, which knows the ceilings (default {_RECLAIM})",
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """Stop all that acts."""
    writer = writer_of(arguments)
    if writer is None:
        print(one_line(f"{arguments.journal}: nothing was ever written"))
        return EXIT_FINE
    from htcq.operations.quota_restore import switch_off

    for told in switch_off(writer, arguments.restore, arguments.reclaim_journal):
        print(one_line(told))
    return EXIT_FINE
