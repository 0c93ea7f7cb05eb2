"""Files that a command writes beside its printed output.

They are checked before the work and put in place whole after it.
"""

from __future__ import annotations

import os
from pathlib import Path

from htcq.errors import HtcqError, InputError, OutputError
from htcq.whole_file import BY_THE_DISK


def place_of(name: str) -> Path:
    """Return where a file is to be written, before a pool is asked in vain.

    Raises:
        InputError: it cannot be written there.
    """
    path = Path(name)
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is not a directory", "make it first")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is not a plain file", "give the name of a file to be written")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path.parent} is not writable", "choose another directory")
    return path


def put_file(name: str, text: str) -> None:
    """Replace the file ``name`` in one step.

    Raises:
        InputError: it could not be; nothing was changed.
        OutputError: the disk is full or broken; nothing was changed.
    """
    from htcq.operations.confined import put_by_parent
    from htcq.whole_file import put

    if put_by_parent(name, text):
        return
    try:
        put(Path(name), text)
    except OSError as error:
        raise _unwritable(name, error) from error


def put_new_file(name: str, text: str) -> None:
    """Make the file ``name``, and its directory where there is none.

    Raises:
        InputError: it is there already, or could not be made; nothing was changed.
        OutputError: the disk is full or broken; nothing was changed.
    """
    from htcq.operations.confined import put_by_parent
    from htcq.whole_file import put_new

    if put_by_parent(name, text):
        return
    try:
        put_new(Path(name), text)
    except OSError as error:
        raise _unwritable(name, error) from error


def replace_file(name: str, text: str) -> None:
    """Replace the existing file ``name``; its owner and mode stay.

    The former file is kept as ``<name>~``.

    Raises:
        InputError: it could not be; it is as it was.
        OutputError: the disk is full or broken; it is as it was.
    """
    from htcq.whole_file import put, put_copy, status_of

    path = Path(name)
    try:
        put_copy(path, path.with_name(f"{path.name}~"))
        put(path, text, like=status_of(path))
    except OSError as error:
        raise _unwritable(name, error) from error


def _unwritable(name: str, error: OSError) -> HtcqError:
    if error.errno in BY_THE_DISK:
        return OutputError(
            f"{name} cannot be written: {error.strerror}", "is there room on the disk?"
        )
    return InputError(f"{name} cannot be written: {error.strerror}", "choose another place for it")
