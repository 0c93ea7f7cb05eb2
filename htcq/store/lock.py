"""Keeps two htcq from writing the same file: a lock that ends with its holder, however that ends (flock(2)).

Where the directory is on a shared file system that has no such locks between machines, the id of the instance in the
file itself tells that another one is at work.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from htcq.errors import LockedError

#: An account that can read a file can lock it, and could keep the holder waiting without end.
_MODE = 0o600
_PERMISSIONS = 0o777
_TAKEN = (errno.EAGAIN, errno.EACCES)


@contextmanager
def held(path: Path, instance: str) -> Iterator[None]:
    """Hold the lock ``path`` for as long as the block runs; ``instance`` tells others who does.

    Raises:
        LockedError: somebody else holds it, or it cannot be made.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _MODE)
    except OSError as error:
        hint = "the directory must be there and writable for you (usually root)"
        if error.errno == errno.ELOOP:
            hint = "it is a symbolic link: remove it"
        raise LockedError(f"{path} cannot be written: {error.strerror}", hint) from error
    try:
        _make_private(handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise LockedError(
                    f"{path} cannot be locked: {error.strerror}", "is it on a file system with locks?"
                ) from error
            holder = os.pread(handle, 1000, 0).decode("utf-8", "replace").strip()
            raise LockedError(
                f"another htcq is writing there: {holder or 'it does not tell who'}", "wait until it has ended"
            ) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{instance}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _make_private(handle: int) -> None:
    """Take a lock file of an earlier version away from other accounts."""
    status = os.fstat(handle)
    if status.st_mode & _PERMISSIONS != _MODE and status.st_uid == os.geteuid():
        os.fchmod(handle, _MODE)
