"""What htcq has for a while only: temporary files and directories, and child processes.

All of it is noted before it is there, so that :func:`end_all` can take it away when a signal
ends htcq at any moment. A name begins with ``htcq-``, or with a dot where it stands beside what
is to be replaced.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

#: How names of temporary files and directories begin; with a dot before it where they are beside a
#: file of the user.
PREFIX, HIDDEN = "htcq-", ".htcq-"
_DIRECTORY_MODE, _FILE_MODE = 0o700, 0o600
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LETTERS, _ATTEMPTS = 4, 100
#: In seconds: for children to end by themselves, and how often they are looked at.
_GRACE, _PAUSE = 1.0, 0.005

#: What ends htcq from outside, beside SIGINT, which Python makes an exception.
_ENDINGS = (signal.SIGTERM, signal.SIGHUP)

_places: set[str] = set()
_children: set[int] = set()
#: Holds something where signals are watched for.
_watched: list[bool] = []


@contextmanager
def temporary_directory(parent: Path | None = None, prefix: str = PREFIX) -> Iterator[Path]:
    """Yield a new directory that is removed after the block.

    It is in ``parent``; None: where temporary files belong (TMPDIR, /tmp).

    Raises:
        OSError: it cannot be made.
    """
    if parent is None:
        import tempfile
        from pathlib import Path

        parent = Path(tempfile.gettempdir())
    for attempt in range(_ATTEMPTS):
        path = parent / f"{prefix}{os.urandom(_LETTERS).hex()}"
        with noted(path):
            try:
                path.mkdir(mode=_DIRECTORY_MODE)
            except FileExistsError:
                if attempt + 1 == _ATTEMPTS:
                    raise
                _places.discard(str(path))
                continue
            yield path
            return


@contextmanager
def temporary_file(parent: Path, prefix: str) -> Iterator[tuple[int, Path]]:
    """Yield the handle and the path of a new file in ``parent``, which is removed after the block.

    Only its owner may read it.

    The handle belongs to whoever takes it.

    Raises:
        OSError: it cannot be made.
    """
    path = parent / f"{prefix}{os.urandom(_LETTERS).hex()}"
    while os.path.lexists(path):
        path = parent / f"{prefix}{os.urandom(_LETTERS).hex()}"
    with noted(path):
        yield os.open(path, _FLAGS, _FILE_MODE), path


@contextmanager
def noted(*paths: Path) -> Iterator[None]:
    """Remove ``paths`` after the block, or when a signal ends htcq; a renamed file stays."""
    _watch()
    names = {str(path) for path in paths}
    _places.update(names)
    try:
        yield
    finally:
        for name in names & _places:
            _remove(name)
            _places.discard(name)


def begin_child(pid: int) -> None:
    """Note the child process ``pid``, which ends with this one."""
    _watch()
    _children.add(pid)


def forget_child(pid: int) -> None:
    """Forget a child before it is waited for: later its number may be that of another process."""
    _children.discard(pid)


def noted_children() -> frozenset[int]:
    """Return the children that are noted now."""
    return frozenset(_children)


def end_children(pids: Sequence[int]) -> None:
    """End children, which are still to be waited for; they may remove their temporary files first.

    One that is busy in a library does not hear of it, and is killed.
    """
    for pid in pids:
        _send(pid, signal.SIGTERM)
    until = time.monotonic() + _GRACE
    while any(_runs(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(_PAUSE)
    for pid in pids:
        _send(pid, signal.SIGKILL)


def _send(pid: int, number: int) -> None:
    # A confined process may send none: its parent ends what it has left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _runs(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def end_all() -> None:
    """End all children, so that they write nothing more, and remove all temporary files."""
    end_children(tuple(_children))
    for pid in tuple(_children):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    for name in tuple(_places):
        _remove(name)


def end_with_signals() -> None:
    """Let SIGTERM and SIGHUP remove temporary files before they end this process.

    One that is ignored, as under nohup(1), stays ignored. A child process has nothing of its
    parent's to take away: until it has something itself, signals just end it, whatever library
    it is busy in.
    """
    _watched.append(True)
    _watch()
    os.register_at_fork(after_in_child=_begin_as_child)


def _watch() -> None:
    for number in _ENDINGS if _watched else ():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, _: FrameType | None) -> None:
    for each in (*_ENDINGS, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)
    end_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _begin_as_child() -> None:
    _places.clear()
    _children.clear()
    for number in (*_ENDINGS, signal.SIGINT):
        if signal.getsignal(number) in (_end, signal.default_int_handler):
            signal.signal(number, signal.SIG_DFL)


def _remove(name: str) -> None:
    """Remove a file or a directory with all that is in it; links are not followed."""
    # It is loaded already where there is a path.
    from pathlib import Path

    place = Path(name)
    with contextlib.suppress(OSError):
        place.unlink()
        return
    for directory, directories, files in os.walk(name, topdown=False):
        for each in (*files, *directories):
            path = Path(directory, each)
            with contextlib.suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink()
    with contextlib.suppress(OSError):
        place.rmdir()
