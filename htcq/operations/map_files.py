"""The user map files that a configuration names: whether they are on this machine.

They are looked for under their own name and beside the configuration, as a repository has them,
and are never opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from htcq.pool.configuration import Configuration
from htcq.pool.user_maps import user_maps

#: Where a look alone mounts something or asks another machine.
_ELSEWHERE = ("/net", "/afs", "/misc", "/proc", "/sys", "/dev")
#: How many directories above the configuration may be the root of a repository's tree: that of
#: etc/condor/config.d is three above it.
_ABOVE = 4


def map_files(configuration: Configuration, directories: Iterable[Path]) -> dict[str, bool]:
    """Return whether each map file is there; one that cannot be looked for is left out.

    ``directories`` are those of the configuration.
    """
    places = list(directories)
    found = {}
    for each in user_maps(configuration):
        path = os.path.normpath(each.file)
        inside = any(path == place or path.startswith(f"{place}/") for place in _ELSEWHERE)
        if not path.startswith("/") or inside:
            continue
        seen = [_is_there(one) for one in _candidates(Path(path), places)]
        if any(seen):
            found[each.file] = True
        elif None not in seen:
            found[each.file] = False
    return found


def _candidates(path: Path, directories: Iterable[Path]) -> Iterator[Path]:
    yield path
    parts = path.parts[1:]
    for directory in directories:
        for base in (directory, *list(directory.absolute().parents)[: _ABOVE - 1]):
            for first in range(len(parts)):
                yield base.joinpath(*parts[first:])


def _is_there(path: Path) -> bool | None:
    """Return whether there is such a file; None where that cannot be seen."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return None
    return True
