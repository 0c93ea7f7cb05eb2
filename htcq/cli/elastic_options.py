"""The options of the commands that write elastic quotas, or restore what was there before."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from htcq.cli.options import (
    add_collector,
    add_journal,
    add_negotiator,
    add_quotas,
    add_timeout,
    seconds,
)
from htcq.cli.pool_options import sources
from htcq.operations.elastic_quotas import read_declared
from htcq.operations.quotas_in_force import declared_in_force
from htcq.report.printable import tell
from htcq.settings.elastic_write import WriteSettings

if TYPE_CHECKING:
    from htcq.operations.elastic_quotas import Declared
    from htcq.operations.pool_source import Source
    from htcq.operations.quota_writer import Writer

_DEFAULT = WriteSettings()


def add_step_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that looks at a pool to write its quotas."""
    add_quotas(parser)
    add_negotiator(parser)
    parser.add_argument(
        "--directory", metavar="DIR",
        help=("directory of LOCAL_CONFIG_DIR of the negotiator that is written to (default: as "
            "[elastic.write] says)"),
    )  # fmt: skip
    add_journal(parser)
    parser.add_argument(
        "--accept-loss", action="store_true",
        help=("accept that the pool has shrunk, or has grown by more than it may: share out its "
            "slots, schedds and weight as they are"),
    )  # fmt: skip


def declared_of(arguments: argparse.Namespace) -> Declared:
    """Return the quotas that the options of a step name.

    Raises:
        InputError: they cannot be read, are refused, or are those of several negotiators of which
            none is named.
    """
    return read_declared(arguments.quotas, arguments.name, arguments.directory, arguments.journal)


def in_force_of(arguments: argparse.Namespace, known: str = "") -> Declared:
    """Return the quotas that the options of a step name, for a command that nobody watches.

    While the file is refused, which is said on standard error, they are those of the last one that
    was accepted. ``known`` is the journal of an earlier step, if any.

    Raises:
        InputError: the file is refused, and no good one is kept.
    """
    declared = declared_in_force(
        arguments.quotas, arguments.name, arguments.directory, arguments.journal, known
    )
    if declared.refused:
        tell(f"htcq: {declared.refused}")
    return declared


def pool_of(arguments: argparse.Namespace, declared: Declared) -> Source:
    """Return the pool that the options of a step name."""
    return sources(arguments, negotiator=declared.negotiator)[0]


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a journal, a pool and a negotiator.

    The defaults of pool and negotiator are those of the last write.
    """
    parser.add_argument(
        "--journal", metavar="FILE", default=_DEFAULT.journal,
        help=f"journal of what was done (default {_DEFAULT.journal})",
    )  # fmt: skip
    add_collector(parser, "collector of the pool (default: that of the last write)")
    add_negotiator(parser, "name of the negotiator (default: that of the last write)")
    add_timeout(parser)
    parser.add_argument(
        "--within", metavar="TIME", type=seconds, default=float(_DEFAULT.verify_within),
        help=("maximum time that the negotiator may take to show what was written (default "
            f"{_DEFAULT.verify_within}s)"),
    )  # fmt: skip


def writer_of(arguments: argparse.Namespace) -> Writer | None:
    """Return the writer of the file that the journal is about; None if it is about no file.

    Damage in the journal is reported on standard error.
    """
    from htcq.operations.quota_restore import writer_of_journal

    return writer_of_journal(
        arguments.journal, arguments.pool or "", arguments.name, arguments.timeout, arguments.within
    )
