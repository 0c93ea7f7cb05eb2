"""Files that nobody but root and the caller may have written.

These are files that htcq finds without being given their names, files of elastic quotas, and
journals.

ssh and sudo ask the same of their own files (OpenSSH 9.2, misc.c:safe_path_fd: owner and mode of
the file and of the directory that it lies in). The directory and the file are opened once each,
and what is open is judged and read: who changes a name afterwards changes nothing. Of a symbolic
link the file counts that it leads to.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from htcq.errors import InputError

#: Of the mode of a file or directory: its group or everybody may write it.
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
ROOT = 0


def trusted_text(path: Path) -> str | None:
    """Return what the file ``path`` holds; None where there is no such file.

    Raises:
        InputError: it cannot be read, or somebody else could have written it.
    """
    with _opened(path) as handle:
        if handle is None:
            return None
        with os.fdopen(os.dup(handle), "rb") as file:
            content = file.read()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read: {error}", "save it as UTF-8") from error


def is_trusted_file(path: Path) -> bool:
    """Return whether there is a file ``path``.

    Raises:
        InputError: there is, and it cannot be opened or somebody else could have written it.
    """
    with _opened(path) as handle:
        return handle is not None


def refuse_shared(path: Path, what: str) -> None:
    """Refuse the file ``path``, which is ``what``, where somebody else could have written it.

    Where there is none yet, its directory alone is asked.

    Raises:
        InputError: somebody else could have written it, or nobody can tell.
    """
    hint = "it must be root's or yours, and so must its directory, and nobody else may write there"
    above = path.parent
    for place, name in ((above, f"its directory {above.absolute()}"), (path, str(path))):
        try:
            reason = distrust(name, place.stat())
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            reason = f"{name} cannot be looked at: {error.strerror}"
        if reason:
            raise InputError(f"{what} {path} is not used: {reason}", hint)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int | None]:
    """Yield the file, open for reading; None where there is no plain file of that name."""
    with contextlib.ExitStack() as opened:
        try:
            # A directory may be one that the caller is in and cannot list.
            directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            opened.callback(os.close, directory)
            # Nobody may keep the caller waiting with a FIFO of that name.
            handle = os.open(
                path.name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
            )
            opened.callback(os.close, handle)
        except (FileNotFoundError, NotADirectoryError):
            yield None
            return
        except OSError as error:
            if not os.access(path.parent, os.X_OK):
                # Nobody has a site file where he cannot see one, such as a service account in
                # root's directory.
                yield None
                return
            raise InputError(f"{path} cannot be read: {error.strerror}", _hint(path)) from error
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            yield None
            return
        _check(path, str(path), os.fstat(handle))
        _check(path, f"its directory {path.parent.resolve()}", os.fstat(directory))
        yield handle


def distrust(what: str, status: os.stat_result) -> str:
    """Return why ``what`` is not root's or the caller's alone; empty where it is."""
    if status.st_uid not in (os.geteuid(), ROOT):
        return f"{what} belongs to user {status.st_uid}"
    if status.st_mode & OTHERS_WRITE:
        return f"others can write {what} (mode {stat.S_IMODE(status.st_mode):04o})"
    return ""


def _check(path: Path, what: str, status: os.stat_result) -> None:
    """Refuse ``path`` where ``what`` is not the caller's or root's alone."""
    reason = distrust(what, status)
    if reason:
        raise InputError(f"{path} is not used: {reason}", _hint(path))


def _hint(path: Path) -> str:
    return f"name the file that is meant: --config {path}"
