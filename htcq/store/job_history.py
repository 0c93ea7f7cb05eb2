"""Files of jobs that were: what ``condor_history -long`` or ``condor_q -long`` printed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from htcq.errors import InputError
from htcq.pool.adtext import Chunks
from htcq.store.expanded import Descriptor

_CHUNK = 4 * 1024 * 1024


def past_chunks(path: Path) -> Chunks:
    """Return a function that opens ``path`` at its beginning, even in a less privileged process.

    Raises:
        InputError: the file cannot be read; so does what is returned.
    """
    try:
        file = Descriptor(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        raise _unreadable(path, error) from error

    def chunks() -> Iterator[bytes]:
        offset = 0
        try:
            while chunk := file.at(_CHUNK, offset):
                offset += len(chunk)
                yield chunk
        except OSError as error:
            raise _unreadable(path, error) from error

    return chunks


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"{path} cannot be read: {error.strerror}", "condor_history -long prints one")
