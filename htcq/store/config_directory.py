"""Configuration files, opened in the order in which they count: of a directory, or named.

Follows get_config_dir_file_list of src/condor_utils/condor_config.cpp (25.14): the files of a
directory by the bytes of their names; no subdirectory. Which names are left out depends on what
was read before. A directory may be anybody's: links in it are not followed, and what it holds has
limits.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from htcq.errors import InputError
from htcq.limits import USUAL, Limits
from htcq.store.expanded import Descriptor, reason
from htcq.store.snapshot import Member, Opened, check_count, open_member

_HOW = "name configuration files, or a directory of them such as /etc/condor/config.d"


@dataclass(frozen=True)
class Place:
    """A directory with its files by name in HTCondor's order, or one file that was named."""

    path: Path
    members: dict[str, Member]
    is_directory: bool


def open_places(paths: Sequence[str], limits: Limits = USUAL) -> tuple[Place, ...]:
    """Open the configuration files that ``paths`` name: files, and directories of files.

    Raises:
        InputError: there is no such place, or it holds more than ``limits`` allow.
    """
    return tuple(_open(Path(path), limits) for path in paths)


def as_one(places: Sequence[Place], limits: Limits = USUAL) -> Opened:
    """Return all files of ``places`` as one, by their full names."""
    members = {}
    for place in places:
        for name, member in place.members.items():
            members[full_name(place, name)] = member
    return Opened(places[0].path, None, members, limits)


def full_name(place: Place, name: str) -> str:
    """Return the name of a file of ``place`` as it was named, with that of the directory."""
    return str(place.path / name) if place.is_directory else str(place.path)


def _open(path: Path, limits: Limits) -> Place:
    try:
        if path.is_dir():
            return Place(path, _files_in(path, limits), True)
        # A link that was named is meant.
        real = path.resolve(strict=True)
        above = Descriptor(os.open(real.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        return Place(path, {path.name: open_member(real.name, above.number, limits)}, False)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path} cannot be read: {reason(error)}", _HOW) from error


def _files_in(path: Path, limits: Limits) -> dict[str, Member]:
    members: dict[str, Member] = {}
    top = Descriptor(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    for name in sorted(os.listdir(top.number), key=os.fsencode):  # noqa: PTH208
        if not _is_directory(name, top.number):
            members[name] = open_member(name, top.number, limits)
            check_count(path, members, limits)
    return members


def _is_directory(name: str, directory: int) -> bool:
    status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    return stat.S_ISDIR(status.st_mode)
