"""A snapshot on disk: a directory or a .tar.gz of plain files, as htcq or HTCondor's own tools print them.

htcq.toml(5) describes the files. Nothing is unpacked: an archive from elsewhere is read where it lies.
"""

from __future__ import annotations

import json
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from htcq.errors import InputError
from htcq.pool.adtext import Chunks
from htcq.pool.files import ACCESS, COLLECTOR_ADS, CONFIG, EXECUTE, JOBS_ADS, META

_CHUNK = 4 * 1024 * 1024
_MOST_TEXT = 64 * 1024 * 1024
#: What a damaged file or archive makes Python raise; lzma and a few others know no OSError.
_DAMAGE = (OSError, EOFError, tarfile.TarError, zlib.error, lzma.LZMAError, ValueError, LookupError)
_HOW = "'htcq snapshot DIR' makes one; htcq.toml(5) lists its files"


@dataclass(frozen=True)
class Snapshot:
    """The files of one snapshot by name, such as ``collector.ads`` or ``access/schedd.txt``."""

    path: Path
    members: dict[str, str]

    @property
    def packed(self) -> bool:
        """Whether it is an archive."""
        return not self.path.is_dir()

    def chunks(self, name: str) -> Chunks | None:
        """Return what reads the file ``name`` from its beginning, each time it is called; None where it is missing."""
        if name not in self.members:
            return None
        return lambda: self._read(self.members[name])

    def text(self, name: str) -> str | None:
        """Return a small file as text; None where it is missing."""
        chunks = self.chunks(name)
        if chunks is None:
            return None
        content = b""
        for chunk in chunks():
            content += chunk
            if len(content) > _MOST_TEXT:
                raise InputError(f"{self.path}: {name} is larger than any configuration", _HOW)
        return content.decode("utf-8", "replace")

    def configurations(self, directory: str) -> dict[str, str]:
        """Return the texts in ``directory`` by file name without ``.txt``."""
        names = [name for name in sorted(self.members) if name.startswith(f"{directory}/") and name.endswith(".txt")]
        return {PurePosixPath(name).stem: self.text(name) or "" for name in names}

    def meta(self) -> dict[str, Any]:
        """Return what meta.json holds; nothing where it is missing or damaged."""
        try:
            found = json.loads(self.text(META) or "{}")
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _read(self, member: str) -> Iterator[bytes]:
        try:
            if self.packed:
                yield from _packed(self.path, member)
            else:
                with (self.path / member).open("rb") as file:
                    while chunk := file.read(_CHUNK):
                        yield chunk
        except _DAMAGE as error:
            raise InputError(f"{self.path}: {member} cannot be read: {_reason(error)}", "copy it anew") from error


def _packed(path: Path, member: str) -> Iterator[bytes]:
    with tarfile.open(path, "r:*") as archive:
        file = archive.extractfile(member)
        while file is not None and (chunk := file.read(_CHUNK)):
            yield chunk


def open_snapshot(path: Path) -> Snapshot:
    """Return the snapshot at ``path``.

    Raises:
        InputError: there is none, or it holds none of a snapshot's files.
    """
    try:
        members = _members_of_directory(path) if path.is_dir() else _members_of_archive(path)
    except _DAMAGE as error:
        raise InputError(f"{path} is no snapshot: {_reason(error)}", _HOW) from error
    if not members.keys() & {COLLECTOR_ADS, JOBS_ADS, CONFIG}:
        raise InputError(f"{path} holds neither {COLLECTOR_ADS} nor {JOBS_ADS} nor {CONFIG}", _HOW)
    return Snapshot(path, members)


def _reason(error: BaseException) -> str:
    """Return what went wrong, on one line."""
    told = str(getattr(error, "strerror", None) or error)
    return "it is no archive that can be read" if "\n" in told or not told else told


def _members_of_directory(path: Path) -> dict[str, str]:
    found = [each for pattern in ("*", f"{ACCESS}/*", f"{EXECUTE}/*") for each in path.glob(pattern) if each.is_file()]
    return {str(each.relative_to(path)): str(each.relative_to(path)) for each in found}


def _members_of_archive(path: Path) -> dict[str, str]:
    """Return the files by their name below the directory that holds them."""
    with tarfile.open(path, "r:*") as archive:
        names = [each.name for each in archive if each.isfile()]
    tops = [str(PurePosixPath(name).parent) for name in names if PurePosixPath(name).name in (COLLECTOR_ADS, JOBS_ADS)]
    top = PurePosixPath(min(tops, key=len)) if tops else PurePosixPath(".")
    return {str(PurePosixPath(name).relative_to(top)): name for name in names if top in PurePosixPath(name).parents}
