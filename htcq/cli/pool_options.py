"""The options that name a pool, and the pool that they name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from htcq.cli.options import add_limits_option, limits_of, number
from htcq.errors import InputError
from htcq.limits import PATIENCE
from htcq.operations.pool_source import Files, Source, confine_to, open_source, read_open

if TYPE_CHECKING:
    from htcq.pool.pool import Pool


def add_source_options(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Add the flags that name a pool, or ``several``."""
    again, action = ("; repeatable", "append") if several else ("", "store")
    source = parser.add_argument_group("pool")
    source.add_argument(
        "--snapshot", metavar="PATH", action=action, help=f"a snapshot: a directory or a .tar.gz{again}"
    )
    source.add_argument(
        "--pool", "-pool", metavar="HOST", action=action,
        help=f"a live pool: its collector (default: this machine's){again}",
    )  # fmt: skip
    source.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number,
        default=PATIENCE,
        help=f"time limit of each query (default {PATIENCE:g})",
    )
    add_limits_option(source)


def sources(arguments: argparse.Namespace, queues: bool = True, negotiator: str = "") -> tuple[Source, ...]:
    """Return the pools that the flags name, this machine's if they name none."""
    snapshots, pools = _several(arguments.snapshot), _several(arguments.pool)
    if not 0 < arguments.timeout <= 86400:
        raise InputError(f"--timeout {arguments.timeout:g}: not a time", "give seconds, more than 0")
    limits = limits_of(arguments)
    named = [Source(snapshot=each, negotiator=negotiator, limits=limits) for each in snapshots]
    live = Source(None, None, arguments.timeout, queues, negotiator, limits=limits)
    named += [replace(live, pool=each) for each in pools]
    return tuple(named) or (live,)


def _several(given: str | Sequence[str] | None) -> Sequence[str]:
    return [given] if isinstance(given, str) else list(dict.fromkeys(given or ()))


def read_source(
    arguments: argparse.Namespace, queues: bool = True, hardware: bool = False, files: Files | None = None
) -> Pool:
    """Return the pool that the flags name; with ``hardware`` all of its slots, but no jobs and no machine's knobs.

    Where ``files`` are given, in a process that can write nothing but these.

    Raises:
        HtcqError: it cannot be read at all.
    """
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    source = sources(arguments, queues)[0]
    opened = open_source(replace(source, machines=False, schedds=False) if hardware else source)
    if files is not None:
        confine_to([opened], files)
    return read_open(opened)
