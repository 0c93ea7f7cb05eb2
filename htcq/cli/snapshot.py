"""Capture a pool as it is at this moment: its ads, jobs, priorities and configuration, without secrets.

Needs READ authorisation only. The result is a directory, or an archive if its name ends in .tar.gz.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.source import PATIENCE
from htcq.errors import EXIT_FINE, InputError

if TYPE_CHECKING:
    from htcq.live.capture import Captured


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq snapshot``."""
    parser.add_argument("goal", metavar="DIR|FILE.tar.gz", help="what is made; nothing that is not empty is replaced")
    parser.add_argument(
        "--pool", "-pool", metavar="HOST", action="append", help="its collector (default: this machine's); repeatable"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=PATIENCE, help=f"for each query (default {PATIENCE:g})"
    )
    parser.add_argument(
        "--name", "-name", metavar="NEGOTIATOR", default="", help="the one that counts, if a pool has several"
    )
    parser.add_argument("--anonymize", action="store_true", help="replace users, hosts and paths, consistently")


def main(arguments: argparse.Namespace) -> int:
    """Capture into a temporary place, make it anonymous if asked to, then put it where it belongs."""
    if not 0 < arguments.timeout <= 86400:
        raise InputError(f"--timeout {arguments.timeout:g}: not a time", "give seconds, more than 0")
    from htcq.pool.files import file_name
    from htcq.store.snapshot_writer import new_snapshot

    pools: list[str | None] = list(dict.fromkeys(arguments.pool or [])) or [None]
    names = [file_name(pool) if pool else "" for pool in pools]
    if len(set(names)) < len(names):
        raise InputError("two pools would have the same directory", "capture them one by one")
    goal = Path(arguments.goal)
    with new_snapshot(goal) as directory:
        places = [directory / name for name in names] if len(pools) > 1 else [directory]
        captured = _capture(pools, places, arguments.timeout, arguments.name)
        if arguments.anonymize:
            from htcq.store.anonymize import anonymize_directory

            anonymize_directory(directory)
    _tell(goal, captured)
    return EXIT_FINE


def _capture(pools: Sequence[str | None], places: Sequence[Path], timeout: float, negotiator: str) -> list[Captured]:
    from htcq.live.capture import Wanted, capture
    from htcq.report.terminal import progress

    wanted = Wanted(negotiator=negotiator)
    return [capture(pool, place, timeout, progress(), wanted) for pool, place in zip(pools, places)]


def _tell(goal: Path, captured: Sequence[Captured]) -> None:
    for each in captured:
        for what, why in each.failed:
            print(f"htcq: {each.pool}: {what}: {why}", file=sys.stderr)
        held = ", ".join(f"{count} {kind}" for kind, count in sorted(each.counts.items()))
        print(f"{goal}: {each.pool}: {held}", file=sys.stderr)
