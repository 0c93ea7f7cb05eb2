"""Compute what every group may use now, from two files: the declared quotas and the present demand.

Errors and warnings about the quotas go to standard error. Quotas with refused amounts are
computed all the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from htcq.cli.options import add_json, add_quotas, add_wide
from htcq.errors import EXIT_FINE, EXIT_USAGE, InputError
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.quota.elastic.declaration import ElasticDemand, ElasticQuotas
    from htcq.report.views.elastic_compute import Computed

_HINT = "see htcq-elastic(1)"
_STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic compute``."""
    add_quotas(parser)
    parser.add_argument(
        "--demand",
        metavar="FILE",
        required=True,
        help="file of total, request and used (JSON; - for standard input)",
    )
    parser.add_argument(
        "--before",
        metavar="FILE",
        help="file of the earlier quotas, to show what they no longer declare",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--why", metavar="GROUP", help="explain the runtime of one group step by step"
    )
    form.add_argument(
        "--trace",
        action="store_true",
        help="explain the runtime of every group step by step; with --json as steps",
    )
    add_json(parser)
    add_wide(parser)


def main(arguments: argparse.Namespace) -> int:
    """Read, validate, compute and print."""
    from htcq.settings.elastic import demand_from

    if arguments.why and arguments.json:
        raise InputError(
            "--why and --json contradict each other", "--trace --json has the steps of every group"
        )
    trees, before = _quotas(arguments.quotas), _quotas(arguments.before) if arguments.before else {}
    demands = demand_from(_json(arguments.demand), arguments.demand)
    for name in demands:
        if name not in trees:
            which = f"the tree {name}" if name else "groups outside of its trees"
            raise InputError(
                f"{arguments.demand}: it has demand of {which}, but {arguments.quotas} has none",
                f"its trees are {', '.join(sorted(filter(None, trees))) or 'none'}",
            )
    computed, status = [], EXIT_FINE
    for name in sorted(trees):
        if name not in demands:
            where = f"trees.{name}.total" if name else "total"
            raise InputError(
                f"{arguments.demand}: {where} is missing", "every tree has a total of its own"
            )
        found, refused = _compute(name, trees[name], demands[name], before.get(name), arguments)
        computed.append(found)
        if refused:
            status = EXIT_USAGE
    if all(computed):
        _show([each for each in computed if each is not None], arguments)
    return status


def _compute(
    name: str,
    quotas: ElasticQuotas,
    demand: ElasticDemand,
    before: ElasticQuotas | None,
    arguments: argparse.Namespace,
) -> tuple[Computed | None, bool]:
    """Return the computed tree ``name``, and whether it is refused; say why on standard error.

    The tree is None where it cannot be computed.
    """
    from htcq.audit.elastic import doubtful, is_computable, unsound
    from htcq.audit.elastic_quotas import DeclaredElasticQuotas
    from htcq.audit.rule import Severity
    from htcq.quota.elastic.membership import assign
    from htcq.quota.elastic.runtime import compute
    from htcq.report.views.elastic_compute import Computed

    quotas = quotas.of(demand.total)
    if before is not None:
        before = before.of(demand.total)
    assigned = assign(quotas.groups, demand)
    source = arguments.quotas
    if name:
        source = f"{source}: trees.{name}"
    subject = DeclaredElasticQuotas(
        source, quotas, assigned.demand, assigned.unknown, assigned.lost, before
    )
    findings = unsound(subject)
    refused, broken = bool(findings.findings), not is_computable(findings)
    if not refused:
        findings = doubtful(subject)
    for finding in findings.findings:
        if finding.severity is not Severity.INFO:
            word = "" if finding.severity is Severity.ERROR else "warning: "
            tell(
                f"htcq: {source}: {word}{finding.message} [{finding.rule}] "
                f"({_hint(finding.advice)})"
            )
    if broken:
        return None, refused
    outcome = compute(quotas, assigned.demand)
    return Computed(
        name, outcome, assigned.default_request, assigned.demand.default_used, findings
    ), refused


def _hint(advice: str) -> str:
    return advice[:1].lower() + advice[1:].rstrip(".")


def _show(computed: list[Computed], arguments: argparse.Namespace) -> None:
    if arguments.json:
        import json

        from htcq.report.views.elastic_compute import all_json

        print(json.dumps(all_json(arguments.quotas, computed, arguments.trace), indent=2))
        return
    from htcq.report.views.elastic_compute_text import (
        no_group,
        show_all_steps,
        show_elastic,
        show_why,
    )

    having = [each for each in computed if each.outcome.find(arguments.why or "") is not None]
    if arguments.why and not having:
        raise no_group(
            arguments.why, [group.name for each in computed for group in each.outcome.groups]
        )
    for number, each in enumerate(having if arguments.why else computed):
        print("\n" * bool(number), end="")
        if arguments.why:
            show_why(each, arguments.why, sys.stdout)
        elif arguments.trace:
            show_all_steps(each, sys.stdout)
        else:
            show_elastic(each, arguments.quotas, sys.stdout, arguments.wide)


def _quotas(named: str) -> dict[str, ElasticQuotas]:
    from htcq.operations.elastic_quotas import read_quota_file

    return dict(read_quota_file(named).trees)


def _json(named: str) -> Any:
    import json

    try:
        text = sys.stdin.read() if named == _STDIN else Path(named).read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_once)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{named} cannot be read: {getattr(error, 'strerror', None) or error}", _HINT
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{named} is not JSON: {error}", _HINT) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; a key that is there twice would hide what stood there first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return found
