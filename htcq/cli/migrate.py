"""Show how a new capacity model changes a pool's quotas, usage and priorities, and list the steps.

Nothing of the pool is changed. With --write-groups the groups are written with quotas of the
same share of the pool.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from htcq.cli.options import add_csv, add_json, add_negotiator, add_pool_options, add_wide
from htcq.cli.pool_options import sources
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, InputError
from htcq.operations.health import marked, slots_of, told_ailments
from htcq.operations.output_files import place_of, put_file
from htcq.operations.pool_source import confine_to, open_source, read_open
from htcq.operations.site_file import read_site_file

if TYPE_CHECKING:
    from htcq.quota.elastic.declaration import ElasticQuotas
    from htcq.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq migrate``."""
    parser.add_argument("--model", metavar="FILE", help="site file with the new model of the pool")
    add_pool_options(parser)
    add_negotiator(parser)
    parser.add_argument(
        "--quotas", metavar="FILE",
        help=("file of elastic quotas (TOML), whose amounts of slot weight are shown in the new "
            "unit too"),
    )  # fmt: skip
    output = parser.add_argument_group("output")
    output.add_argument(
        "--write-groups", metavar="FILE",
        help=("write the groups with their new quotas to a new site file, which 'htcq quota emit "
            "--config' reads"),
    )  # fmt: skip
    form = output.add_mutually_exclusive_group()
    add_json(form)
    add_csv(form, "print the groups as CSV")
    add_wide(output)


def main(arguments: argparse.Namespace) -> int:
    """Compute and print the migration, and write the groups with ``--write-groups``.

    The exit status is 1 where a group starves or a machine keeps its weight.
    """
    _check(arguments)
    settings = _settings(arguments.model)
    from htcq.elastic.migration import elastic_moves
    from htcq.poolquota.health import health_json
    from htcq.report.views.migrate_groups import groups_toml
    from htcq.report.views.migrate_steps import Files, steps
    from htcq.simulate.migration.switch import migration_of
    from htcq.simulate.models import MachineModel

    model = MachineModel(arguments.model, settings.slot_types, "", settings.literal, settings.kinds)
    quotas = _quotas(arguments.quotas)
    opened = open_source(sources(arguments, negotiator=arguments.name)[0])
    confine_to([opened], (arguments.write_groups,))
    pool = read_open(opened)
    slots_of(pool, "their weight is what changes")
    health = told_ailments(pool)
    found = migration_of(pool, model)
    moves = tuple(move for each in quotas for move in elastic_moves(each, found.factor))
    todo = steps(found, Files(arguments.model, arguments.write_groups or ""))
    if arguments.write_groups:
        put_file(arguments.write_groups, groups_toml(found, pool.central, settings.groups))
    if arguments.json:
        from htcq.report.views.migrate import migration_json

        printed = {**migration_json(found, moves, todo), "health": health_json(health)}
        print(json.dumps(printed, indent=2))
    elif arguments.csv:
        from htcq.report.views.migrate import write_csv

        write_csv(found, sys.stdout)
    else:
        from htcq.report.views.migrate_text import show_migration

        show_migration(found, moves, todo, sys.stdout, arguments.wide)
    status = EXIT_FINDINGS if found.starving or found.stay else EXIT_FINE
    return marked(status, health)


def _check(arguments: argparse.Namespace) -> None:
    if not arguments.model:
        raise InputError(
            "--model is missing", "the site file with the new model, such as --model htcq.toml"
        )
    if arguments.write_groups and place_of(arguments.write_groups).exists():
        raise InputError(f"{arguments.write_groups} exists already", "give the name of a new file")


def _settings(file: str) -> Settings:
    settings = read_site_file(file)
    if not settings.slot_types and not settings.kinds:
        raise InputError(
            f"--model {file}: it has no model",
            "give it [capacity], [slot_types.1] or [nodes.NAME], see htcq.toml(5)",
        )
    return settings


def _quotas(file: str | None) -> tuple[ElasticQuotas, ...]:
    """Return the elastic quotas of all trees in ``file``."""
    if not file:
        return ()
    from htcq.operations.elastic_quotas import read_quota_file

    return tuple(read_quota_file(file).trees.values())
