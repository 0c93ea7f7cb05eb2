"""The options of commands that look at the quotas of a pool once."""

from __future__ import annotations

import argparse
from dataclasses import replace

from htcq.cli.options import number
from htcq.cli.pool_options import sources
from htcq.errors import InputError
from htcq.operations.pool_source import Source


def add_look_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how a pool is looked at, besides which pool it is."""
    parser.add_argument(
        "--name", "-name", metavar="NEGOTIATOR", default="", help="name of the negotiator, if the pool has several"
    )
    parser.add_argument(
        "--max-age", metavar="SECONDS", type=number, help="maximum age of what the negotiator published (default 900)"
    )
    parser.add_argument("--config", metavar="FILE", help="site file (default: htcq.toml here or in /etc/htcq)")


def source_of(arguments: argparse.Namespace, queues: bool = False) -> Source:
    """Return the pool that the flags name, with its ``queues`` if they are needed.

    Raises:
        InputError: they contradict each other.
    """
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    return replace(sources(arguments, queues=queues, negotiator=arguments.name)[0], machines=False)


def max_age_of(arguments: argparse.Namespace) -> float:
    """Return how old may be what the negotiator published, in seconds.

    Raises:
        InputError: it is no time.
    """
    from htcq.poolquota.published import MAX_AGE

    max_age: float = MAX_AGE if arguments.max_age is None else arguments.max_age
    if not max_age >= 0:
        raise InputError(f"--max-age {max_age:g}: not a time", "give seconds, 0 or more")
    return max_age
