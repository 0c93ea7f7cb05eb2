"""The options of the commands that write elastic quotas, or restore what was there before."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from htcq.cli.options import number
from htcq.cli.pool_options import sources
from htcq.limits import PATIENCE
from htcq.operations.elastic_quotas import read_declared
from htcq.settings.elastic_write import WriteSettings

if TYPE_CHECKING:
    from htcq.operations.elastic_quotas import Declared
    from htcq.operations.pool_source import Source
    from htcq.operations.quota_writer import Writer

_DEFAULT = WriteSettings()


def add_step_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags of a command that looks at a pool to write its quotas."""
    parser.add_argument(
        "--quotas", metavar="FILE", required=True, help="file of the quotas (TOML), with [elastic.write]"
    )
    parser.add_argument(
        "--name", "-name", metavar="NEGOTIATOR", default="", help="name of the negotiator, if the pool has several"
    )
    parser.add_argument(
        "--directory", metavar="DIR", help="directory of the negotiator's configuration (LOCAL_CONFIG_DIR)"
    )
    parser.add_argument("--journal", metavar="FILE", help="journal of what was done")
    parser.add_argument(
        "--accept-loss", action="store_true", help="accept that the pool has shrunk: share out what is left"
    )


def declared_of(arguments: argparse.Namespace) -> Declared:
    """Return the quotas that the options of a step name.

    Raises:
        InputError: they cannot be read, are refused, or are those of several negotiators of which none is named.
    """
    return read_declared(arguments.quotas, arguments.name, arguments.directory, arguments.journal)


def pool_of(arguments: argparse.Namespace, declared: Declared) -> Source:
    """Return the pool that the options of a step name."""
    return sources(arguments, negotiator=declared.negotiator)[0]


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


def writer_of(arguments: argparse.Namespace) -> Writer | None:
    """Return the writer of the file that the journal is about, None if of none; damage in the journal is told."""
    from htcq.operations.quota_restore import writer_of_journal

    return writer_of_journal(
        arguments.journal, arguments.pool or "", arguments.name, arguments.timeout, arguments.within
    )
