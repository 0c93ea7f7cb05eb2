"""The key of anonymous names: a private file, created when it is first named, or a random key."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from htcq.errors import InputError

_BYTES = 32
_MIN_CHARACTERS, _MAX_CHARACTERS = 32, 4096
_HOW = "htcq makes one where the file is missing"


def fresh_key() -> bytes:
    """Return a key that is new each time."""
    return secrets.token_bytes(_BYTES)


def key_of(path: Path) -> bytes:
    """Return the key in the file ``path``, which is made if it is missing.

    Raises:
        InputError: others can read it, it holds no key, or it can be neither read nor made.
    """
    try:
        if not os.path.lexists(path):
            _make(path)
        return _read(path)
    except OSError as error:
        raise InputError(
            f"--key {path}: {error.strerror}", "name a file in a directory that is yours"
        ) from error


def _make(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{secrets.token_hex(_BYTES)}\n")
        file.flush()
        os.fsync(handle)


def _read(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"--key {path} is no plain file", _HOW)
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o077:
            raise InputError(
                f"--key {path}: others can read or change it", f"chmod 600 {path}, or name another"
            )
        key = file.read(_MAX_CHARACTERS + 1).strip()
    if not _MIN_CHARACTERS <= len(key) <= _MAX_CHARACTERS:
        raise InputError(f"--key {path} holds no key: {_MIN_CHARACTERS} characters or more", _HOW)
    return key
