"""A snapshot on disk: a directory or a .tar.gz with the output of htcq or HTCondor's tools.

htcq.toml(5) describes the files. Nothing is unpacked: an archive from elsewhere is read where it
lies. Whoever made it may mean harm: no link in it is followed, and what it expands to has
limits. Files are opened once, before anything in them is looked at, so that a process with fewer
rights can read them.
"""

from __future__ import annotations

import json
import os
import stat
import tarfile
from collections.abc import Iterator, Sized
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from htcq.errors import InputError
from htcq.limits import OPTION, USUAL, Limits
from htcq.pool.adtext import Chunks
from htcq.pool.files import (
    ACCESS,
    COLLECTOR_ADS,
    CONFIG,
    EXECUTE,
    JOBS_ADS,
    META,
    PRIORITIES_ADS,
    USERS_ADS,
)
from htcq.store.expanded import DAMAGE, Descriptor, expanded, reason

_CHUNK = 256 * 1024
_HOW = "'htcq snapshot DIR' makes one; htcq.toml(5) lists its files"
_ADS = (COLLECTOR_ADS, JOBS_ADS, PRIORITIES_ADS, USERS_ADS)


@dataclass(frozen=True)
class Member:
    """One file: in ``descriptor`` from ``offset`` on, or ``content``, or why it is not read."""

    size: int = 0
    descriptor: Descriptor | None = None
    offset: int = 0
    content: bytes | None = None
    flaw: str = ""


@dataclass(frozen=True)
class Opened:
    """A snapshot that is open, and that nothing was read of but the small files of a directory."""

    path: Path
    archive: Descriptor | None
    members: dict[str, Member]
    limits: Limits = USUAL

    @property
    def packed(self) -> bool:
        """Whether it is an archive."""
        return self.archive is not None

    @property
    def size(self) -> int:
        """Its size in bytes."""
        if self.archive:
            return self.archive.size
        return sum(member.size for member in self.members.values())


@dataclass(frozen=True)
class Snapshot:
    """The files of one snapshot by name, such as ``collector.ads`` or ``access/schedd.txt``."""

    path: Path
    members: dict[str, Member]
    packed: bool = False
    limits: Limits = USUAL
    _sizes: dict[str, int] = field(default_factory=dict)

    def chunks(self, name: str) -> Chunks | None:
        """Return a function that opens the file ``name`` at its beginning; None: it is missing.

        What it returns raises InputError, in words that follow the name of the file.
        """
        if name not in self.members:
            return None
        return lambda: self._read(self.members[name])

    def text(self, name: str) -> str | None:
        """Return a small file as text; None where it is missing.

        Raises:
            InputError: it cannot be read, or is too large, or all of them together are.
        """
        member = self.members.get(name)
        if member is None:
            return None
        if member.size > self.limits.text:
            raise InputError(
                f"{self.path}: {name} is larger than any configuration",
                f"{OPTION} raises the limit",
            )
        self._sizes[name] = member.size
        if sum(self._sizes.values()) > self.limits.texts:
            raise InputError(
                f"{self.path}: its configurations are larger than any", f"{OPTION} raises the limit"
            )
        try:
            return b"".join(self._read(member)).decode("utf-8", "replace")
        except InputError as error:
            raise InputError(f"{self.path}: {name} {error}", error.hint) from error

    def configurations(self, directory: str) -> dict[str, str]:
        """Return the texts in ``directory`` by file name without ``.txt``."""
        names = [
            name
            for name in sorted(self.members)
            if name.startswith(f"{directory}/") and name.endswith(".txt")
        ]
        return {PurePosixPath(name).stem: self.text(name) or "" for name in names}

    def meta(self) -> dict[str, Any]:
        """Return the content of meta.json; nothing where it is missing or damaged."""
        try:
            found = json.loads(self.text(META) or "{}")
        except (ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return found

    def _read(self, member: Member) -> Iterator[bytes]:
        if member.flaw:
            raise InputError(member.flaw, "a snapshot has plain files only")
        if member.content is not None:
            yield member.content
            return
        try:
            yield from self._from_file(member)
        except DAMAGE as error:
            raise InputError(f"cannot be read: {reason(error)}", "copy it anew") from error

    def _from_file(self, member: Member) -> Iterator[bytes]:
        if member.descriptor is None:
            return
        if not self.packed:
            offset = 0
            while chunk := member.descriptor.at(_CHUNK, offset):
                offset += len(chunk)
                yield chunk
            return
        stream, left = expanded(self.path, member.descriptor, self.limits), member.size
        stream.seek(member.offset)
        while left:
            chunk = stream.content(min(left, _CHUNK))
            if not chunk:
                raise EOFError("it ends too early")
            left -= len(chunk)
            yield chunk


def open_snapshot(path: Path, limits: Limits = USUAL) -> Snapshot:
    """Return the snapshot at ``path``.

    Raises:
        InputError: there is none, or it holds none of a snapshot's files, or more than ``limits``
            allow.
    """
    return snapshot_of(open_files(path, limits))


def open_files(path: Path, limits: Limits = USUAL) -> Opened:
    """Open the files of the snapshot at ``path``; the path itself may be a link.

    Raises:
        InputError: there is none, or it has more files than ``limits`` allow.
    """
    try:
        # A pipe would wait for its writer.
        handle = Descriptor(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        kind = os.fstat(handle.number).st_mode
        if stat.S_ISDIR(kind):
            return Opened(path, None, _members_of_directory(path, handle, limits), limits)
        if not stat.S_ISREG(kind):
            raise InputError(f"{path} is no snapshot: neither a directory nor a plain file", _HOW)
        return Opened(path, handle, {}, limits)
    except OSError as error:
        raise InputError(f"{path} is no snapshot: {reason(error)}", _HOW) from error


def snapshot_of(opened: Opened) -> Snapshot:
    """Return the snapshot whose files are open.

    Raises:
        InputError: it is no archive, or holds none of a snapshot's files, or more than its limits
            allow.
    """
    members = opened.members
    if opened.archive is not None:
        try:
            members = _members_of_archive(opened.path, opened.archive, opened.limits)
        except (*DAMAGE, RecursionError) as error:
            raise InputError(f"{opened.path} is no snapshot: {reason(error)}", _HOW) from error
    if not members.keys() & {COLLECTOR_ADS, JOBS_ADS, CONFIG}:
        raise InputError(
            f"{opened.path} holds neither {COLLECTOR_ADS} nor {JOBS_ADS} nor {CONFIG}", _HOW
        )
    return Snapshot(opened.path, members, opened.packed, opened.limits)


def _members_of_directory(path: Path, top: Descriptor, limits: Limits) -> dict[str, Member]:
    names = [name for name in (*_ADS, CONFIG, META) if _is_there(name, top.number)]
    found = {name: open_member(name, top.number, limits) for name in names}
    for directory in (ACCESS, EXECUTE):
        try:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            below = Descriptor(os.open(directory, flags, dir_fd=top.number))
        except OSError:
            continue
        with os.scandir(below.number) as entries:
            for entry in entries:
                if entry.name.endswith(".txt"):
                    found[f"{directory}/{entry.name}"] = open_member(
                        entry.name, below.number, limits
                    )
                    check_count(path, found, limits)
    return found


def _is_there(name: str, directory: int) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def open_member(name: str, directory: int, limits: Limits) -> Member:
    """Open one file of a directory, and read it if it is small."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
            return Member(flaw="is a link, which is not followed")
        handle = Descriptor(os.open(name, flags, dir_fd=directory))
        if not stat.S_ISREG(os.fstat(handle.number).st_mode):
            return Member(flaw="is no plain file")
        size = handle.size
        if name in _ADS:
            return Member(size, handle)
        if size > limits.text:
            # It is refused when it is asked for.
            return Member(size, content=b"")
        return Member(size, content=handle.at(size, 0))
    except OSError as error:
        return Member(flaw=f"cannot be read: {reason(error)}")


def check_count(path: Path, found: Sized, limits: Limits) -> None:
    """Refuse the directory ``path`` where it has more files than ``limits`` allow.

    Raises:
        InputError: it has.
    """
    if len(found) > limits.members:
        raise InputError(
            f"{path} has more than {limits.members} files", f"{OPTION} raises the limit"
        )


def _members_of_archive(path: Path, archive: Descriptor, limits: Limits) -> dict[str, Member]:
    """Return the files by their name below the directory that holds them."""
    found: dict[PurePosixPath, Member] = {}
    count = 0
    content = expanded(path, archive, limits)
    with tarfile.open(fileobj=content, mode="r:") as packed:  # type: ignore[call-overload]
        for info in packed:
            count += 1
            if count > limits.members:
                raise InputError(
                    f"{path} has more than {limits.members} files", f"{OPTION} raises the limit"
                )
            # Nothing but the list is asked for again.
            packed.members = []
            if info.isfile():
                flaw = ""
                if info.sparse is not None:
                    flaw = "has holes (a sparse file)"
                found[PurePosixPath(info.name)] = Member(
                    info.size, archive, info.offset_data, flaw=flaw
                )
    tops = [str(name.parent) for name in found if name.name in (COLLECTOR_ADS, JOBS_ADS)]
    top = PurePosixPath(min(tops, key=len, default="."))
    return {
        str(name.relative_to(top)): member for name, member in found.items() if top in name.parents
    }
