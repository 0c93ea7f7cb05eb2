"""Where commands find the file that they put back: the journal knows, whatever became of the quotas' own file."""

from __future__ import annotations

import argparse
from pathlib import Path

from htcq.cli.elastic_look import instance_of, negotiator_of, operator
from htcq.cli.options import number
from htcq.limits import PATIENCE
from htcq.operations.quota_writer import Writer
from htcq.report.printable import tell
from htcq.settings.elastic_write import WriteSettings

_DEFAULT = WriteSettings()


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name a journal; pool and negotiator are those of the last write unless named."""
    parser.add_argument(
        "--journal",
        metavar="FILE",
        default=_DEFAULT.journal,
        help=f"journal of what was done (default {_DEFAULT.journal})",
    )
    parser.add_argument(
        "--pool", "-pool", metavar="HOST", help="collector of the pool (default: that of the last write)"
    )
    parser.add_argument(
        "--name",
        "-name",
        metavar="NEGOTIATOR",
        default="",
        help="name of the negotiator (default: that of the last write)",
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number,
        default=PATIENCE,
        help=f"time limit of each query (default {PATIENCE:g})",
    )
    parser.add_argument("--within", metavar="SECONDS", type=number, default=float(_DEFAULT.verify_within),
                        help="maximum time that the negotiator may take to show it")  # fmt: skip


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
