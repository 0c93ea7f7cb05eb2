"""Puts a text file in its place: whole or not at all, so that no reader ever sees half of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def put(path: Path, content: str, mode: int | None = None) -> None:
    """Replace ``path`` in one step, so that no crash leaves half of it; ``mode`` None: as the umask wants it.

    The temporary file beside it has a name that begins with a dot.

    Raises:
        OSError: nothing was changed.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_umask() if mode is None else mode)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Put the names in ``directory`` on the disk.

    Raises:
        OSError: that is not sure.
    """
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
