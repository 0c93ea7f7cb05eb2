"""Putting a file where HTCondor reads it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from htcq import WRITTEN_BY
from htcq.emit.install import Target, prepare, prepare_removal, remove, write
from htcq.errors import InstallError

TEXT = "A = 1\n"


def _failing(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_nothing_is_there_before_the_first_write(tmp_path: Path) -> None:
    target = prepare(tmp_path, "x.config", TEXT, {})

    assert (target.present, target.differs) == (None, True)
    assert write(target) is True
    assert write(prepare(tmp_path, "x.config", TEXT, {})) is False


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_a_write_that_fails_leaves_everything_as_it_was(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(prepare(tmp_path, "x.config", TEXT, {}))
    target = prepare(tmp_path, "x.config", "A = 2\n", {})
    monkeypatch.setattr(os, step, _failing)
    with pytest.raises(InstallError) as refused:
        write(target)

    assert "cannot be written: No space left on device" in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["x.config"]
    assert (tmp_path / "x.config").read_text() == TEXT


def test_a_directory_that_vanishes_is_one_error(tmp_path: Path) -> None:
    place = tmp_path / "config.d"
    place.mkdir()
    target = prepare(place, "x.config", TEXT, {})
    place.rmdir()
    with pytest.raises(InstallError, match="cannot be written"):
        write(target)


def test_directories_are_compared_by_where_they_lead(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    params = {"LOCAL_CONFIG_DIR": f"/nowhere,{tmp_path}/link"}

    assert prepare(tmp_path / "real", "x", TEXT, params).differs
    with pytest.raises(InstallError, match="HTCondor does not read"):
        prepare(tmp_path, "x", TEXT, params)


def test_a_file_of_other_bytes_is_compared_not_choked_on(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe")

    assert prepare(tmp_path, "x", TEXT, {}).differs


@pytest.mark.parametrize(
    ("before", "after", "restart"),
    [
        ("SLOT_WEIGHT = 1\n", "SLOT_WEIGHT = 2\n", False),
        ("CONSUMPTION_CPUS = 1\n", "CONSUMPTION_CPUS = 2\n", False),
        ("SLOT_TYPE_1_CONSUMPTION_CPUS = 1\n", "", False),
        ("MODIFY_REQUEST_EXPR_REQUESTCPUS = 1\n", "modify_request_expr_requestcpus = 2\n", False),
        ("# a comment\n", "# another: NUM_CLAIMS = 3\n", False),
        ("NUM_CLAIMS = 1\n", "NUM_CLAIMS = 2\n", True),
        ("CONSUMPTION_POLICY = True\n", "CONSUMPTION_POLICY = False\n", True),
        ("", "SLOT_TYPE_1 = 100%\n", True),
        (None, "NUM_CPUS = 4\n", True),
    ],
)
def test_which_changes_need_a_restart(before: str | None, after: str, restart: bool) -> None:
    """Claim ids and the consumption policy are read once, when the startd makes its slots (Resource.cpp, 25.14)."""
    assert restart is Target(Path("x"), before, after).needs_restart()


def test_a_difference_names_the_file(tmp_path: Path) -> None:
    lines = Target(tmp_path / "x", "A = 1\n", "A = 2\n").diff().splitlines()

    assert lines[:2] == [f"--- {tmp_path / 'x'}", f"+++ {tmp_path / 'x'}"]
    assert lines[-2:] == ["-A = 1", "+A = 2"]


NOBODY = 65534
FORMER = "# caf\xe9, ours\r\nA = 0\r\n".encode("latin-1")


def furnished(directory: Path) -> Path:
    """Put a file there as an editor of another system left it, for one account alone; nobody's, if we may give it."""
    path = directory / "x.config"
    path.write_bytes(FORMER)
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    return path


def owned(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid


def test_what_is_replaced_is_kept_with_its_bytes_its_mode_and_its_owner(tmp_path: Path) -> None:
    path = furnished(tmp_path)
    before = owned(path)
    write(prepare(tmp_path, "x.config", TEXT, {}))

    assert (tmp_path / "x.config~").read_bytes() == FORMER
    assert path.read_text() == TEXT
    assert owned(tmp_path / "x.config~") == owned(path) == before


def test_what_was_replaced_comes_back_as_it_was(tmp_path: Path) -> None:
    path = furnished(tmp_path)
    before = owned(path)
    write(prepare(tmp_path, "x.config", f"{WRITTEN_BY} 1\n", {}))
    assert remove(prepare_removal(tmp_path, "x.config", {}))

    assert (path.read_bytes(), owned(path)) == (FORMER, before)
    assert [each.name for each in tmp_path.iterdir()] == ["x.config"]


def test_other_line_ends_are_a_difference(tmp_path: Path) -> None:
    (tmp_path / "x.config").write_bytes(TEXT.replace("\n", "\r\n").encode())

    assert write(prepare(tmp_path, "x.config", TEXT, {}))
    assert (tmp_path / "x.config").read_bytes() == TEXT.encode()
