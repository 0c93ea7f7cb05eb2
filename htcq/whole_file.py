"""Puts a file in its place: whole or not at all, so that no reader ever sees half of it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from htcq.passing import temporary_file

#: Errors that no other name of a file would help against.
BY_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
#: Of a mode: nobody else's program is to run as the owner of a copy.
_RIGHTS = 0o777


def put(
    path: Path, content: str | bytes, mode: int | None = None, like: os.stat_result | None = None
) -> None:
    """Replace ``path`` in one step, so that no crash leaves half of it.

    A ``mode`` of None is that of the umask.

    Where a file is there that should be followed, ``like`` tells its owner and mode, and ``mode``
    does not count. An owner that this user may not give a file to is not kept. The temporary file
    beside it has a name that begins with a dot.

    Raises:
        OSError: nothing was changed.
    """
    text = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with temporary_file(path.parent, f".{path.name}.") as (handle, temporary):
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            if like is None:
                os.fchmod(file.fileno(), 0o666 & ~_umask() if mode is None else mode)
            else:
                _take_after(file.fileno(), like)
            os.fsync(file.fileno())
        temporary.replace(path)
    sync_directory(path.parent)


def put_new(path: Path, content: str | bytes) -> None:
    """Make the file ``path`` in one step; its directory is made too where there is none.

    Raises:
        FileExistsError: there is a file already; nothing was changed.
        OSError: nothing was changed.
    """
    text = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    path.parent.mkdir(exist_ok=True)
    with temporary_file(path.parent, f".{path.name}.") as (handle, temporary):
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_umask())
            os.fsync(file.fileno())
        # Other than a renamed file, a link never takes the place of another.
        os.link(temporary, path)
    sync_directory(path.parent)


def status_of(path: Path) -> os.stat_result | None:
    """Return owner and mode of ``path`` for :func:`put`; None where it is not a plain file."""
    with contextlib.suppress(FileNotFoundError):
        found = path.lstat()
        return found if stat.S_ISREG(found.st_mode) else None
    return None


def put_copy(path: Path, goal: Path) -> None:
    """Put a copy of the file ``path`` in the place of ``goal``: bytes, mode, owner if allowed.

    Raises:
        OSError: nothing was changed.
    """
    with path.open("rb") as file:
        put(goal, file.read(), like=os.fstat(file.fileno()))


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


def _take_after(handle: int, like: os.stat_result) -> None:
    """Give an open file the owner, group and mode of another; nobody else may read it meanwhile."""
    for owner, group in ((like.st_uid, -1), (-1, like.st_gid)):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, owner, group)
    os.fchmod(handle, like.st_mode & _RIGHTS)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
