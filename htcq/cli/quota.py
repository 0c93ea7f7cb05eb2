"""Show the groups of a pool as its negotiator computes them.

For each group: quota, demand, usage, allocation, limits and place in the order.

'htcq quota emit' writes the configuration of groups that are declared in htcq.toml, 'htcq quota
lint' checks them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from htcq.cli.actions import add_actions
from htcq.cli.changes import add_changes
from htcq.cli.options import (
    add_csv,
    add_html,
    add_json,
    add_max_age,
    add_negotiator,
    add_pool_options,
    add_wide,
)
from htcq.cli.pool_options import sources
from htcq.cli.watch import Begin, add_watch, watched
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, HtcqError, InputError
from htcq.operations.changed_pool import tell_knobs
from htcq.operations.health import check_configuration, marked, told_ailments
from htcq.operations.output_files import place_of, put_file
from htcq.operations.pool_source import OpenSource, Source, confine_to, open_source, read_open
from htcq.report.failure import reason
from htcq.report.printable import tell
from htcq.settings.changes import Changes, read_changes

if TYPE_CHECKING:
    from htcq.poolquota.pool_quotas import PoolQuotas
    from htcq.poolquota.report import PoolQuotaReport

ACTIONS = {
    "emit": "write the configuration of the groups that htcq.toml declares",
    "lint": "check the groups that htcq.toml declares for mistakes",
}
Result = TypeVar("Result")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq quota``."""
    add_pool_options(parser, several=True)
    add_negotiator(parser)
    add_max_age(parser)
    add_changes(parser)
    parser.add_argument(
        "--all", action="store_true", help="with --set: also show groups that do not change"
    )
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    form.add_argument(
        "--why", metavar="GROUP",
        help="explain how the quota of one group was computed: which rule gave it what, what held "
        "it back, and who has the rest",
    )  # fmt: skip
    add_json(form)
    add_csv(form, "print the table as CSV: a header, and a row for each group")
    output.add_argument("--tree", action="store_true", help="draw the tree beside the numbers")
    add_wide(output)
    add_html(output)
    add_watch(output)
    add_actions(parser, "quota", ACTIONS, required=False)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action, or show the groups of every pool that is named."""
    if arguments.action:
        status: int = arguments.run_action(arguments)
        return status
    if arguments.max_age is not None and not arguments.max_age >= 0:
        raise InputError(f"--max-age {arguments.max_age:g}: out of range", "0s or more")
    if arguments.html:
        place_of(arguments.html)
    return watched(arguments, partial(_look, arguments))


def _look(arguments: argparse.Namespace, begin: Begin) -> int:
    """Look at every pool, and print."""
    changes = read_changes(arguments.changes)
    named = sources(arguments, queues=False, negotiator=arguments.name)
    looked, status = _look_at_all(named, changes, arguments, begin)
    if looked:
        _page(looked, changes, arguments)
        _show(looked, changes, arguments)
    return max([status, *(_status(each) for each in looked)])


@dataclass(frozen=True)
class _Looked:
    """One pool, by its name, as it is and, if anything is to change, as it would be."""

    name: str
    quotas: PoolQuotas
    now: PoolQuotaReport
    then: PoolQuotaReport | None
    stale: bool


def _look_at_all(
    named: Sequence[Source], changes: Changes, arguments: argparse.Namespace, begin: Begin
) -> tuple[list[_Looked], int]:
    """Look at every pool; one that cannot be read costs its own part only, if there are others."""
    alone = len(named) == 1
    opened = [_or_error(alone, partial(open_source, source, changes)) for source in named]
    begin()
    confine_to([each for each in opened if isinstance(each, OpenSource)], (arguments.html,))
    looked, status = [], EXIT_FINE
    for source, each in zip(named, opened):
        found: _Looked | HtcqError
        if isinstance(each, OpenSource):
            found = _or_error(alone, partial(_look_at, each, changes, arguments))
        else:
            found = each
        if isinstance(found, HtcqError):
            tell(f"htcq: {source.name}: {reason(found)}")
            status = max(status, found.exit_status)
        else:
            looked.append(found)
    return looked, status


def _or_error(alone: bool, look: Callable[[], Result]) -> Result | HtcqError:
    """Return what ``look`` returns, or why it failed; the error of the only pool is raised."""
    try:
        return look()
    except HtcqError as error:
        if alone:
            raise
        return error


def _look_at(opened: OpenSource, changes: Changes, arguments: argparse.Namespace) -> _Looked:
    from htcq.pool.weights import Weights
    from htcq.poolquota.pool_quotas import PoolQuotas
    from htcq.poolquota.published import MAX_AGE
    from htcq.poolquota.report import look_at

    max_age = MAX_AGE if arguments.max_age is None else arguments.max_age
    source = opened.source
    pool = read_open(opened, changes)
    check_configuration(pool)
    weights, negotiator = Weights(), source.negotiator or pool.negotiator
    quotas = PoolQuotas(pool, weights, negotiator)
    if source.negotiator and source.negotiator not in ("", *quotas.published.negotiators):
        known = ", ".join(quotas.published.negotiators) or "none"
        raise InputError(
            f"{source.name} has no negotiator {source.negotiator}", f"its negotiators: {known}"
        )
    told_ailments(pool)
    now = look_at(quotas, pool, max_age)
    then = None
    if changes:
        changed = replace(pool, central=pool.changed)
        tell_knobs(pool, changed)
        quotas = PoolQuotas(changed, weights, negotiator)
        then = look_at(quotas, changed, max_age)
    age = quotas.published.age
    return _Looked(pool.name, quotas, now, then, stale=age is not None and age > max_age)


def _status(looked: _Looked) -> int:
    look = looked.then or looked.now
    if looked.stale:
        return EXIT_UNKNOWN
    return marked(
        EXIT_FINDINGS if any(problem.fatal for problem in look.problems) else EXIT_FINE, look.health
    )


def _page(looked: Sequence[_Looked], changes: Changes, arguments: argparse.Namespace) -> None:
    if not arguments.html:
        return
    from htcq.report.pages.quota import quota_page

    looks = []
    names = Counter(each.name for each in looked)
    for each in looked:
        name = each.name
        if names[name] > 1:
            # Two looks at one pool: only the paths of their snapshots tell them apart.
            name = each.now.source
        then = None
        if each.then is not None:
            then = replace(each.then, source=name)
        looks.append((replace(each.now, source=name), then))
    put_file(arguments.html, quota_page(looks, changes))


def _show(looked: Sequence[_Looked], changes: Changes, arguments: argparse.Namespace) -> None:
    if arguments.json:
        _show_json(looked, changes)
    elif arguments.csv:
        from htcq.report.views.quota import write_csv

        write_csv([(each.now, each.then) for each in looked], sys.stdout)
    else:
        for number, each in enumerate(looked):
            print("\n" * bool(number), end="")
            _show_text(each, changes, arguments)


def _show_json(looked: Sequence[_Looked], changes: Changes) -> None:
    import json

    from htcq.report.views.quota import quota_json, what_if_json

    found = [
        quota_json(each.now) if each.then is None else what_if_json(each.now, each.then, changes)
        for each in looked
    ]
    print(json.dumps(found[0] if len(found) == 1 else {"pools": found}, indent=2))


def _show_text(looked: _Looked, changes: Changes, arguments: argparse.Namespace) -> None:
    if arguments.why:
        from htcq.report.views.quota_text import show_why

        show_why(looked.then or looked.now, arguments.why, sys.stdout)
    elif looked.then is not None:
        from htcq.report.views.quota_text import show_comparison

        show_comparison(looked.now, looked.then, changes, sys.stdout, arguments.all, arguments.wide)
    else:
        from htcq.report.views.quota_text import show_quota

        show_quota(looked.now, sys.stdout, arguments.tree, arguments.wide)
