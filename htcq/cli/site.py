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
    return settings_from(parse_toml(path, "see htcq.toml(5)"), forced)


def parse_toml(path: Path, hint: str) -> dict[str, Any]:
    """Return what the TOML file ``path`` holds.

    Raises:
        InputError: it cannot be read; ``hint`` says where to look.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}", hint) from error
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or lists within lists without end, are no mistakes to the parser.
        raise InputError(f"{path}: {error}", hint) from error
    return content
