"""Files of jobs that were."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.store.job_history import past_chunks


def test_a_file_is_read_from_its_beginning_each_time(tmp_path: Path) -> None:
    (tmp_path / "history").write_bytes(b"ClusterId = 1\n" * 400_000)
    chunks = past_chunks(tmp_path / "history")

    first = b"".join(chunks())
    assert first == b"".join(chunks()) == (tmp_path / "history").read_bytes()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"history cannot be read: No such file"):
        b"".join(past_chunks(tmp_path / "history")())
