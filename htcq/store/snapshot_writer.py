"""A snapshot written to disk, completely or not at all, readable by its owner only.

It is built under a hidden temporary name beside its goal, so that the last step is one rename
within a file system.
"""

from __future__ import annotations

import gzip
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from htcq.errors import InputError, OutputError
from htcq.passing import HIDDEN, temporary_directory
from htcq.whole_file import BY_THE_DISK

PACKED = (".tar.gz", ".tgz")
_FILE_MODE, _DIRECTORY_MODE = 0o600, 0o700


@contextmanager
def new_snapshot(goal: Path) -> Iterator[Path]:
    """Yield an empty directory; without an error its content becomes the snapshot at ``goal``.

    Raises:
        InputError: something that is not empty is there already, or it cannot be written.
        OutputError: the disk is full or broken; nothing was left behind.
    """
    _check(goal)
    try:
        with temporary_directory(goal.parent, HIDDEN) as work:
            content = work / _top(goal)
            content.mkdir(mode=_DIRECTORY_MODE)
            yield content
            _finish(content, goal)
    except OSError as error:
        message = f"{goal} cannot be written: {error.strerror or error}"
        if error.errno in BY_THE_DISK:
            raise OutputError(
                message, "nothing was left behind; is there room on the disk?"
            ) from error
        raise InputError(
            message, "nothing was left behind; choose a place that is writable"
        ) from error


def is_packed(goal: Path) -> bool:
    """Return whether ``goal`` is the name of an archive."""
    return goal.name.endswith(PACKED)


def _top(goal: Path) -> str:
    """Return the name of the directory that an archive holds."""
    for ending in PACKED:
        if goal.name.endswith(ending):
            return goal.name[: -len(ending)] or "snapshot"
    return goal.name


def _check(goal: Path) -> None:
    if not goal.name or goal.name == "..":
        raise InputError(
            f"'{goal}' cannot become a snapshot", "give the name of a new directory or .tar.gz"
        )
    if not goal.parent.is_dir():
        raise InputError(f"{goal.parent} is not a directory", "make it first")
    if goal.is_symlink():
        raise InputError(f"{goal} is a link", "htcq does not write through links; remove it first")
    if not goal.exists():
        return
    if goal.is_dir() == is_packed(goal) or (not goal.is_dir() and not goal.is_file()):
        kind = "not a directory"
        if goal.is_dir():
            kind = "a directory"
        raise InputError(
            f"{goal} is {kind}",
            "a name that ends in .tar.gz makes an archive, any other a directory",
        )
    if not _is_empty(goal):
        raise InputError(
            f"{goal} is there already and not empty", "choose another name, or remove it first"
        )


def _is_empty(goal: Path) -> bool:
    if goal.is_dir():
        return not any(goal.iterdir())
    return goal.stat().st_size == 0


def _finish(content: Path, goal: Path) -> None:
    for path in content.rglob("*"):
        path.chmod(_DIRECTORY_MODE if path.is_dir() else _FILE_MODE)
    if not is_packed(goal):
        for path in content.rglob("*"):
            _sync(path)
        content.replace(goal)
    else:
        packed = content.parent / "packed"
        _pack(content, packed)
        _sync(packed)
        packed.replace(goal)
    _sync(goal.parent)


def _pack(content: Path, packed: Path) -> None:
    handle = os.open(packed, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
    # An archive has the name of its maker unless it is removed.
    with (
        os.fdopen(handle, "wb") as out,
        gzip.GzipFile("", "wb", 6, out) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        archive.add(content, content.name, filter=_nobody)


def _nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
