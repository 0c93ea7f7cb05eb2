"""The options of commands that look at the quotas of a pool once."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from htcq.cli.options import add_max_age, add_negotiator, add_site_file
from htcq.cli.pool_options import sources
from htcq.errors import InputError
from htcq.operations.pool_source import Source

if TYPE_CHECKING:
    from htcq.operations.elastic_ledger import Elastic
    from htcq.settings.site import Settings


def add_look_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a pool is looked at, besides which pool it is."""
    add_negotiator(parser)
    add_max_age(parser)
    add_site_file(parser)


def source_of(arguments: argparse.Namespace, queues: bool = False) -> Source:
    """Return the pool that the options name, with its ``queues`` if they are needed."""
    return replace(sources(arguments, queues=queues, negotiator=arguments.name)[0], machines=False)


def max_age_of(arguments: argparse.Namespace) -> float:
    """Return how old may be what the negotiator published, in seconds.

    Raises:
        InputError: it is no time.
    """
    from htcq.poolquota.published import MAX_AGE

    max_age: float = MAX_AGE if arguments.max_age is None else arguments.max_age
    if not max_age >= 0:
        raise InputError(f"--max-age {max_age:g}: out of range", "0s or more")
    return max_age


def elastic_of(arguments: argparse.Namespace, site: Settings) -> Elastic | None:
    """Return the elastic quotas of --quotas, else of the site file, or None without either."""
    from htcq.operations.elastic_ledger import read_elastic

    quotas = arguments.quotas or site.drift.quotas
    if not quotas:
        return None
    return read_elastic(quotas)
