"""Files of jobs that were: what ``condor_history -long`` or ``condor_q -long`` printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from htcq.errors import InputError
from htcq.pool.adtext import Chunks

_CHUNK = 4 * 1024 * 1024


def past_chunks(path: Path) -> Chunks:
    """Return what reads ``path`` from its beginning, each time it is called.

    It raises InputError where the file cannot be read.
    """

    def chunks() -> Iterator[bytes]:
        try:
            with path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}", "condor_history -long prints one") from error

    return chunks
