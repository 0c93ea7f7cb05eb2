"""Where a command finds the pools that it looks at: snapshots on disk, or live pools that are captured first."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.classads import parsed
from htcq.errors import InputError
from htcq.live.configuration import read_dump
from htcq.pool.files import ACCESS, COLLECTOR_ADS, CONFIG, EXECUTE, JOBS_ADS, PRIORITIES_ADS
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.store.snapshot import Snapshot, open_snapshot

if TYPE_CHECKING:
    from htcq.cli.past import PastFile

#: How long one query may take unless told otherwise, in seconds.
PATIENCE = 60.0
#: Knobs of the central manager with the values that they would have.
Changes = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Source:
    """One pool to be looked at: a snapshot, or the collector of a live pool (None: this machine's).

    ``queues`` False: without jobs and the configurations of machines other than the central manager, which quotas do
    not need. ``machines`` False: without those configurations alone. ``negotiator`` names one of several.
    """

    snapshot: str | None = None
    pool: str | None = None
    timeout: float = PATIENCE
    queues: bool = True
    negotiator: str = ""
    machines: bool = True

    @property
    def name(self) -> str:
        """What the pool is called."""
        return self.snapshot or self.pool or "this machine's pool"


def add_source_options(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Add the flags that name a pool, or ``several``."""
    again, action = ("; repeatable", "append") if several else ("", "store")
    source = parser.add_argument_group("pool")
    source.add_argument(
        "--snapshot", metavar="PATH", action=action, help=f"a snapshot: a directory or a .tar.gz{again}"
    )
    source.add_argument(
        "--pool", "-pool", metavar="HOST", action=action,
        help=f"a live pool: its collector (default: this machine's){again}",
    )  # fmt: skip
    source.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=PATIENCE, help=f"for each query (default {PATIENCE:g})"
    )


def sources(arguments: argparse.Namespace, queues: bool = True, negotiator: str = "") -> tuple[Source, ...]:
    """Return the pools that the flags name, this machine's if they name none."""
    snapshots, pools = _several(arguments.snapshot), _several(arguments.pool)
    if not 0 < arguments.timeout <= 86400:
        raise InputError(f"--timeout {arguments.timeout:g}: not a time", "give seconds, more than 0")
    named = [Source(snapshot=each, negotiator=negotiator) for each in snapshots]
    named += [Source(None, each, arguments.timeout, queues, negotiator) for each in pools]
    return tuple(named) or (Source(None, None, arguments.timeout, queues, negotiator),)


def _several(given: str | Sequence[str] | None) -> Sequence[str]:
    return [given] if isinstance(given, str) else list(dict.fromkeys(given or ()))


def read_source(arguments: argparse.Namespace, queues: bool = True) -> Pool:
    """Return the pool that the flags name.

    Raises:
        HtcqError: it cannot be read at all.
    """
    if arguments.snapshot and arguments.pool:
        raise InputError("--snapshot and --pool contradict each other", "give one of them")
    return read(sources(arguments, queues)[0])


def read(source: Source, changes: Changes = (), past: PastFile | None = None) -> Pool:
    """Return the pool ``source``, with the central manager's configuration also as it would be with ``changes``.

    And with the jobs of ``past``, which are another file's.

    Raises:
        HtcqError: it cannot be read at all, or is not that of the negotiator.
    """
    if source.snapshot:
        pool = pool_of(open_snapshot(Path(source.snapshot)), source.name, changes, past)
        if source.negotiator and pool.negotiator not in ("", source.negotiator):
            raise InputError(
                f"{source.name}: its configuration is that of the negotiator {pool.negotiator}",
                f"capture one with 'htcq snapshot --name {source.negotiator}'",
            )
        return pool
    from htcq.live.capture import Wanted, capture
    from htcq.report.terminal import progress

    with tempfile.TemporaryDirectory(prefix="htcq-") as directory:
        path = Path(directory) / "snapshot"
        asked = attributes_of(changes) | (past.names if past else frozenset())
        wanted = Wanted(source.queues, source.negotiator, asked, source.machines)
        capture(source.pool, path, source.timeout, progress(), wanted)
        return pool_of(open_snapshot(path), source.name, changes, past)


def attributes_of(changes: Changes) -> frozenset[str]:
    """Return what the changed knobs name, if they are expressions: slots may have to be asked for it."""
    expressions = (parsed(value) for _, value in changes if "$" not in value)
    named = (expression.references().own for expression in expressions if expression is not None)
    return frozenset(name for names in named for name in names if name.isidentifier())


def pool_of(snapshot: Snapshot, source: str, changes: Changes = (), past: PastFile | None = None) -> Pool:
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
            priorities=snapshot.chunks(PRIORITIES_ADS),
            central=snapshot.text(CONFIG),
            access=snapshot.configurations(ACCESS),
            execute=snapshot.configurations(EXECUTE),
            taken_at=str(meta.get("taken", "")),
            failed=tuple((str(each.get("what", "")), str(each.get("why", ""))) for each in failed),
            negotiator=str(meta.get("negotiator", "")),
            changes=changes,
            past=None if past is None else past.chunks,
        ),
        read_dump,
    )
    if pool.slots is None and pool.jobs is None and pool.central is None:
        raise InputError(f"{source}: {'; '.join(pool.damage)}", "none of its files can be used")
    return pool
