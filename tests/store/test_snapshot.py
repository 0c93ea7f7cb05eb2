"""Snapshots on disk: directories and archives, never anything outside them."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.operations.pool_source import pool_of
from htcq.store.snapshot import Snapshot, open_snapshot
from tests.audit.sites import job, slot

FILES = {
    "collector.ads": slot().encode(),
    "jobs.ads": job().encode(),
    "config.txt": b"SLOT_WEIGHT = Memory\n",
    "access/access1.site.txt": b"SCHEDD_SLOT_WEIGHT = RequestCpus\n",
    "execute/node1.txt": b"NUM_CLAIMS = 3\n",
    "meta.json": b'{"taken": "2026-11-21", "failed": [{"what": "jobs of access2", "why": "no answer"}]}',
}


def directory(place: Path, files: dict[str, bytes] = FILES) -> Path:
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return place


def member(
    name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(content), kind, link
    return info, content


def archive(path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as packed:  # type: ignore[call-overload]
        for info, content in members:
            packed.addfile(info, io.BytesIO(content))
    return path


def content(snapshot: Snapshot, name: str) -> bytes | None:
    chunks = snapshot.chunks(name)
    return None if chunks is None else b"".join(chunks())


def is_whole(snapshot: Snapshot) -> None:
    assert {name: content(snapshot, name) for name in FILES} == FILES
    assert snapshot.text("config.txt") == "SLOT_WEIGHT = Memory\n"
    assert list(snapshot.configurations("access")) == ["access1.site"]
    assert snapshot.meta()["taken"] == "2026-11-21"
    found = pool_of(snapshot, "test")
    assert [each.name for each in found.slots or ()] == ["slot1@node1"]
    assert found.failed == (("jobs of access2", "no answer"),)
    assert found.access["access1.site"].value("SCHEDD_SLOT_WEIGHT") == "RequestCpus"
    assert found.execute["node1"].value("NUM_CLAIMS") == "3"


def test_a_directory_is_read(tmp_path: Path) -> None:
    snapshot = open_snapshot(directory(tmp_path))

    assert not snapshot.packed
    is_whole(snapshot)


@pytest.mark.parametrize("top", ["", "./", "monday/", "./monday/", "a/b/"])
@pytest.mark.parametrize("mode", ["w:gz", "w", "w:xz", "w:bz2"])
def test_an_archive_is_read_with_and_without_a_directory_around_it(
    top: str, mode: str, tmp_path: Path
) -> None:
    snapshot = open_snapshot(
        archive(
            tmp_path / "s", *[member(top + name, text) for name, text in FILES.items()], mode=mode
        )
    )

    assert snapshot.packed
    is_whole(snapshot)


def test_a_file_is_read_from_its_beginning_each_time(tmp_path: Path) -> None:
    chunks = open_snapshot(archive(tmp_path / "s", member("collector.ads", b"abc"))).chunks(
        "collector.ads"
    )

    assert chunks is not None
    assert [b"".join(chunks()) for _ in range(2)] == [b"abc", b"abc"]


@pytest.mark.parametrize(
    "name", ["../secret", "/secret", "monday/../../secret", "monday/access/../../../secret.txt"]
)
def test_names_that_point_outside_are_only_names(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    (tmp_path / "secret.txt").write_text("outside")
    (tmp_path / "in").mkdir()
    snapshot = open_snapshot(
        archive(
            tmp_path / "in" / "s",
            member("monday/collector.ads", b"inside"),
            member(name, b"inside too"),
        )
    )

    assert {content(snapshot, each) for each in snapshot.members} <= {b"inside", b"inside too"}
    assert "outside" not in "".join(snapshot.configurations("access").values())


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("goal", ["{place}/secret", "../secret", "secret", "/etc/passwd"])
def test_links_are_not_followed(kind: bytes, goal: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    goal = goal.replace("{place}", str(tmp_path))
    snapshot = open_snapshot(
        archive(
            tmp_path / "s",
            member("monday/collector.ads", b"inside"),
            member("monday/config.txt", kind=kind, link=goal),
            member("monday/access/a.txt", kind=kind, link=goal),
        )
    )

    assert snapshot.text("config.txt") is None
    assert snapshot.configurations("access") == {}


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE]
)
def test_a_link_with_the_name_of_a_file_reads_nothing_outside(kind: bytes, tmp_path: Path) -> None:
    """tarfile takes the last member of a name."""
    (tmp_path / "secret").write_text("outside")
    snapshot = open_snapshot(
        archive(
            tmp_path / "s",
            member("collector.ads", b"inside"),
            member("collector.ads", kind=kind, link=f"{tmp_path}/secret"),
        )
    )
    try:
        found = content(snapshot, "collector.ads")
    except InputError:
        found = None

    assert found in (None, b"", b"inside")


def test_devices_and_directories_are_no_files(tmp_path: Path) -> None:
    found = open_snapshot(
        archive(
            tmp_path / "s", member("jobs.ads", b"x"), member("config.txt", kind=tarfile.CHRTYPE)
        )
    )

    assert set(found.members) == {"jobs.ads"}


@pytest.mark.parametrize("mode", ["w:gz", "w", "w:xz", "w:bz2"])
def test_a_truncated_archive_is_refused_or_told(mode: str, tmp_path: Path) -> None:
    """However much of it is there; nothing but an InputError is ever raised."""
    whole = archive(
        tmp_path / "whole", *[member(name, text * 300) for name, text in FILES.items()], mode=mode
    ).read_bytes()
    refused = 0
    for part in range(0, len(whole) - 1, max(1, len(whole) // 60)):
        (tmp_path / "part").write_bytes(whole[:part])
        try:
            pool_of(open_snapshot(tmp_path / "part"), "part")
        except InputError:
            refused += 1
    assert refused > 10


@pytest.mark.parametrize(
    "rubbish",
    [
        b"",
        b"rubbish" * 500,
        gzip.compress(b"no archive"),
        lzma.compress(b"no archive"),
        lzma.compress(b"x" * 9000)[:-20],
        b"\xfd7zXZ\x00" + b"\x00" * 3000,
        b"BZh9" + b"\x00" * 3000,
        b"\x1f\x8b" + b"\xff" * 3000,
    ],
    ids=["empty", "text", "gzip", "xz", "cut xz", "damaged xz", "damaged bzip2", "damaged gzip"],
)
def test_what_is_no_archive_is_refused(rubbish: bytes, tmp_path: Path) -> None:
    (tmp_path / "s.tar.gz").write_bytes(rubbish)

    with pytest.raises(InputError) as refused:
        open_snapshot(tmp_path / "s.tar.gz")
    assert "\n" not in str(refused.value)
    assert refused.value.hint


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no snapshot: No such file"):
        open_snapshot(tmp_path / "missing")


def test_a_directory_without_any_of_the_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("x")

    with pytest.raises(
        InputError, match=r"holds neither collector\.ads nor jobs\.ads nor config\.txt"
    ):
        open_snapshot(tmp_path)


@pytest.mark.parametrize("name", ["collector.ads", "jobs.ads", "config.txt"])
def test_any_one_of_the_three_files_is_a_snapshot(name: str, tmp_path: Path) -> None:
    found = pool_of(open_snapshot(directory(tmp_path, {name: FILES[name]})), "test")

    assert [part is not None for part in (found.slots, found.jobs, found.central)].count(True) == 1


def test_a_pool_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no ad that could be read") as refused:
        pool_of(open_snapshot(directory(tmp_path, {"collector.ads": b"\x00" * 99})), "test")
    assert refused.value.hint


@pytest.mark.parametrize(
    "meta",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b"\xff",
        b"[" * 100_000,
        b'{"failed": 5}',
        b'{"failed": [1, null]}',
        b'{"taken": {}, "failed": null}',
    ],
)
def test_damaged_notes_about_a_snapshot_do_no_harm(meta: bytes, tmp_path: Path) -> None:
    found = pool_of(open_snapshot(directory(tmp_path, {**FILES, "meta.json": meta})), "test")

    assert found.failed == ()
    assert len(found.slots or ()) == 1


def test_a_configuration_larger_than_any_is_refused(tmp_path: Path) -> None:
    with (directory(tmp_path) / "config.txt").open("wb") as file:
        file.truncate(65 * 1024 * 1024)

    with pytest.raises(InputError, match="larger than any configuration"):
        open_snapshot(tmp_path).text("config.txt")
