"""A snapshot is there as a whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tarfile
from pathlib import Path

import pytest

from htcq.errors import EXIT_UNKNOWN, InputError, OutputError
from htcq.store.snapshot_writer import new_snapshot


def fill(directory: Path) -> None:
    (directory / "access").mkdir()
    (directory / "access" / "ap.txt").write_text("A = 1\n")
    (directory / "jobs.ads").write_text("ClusterId = 1\n")
    (directory / "jobs.ads").chmod(0o666)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def modes(directory: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in (directory, *directory.rglob("*"))}


def test_a_directory_that_only_its_owner_reads(tmp_path: Path) -> None:
    with new_snapshot(tmp_path / "snap") as directory:
        fill(directory)
        assert not (tmp_path / "snap").exists()

    assert names(tmp_path) == ["snap"]
    assert names(tmp_path / "snap") == ["access", "jobs.ads"]
    assert modes(tmp_path / "snap") == {0o600, 0o700}


def test_an_empty_directory_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "snap").mkdir(mode=0o755)
    with new_snapshot(tmp_path / "snap") as directory:
        fill(directory)

    assert (tmp_path / "snap" / "jobs.ads").read_text() == "ClusterId = 1\n"


@pytest.mark.parametrize("ending", [".tar.gz", ".tgz"])
def test_an_archive_holds_one_directory_and_does_not_tell_who_made_it(
    tmp_path: Path, ending: str
) -> None:
    goal = tmp_path / f"snap{ending}"
    with new_snapshot(goal) as directory:
        fill(directory)

    assert names(tmp_path) == [goal.name]
    assert stat.S_IMODE(goal.stat().st_mode) == 0o600
    with tarfile.open(goal) as archive:
        members = archive.getmembers()
        assert [member.name for member in members] == [
            "snap",
            "snap/access",
            "snap/access/ap.txt",
            "snap/jobs.ads",
        ]
        assert {(member.uid, member.gid, member.uname, member.gname) for member in members} == {
            (0, 0, "", "")
        }
        content = archive.extractfile("snap/jobs.ads")
        assert content is not None
        assert content.read() == b"ClusterId = 1\n"


@pytest.mark.parametrize("name", ["snap", "snap.tar.gz"])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    def interrupted() -> None:
        with new_snapshot(tmp_path / name) as directory:
            fill(directory)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert names(tmp_path) == []


def test_what_is_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "snap").mkdir()
    (tmp_path / "snap" / "mine").write_text("mine")
    (tmp_path / "snap.tar.gz").write_text("mine")
    for name in ("snap", "snap.tar.gz"):
        with pytest.raises(InputError, match="not empty"), new_snapshot(tmp_path / name):
            raise AssertionError("it was begun")

    assert names(tmp_path) == ["snap", "snap.tar.gz"]
    assert (tmp_path / "snap" / "mine").read_text() == "mine"


def test_what_came_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    def overtaken() -> None:
        with new_snapshot(tmp_path / "snap"):
            (tmp_path / "snap").mkdir()
            (tmp_path / "snap" / "mine").write_text("mine")

    with pytest.raises(InputError, match="cannot be written"):
        overtaken()

    assert names(tmp_path) == ["snap"]
    assert names(tmp_path / "snap") == ["mine"]


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "snap").symlink_to("elsewhere")
    with pytest.raises(InputError, match="is a link"), new_snapshot(tmp_path / "snap"):
        raise AssertionError("it was begun")


@pytest.mark.parametrize("name", ["no/such/place", "..", "file/snap"])
def test_a_place_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError), new_snapshot(tmp_path / name):
        raise AssertionError("it was begun")


@pytest.mark.parametrize("name", ["dir.tar.gz", "file"])
def test_a_directory_and_an_archive_do_not_replace_each_other(tmp_path: Path, name: str) -> None:
    (tmp_path / "dir.tar.gz").mkdir()
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(InputError, match=r"a name that ends|directory"),
        new_snapshot(tmp_path / name),
    ):
        raise AssertionError("it was begun")
    assert (tmp_path / "dir.tar.gz").is_dir()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("name", ["snap", "snap.tar.gz"])
def test_a_full_or_broken_disk_is_no_bad_name(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError) as caught, new_snapshot(tmp_path / name) as directory:
        fill(directory)

    assert caught.value.exit_status == EXIT_UNKNOWN
    assert f"{name} cannot be written: {os.strerror(number)}" in str(caught.value)
    assert names(tmp_path) == []
