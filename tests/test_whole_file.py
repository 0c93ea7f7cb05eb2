"""A file is there whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from htcq.whole_file import put


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
def test_the_mode_is_as_asked_or_as_the_umask_wants_it(mode: int | None, expected: int, tmp_path: Path) -> None:
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
