"""Where a command finds the site file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from htcq.errors import InputError
from htcq.settings import Settings, settings_from

#: Where a site file is looked for when none is named.
SITE_FILES = ("htcq.toml", "/etc/htcq/htcq.toml")


def read_site_file(named: str | None, forced: bool = False) -> Settings:
    """Return what the file ``named`` says, or the first of :data:`SITE_FILES` that is there, if any.

    Raises:
        HtcqError: it cannot be read, or something in it cannot be used.
    """
    path = Path(named) if named else next((Path(each) for each in SITE_FILES if Path(each).is_file()), None)
    if path is None:
        return Settings()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', error)}", "see htcq.toml(5)") from error
    return settings_from(_parse_toml(text, path), forced)


def _parse_toml(text: str, path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}", "see htcq.toml(5)") from error
    return content
