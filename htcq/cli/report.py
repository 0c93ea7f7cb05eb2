"""Write linked pages about a pool into a directory: for cron to publish behind any web server.

An overview opens with the state of the pool in one sentence; behind it are pages of groups,
machines, jobs and waits, the audit, the history, elastic quotas and what-ifs. They load nothing,
and a second run replaces each page whole.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.options import add_negotiator, add_pool_options, add_site_file, add_store
from htcq.cli.pool_options import sources
from htcq.errors import InputError

if TYPE_CHECKING:
    from htcq.drift.explanation import DriftExplanation
    from htcq.operations.pool_pages import Rules, SiteData
    from htcq.settings.site import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq report``."""
    parser.add_argument(
        "directory", metavar="DIR", help="directory of the pages; it is made if it is missing"
    )
    add_pool_options(parser)
    add_negotiator(parser)
    add_site_file(parser)
    add_store(parser)
    parser.add_argument(
        "--since", metavar="TIME", default="7d",
        help="beginning of the history that is shown: so long ago, such as 12h or 2w, or a date "
        "such as 2026-11-02 (default 7d)",
    )  # fmt: skip
    parser.add_argument(
        "--quotas", metavar="FILE",
        help="file of elastic quotas (default: as [drift] of the site file says, or none)",
    )  # fmt: skip
    parser.add_argument(
        "--what-if", metavar="PATH", action="append", default=[],
        help="what 'htcq simulate --json' printed, or the directory of a sweep's results; "
        "repeatable",
    )  # fmt: skip
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the verdict of the overview"
    )


def main(arguments: argparse.Namespace) -> int:
    """Read what belongs to the site, then the pool, and write the pages."""
    from htcq.operations.pool_pages import check_directory, write_pages
    from htcq.operations.site_file import read_site_file
    from htcq.report.printable import one_line

    check_directory(arguments.directory)
    settings = read_site_file(arguments.config)
    source = sources(arguments, negotiator=arguments.name)[0]
    site = _site_data(arguments, settings)
    rules = _rules(settings)
    status, verdict = write_pages(source, arguments.directory, site, rules)
    if arguments.verbose:
        print(one_line(verdict))
    return status


def _site_data(arguments: argparse.Namespace, settings: Settings) -> SiteData:
    from htcq.operations.pool_pages import SiteData, elastic_quotas_in, what_if_texts

    stories, why_no_history = _stories(arguments, settings)
    quotas_file = arguments.quotas or settings.drift.quotas
    quotas, why_no_quotas = {}, "There are no elastic quotas: '--quotas' names their file."
    if quotas_file:
        quotas, why_no_quotas = elastic_quotas_in(quotas_file, arguments.name), ""
    return SiteData(
        stories,
        why_no_history,
        quotas_file or "",
        quotas,
        why_no_quotas,
        what_if_texts(arguments.what_if),
    )


def _stories(
    arguments: argparse.Namespace, settings: Settings
) -> tuple[dict[str, DriftExplanation], str]:
    """Return the past of each pool; where none is recorded, why."""
    from htcq.cli.spans import moment_of
    from htcq.operations.pool_pages import stories_in

    now = int(time.time())
    since = moment_of("--since", arguments.since, now)
    if since >= now:
        raise InputError("--since is not in the past", "give an earlier --since")
    store = Path(arguments.store or settings.drift.store)
    if not arguments.store and not store.exists():
        return {}, "Nothing is recorded of the past: 'htcq drift record' does that."
    return stories_in(store, since, now), "Nothing was recorded yet: 'htcq drift record' does that."


def _rules(settings: Settings) -> Rules:
    """Return the rules of the audit as the site file has them."""
    from htcq.audit.site import chosen_rules, verdicts
    from htcq.cli.site_rules import plug_ins, tell_refusals
    from htcq.operations.pool_pages import Rules

    plugged = plug_ins()
    own = [rule for each in plugged for rule in each.rules]
    refusals = tell_refusals(plugged)
    opinions = verdicts(settings.audit, None if refusals else own)
    return Rules(chosen_rules([], [], settings.audit, own), opinions, refusals)
