"""Write the configuration of the groups that htcq.toml declares, for the negotiator of a pool.

Prints it, unless --write is given. Quotas that contradict the site's own ones are refused, and
so is the removal of a group that is still in use.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from htcq.cli.declared import add_declared_options, declared_text, request_of
from htcq.cli.pool_options import sources
from htcq.cli.writing import (
    add_writing_options,
    check_writing_options,
    compare,
    target_of,
    write_told,
)
from htcq.emit import GROUPS_FILE
from htcq.errors import EXIT_FINE, PolicyError
from htcq.operations.health import marked
from htcq.poolquota.ailment import Ailment
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.cli.declared import Request
    from htcq.emit.install import Target
    from htcq.poolquota.pool_quotas import PoolQuotas

#: A rule that a pool's quotas need not wait for.
_UNOWNED = "group-without-owner"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq quota emit``."""
    add_declared_options(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="write in spite of broken promises, and drop groups that somebody uses",
    )
    add_writing_options(parser, GROUPS_FILE)


@dataclass(frozen=True)
class _Checked:
    """Why the groups are refused, and what is wrong with the daemons of the pool."""

    refused: tuple[str, ...]
    health: tuple[Ailment, ...]


def main(arguments: argparse.Namespace) -> int:
    """Render, check what is promised, show what changes, then print, compare or write.

    A pool is evaluated in a confined process; the text comes of the site file alone.
    """
    from htcq.operations.handed_over import record_of
    from htcq.operations.pool_source import evaluated_from, open_source, read_open

    check_writing_options(arguments)
    site, text = declared_text(arguments)
    opened = None
    if arguments.snapshot or arguments.pool:
        opened = open_source(sources(arguments, queues=False)[0])
    target = target_of(arguments, text, GROUPS_FILE) if arguments.write else None

    def check() -> _Checked:
        pool = None if opened is None else read_open(opened)
        return _checked(request_of(arguments, site, text, pool), target)

    if opened is None:
        found = check()
    else:
        found = record_of(_Checked, evaluated_from([opened], check))
    if found.refused and not arguments.force:
        for each in found.refused[:-1]:
            tell(f"htcq: refused: {each}")
        raise PolicyError(f"refused: {found.refused[-1]}", "nothing was written; --force overrides")
    for each in found.refused:
        tell(f"htcq: forced: {each}")
    status = EXIT_FINE
    if target is None:
        sys.stdout.write(text)
    elif arguments.diff or arguments.check:
        status = compare(target, arguments)
    else:
        status = write_told("quota emit", target, "condor_reconfig -negotiator")
    return marked(status, found.health)


def _checked(request: Request, target: Target | None) -> _Checked:
    """Check the groups, and say what is worth knowing of them."""
    from htcq.emit.groups import check_groups

    check_groups(request.site.groups, request.evidence.quotas)
    refused = [*_broken_promises(request), *_dropped_in_use(request, target)]
    _tell_what_stays(request, target.path.name if target else GROUPS_FILE)
    return _Checked(tuple(refused), request.health)


def _broken_promises(request: Request) -> list[str]:
    """Tell what is worth knowing of the declared groups, and return what is wrong with them."""
    from htcq.audit.group_lint import checked
    from htcq.audit.rule import Severity
    from htcq.report.views.audit_text import such

    outcome = checked(request.declared, request.evidence)
    broken = []
    for finding in outcome.findings:
        sentence = finding.message + (f" ({such(finding)})" if finding.count > 1 else "")
        if finding.severity is Severity.ERROR:
            broken.append(sentence)
        elif finding.rule != _UNOWNED:
            tell(f"htcq: {sentence}")
    for each in outcome.not_checked:
        if each.failed:
            broken.append(f"the check {each.rule} failed: {each.missing}")
        else:
            tell(f"htcq: not checked without {each.missing}")
    return broken


def _dropped_in_use(request: Request, target: Target | None) -> list[str]:
    """Show what changes, and return what would be taken away from those that use it."""
    from htcq.audit.facts import listed
    from htcq.emit.group_edit import changes, dropped, losses
    from htcq.report.terminal import show_table

    before, after = _before(request, target), request.evidence.quotas
    if before is None:
        return []
    found = changes(before, after)
    if found:
        rows = [(each.what, each.before, each.after) for each in found]
        show_table("what changes", ("GROUP OR KNOB", "BEFORE", "AFTER"), rows, sys.stderr)
    if request.pool is not None:
        return [f"this drops {each}" for each in losses(before, after)]
    gone = [group.name for group in dropped(before, after)]
    if gone:
        tell(
            "htcq: not checked without a pool (--snapshot or --pool): whether anybody still "
            f"uses {listed(gone)}"
        )
    return []


def _before(request: Request, target: Target | None) -> PoolQuotas | None:
    """Return the groups before the change: the pool's, or those of the file that is replaced.

    None where neither is known.
    """
    from htcq.audit.evidence import Evidence
    from htcq.emit.groups import read_back
    from htcq.live.configuration import read_dump
    from htcq.pool.pool import Pool

    if request.pool is not None:
        if request.pool.central is None:
            tell(
                f"htcq: {request.pool.source} has no configuration: its groups are not compared "
                "with the new ones"
            )
            return None
        return Evidence(request.pool).quotas
    if target is None or target.present is None:
        return None
    return Evidence(Pool(str(target.path), central=read_back(target.present, read_dump))).quotas


def _tell_what_stays(request: Request, file_name: str) -> None:
    from htcq.emit.group_edit import staying

    own = request.pool.central if request.pool is not None else None
    for knob in (
        staying(request.site.groups, own, request.emitted, file_name) if own is not None else ()
    ):
        tell(
            f"htcq: {knob.name} = {knob.value} stays in force beside what is declared: remove it "
            f"from {knob.place}"
        )
