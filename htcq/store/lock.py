"""A lock against two writers of one file; it ends with its holder (flock(2)).

A lock of flock(2) belongs to an open file, which a child inherits: a child gives it up after the
fork, so that it does not keep the lock after its parent ended. Where the directory is on a shared
file system without such locks between machines, the id of the instance in the file itself shows
that another one is at work.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from htcq import time_limit
from htcq.errors import LockedError

#: An account that can read a file can lock it, and could keep the holder waiting without end.
_MODE = 0o600
_PERMISSIONS = 0o777
_TAKEN = (errno.EAGAIN, errno.EACCES)
#: Errors of a file system without locks.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
#: Seconds from one try to the next.
_PAUSE = 0.02
#: What this process holds.
_held: set[int] = set()


@contextmanager
def locked(path: Path, patience: float = 0.0) -> Iterator[int]:
    """Hold the lock ``path`` while the block runs, and yield its handle.

    Wait at most ``patience`` seconds for it.

    Raises:
        BlockingIOError: somebody else holds it.
        OSError: it cannot be made, or its file system has no locks.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _MODE)
    _held.add(handle)
    try:
        _make_private(handle)
        _take(handle, path, time.monotonic() + time_limit.within(patience))
        yield handle
    finally:
        # In a child it is closed already, and the number may be that of another file.
        if handle in _held:
            _held.discard(handle)
            os.close(handle)


@contextmanager
def held(path: Path, instance: str, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock ``path`` while the block runs; ``instance`` names the holder to others.

    Wait at most ``patience`` seconds for it.

    Raises:
        LockedError: somebody else holds it, or it cannot be made.
    """
    taken = False
    try:
        with locked(path, patience) as handle:
            taken = True
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{instance}\n".encode(), 0)
            yield
    except OSError as error:
        if taken:
            raise
        raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> LockedError:
    if isinstance(error, BlockingIOError):
        return LockedError(
            f"another htcq is writing there: {_holder(path) or 'it does not tell who'}",
            "wait until it has ended",
        )
    if error.errno == errno.ELOOP:
        return LockedError(
            f"{path} cannot be written: {error.strerror}", "it is a symbolic link: remove it"
        )
    if error.errno in NO_LOCKS:
        return LockedError(
            f"{path} cannot be locked: {error.strerror}", "is it on a file system with locks?"
        )
    hint = "the directory must be there and writable for you (usually root)"
    return LockedError(f"{path} cannot be written: {error.strerror}", hint)


def _holder(path: Path) -> str:
    try:
        return path.read_bytes()[:1000].decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _take(handle: int, path: Path, until: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
            if time.monotonic() > until:
                raise BlockingIOError(error.errno, error.strerror, str(path)) from error
        else:
            return
        time.sleep(_PAUSE)


def _make_private(handle: int) -> None:
    """Take a lock file of an earlier version away from other accounts."""
    status = os.fstat(handle)
    if status.st_mode & _PERMISSIONS != _MODE and status.st_uid == os.geteuid():
        os.fchmod(handle, _MODE)


def _give_up() -> None:
    """Leave to the parent what it holds: its lock lasts as long as its own handle is open."""
    for handle in _held:
        os.close(handle)
    _held.clear()


os.register_at_fork(after_in_child=_give_up)
