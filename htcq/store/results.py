"""The results of a sweep: a directory with one complete JSON file an item, to resume from.

Only one run works in it at a time: it holds a lock, which the system frees however that run ends.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq.errors import InputError
from htcq.settings.sweep_items import Item
from htcq.simulate.sweep import Ground, Run, kept_run, record
from htcq.store.lock import NO_LOCKS, locked
from htcq.store.snapshot import Snapshot
from htcq.whole_file import put

#: No item has such a name.
_LOCK = ".lock"
#: A run that is killed just when it begins a child may hold the lock until that child runs, in
#: seconds.
_PATIENCE = 0.5
_HOW = "a directory of its own for the results of one sweep"


@dataclass(frozen=True)
class Results:
    """The directory, and what its results stand on."""

    directory: Path
    ground: Ground

    def place(self, item: Item) -> Path:
        """Return the file of the result of ``item``."""
        return self.directory / f"{item.name}.json"

    def key(self, item: Item) -> str:
        """Return the short name of what ``item`` is."""
        return self.ground.key(item)

    def kept(self, item: Item) -> Run | None:
        """Return the kept result of ``item`` as it is now; None where there is none."""
        try:
            found = json.loads(self.place(item).read_text(encoding="utf-8"))
            # Python reads NaN and 1e999, which JSON does not allow: output with them would be no
            # JSON.
            json.dumps(found, allow_nan=False)
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        return kept_run(item, self.key(item), found)

    def keep(self, run: Run) -> None:
        """Write the result of an item, in one step.

        Raises:
            InputError: it cannot be written.
        """
        self._put(self.place(run.item), record(run, self.ground, self.key(run.item)))

    def _put(self, path: Path, content: dict[str, Any]) -> None:
        try:
            put(path, json.dumps(content, indent=1) + "\n")
        except OSError as error:
            raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{path} cannot be written: {error.strerror}", "the same command goes on from what is there"
    )


@contextmanager
def claimed(directory: Path) -> Iterator[None]:
    """Make ``directory`` if it is missing, and keep every other run out of it.

    Raises:
        InputError: it cannot be made or written, or another run works in it.
    """
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{directory} cannot be written: {error.strerror}", _HOW) from error
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(directory / _LOCK, _PATIENCE))
        except BlockingIOError as error:
            raise InputError(
                f"another htcq is at work in {directory}", "wait for its end"
            ) from error
        except OSError as error:
            if error.errno in NO_LOCKS:
                how = "choose a local directory"
                raise InputError(f"{directory} cannot be locked: {error.strerror}", how) from error
            raise InputError(f"{directory} cannot be written: {error.strerror}", _HOW) from error
        for left in directory.glob(".*.json.*"):
            # Of a run that was killed while it wrote.
            left.unlink(missing_ok=True)
        yield


def digest(snapshot: Snapshot) -> str:
    """Return the SHA-256 of everything that is in ``snapshot``, packed or not."""
    if snapshot.packed:
        return file_digest(snapshot.path)
    whole = hashlib.sha256()
    for name in sorted(snapshot.members):
        chunks = snapshot.chunks(name)
        content = hashlib.sha256()
        if chunks is not None:
            for chunk in chunks():
                content.update(chunk)
        whole.update(f"{name}\0{content.hexdigest()}\n".encode())
    return whole.hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; empty where it cannot be read or is no regular file."""
    whole = hashlib.sha256()
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                whole.update(chunk)
    except OSError:
        return ""
    return whole.hexdigest()
