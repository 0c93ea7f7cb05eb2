"""Files that a command writes beside what it prints: checked before the work, put in place whole after it."""

from __future__ import annotations

import os
from pathlib import Path

from htcq.errors import InputError


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
    """
    from htcq.whole_file import put

    try:
        put(Path(name), text)
    except OSError as error:
        raise InputError(f"{name} cannot be written: {error.strerror}", "choose another place for it") from error
