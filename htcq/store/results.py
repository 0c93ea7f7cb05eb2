"""The results of a sweep: a directory with one complete JSON file an item, to resume from.

Only one run works in it at a time: it holds a lock, which the system frees however that run ends.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq.errors import InputError
from htcq.passing import noted
from htcq.settings.sweep_items import Item
from htcq.simulate.sweep import Ground, Run, kept_run, record
from htcq.store.lock import NO_LOCKS, locked
from htcq.store.snapshot import Snapshot
from htcq.store.snapshot_writer import new_snapshot
from htcq.whole_file import put

#: Where the files of jobs lie, and what is written down of them; no item has such a name.
JOBS, _LOCK, _STATE = "jobs", ".lock", "sweep.json"
#: So many digits of a digest make a name, with endings like these.
_DIGITS, _PLAIN = 12, re.compile(r"(\.[A-Za-z0-9]{1,10})*")
#: A run that is killed just when it begins a child may hold the lock until that child runs, in
#: seconds.
_PATIENCE = 0.5
_HOW = "a directory of its own for the results of one sweep"


@dataclass(frozen=True)
class Results:
    """The directory, and what its results stand on."""

    directory: Path
    ground: Ground

    @property
    def jobs(self) -> Path:
        """Where jobs find the snapshot, and leave what they print."""
        return self.directory / JOBS

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

    def state(self) -> dict[str, Any]:
        """Return what was recorded of the jobs; nothing where there are none."""
        try:
            found = json.loads((self.jobs / _STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return found

    def keep_state(self, state: dict[str, Any]) -> None:
        """Record what has to be known of the jobs, in one step.

        Raises:
            InputError: it cannot be written.
        """
        try:
            self.jobs.mkdir(exist_ok=True)
        except OSError as error:
            raise _unwritable(self.jobs, error) from error
        self._put(self.jobs / _STATE, state)

    @property
    def snapshot_for_jobs(self) -> str:
        """What the snapshot is called where jobs find it."""
        return f"snapshot-{self.ground.snapshot[:_DIGITS]}.tar.gz"

    def put_snapshot(self, snapshot: Path) -> None:
        """Put ``snapshot`` as one file where jobs find it, unless it is there.

        Raises:
            InputError: it cannot be written.
        """
        goal = self.jobs / self.snapshot_for_jobs
        if not snapshot.is_dir():
            self.put_for_jobs(snapshot, goal.name)
        elif not goal.is_file():
            with new_snapshot(goal) as place:
                shutil.copytree(snapshot, place, dirs_exist_ok=True)

    def put_for_jobs(self, file: Path, name: str) -> None:
        """Put a copy of ``file`` called ``name`` where jobs find it, unless it is there.

        Raises:
            InputError: it cannot be written.
        """
        goal = self.jobs / name
        if goal.is_file():
            return
        unfinished = goal.with_name(f".{name}")
        try:
            with noted(unfinished):
                shutil.copyfile(file, unfinished)
                unfinished.replace(goal)
        except OSError as error:
            raise _unwritable(goal, error) from error

    def tidy(self, names: Collection[str]) -> None:
        """Remove what jobs no longer look for: all files for them but those called ``names``."""
        for path in (*self.jobs.glob("snapshot-*"), *self.jobs.glob("file-*")):
            if path.name not in names:
                path.unlink(missing_ok=True)

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


def name_for_jobs(name: str, digest: str) -> str:
    """Return the plain name of a file for jobs, with the endings that show its type."""
    endings = "".join(Path(name).suffixes[-2:])
    if not _PLAIN.fullmatch(endings):
        endings = ""
    return f"file-{digest[:_DIGITS]}{endings}"
