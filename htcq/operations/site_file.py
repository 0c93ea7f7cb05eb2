"""Where a command finds the site file, and which keys it takes from one that nobody named.

A file in the current directory may be anybody's: it is used where nobody else could have written
it, and says nothing of where templates and histories are. A file that ``--config`` names is
taken as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from htcq.errors import InputError
from htcq.operations.trusted import is_trusted_file, trusted_text
from htcq.settings import Settings, settings_from

_HERE = "htcq.toml"
#: Where a site file is looked for when none is named.
SITE_FILES = (_HERE, "/etc/htcq/htcq.toml")
#: Keys that name places, with their table; a file that is only found in the current directory must
#: not have them.
_PLACES = (("", "templates"), ("drift", "store"), ("drift", "quotas"))
_HINT = "see htcq.toml(5)"


def site_file(named: str | None) -> Path | None:
    """Return the site file ``named``, or the first of :data:`SITE_FILES` that is there, if any.

    Raises:
        InputError: it was not named, and somebody else could have written it.
    """
    if named:
        return Path(named)
    return next((Path(each) for each in SITE_FILES if is_trusted_file(Path(each))), None)


def read_site_file(named: str | None, forced: bool = False) -> Settings:
    """Return the settings in the file ``named``, or else in the first of :data:`SITE_FILES`.

    Files that do not exist are skipped; with none of them the settings are the defaults.

    Raises:
        HtcqError: it cannot be read, something in it cannot be used, or it is not to be trusted.
    """
    found = site_text(named)
    if found is None:
        return Settings()
    path, text = found
    content = toml_in(path, text, _HINT)
    if is_only_found(named, path):
        refuse_places(content)
    return settings_from(content, forced)


def site_text(named: str | None) -> tuple[Path, str] | None:
    """Return the site file ``named``, or the first of :data:`SITE_FILES`, with its text, if any.

    Raises:
        InputError: it cannot be read, or it was not named and is not to be trusted.
    """
    if named:
        return Path(named), text_of(Path(named), _HINT)
    for each in SITE_FILES:
        text = trusted_text(Path(each))
        if text is not None:
            return Path(each), text
    return None


def is_only_found(named: str | None, path: Path) -> bool:
    """Return whether ``path`` is the file of the current directory and nobody named it."""
    return not named and str(path) == _HERE


def refuse_places(content: Mapping[str, Any]) -> None:
    """Refuse keys that name places, which a file in the current directory must not have.

    Raises:
        InputError: there is one.
    """
    for table, key in _PLACES:
        keys = content.get(table, {}) if table else content
        if isinstance(keys, Mapping) and key in keys:
            raise InputError(
                (
                    f"{_HERE}: {table}{'.' if table else ''}{key} is not taken from a file in the "
                    "current directory"
                ),
                f"name the file (--config {_HERE}), or put it into /etc/htcq",
            )


def parse_toml(path: Path, hint: str) -> dict[str, Any]:
    """Return what the TOML file ``path`` holds.

    Raises:
        InputError: it cannot be read; ``hint`` says where to look.
    """
    return toml_in(path, text_of(path, hint), hint)


def text_of(path: Path, hint: str) -> str:
    """Return what the file ``path`` holds.

    Raises:
        InputError: it cannot be read; ``hint`` says where to look.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}", hint
        ) from error


def toml_in(path: Path, text: str, hint: str) -> dict[str, Any]:
    """Return what ``text``, that of the file ``path``, holds.

    Raises:
        InputError: it is no TOML; ``hint`` says where to look.
    """
    try:
        return toml_of(text)
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or lists within lists without end, are no mistakes to the
        # parser.
        raise InputError(f"{path}: {error}", hint) from error


def toml_of(text: str) -> dict[str, Any]:
    """Return what ``text`` holds.

    Raises:
        ValueError: it is no TOML.
        RecursionError: it nests without end.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    content: dict[str, Any] = tomllib.loads(text)
    return content
