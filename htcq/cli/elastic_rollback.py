"""Restore the file as it was before the last write, and leave it so until 'htcq elastic apply'.

The journal has the earlier text; the pool is not read. A second rollback changes nothing.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from htcq.cli.elastic_look import only_one
from htcq.cli.elastic_place import add_place_options, writer_of_journal
from htcq.errors import EXIT_FINE
from htcq.report.printable import one_line

if TYPE_CHECKING:
    from htcq.operations.quota_writer import Writer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic rollback``."""
    add_place_options(parser)


def main(arguments: argparse.Namespace) -> int:
    """Put the former file back."""
    writer = writer_of_journal(arguments)
    if writer is None:
        print(one_line(f"{arguments.journal}: nothing was ever written"))
        return EXIT_FINE
    with only_one(writer):
        for told in writer.finish():
            print(one_line(f"finished: {told}"))
        print(one_line(_rolled_back(writer)))
    return EXIT_FINE


def _rolled_back(writer: Writer) -> str:
    from htcq.elastic.journal import INTENT, RESTORE, ROLLBACK, Record

    state = writer.state()
    last = state.in_force
    if last is None:
        return f"{writer.path}: nothing is in force that could be rolled back"
    if last.what == ROLLBACK or (last.what == RESTORE and state.stopped):
        return f"{writer.path}: unchanged; the last write was rolled back already"
    undone = last.what != RESTORE
    text = state.former_text if undone else last.text
    quotas = (state.former.quotas if state.former is not None else {}) if undone else last.quotas
    writer.write(Record(0, 0.0, INTENT, what=ROLLBACK, asked=True, text=text, quotas=quotas, plan=last.plan))
    done = "removed, as there was none before" if text is None else "is what it was before"
    return f"{writer.path}: {done}; {last.what} of plan {last.plan or '-'} was undone"
