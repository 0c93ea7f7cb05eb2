"""The file with the key of anonymous names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.store.key_file import fresh_key, key_of


def test_a_missing_key_is_made_for_its_owner_alone_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "key"
    key = key_of(path)

    assert path.stat().st_mode & 0o777 == 0o600
    assert key_of(path) == key
    assert len(key) == 64


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    key_of(path)
    path.chmod(0o640)

    with pytest.raises(InputError, match="others can read"):
        key_of(path)


def test_what_holds_no_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("too short\n")
    path.chmod(0o600)

    with pytest.raises(InputError, match="holds no key"):
        key_of(path)


@pytest.mark.parametrize(
    "make", [lambda path: path.symlink_to(path.parent / "other"), Path.mkdir, os.mkfifo]
)
def test_a_link_a_directory_and_a_pipe_are_no_keys(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "key"
    make(path)

    with pytest.raises(InputError):
        key_of(path)
    assert not (tmp_path / "other").exists()


def test_a_directory_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory"):
        key_of(tmp_path / "none" / "key")


def test_without_a_file_each_key_is_new() -> None:
    assert fresh_key() != fresh_key()
