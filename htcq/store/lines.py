"""Lines appended to a file, each on the disk before it counts; a long file is begun anew."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from htcq.errors import JournalError
from htcq.whole_file import put, sync_directory

_MODE = 0o644
#: Of some ten thousand steps; every command reads all of it.
MAX_BYTES = 4 * 2**20


def add_line(path: Path, line: str) -> None:
    """Add ``line``, which ends as one; it is on the disk when this returns.

    Raises:
        JournalError: it could not be added, and the file is as it was.
    """
    try:
        new = not path.exists()
        handle = os.open(
            path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _MODE
        )
        try:
            _add(handle, line.encode("utf-8"))
        finally:
            os.close(handle)
        if new:
            sync_directory(path.parent)
    except OSError as error:
        hint = (
            "its directory must be there and writable for you (usually root), with room on the disk"
        )
        raise JournalError(f"{path} cannot be written: {error.strerror}", hint) from error


def is_long(path: Path, most: int) -> bool:
    """Return whether there are more than ``most`` bytes at ``path``.

    Raises:
        JournalError: its size cannot be read.
    """
    try:
        return path.exists() and path.stat().st_size > most
    except OSError as error:
        raise JournalError(
            f"{path} cannot be read: {error.strerror}", "it must be readable for you"
        ) from error


def begin_anew(path: Path, content: str, suffix: str) -> Path:
    """Replace the file by ``content``; return where the former one is kept.

    It is beside the file, with ``suffix``.

    Killed in between, it leaves the former one in its place. Whoever calls this holds the lock.

    Raises:
        JournalError: the file is unchanged.
    """
    former = path.with_name(f"{path.name}.{suffix}")
    try:
        former.unlink(missing_ok=True)
        os.link(path, former)
        put(path, content, _MODE)
    except OSError as error:
        raise JournalError(
            f"{path} cannot be shortened: {error.strerror}", "it is as it was; is there room?"
        ) from error
    return former


def _add(handle: int, line: bytes) -> None:
    size = os.lseek(handle, 0, os.SEEK_END)
    if size and os.pread(handle, 1, size - 1) != b"\n":
        # What was left half done is to stay a line of its own.
        line = b"\n" + line
    try:
        written = os.write(handle, line)
        if written < len(line):
            os.write(handle, line[written:])
        os.fsync(handle)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(handle, size)
        raise
