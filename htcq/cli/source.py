"""Where a command finds the pool that it looks at: a snapshot on disk, or a live pool that is captured first."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from htcq.errors import InputError
from htcq.live.configuration import read_dump
from htcq.pool.files import ACCESS, COLLECTOR_ADS, CONFIG, EXECUTE, JOBS_ADS
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.store.snapshot import Snapshot, open_snapshot

#: How long one query may take unless told otherwise, in seconds.
PATIENCE = 60.0


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name a pool."""
    source = parser.add_argument_group("pool")
    source.add_argument("--snapshot", metavar="PATH", help="a snapshot: a directory or a .tar.gz")
    source.add_argument("--pool", "-pool", metavar="HOST", help="a live pool: its collector (default: this machine's)")
    source.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=PATIENCE, help=f"for each query (default {PATIENCE:g})"
    )


def read_source(arguments: argparse.Namespace) -> Pool:
    """Return the pool that the flags name.

    Raises:
        HtcqError: it cannot be read at all.
    """
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    if arguments.snapshot:
        return pool_of(open_snapshot(Path(arguments.snapshot)), arguments.snapshot)
    from htcq.live.capture import capture
    from htcq.report.terminal import progress

    with tempfile.TemporaryDirectory(prefix="htcq-") as directory:
        path = Path(directory) / "snapshot"
        capture(arguments.pool, path, arguments.timeout, progress())
        return pool_of(open_snapshot(path), arguments.pool or "this machine's pool")


def pool_of(snapshot: Snapshot, source: str) -> Pool:
    """Return the pool that ``snapshot`` holds.

    Raises:
        InputError: none of its files can be read.
    """
    meta = snapshot.meta()
    told = meta.get("failed")
    failed = [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []
    pool = read_pool(
        Texts(
            source=source,
            collector=snapshot.chunks(COLLECTOR_ADS),
            jobs=snapshot.chunks(JOBS_ADS),
            central=snapshot.text(CONFIG),
            access=snapshot.configurations(ACCESS),
            execute=snapshot.configurations(EXECUTE),
            taken_at=str(meta.get("taken", "")),
            failed=tuple((str(each.get("what", "")), str(each.get("why", ""))) for each in failed),
        ),
        read_dump,
    )
    if pool.slots is None and pool.jobs is None and pool.central is None:
        raise InputError(f"{source}: {'; '.join(pool.damage)}", "none of its files can be used")
    return pool
