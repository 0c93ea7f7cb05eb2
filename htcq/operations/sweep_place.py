"""What all items of a sweep stand on: one snapshot, and a place for their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from htcq import __version__
from htcq.errors import InputError
from htcq.live.capture import capture
from htcq.live.captured import Wanted
from htcq.operations.finished_jobs import attribute_of_run_time
from htcq.operations.pool_source import Source, attributes_of
from htcq.passing import temporary_directory
from htcq.report.printable import tell
from htcq.report.terminal import progress
from htcq.settings.changes import read_changes
from htcq.settings.sweep_items import Item, Sweep
from htcq.simulate.sweep import Ground
from htcq.store.results import Results, claimed, digest, file_digest
from htcq.store.snapshot import open_snapshot
from htcq.store.snapshot_writer import new_snapshot

#: Where a live pool is kept for the runs to come.
_CAPTURED = "snapshot.tar.gz"


@dataclass(frozen=True)
class Place:
    """The snapshot that all items look at, what it is called, and where results lie."""

    snapshot: str
    source: str
    results: Results

    def missing(self, sweep: Sweep) -> list[Item]:
        """Return the items without a result."""
        kept = ((item, self.results.kept(item)) for item in sweep.items)
        return [item for item, run in kept if run is None or not run.verdict.done]


@contextmanager
def placed(source: Source, results: str | None, sweep: Sweep) -> Iterator[Place]:
    """Yield the snapshot, captured if the source is a live pool, and the place of results.

    The place is temporary where ``results`` is not given.

    Raises:
        HtcqError: there is no such snapshot or pool, or another run works in that place.
    """
    if source.snapshot:
        open_snapshot(Path(source.snapshot))
    with temporary_directory() as passing:
        directory = Path(results or passing).absolute()
        with claimed(directory):
            path = source.snapshot or str(directory / _CAPTURED)
            if not source.snapshot:
                _captured(Path(path), source, sweep)
            common = (f"--name={source.negotiator}",) if source.negotiator else ()
            snapshot = open_snapshot(Path(path))
            name = source.snapshot or str(snapshot.meta().get("pool") or source.pool)
            files = {name: file_digest(Path(name)) for item in sweep.items for name in item.files}
            ground = Ground(common, digest(snapshot), __version__, files)
            yield Place(path, name, Results(directory, ground))


def _captured(path: Path, source: Source, sweep: Sweep) -> None:
    """Capture a live pool, unless an earlier run has done so."""
    if path.exists():
        meta = open_snapshot(path).meta()
        if source.pool and meta.get("pool") != source.pool:
            raise InputError(
                f"{path} is of another pool, {meta.get('pool')}",
                "name another directory for its results",
            )
        tell(f"htcq: going on with {path}, taken {meta.get('taken')}")
        return
    with new_snapshot(path) as directory:
        wanted = Wanted(
            True,
            source.negotiator,
            attributes_of(tuple(_changes(sweep.items))),
            job_attributes=_of_run_times(sweep.items),
        )
        for what, why in capture(source.pool, directory, source.timeout, progress(), wanted).failed:
            tell(f"htcq: {source.name}: {what}: {why}")


def _changes(items: Sequence[Item]) -> list[tuple[str, str]]:
    """Return the knobs that any item would set.

    Knobs that cannot be read are reported when their item runs.
    """
    found: list[tuple[str, str]] = []
    for text in dict.fromkeys(text for item in items for text in item.values.get("set", ())):
        with suppress(InputError):
            found += read_changes([text])
    return found


def _of_run_times(items: Sequence[Item]) -> frozenset[str]:
    """Return the attributes of jobs that the run times of items name."""
    texts = [text for item in items for text in item.values.get("run-time", ())]
    return frozenset[str]().union(*map(attribute_of_run_time, texts))
