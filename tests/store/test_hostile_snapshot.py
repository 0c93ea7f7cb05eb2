"""Snapshots made to harm: each is refused with one line, soon, and nothing outside of it is read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.limits import MIB, Limits
from htcq.operations.pool_source import pool_of
from htcq.store.snapshot import open_snapshot
from tests.audit.sites import job, slot

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
}
on_every_form = pytest.mark.parametrize("form", list(PACKED))


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


@on_every_form
@pytest.mark.parametrize(
    "kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK]
)
def test_a_header_of_gigabytes_is_refused_before_it_is_read(
    kind: bytes, form: str, tmp_path: Path
) -> None:
    path = tmp_path / "snapshot"
    path.write_bytes(PACKED[form](header("x", 3 << 30, kind) + bytes(8 * MIB)))

    with pytest.raises(InputError, match="a header of 3221225472 bytes"):
        open_snapshot(path)


@on_every_form
def test_an_archive_that_expands_without_measure_is_refused(form: str, tmp_path: Path) -> None:
    path = tmp_path / "snapshot"
    path.write_bytes(PACKED[form](header("collector.ads", 20 * MIB) + bytes(20 * MIB + 1024)))

    with pytest.raises(InputError, match="expands to more than 25 times its size") as refused:
        open_snapshot(path, Limits(0.1))

    assert "--limits" in refused.value.hint
    assert "collector.ads" in open_snapshot(path, Limits(10)).members


@pytest.mark.parametrize("form", ["gnu", "posix"])
def test_a_sparse_file_that_never_ends_is_not_read(form: str, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    os.truncate(os.open(tmp_path / "s/collector.ads", os.O_CREAT | os.O_WRONLY), 1 << 43)
    subprocess.run(
        ["tar", f"--format={form}", "-S", "-czf", "s.tar.gz", "s"],
        cwd=tmp_path,
        check=True,
        timeout=60,
    )
    assert (tmp_path / "s.tar.gz").stat().st_size < 4096

    with pytest.raises(InputError, match=r"collector\.ads has holes"):
        pool_of(open_snapshot(tmp_path / "s.tar.gz"), "s")


def test_an_archive_of_more_files_than_a_pool_has_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "s.tar.gz", "w:gz") as packed:
        for number in range(60):
            packed.addfile(tarfile.TarInfo(f"execute/{number}.txt"), io.BytesIO())

    with pytest.raises(InputError, match="more than 50 files"):
        open_snapshot(tmp_path / "s.tar.gz", Limits(0.01))


def test_a_directory_of_more_files_than_a_pool_has_is_refused(tmp_path: Path) -> None:
    (tmp_path / "execute").mkdir()
    (tmp_path / "collector.ads").write_text(slot())
    for number in range(60):
        (tmp_path / f"execute/{number}.txt").touch()

    with pytest.raises(InputError, match="more than 50 files"):
        open_snapshot(tmp_path, Limits(0.01))
    assert len(open_snapshot(tmp_path).members) == 61


@pytest.mark.parametrize("member", ["collector.ads", "jobs.ads", "priorities.ads"])
def test_a_link_in_a_directory_is_not_followed(member: str, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("root:$6$secret\n")
    place = tmp_path / "s"
    place.mkdir()
    (place / "collector.ads").write_text(slot())
    (place / "jobs.ads").write_text(job())
    (place / member).unlink(missing_ok=True)
    (place / member).symlink_to(tmp_path / "outside")

    told = pool_of(open_snapshot(place), "s").damage

    assert told == (f"{member} is a link, which is not followed",)


@pytest.mark.parametrize("member", ["config.txt", "access/schedd.txt", "execute/node.txt"])
def test_a_linked_configuration_is_named_and_not_followed(member: str, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("root:$6$secret\n")
    (tmp_path / "s" / member).parent.mkdir(parents=True)
    (tmp_path / "s/collector.ads").write_text(slot())
    (tmp_path / "s" / member).symlink_to(tmp_path / "outside")

    with pytest.raises(InputError, match=f"{member} is a link, which is not followed"):
        pool_of(open_snapshot(tmp_path / "s"), "s")


def test_a_directory_of_configurations_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private/secret.txt").write_text("A = secret\n")
    (tmp_path / "s").mkdir()
    (tmp_path / "s/collector.ads").write_text(slot())
    (tmp_path / "s/access").symlink_to(tmp_path / "private")

    assert list(open_snapshot(tmp_path / "s").members) == ["collector.ads"]


def test_the_directory_that_is_named_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s/collector.ads").write_text(slot())
    (tmp_path / "latest").symlink_to("s")

    assert "collector.ads" in open_snapshot(tmp_path / "latest").members


def test_links_in_a_circle_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "jobs.ads").symlink_to("jobs.ads")
    (tmp_path / "collector.ads").write_text(slot())
    (tmp_path / "circle").symlink_to("circle")

    assert pool_of(open_snapshot(tmp_path), "s").damage == (
        "jobs.ads is a link, which is not followed",
    )
    with pytest.raises(InputError, match="no snapshot: Too many levels of symbolic links"):
        open_snapshot(tmp_path / "circle")


@pytest.mark.parametrize("member", ["collector.ads", "config.txt"])
def test_a_pipe_in_a_directory_is_not_waited_for(member: str, tmp_path: Path) -> None:
    (tmp_path / "jobs.ads").write_text(job())
    os.mkfifo(tmp_path / member)

    snapshot = open_snapshot(tmp_path)

    with pytest.raises(InputError, match=f"{member} is no plain file"):
        snapshot.text(member)


def test_a_pipe_is_no_snapshot(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s")

    with pytest.raises(InputError, match="neither a directory nor a plain file"):
        open_snapshot(tmp_path / "s")


def test_configurations_have_a_limit_together(tmp_path: Path) -> None:
    (tmp_path / "execute").mkdir()
    (tmp_path / "collector.ads").write_text(slot())
    for number in range(20):
        (tmp_path / f"execute/{number}.txt").write_text(f"A = {'x' * 40_000}\n")

    with pytest.raises(InputError, match="its configurations are larger than any"):
        open_snapshot(tmp_path, Limits(0.01)).configurations("execute")
    assert len(open_snapshot(tmp_path).configurations("execute")) == 20


def test_an_ad_that_is_too_long_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    long = (
        f"\n{slot('slot2@node1').strip()}\n"
        + "".join(f"a{n} = {n}\n" for n in range(800_000))
        + "\n"
    )
    (tmp_path / "collector.ads").write_text(slot() + long + slot("slot3@node1"))

    pool = pool_of(open_snapshot(tmp_path), "s")

    assert [each.name for each in pool.slots or ()] == ["slot1@node1", "slot3@node1"]
    assert pool.damage == (
        "collector.ads has 1 ads of more than 8388608 bytes, which were left out",
    )


def test_a_text_with_an_endless_line_is_refused_before_its_end(tmp_path: Path) -> None:
    with (tmp_path / "collector.ads").open("w") as out:
        out.write(f'{slot().rstrip()}\nX = "')
        # Holes take no room on the disk.
        out.truncate(1 << 40)
    (tmp_path / "jobs.ads").write_text(job())

    assert pool_of(open_snapshot(tmp_path), "s").damage == (
        "collector.ads has an ad of more than 67108864 bytes",
    )


def test_a_chain_of_names_is_followed_so_far_and_no_further(tmp_path: Path) -> None:
    chain = "".join(
        f"b{n} = {' + '.join(f'b{n * 40 + k}' for k in range(1, 41))}\n" for n in range(1000)
    )
    (tmp_path / "collector.ads").write_text(f"{slot().rstrip()}\nRank = b0\n{chain}\n")

    told = pool_of(open_snapshot(tmp_path), "s").damage

    assert told == (
        "collector.ads has expressions that name more than 2000 attributes; no more were read",
    )
