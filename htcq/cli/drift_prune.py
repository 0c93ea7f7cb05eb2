"""Merge and drop old records of a history.

Records become hours, hours become days, old days are dropped. How long each is kept is in the site
file, or 14 days, 90 days and 5 years.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from htcq.cli.options import add_site_file, add_store
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, HistoryError, InputError
from htcq.report.printable import one_line, tell

#: The flags, the finest first, with the attribute of the settings that each replaces.
_KEEP = {"--keep-fine": "keep_fine", "--keep-hours": "keep_hours", "--keep-days": "keep_days"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq drift prune``."""
    add_site_file(parser)
    add_store(parser)
    parser.add_argument(
        "--keep-fine", metavar="TIME", help="time to keep every record (default 14d)"
    )
    parser.add_argument(
        "--keep-hours", metavar="TIME", help="time to keep one row an hour (default 90d)"
    )
    parser.add_argument(
        "--keep-days", metavar="TIME", help="time to keep one row a day (default 5y)"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="prune although the clock is far ahead of the newest record",
    )


def main(arguments: argparse.Namespace) -> int:
    """Prune, and say what that did."""
    from htcq.drift.retention import Retention
    from htcq.operations.history import prune
    from htcq.operations.site_file import read_site_file
    from htcq.settings.durations import parse_duration

    site = read_site_file(arguments.config).drift
    given = {flag: getattr(arguments, name) for flag, name in _KEEP.items()}
    kept = {
        flag: getattr(site, name) if given[flag] is None else parse_duration(flag, given[flag])
        for flag, name in _KEEP.items()
    }
    for finer, coarser in (("--keep-fine", "--keep-hours"), ("--keep-hours", "--keep-days")):
        if kept[finer] > kept[coarser]:
            raise InputError(
                f"{finer} is longer than {coarser}", f"give {coarser} as long or longer"
            )
    store = Path(arguments.store or site.store)
    if not store.is_file():
        raise HistoryError(f"{store}: there is no history", "'htcq drift record' makes one")
    before = store.stat().st_size
    rows, aside = prune(store, Retention(*kept.values()), arguments.force)
    if aside is not None:
        tell(f"htcq: {store} was damaged: it is {aside} now, and a new one was begun")
        return EXIT_FINDINGS
    sizes = f"{_size(before)} before, {_size(store.stat().st_size)} now"
    print(one_line(f"{store}: {rows} row{'' if rows == 1 else 's'} merged or dropped; {sizes}"))
    return EXIT_FINE


def _size(octets: int) -> str:
    if octets >= 2**20:
        return f"{octets / 2**20:.1f} MiB"
    return f"{octets / 2**10:.0f} KiB"
