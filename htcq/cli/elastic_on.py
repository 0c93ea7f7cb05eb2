"""Switch elastic quotas on again after 'htcq elastic off' or failed writes.

Nothing is written to the file: the next step of 'htcq elastic run' does that.
"""

from __future__ import annotations

import argparse

from htcq.cli.elastic_options import add_place_options, writer_of
from htcq.errors import EXIT_FINE
from htcq.report.printable import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic on``."""
    add_place_options(parser)


def main(arguments: argparse.Namespace) -> int:
    """Let the writer and reclaim act again."""
    writer = writer_of(arguments)
    if writer is None:
        print(one_line(f"{arguments.journal}: nothing was ever written, and nothing is stopped"))
        return EXIT_FINE
    from htcq.operations.quota_restore import switch_on
    from htcq.settings.elastic_write import WriteSettings

    print(one_line(switch_on(writer, WriteSettings().max_failures)))
    return EXIT_FINE
