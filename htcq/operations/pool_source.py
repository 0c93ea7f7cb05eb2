"""The pools that a command reads: snapshots on disk, or live pools that are captured first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from htcq.classads import Value, parsed
from htcq.errors import InputError
from htcq.limits import PATIENCE, USUAL, Limits
from htcq.live.configuration import read_dump
from htcq.operations.confined import confine, evaluated
from htcq.operations.health import check_readable
from htcq.passing import temporary_directory
from htcq.pool.daemons import NEGOTIATOR
from htcq.pool.files import (
    ACCESS,
    COLLECTOR_ADS,
    CONFIG,
    EXECUTE,
    JOBS_ADS,
    PRIORITIES_ADS,
    USERS_ADS,
)
from htcq.pool.left_out import left_out_from
from htcq.pool.pool import Pool, log_from
from htcq.pool.reading import Texts, read_pool
from htcq.pool.versions import newer_than_known
from htcq.poolquota.published import Published
from htcq.report.printable import tell
from htcq.settings.changes import Changes
from htcq.store.snapshot import Opened, Snapshot, open_files, snapshot_of

if TYPE_CHECKING:
    from htcq.live.captured import Captured
    from htcq.operations.config_directory import Given
    from htcq.operations.finished_jobs import PastFile
    from htcq.store.config_directory import Place

#: Names of files that a command writes, None for those that it was not told to.
Files = Sequence[Optional[str]]


@dataclass(frozen=True)
class Source:
    """One pool to be looked at: a snapshot, or the collector of a live pool (None: this machine's).

    ``config`` are configuration files and directories of them, in the place of a pool; ``given``
    is what is known of the machine that they are of.

    ``queues`` False: without jobs and the configurations of machines other than the central
    manager, which quotas do not need. ``machines`` False: without those configurations alone.
    ``schedds`` False: without jobs and what access points say. ``negotiator`` names one of
    several. ``limits`` are those of what the pool holds. ``timeout`` is in seconds, for each
    query.
    ``job_attributes`` are read of jobs even where no expression names them.
    """

    snapshot: str | None = None
    pool: str | None = None
    timeout: float = PATIENCE
    queues: bool = True
    negotiator: str = ""
    machines: bool = True
    schedds: bool = True
    limits: Limits = USUAL
    job_attributes: frozenset[str] = frozenset()
    config: tuple[str, ...] = ()
    given: Given | None = None

    @property
    def name(self) -> str:
        """What the pool is called."""
        files = ", ".join(self.config)
        return self.snapshot or files or self.pool or "this machine's pool"


@dataclass(frozen=True)
class OpenSource:
    """A pool whose files are open, and of which nothing was read yet.

    ``captured``: what was asked of a live one.
    """

    source: Source
    files: Opened
    places: tuple[Place, ...] = ()
    captured: Captured | None = None


def open_source(source: Source, changes: Changes = (), past: PastFile | None = None) -> OpenSource:
    """Open the files of the pool ``source``.

    A live pool is captured first, and no file of the capture stays on the disk.

    Raises:
        HtcqError: there is none, or it cannot be asked.
    """
    if source.snapshot:
        return OpenSource(source, open_files(Path(source.snapshot), source.limits))
    if source.config:
        from htcq.store.config_directory import as_one, open_places

        places = open_places(source.config, source.limits)
        return OpenSource(source, as_one(places, source.limits), places)
    from htcq.live.capture import capture
    from htcq.live.captured import Wanted
    from htcq.report.terminal import progress

    with temporary_directory() as directory:
        path = directory / "snapshot"
        asked = attributes_of(changes) | (past.names if past else frozenset())
        wanted = Wanted(
            source.queues,
            source.negotiator,
            asked,
            source.machines,
            source.schedds,
            source.limits,
            source.job_attributes,
        )
        captured = capture(source.pool, path, source.timeout, progress(), wanted)
        return OpenSource(source, open_files(path, source.limits), captured=captured)


def confine_to(opened: Sequence[OpenSource], files: Files = (), work: int = 1) -> None:
    """Go on in a process that can do little but read ``opened``, and have ``files`` written.

    ``work`` is how many times as long as usual the command takes.
    """
    if opened:
        confine(*_bounds(opened, work), [name for name in files if name])


def evaluated_from(
    opened: Sequence[OpenSource], find: Callable[[], object], work: int = 1
) -> object:
    """Return what ``find`` finds in ``opened`` in a process that can do little but read them.

    It prints what it has to print; see ``htcq.operations.confined.evaluated``. ``work`` is how many
    times as long as usual it takes.
    """
    return evaluated(find, *_bounds(opened, work))


def _bounds(opened: Sequence[OpenSource], work: int) -> tuple[str, Limits, int, int]:
    """Return the name of the pools, and limits, memory and seconds of the process that reads."""
    limits = opened[0].source.limits
    memory = max(
        limits.memory(0), sum(limits.memory(each.files.size, each.files.packed) for each in opened)
    )
    seconds = work * sum(limits.seconds(each.files.size, each.files.packed) for each in opened)
    return ", ".join(dict.fromkeys(each.source.name for each in opened)), limits, memory, seconds


def read_open(
    opened: OpenSource, changes: Changes = (), past: PastFile | None = None, partly: bool = False
) -> Pool:
    """Return the pool whose files are open, also with the configuration that ``changes`` make.

    ``changes`` are knobs of the central manager. ``past`` adds the jobs of another file. What was
    left out is reported on standard error. ``partly``: also where its central configuration is
    there and cannot be read.

    Raises:
        HtcqError: it cannot be read at all, or is not that of the negotiator.
    """
    source = opened.source
    if source.config:
        from htcq.operations.config_directory import UNKNOWN_MACHINE, pool_of_files

        given = source.given or UNKNOWN_MACHINE
        return pool_of_files(opened.places, source.name, source.limits, given)
    files = snapshot_of(opened.files)
    pool = pool_of(files, source.name, changes, past, source.job_attributes, source.negotiator)
    if source.snapshot and source.negotiator and pool.negotiator not in ("", source.negotiator):
        raise InputError(
            f"{source.name}: its configuration is that of the negotiator {pool.negotiator}",
            f"capture one with 'htcq snapshot --name {source.negotiator}'",
        )
    if not partly:
        check_readable(pool)
    for each in pool.left_out:
        tell(f"htcq: {source.name}: {each.sentence}")
    newer = newer_than_known(_versions(pool))
    if newer:
        tell(f"htcq: {source.name}: {newer}")
    return pool


def _versions(pool: Pool) -> list[Value]:
    """Return the CondorVersion of each daemon, startds of equal ones once."""
    records = (*pool.negotiators, *pool.collectors, *pool.schedds)
    found = [record.value("CondorVersion") for record in records]
    return [*found, *(frame.value("CondorVersion") for frame in pool.slot_frames)]


def attributes_of(changes: Changes) -> frozenset[str]:
    """Return the attributes in the expressions of changed knobs: slots are asked for them too."""
    expressions = (parsed(value) for _, value in changes if "$" not in value)
    named = (expression.references().own for expression in expressions if expression is not None)
    return frozenset(name for names in named for name in names if name.isidentifier())


def pool_of(
    snapshot: Snapshot,
    source: str,
    changes: Changes = (),
    past: PastFile | None = None,
    job_attributes: frozenset[str] = frozenset(),
    negotiator: str = "",
) -> Pool:
    """Return the pool that ``snapshot`` holds, its jobs with ``job_attributes`` among others.

    ``negotiator`` names the one that sees config.txt where the snapshot does not say.

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
            users=snapshot.chunks(USERS_ADS),
            central=snapshot.text(CONFIG),
            access=snapshot.configurations(ACCESS),
            execute=snapshot.configurations(EXECUTE),
            taken_at=str(meta.get("taken", "")),
            in_parts="slot_parts" in meta,
            anonymous=meta.get("anonymized") is True,
            failed=tuple((str(each.get("what", "")), str(each.get("why", ""))) for each in failed),
            negotiator=str(meta.get("negotiator", "")),
            changes=changes,
            past=None if past is None else past.chunks,
            left_out=left_out_from(meta.get("left_out")),
            accountant_log=log_from(meta.get("accountant_log")),
            job_attributes=job_attributes,
        ),
        read_dump,
    )
    if pool.slots is None and pool.jobs is None and pool.central is None:
        raise InputError(f"{source}: {'; '.join(pool.damage)}", "none of its files can be used")
    return _seen_by(pool, pool.negotiator or negotiator)


def _seen_by(pool: Pool, negotiator: str) -> Pool:
    """Return ``pool`` with the central manager's configuration as one of its negotiators sees it.

    Without a name it is the one whose ads count.
    """
    if pool.central is None or (len(pool.negotiators) < 2 and not negotiator):
        return pool
    name = negotiator or Published(pool).negotiator
    changed = pool.changed
    if changed is not None:
        changed = changed.of(NEGOTIATOR, name)
    return replace(pool, central=pool.central.of(NEGOTIATOR, name), changed=changed)
