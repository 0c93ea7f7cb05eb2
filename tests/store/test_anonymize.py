"""The files of a snapshot, made anonymous in place."""

from __future__ import annotations

import json
from pathlib import Path

from htcq.store.anonymize import anonymize_directory

META = {
    "schema": 1,
    "taken": "2026-01-02T03:04:05+00:00",
    "pool": "cm.example.org:9618",
    "htcq": "1",
    "anonymized": False,
    "failed": [{"what": "jobs of ap.example.org", "why": "cannot connect to <192.0.2.7:9618>: Connection refused"}],
    "counts": {"jobs": 1},
}


def fill(directory: Path) -> None:
    for name in ("access", "execute"):
        (directory / name).mkdir(parents=True)
        (directory / name / "ap.example.org.txt").write_text("# from ap.example.org\nUID_DOMAIN = example.org\n")
    (directory / "jobs.ads").write_text('MyType = "Job"\nOwner = "anna"\n\nMyType = "Job"\nOwner = "ben"\n\n')
    (directory / "meta.json").write_text(json.dumps(META))


def test_meta_says_so_and_names_nobody(tmp_path: Path) -> None:
    fill(tmp_path)
    anonymize_directory(tmp_path)
    meta = json.loads((tmp_path / "meta.json").read_text())

    assert meta["anonymized"] is True
    assert {key: meta[key] for key in ("schema", "taken", "htcq", "counts")} == {
        key: META[key] for key in ("schema", "taken", "htcq", "counts")
    }
    assert "example" not in str(meta)
    assert "192.0.2.7" not in str(meta)
    assert meta["failed"][0]["what"].startswith("jobs of host")
    assert meta["failed"][0]["why"].endswith(":9618>: Connection refused")


def test_files_are_renamed_after_the_new_names(tmp_path: Path) -> None:
    fill(tmp_path)
    anonymize_directory(tmp_path)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())

    assert len(files) == 4
    assert "example" not in str(files)
    assert files[0].partition("/")[2] == files[1].partition("/")[2]


def test_ads_keep_their_form(tmp_path: Path) -> None:
    fill(tmp_path)
    anonymize_directory(tmp_path)

    assert (tmp_path / "jobs.ads").read_text() == (
        'MyType = "Job"\nOwner = "user1"\n\nMyType = "Job"\nOwner = "user2"\n\n'
    )


def test_several_pools_share_their_names(tmp_path: Path) -> None:
    for pool in ("cm1.example.org", "cm2.example.org"):
        fill(tmp_path / pool)
    anonymize_directory(tmp_path)
    pools = sorted(path.name for path in tmp_path.iterdir())

    assert len(pools) == 2
    assert "example" not in str(pools)
    assert (tmp_path / pools[0] / "jobs.ads").read_text() == (tmp_path / pools[1] / "jobs.ads").read_text()


def test_what_is_no_utf8_comes_through(tmp_path: Path) -> None:
    (tmp_path / "jobs.ads").write_bytes(b'Name2 = "caf\xe9"\nOwner = "anna"\n\n')
    anonymize_directory(tmp_path)

    assert (tmp_path / "jobs.ads").read_bytes() == b'Name2 = "caf\xe9"\nOwner = "user1"\n\n'
