"""Declared groups, their configuration text, and the named pool, if any.

``htcq quota emit`` and ``htcq quota lint`` use them.

Little is imported before anything is asked for: ``htcq quota`` adds these options whenever it runs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.options import add_pool_options, add_site_file
from htcq.cli.pool_options import read_source
from htcq.errors import InputError
from htcq.operations.health import told_ailments

if TYPE_CHECKING:
    from htcq.audit.declared_groups import DeclaredGroups
    from htcq.audit.evidence import Evidence
    from htcq.pool.configuration import Configuration
    from htcq.pool.pool import Pool
    from htcq.poolquota.ailment import Ailment
    from htcq.settings import Settings


@dataclass(frozen=True)
class Request:
    """The site file, the configuration text of its groups, and the named pool, if any.

    ``emitted`` is what that text sets. ``evidence`` is that pool with the declared groups in place
    of its own; without a pool, the text alone.
    """

    site: Settings
    declared: DeclaredGroups
    text: str
    emitted: Configuration
    pool: Pool | None
    evidence: Evidence
    health: tuple[Ailment, ...] = ()


def add_declared_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the site file and a pool."""
    add_site_file(parser)
    add_pool_options(parser)


def read_declared(arguments: argparse.Namespace, queues: bool) -> Request:
    """Return the declared groups and the pool that the options and the site file name.

    ``queues`` tells whether the jobs of a named pool are needed. From its reading on this process
    can do little, and writes no file.

    Raises:
        HtcqError: something of it cannot be used.
    """
    site, text = declared_text(arguments)
    pool = None
    if arguments.snapshot or arguments.pool:
        pool = read_source(arguments, queues, files=())
    return request_of(arguments, site, text, pool)


def declared_text(arguments: argparse.Namespace) -> tuple[Settings, str]:
    """Return the site file, and the configuration text of the groups that it declares.

    Raises:
        HtcqError: there are none, or HTCondor cannot read the text.
    """
    from htcq.emit.groups import groups_configuration
    from htcq.live.configuration import read_configuration
    from htcq.operations.site_file import read_site_file

    site = read_site_file(arguments.config)
    if not site.groups.groups:
        where = arguments.config or "htcq.toml"
        raise InputError(
            f"{where} declares no groups", "such as [groups.physics] with a quota; see htcq.toml(5)"
        )
    templates = arguments.templates or site.templates
    text = groups_configuration(site.groups, Path(templates) if templates else None)
    # A site's template may hold more than assignments, and HTCondor must be able to read all of it.
    read_configuration(text, ())
    return site, text


def request_of(
    arguments: argparse.Namespace, site: Settings, text: str, pool: Pool | None
) -> Request:
    """Return the declared groups beside those of ``pool``, if there is one.

    Raises:
        HtcqError: something of it cannot be used.
    """
    from htcq.audit.declared_groups import DeclaredGroups
    from htcq.audit.evidence import Evidence
    from htcq.emit.groups import adopted, read_back
    from htcq.live.configuration import read_dump
    from htcq.pool.pool import Pool

    emitted = read_back(text, read_dump)
    health = () if pool is None else told_ailments(pool)
    evidence = Evidence(adopted(pool or Pool(arguments.config or "htcq.toml"), emitted))
    weight = float(evidence.quotas.supply.pool_weight) if evidence.slots else None
    return Request(
        site, DeclaredGroups(site.groups, _today(), weight), text, emitted, pool, evidence, health
    )


def _today() -> date:
    return datetime.now(timezone.utc).astimezone().date()
