"""Show elastic quotas on a pool: what groups use, request and may use.

HTCondor's quotas for the groups stand beside them. Nothing is changed. A file with several
trees has one for each negotiator, called by its name.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from htcq.cli.options import (
    STDOUT,
    add_csv,
    add_json,
    add_negotiator,
    add_pool_options,
    add_prometheus,
    add_quotas,
    add_wide,
    print_or_put,
)
from htcq.cli.pool_options import sources
from htcq.cli.watch import Begin, add_watch, watched
from htcq.errors import EXIT_FINE, EXIT_USAGE, PoolError
from htcq.operations.elastic_quotas import TreeState, tree_states_of, trees_of
from htcq.operations.health import marked, told_ailments
from htcq.operations.output_files import place_of
from htcq.operations.pool_source import OpenSource, confine_to, open_source, read_open
from htcq.operations.quotas_in_force import FileInForce, file_in_force
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.audit.engine import Audit
    from htcq.elastic.status import Status
    from htcq.quota.elastic.declaration import ElasticQuotas


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic status``."""
    add_quotas(parser)
    add_pool_options(parser)
    add_negotiator(
        parser,
        (
            "name of the negotiator, if the pool has several (default: each tree of the quotas has "
            "its own)"
        ),
    )
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    add_json(form)
    add_csv(form, "print a row for each group and dimension as CSV")
    add_wide(output)
    add_watch(output)
    add_prometheus(parser)


def main(arguments: argparse.Namespace) -> int:
    """Look at the pool, once or again and again."""
    if arguments.prometheus and arguments.prometheus != STDOUT:
        place_of(arguments.prometheus)
    return watched(arguments, partial(_look, arguments))


def _look(arguments: argparse.Namespace, begin: Begin) -> int:
    """Look at the pool, once for each tree, and print."""
    from htcq.audit.elastic import is_computable

    file = file_in_force(arguments.quotas, arguments.name)
    if file.refused:
        tell(f"htcq: {file.refused}")
    trees = trees_of(file.name, arguments.name)
    wrong = {tree: _wrong(tree, quotas, file.name) for tree, quotas in trees.items()}
    refused = any(found.findings for found in wrong.values())
    if not all(is_computable(found) for found in wrong.values()):
        return EXIT_USAGE
    opened = {
        tree: open_source(sources(arguments, negotiator=arguments.name or tree)[0])
        for tree in trees
    }
    states = tree_states_of(file.name, trees)
    begin()
    confine_to(list(opened.values()), (arguments.prometheus,))
    looked = []
    for tree, quotas in trees.items():
        state = states[tree]
        looked.append(_look_with(tree, quotas, state, wrong[tree], opened[tree], file))
    if arguments.prometheus != STDOUT:
        _show(looked, arguments)
    if arguments.prometheus:
        from htcq.report.views.elastic_metrics import elastic_metrics

        print_or_put(arguments.prometheus, elastic_metrics([status for status, _ in looked]))
    health = [each for status, _ in looked for each in status.health]
    if refused or file.refused:
        return EXIT_USAGE
    return marked(EXIT_FINE, health)


def _wrong(tree: str, quotas: ElasticQuotas, file: str) -> Audit:
    """Return why one tree is refused, which is said on standard error."""
    from htcq.audit.elastic import unsound
    from htcq.audit.elastic_quotas import DeclaredElasticQuotas

    name = _named(file, tree)
    found = unsound(DeclaredElasticQuotas(name, quotas))
    for finding in found.findings:
        tell(f"htcq: {name}: {finding.message} [{finding.rule}]")
    return found


def _named(file: str, tree: str) -> str:
    if tree:
        return f"{file}: trees.{tree}"
    return file


def _look_with(
    tree: str,
    quotas: ElasticQuotas,
    state: TreeState,
    wrong: Audit,
    opened: OpenSource,
    file: FileInForce,
) -> tuple[Status, Audit]:
    """Look at the pool with one tree."""
    from random import Random

    from htcq.audit.elastic import doubtful
    from htcq.audit.elastic_quotas import DeclaredElasticQuotas
    from htcq.elastic.reclaim.ends import Draws
    from htcq.elastic.status import status_of

    source = opened.source
    pool = read_open(opened)
    if pool.slots is None:
        why = "; ".join(pool.incomplete)
        raise PoolError(
            f"{source.name}: its slots are not known" + (f": {why}" if why else ""),
            "what is there to share?",
        )
    told_ailments(pool)
    status = status_of(pool, quotas, *state, tree, source.negotiator, Draws(Random(0)))
    status = replace(status, refused_file=file.refused)
    demand = status.observation.demand
    subject = DeclaredElasticQuotas(_named(file.name, tree), quotas.of(demand.total), demand)
    return status, wrong.joined(doubtful(subject))


def _show(looked: list[tuple[Status, Audit]], arguments: argparse.Namespace) -> None:
    if arguments.json:
        import json

        from htcq.report.views.elastic_status_json import all_status_json

        source = looked[0][0].source if looked else ""
        print(json.dumps(all_status_json(source, arguments.quotas, looked), indent=2))
    elif arguments.csv:
        from htcq.report.views.elastic_status import write_status_csv

        write_status_csv([status for status, _ in looked], sys.stdout)
    else:
        from htcq.report.views.elastic_status_text import show_status

        for number, (status, findings) in enumerate(looked):
            print("\n" * bool(number), end="")
            show_status(status, findings, sys.stdout, arguments.wide)
