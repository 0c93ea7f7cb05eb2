"""Where commands find the file that they put back: the journal knows, whatever became of the quotas' own file."""

from __future__ import annotations

import argparse
from pathlib import Path

from htcq.cli.elastic_look import instance_of, negotiator_of, operator
from htcq.cli.options import add_collector, add_negotiator, add_timeout, seconds
from htcq.operations.quota_writer import Writer
from htcq.report.printable import tell
from htcq.settings.elastic_write import WriteSettings

_DEFAULT = WriteSettings()


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a journal; pool and negotiator are those of the last write unless named."""
    parser.add_argument(
        "--journal", metavar="FILE", default=_DEFAULT.journal,
        help=f"journal of what was done (default {_DEFAULT.journal})",
    )  # fmt: skip
    add_collector(parser, "collector of the pool (default: that of the last write)")
    add_negotiator(parser, "name of the negotiator (default: that of the last write)")
    add_timeout(parser)
    parser.add_argument(
        "--within", metavar="TIME", type=seconds, default=float(_DEFAULT.verify_within),
        help=f"maximum time that the negotiator may take to show what was written (default {_DEFAULT.verify_within}s)",
    )  # fmt: skip


def writer_of_journal(arguments: argparse.Namespace) -> Writer | None:
    """Return the writer of the file that the journal is about, None if of none; damage in the journal is told."""
    from htcq.store.elastic_journal import read_journal

    path = Path(arguments.journal)
    journal = read_journal(path)
    for doubt in journal.doubts():
        tell(f"htcq: {doubt}")
    last = next((each for each in reversed(journal.records) if each.path), None)
    if last is None:
        return None
    return Writer(
        Path(last.path),
        path,
        negotiator_of(arguments, last.pool, last.negotiator),
        arguments.within,
        instance_of(arguments.journal),
        operator(),
        arguments.pool or last.pool,
    )
