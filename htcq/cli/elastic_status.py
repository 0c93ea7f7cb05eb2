"""Show elastic quotas on a pool: what groups use, ask for and may use, and HTCondor's quotas for them.

Nothing is changed. A file with several trees has one for each negotiator, called by its name.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from htcq.cli.health import marked, told_ailments
from htcq.cli.options import number
from htcq.errors import EXIT_FINE, EXIT_USAGE, InputError, PoolError
from htcq.operations.pool_source import OpenSource, add_source_options, confine_to, open_source, read_open, sources
from htcq.report.printable import tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from htcq.audit.engine import Audit
    from htcq.elastic.status import Status
    from htcq.quota.elastic.groups import Quotas


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic status``."""
    parser.add_argument("--quotas", metavar="FILE", required=True, help="file of the quotas (TOML)")
    add_source_options(parser)
    parser.add_argument(
        "--name", "-name", metavar="NEGOTIATOR", default="", help="name of the negotiator, if the pool has several"
    )
    parser.add_argument(
        "--headroom", metavar="PERCENT", type=number, default=5.0,
        help="percentage of its min that a lender keeps for new jobs (default 5; 0: none)",
    )  # fmt: skip
    parser.add_argument("--json", "-json", action="store_true", help="print everything as JSON")
    parser.add_argument("--csv", action="store_true", help="print a row for each group and dimension as CSV")


def main(arguments: argparse.Namespace) -> int:
    """Look at the pool, once for each tree, and print."""
    if arguments.json and arguments.csv:
        raise InputError("--json and --csv contradict each other", "give one of them")
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    if not 0 <= arguments.headroom <= 100:
        raise InputError(f"--headroom {arguments.headroom:g}: not a percentage", "from 0 to 100")
    trees = chosen_trees(arguments.quotas, arguments.name)
    from htcq.audit.elastic import is_computable

    wrong = {tree: _wrong(tree, quotas, arguments.quotas) for tree, quotas in trees.items()}
    refused = any(found.findings for found in wrong.values())
    if not all(is_computable(found) for found in wrong.values()):
        return EXIT_USAGE
    opened = {tree: open_source(sources(arguments, negotiator=arguments.name or tree)[0]) for tree in trees}
    confine_to(list(opened.values()))
    looked = [_look(tree, quotas, wrong[tree], opened[tree], arguments) for tree, quotas in trees.items()]
    _show(looked, arguments)
    health = [each for status, _ in looked for each in status.health]
    return EXIT_USAGE if refused else marked(EXIT_FINE, health)


def chosen_trees(file: str, negotiator: str) -> Mapping[str, Quotas]:
    """Return the trees of a file of quotas that ``negotiator`` is asked about: all where it is not named.

    Raises:
        InputError: it cannot be read, or has several trees and none is that negotiator's.
    """
    from pathlib import Path

    from htcq.cli.site import parse_toml
    from htcq.settings.elastic import quotas_from

    trees = quotas_from(parse_toml(Path(file), "see htcq-elastic(1)"), file).trees
    if not negotiator:
        return trees
    for name in (negotiator, negotiator.partition("@")[0], ""):
        if name in trees:
            return {name: trees[name]}
    raise InputError(f"{file} has no tree for the negotiator {negotiator}", f"its trees are {', '.join(sorted(trees))}")


def _wrong(tree: str, quotas: Quotas, file: str) -> Audit:
    """Return why one tree is refused, which is said on standard error."""
    from htcq.audit.elastic import unsound
    from htcq.audit.elastic_quotas import ElasticQuotas

    name = _named(file, tree)
    found = unsound(ElasticQuotas(name, quotas))
    for finding in found.findings:
        tell(f"htcq: {name}: {finding.message} [{finding.rule}]")
    return found


def _named(file: str, tree: str) -> str:
    return f"{file}: trees.{tree}" if tree else file


def _look(
    tree: str, quotas: Quotas, wrong: Audit, opened: OpenSource, arguments: argparse.Namespace
) -> tuple[Status, Audit]:
    """Look at the pool with one tree."""
    from htcq.audit.elastic import doubtful
    from htcq.audit.elastic_quotas import ElasticQuotas
    from htcq.elastic.ceiling_left import Headroom
    from htcq.elastic.status import status_of

    source = opened.source
    pool = read_open(opened)
    if pool.slots is None:
        why = "; ".join(pool.incomplete)
        raise PoolError(
            f"{source.name}: its slots are not known" + (f": {why}" if why else ""), "what is there to share?"
        )
    told_ailments(pool)
    status = status_of(pool, quotas, tree, source.negotiator, Headroom(arguments.headroom / 100))
    subject = ElasticQuotas(_named(arguments.quotas, tree), quotas, status.observation.demand)
    return status, wrong.joined(doubtful(subject))


def _show(looked: list[tuple[Status, Audit]], arguments: argparse.Namespace) -> None:
    if arguments.json:
        import json

        from htcq.report.elastic_status_json import all_status_json

        source = looked[0][0].source if looked else ""
        print(json.dumps(all_status_json(source, arguments.quotas, looked), indent=2))
    elif arguments.csv:
        from htcq.report.elastic_status_rows import write_status_csv

        write_status_csv([status for status, _ in looked], sys.stdout)
    else:
        from htcq.report.elastic_status_text import show_status

        for number, (status, findings) in enumerate(looked):
            print("\n" * bool(number), end="")
            show_status(status, findings, sys.stdout)
