"""The pools that the options of a command line name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from htcq.cli.config_files import machine_given
from htcq.cli.options import limits_of
from htcq.errors import InputError
from htcq.operations.pool_source import Files, Source, confine_to, open_source, read_open

if TYPE_CHECKING:
    from htcq.pool.pool import Pool


def sources(
    arguments: argparse.Namespace, queues: bool = True, negotiator: str = ""
) -> tuple[Source, ...]:
    """Return the pools that the options name, this machine's if they name none."""
    snapshots, pools = _several(arguments.snapshot), _several(arguments.pool)
    if not 0 < arguments.timeout <= 86400:
        raise InputError(
            f"--timeout {arguments.timeout:g}: out of range", "more than 0s, and no more than 1d"
        )
    limits = limits_of(arguments)
    files = getattr(arguments, "config_dir", None)
    if files:
        given = machine_given(arguments.role, arguments.node)
        return (Source(config=tuple(files), given=given, limits=limits),)
    named = [Source(snapshot=each, negotiator=negotiator, limits=limits) for each in snapshots]
    live = Source(None, None, arguments.timeout, queues, negotiator, limits=limits)
    named += [replace(live, pool=each) for each in pools]
    return tuple(named) or (live,)


def _several(given: str | Sequence[str] | None) -> Sequence[str]:
    if isinstance(given, str):
        return [given]
    return list(dict.fromkeys(given or ()))


def read_source(
    arguments: argparse.Namespace,
    queues: bool = True,
    files: Files | None = None,
    partly: bool = False,
    job_attributes: frozenset[str] = frozenset(),
) -> Pool:
    """Return the pool that the options name, its jobs with ``job_attributes`` among others.

    Where ``files`` are given, this process can write only these from now on. ``partly``: also
    where its central configuration cannot be read.

    Raises:
        HtcqError: it cannot be read at all.
    """
    source = replace(sources(arguments, queues)[0], job_attributes=job_attributes)
    opened = open_source(source)
    if files is not None:
        confine_to([opened], files)
    return read_open(opened, partly=partly)
