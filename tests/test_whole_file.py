"""A file is there whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from htcq.whole_file import put, put_copy, put_new, status_of


@pytest.fixture
def _open_umask() -> Iterator[None]:
    former = os.umask(0o027)
    yield
    assert os.umask(former) == 0o027


def test_a_file_is_written_and_nothing_else_stays(tmp_path: Path) -> None:
    for content in ("one\n", "two äöü\n", ""):
        put(tmp_path / "x.prom", content)
        assert (tmp_path / "x.prom").read_text(encoding="utf-8") == content

    assert [path.name for path in tmp_path.iterdir()] == ["x.prom"]


@pytest.mark.usefixtures("_open_umask")
@pytest.mark.parametrize(("mode", "expected"), [(None, 0o640), (0o644, 0o644)])
def test_the_mode_is_as_asked_or_as_the_umask_wants_it(
    mode: int | None, expected: int, tmp_path: Path
) -> None:
    put(tmp_path / "x", "", mode)

    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == expected


def test_a_reader_of_the_former_file_keeps_it(tmp_path: Path) -> None:
    put(tmp_path / "x", "former")
    with (tmp_path / "x").open(encoding="utf-8") as reader:
        put(tmp_path / "x", "new")
        assert reader.read() == "former"


def test_a_failure_changes_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "inside").touch()

    with pytest.raises(OSError, match="directory"):
        put(tmp_path / "x", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_what_is_no_unicode_is_spelled_out(tmp_path: Path) -> None:
    put(tmp_path / "x", "name \udcff")

    assert (tmp_path / "x").read_text(encoding="utf-8") == "name \\udcff"


def test_a_copy_has_the_bytes_and_the_mode_of_what_it_is_a_copy_of(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"caf\xe9\r\n")
    (tmp_path / "x").chmod(0o4600)
    put_copy(tmp_path / "x", tmp_path / "y")

    assert (tmp_path / "y").read_bytes() == b"caf\xe9\r\n"
    assert stat.S_IMODE((tmp_path / "y").stat().st_mode) == 0o600


def test_an_owner_that_may_not_be_given_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "x").touch(0o640)
    like = status_of(tmp_path / "x")
    monkeypatch.setattr(os, "fchown", refuse)
    put(tmp_path / "x", "new", 0o644, like)

    assert (tmp_path / "x").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_there_is_no_status_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to("/etc/passwd")

    assert status_of(tmp_path / "x") is None
    assert status_of(tmp_path / "none") is None


def test_a_new_file_is_made_with_its_directory(tmp_path: Path) -> None:
    put_new(tmp_path / "new" / "file", "text")

    assert (tmp_path / "new" / "file").read_text() == "text"
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["file"]


@pytest.mark.parametrize("link", [False, True])
def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path, link: bool) -> None:
    if link:
        (tmp_path / "file").symlink_to("nowhere")
    else:
        (tmp_path / "file").write_text("mine")
    with pytest.raises(FileExistsError):
        put_new(tmp_path / "file", "text")

    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert link or (tmp_path / "file").read_text() == "mine"
