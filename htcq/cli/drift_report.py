"""Report the past of a pool's groups.

The report shows what changed and when, which quotas disagree, and which groups starved, lent
slots or used more than their quota.

All of it comes from the history that 'htcq drift record' keeps; no pool is asked.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.options import add_csv, add_html, add_json, add_site_file, add_store, add_wide
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, HistoryError, InputError
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.drift.explanation import DriftExplanation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq drift report``."""
    add_site_file(parser)
    add_store(parser)
    parser.add_argument(
        "--pool", "-pool", metavar="POOL", action="append",
        help="name or shell pattern, if the history has several pools; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--group",
        metavar="PATTERN",
        action="append",
        help="only groups of this name or shell pattern; repeatable",
    )
    parser.add_argument(
        "--since", metavar="TIME", default="7d",
        help="beginning of the report: so long ago, such as 12h or 2w, or a date such as "
        '2026-11-02 or "2026-11-02 08:15" (default 7d)',
    )  # fmt: skip
    parser.add_argument(
        "--until", metavar="TIME", help="end of the report, in the same form (default: now)"
    )
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    form.add_argument(
        "--mail", action="store_true", help="print a mail: at most 78 columns, short and in ASCII"
    )
    add_json(form)
    add_csv(form, "print the table of groups as CSV")
    output.add_argument(
        "--if-changed",
        action="store_true",
        help="with --mail: print nothing of a pool of which nothing changed",
    )
    output.add_argument(
        "--ledger",
        action="store_true",
        help="with --csv: print the ledger of elastic quotas instead",
    )
    add_wide(output)
    add_html(output)


def main(arguments: argparse.Namespace) -> int:
    """Read the history, then write and print; a time of which nothing is known is status 3."""
    from htcq.cli.spans import moment_of
    from htcq.operations.output_files import place_of
    from htcq.operations.site_file import read_site_file

    if arguments.if_changed and not arguments.mail:
        raise InputError("--if-changed without --mail", "give --mail too")
    if arguments.ledger and not arguments.csv:
        raise InputError(
            "--ledger without --csv", "give --csv too; the other reports contain the ledger"
        )
    if arguments.html:
        place_of(arguments.html)
    now = int(time.time())
    until = moment_of("--until", arguments.until, now) if arguments.until else now
    since = moment_of("--since", arguments.since, now)
    if since >= until:
        raise InputError(
            "--since is not before --until", "give an earlier --since, or a later --until"
        )
    store = Path(arguments.store or read_site_file(arguments.config).drift.store)
    stories = _stories(store, since, until, arguments)
    _page(stories, arguments.html)
    _print(stories, arguments)
    if any(story.windows for story in stories):
        return EXIT_FINE
    tell("htcq: nothing was recorded of this pool in this time")
    return EXIT_UNKNOWN


def _stories(
    store: Path, since: int, until: int, arguments: argparse.Namespace
) -> list[DriftExplanation]:
    from htcq.drift.explanation import chosen
    from htcq.operations.history import story_of
    from htcq.store.history import open_history

    patterns = arguments.pool or []
    with open_history(store) as history:
        pools = history.pools()
        named = [pool for pool in pools if chosen(pool, patterns)]
        if not pools:
            raise HistoryError(
                f"{store}: nothing was recorded yet", "'htcq drift record' does that"
            )
        if not named:
            raise InputError(
                f"{store} has no pool {' or '.join(patterns)}", f"its pools: {', '.join(pools)}"
            )
        return [story_of(history, pool, since, until, arguments.group or []) for pool in named]


def _page(stories: Sequence[DriftExplanation], name: str | None) -> None:
    if not name:
        return
    from htcq.operations.output_files import put_file
    from htcq.report.pages.drift import drift_page

    put_file(name, drift_page(stories))


def _print(stories: Sequence[DriftExplanation], arguments: argparse.Namespace) -> None:
    if arguments.json:
        from htcq.report.views.drift import drift_json

        print(json.dumps(drift_json(stories), indent=2))
    elif arguments.csv:
        from htcq.report.views.drift import write_csv
        from htcq.report.views.ledger import write_ledger

        (write_ledger if arguments.ledger else write_csv)(stories, sys.stdout)
    elif arguments.mail:
        from htcq.report.views.drift_mail import drift_mail

        told = [
            story
            for story in stories
            if story.changed or not story.windows or not arguments.if_changed
        ]
        print("\n\n".join(drift_mail(story) for story in told), end="")
    else:
        from htcq.report.views.drift_text import show_story

        for number, story in enumerate(stories):
            if number:
                print()
            show_story(story, sys.stdout, wide=arguments.wide)
