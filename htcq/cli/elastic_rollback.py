"""Restore the file as it was before the last write, and leave it so until 'htcq elastic apply'.

The journal has the earlier text; the pool is not read. A second rollback changes nothing.
"""

from __future__ import annotations

import argparse

from htcq.cli.elastic_options import add_place_options, writer_of
from htcq.errors import EXIT_FINE
from htcq.report.printable import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic rollback``."""
    add_place_options(parser)


def main(arguments: argparse.Namespace) -> int:
    """Put the former file back."""
    writer = writer_of(arguments)
    if writer is None:
        print(one_line(f"{arguments.journal}: nothing was ever written"))
        return EXIT_FINE
    from htcq.operations.quota_restore import roll_back

    for told in roll_back(writer):
        print(one_line(told))
    return EXIT_FINE
