"""Errors of SQLite and the system on a history, each as one line with a hint.

Python 3.9 tells SQLite's errors by their English text alone (sqlite3_errstr,
https://www.sqlite.org/rescode.html).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from htcq.errors import HistoryError

#: The texts of SQLITE_CORRUPT and SQLITE_NOTADB, and of a text column that is no text.
_DAMAGE = ("malformed", "not a database", "Could not decode")
#: Said of a file whose names are no text.
NO_TEXT = "malformed: its names are no text"
_BUSY = ("is locked",)
_FULL = ("is full",)
_BROKEN = ("I/O error",)
_INTACT = "what was recorded before is intact"


@contextmanager
def explained(path: Path, writable: bool) -> Iterator[None]:
    """Turn what SQLite and the system raise into a HistoryError that has it as its cause."""
    try:
        yield
    except sqlite3.Error as error:
        message, hint = _described(str(error) or NO_TEXT, path, writable)
        raise HistoryError(message, hint) from error
    except UnicodeDecodeError as error:
        # Of a damaged file SQLite's own message can be no text; Python raises this in its place.
        message, hint = _described(NO_TEXT, path, writable)
        raise HistoryError(message, hint) from error
    except OSError as error:
        hint = "it must be readable for you"
        if writable:
            hint = f"{_INTACT}; {_PLACE}"
        raise HistoryError(
            f"{path} cannot be {_DONE[writable]}: {error.strerror or error}", hint
        ) from error


def is_damage(error: BaseException | None) -> bool:
    """Return whether ``error`` is SQLite's error for a damaged file.

    Python 3.9 has only its message.
    """
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    message = str(error)
    return not message or any(text in message for text in _DAMAGE)


_DONE = {True: "written", False: "read"}
_PLACE = "the file and its directory must be writable for you, with room on a local file system"


def _described(error: str, path: Path, writable: bool) -> tuple[str, str]:
    if any(text in error for text in _DAMAGE):
        return (
            f"{path} is damaged: {error}",
            f"'sqlite3 {path} .recover' (or .dump) prints what can be saved; the next recording "
            "sets it aside and begins a new one",
        )
    if any(text in error for text in _BUSY):
        return (
            f"{path} is being written by another program, which did not end",
            f"nothing was changed; {_INTACT}",
        )
    if any(text in error for text in _FULL):
        return f"{path} cannot be written: {error}", f"make room and try again; {_INTACT}"
    if any(text in error for text in _BROKEN):
        return (
            f"{path} cannot be {_DONE[writable]}: {error}",
            f"{_INTACT}; is the file system full, or broken?",
        )
    hint = ""
    if writable:
        hint = f"{_INTACT}; {_PLACE}"
    return f"{path} cannot be {_DONE[writable]}: {error}", hint
