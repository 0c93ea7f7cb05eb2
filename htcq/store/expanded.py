"""Files read by their descriptors, and archives expanded within limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from htcq.errors import InputError
from htcq.limits import OPTION, Limits

#: What a damaged file or archive makes Python raise; lzma and a few others know no OSError.
DAMAGE = (
    OSError,
    EOFError,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    ValueError,
    LookupError,
    MemoryError,
)
#: Longest header of a member that is read: tarfile takes it into memory in one piece.
_MAX_HEADER = 256 * 1024
_FORMATS: tuple[tuple[bytes, Callable[[IO[bytes]], Any]], ...] = (
    (b"\x1f\x8b", lambda raw: gzip.GzipFile(fileobj=raw)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\0", lzma.LZMAFile),
)  # fmt: skip


class Descriptor:
    """An open file that closes with its last reader; each reader has its own position."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)

    @property
    def size(self) -> int:
        """How many bytes the file has now."""
        return os.fstat(self.number).st_size

    def at(self, size: int, offset: int) -> bytes:
        """Return up to ``size`` bytes from ``offset`` on."""
        return os.pread(self.number, size, offset)


class _Raw(io.RawIOBase):
    """The bytes of a descriptor as a stream."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._descriptor, self._offset = descriptor, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._offset

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._offset, os.SEEK_END: self._descriptor.size}[
            whence
        ]
        self._offset = max(0, base + offset)
        return self._offset

    def readinto(self, buffer: Any) -> int:
        chunk = self._descriptor.at(len(buffer), self._offset)
        buffer[: len(chunk)] = chunk
        self._offset += len(chunk)
        return len(chunk)


class Expanded:
    """The expanded content of an archive, up to its limit; tarfile reads the members from it."""

    name = ""

    def __init__(self, path: Path, stream: IO[bytes], most: int, allowed: str) -> None:
        self._path, self._stream, self._max, self._allowed = path, stream, most, allowed

    def tell(self) -> int:
        """Return the position."""
        return self._stream.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a position.

        Raises:
            InputError: it lies beyond what the archive may expand to.
        """
        if whence == os.SEEK_SET:
            self._check(offset)
        return self._stream.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        """Return a part of a header.

        Raises:
            InputError: no header is so long.
        """
        if not 0 <= size <= _MAX_HEADER:
            raise InputError(
                f"{self._path} is no snapshot: it has a header of {size} bytes",
                "make it anew with tar",
            )
        return self.content(size)

    def content(self, size: int) -> bytes:
        """Return up to ``size`` bytes.

        Raises:
            InputError: the archive expands to more than it may.
        """
        self._check(self._stream.tell() + size)
        return self._stream.read(size)

    def _check(self, position: int) -> None:
        if position > self._max + _MAX_HEADER:
            raise InputError(
                f"{self._path} expands to more than {self._allowed}", f"{OPTION} raises the limit"
            )


def expanded(path: Path, archive: Descriptor, limits: Limits) -> Expanded:
    """Return the stream of an archive, from its beginning; ``path`` is for messages."""
    size, beginning = archive.size, archive.at(6, 0)
    raw = io.BufferedReader(_Raw(archive), 1 << 18)
    for magic, unpacked in _FORMATS:
        if beginning.startswith(magic):
            times = limits.expansion * limits.factor
            return Expanded(path, unpacked(raw), limits.expanded(size), f"{times:g} times its size")
    return Expanded(path, raw, size, "its size")


def reason(error: BaseException) -> str:
    """Return what went wrong, on one line."""
    if isinstance(error, (MemoryError, RecursionError)):
        return "it takes more memory than there is for it"
    message = str(getattr(error, "strerror", None) or error)
    if not message or "\n" in message:
        return "it is no archive that can be read"
    return message
