"""A directory of results: what is kept there, what counts, and who may work in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from htcq.errors import EXIT_USAGE, InputError
from htcq.settings.sweep_items import Item
from htcq.simulate.sweep import Ground, Run, Verdict
from htcq.store.results import Results, claimed, digest, file_digest
from htcq.store.snapshot import open_snapshot
from tests.store.histories import ROOT

ITEM = Item("x", (("seed", ("1",)),))
GROUND = Ground((), "a" * 64, "1.0")
RUN = Run(ITEM, Verdict(0, {"a": 1}))
HOLD = """
import sys
from pathlib import Path
from htcq.store.results import claimed
with claimed(Path(sys.argv[1])):
    print("holds", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(tmp_path, GROUND)


def test_what_is_kept_is_found_as_long_as_nothing_changed(results: Results) -> None:
    assert results.kept(ITEM) is None
    results.keep(RUN)

    assert results.kept(ITEM) == RUN
    assert results.kept(Item("x", (("seed", ("2",)),))) is None
    assert replace(results, ground=replace(GROUND, snapshot="b" * 64)).kept(ITEM) is None
    assert replace(results, ground=replace(GROUND, htcq="1.1")).kept(ITEM) is None
    assert [path.name for path in results.directory.iterdir()] == ["x.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1}', "\xff", "[" * 100_000])
def test_what_is_damaged_is_missing(text: str, results: Results) -> None:
    (results.directory / "x.json").write_text(text, encoding="latin-1")

    assert results.kept(ITEM) is None


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_result_with_a_number_that_json_lacks_is_missing(number: str, results: Results) -> None:
    results.keep(RUN)
    path = results.directory / "x.json"
    path.write_text(path.read_text().replace('"a": 1', f'"a": {number}'))

    assert number in path.read_text()
    assert results.kept(ITEM) is None


def test_what_cannot_be_written_is_one_line(results: Results) -> None:
    (results.directory / "x.json").mkdir()
    with pytest.raises(InputError, match=r"x\.json cannot be written: Is a directory") as refused:
        results.keep(RUN)

    assert refused.value.exit_status == EXIT_USAGE
    assert [path.name for path in results.directory.iterdir()] == ["x.json"]


def hold(directory: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory)],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def test_only_one_works_in_a_directory_however_it_ends(tmp_path: Path) -> None:
    directory = tmp_path / "new"
    other = hold(directory)
    assert other.stdout is not None
    assert other.stdout.readline() == "holds\n"
    with pytest.raises(InputError, match="another htcq is at work in"), claimed(directory):
        pass
    other.kill()
    other.communicate()

    with claimed(directory):
        assert directory.is_dir()


def test_a_place_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "no/such"):
        with pytest.raises(InputError, match="cannot be written"), claimed(place):
            pass


def snapshot(place: Path, jobs: str = "ClusterId = 1\n") -> Path:
    (place / "access").mkdir(parents=True)
    (place / "jobs.ads").write_text(jobs)
    (place / "access/node.txt").write_text("A = 1\n")
    return place


def test_the_digest_is_that_of_what_is_in_a_snapshot(tmp_path: Path) -> None:
    one, same = snapshot(tmp_path / "one"), snapshot(tmp_path / "same")
    found = {name: digest(open_snapshot(place)) for name, place in (("one", one), ("same", same))}
    (same / "access/node.txt").write_text("A = 2\n")
    changed = digest(open_snapshot(same))
    (same / "access/node.txt").rename(same / "access/other.txt")
    moved = digest(open_snapshot(same))

    assert found["one"] == found["same"]
    assert len({found["one"], changed, moved}) == 3


def test_a_file_that_is_not_there_has_no_digest(tmp_path: Path) -> None:
    assert file_digest(tmp_path / "none") == ""
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_result_is_kept_with_what_it_stands_on(results: Results) -> None:
    results.keep(RUN)

    assert json.loads((results.directory / "x.json").read_text()) == {
        "schema": 1, "name": "x", "key": GROUND.key(ITEM), "htcq": "1.0", "snapshot": "a" * 64,
        "arguments": ["--seed=1"], "options": {"seed": ["1"]}, "exit_status": 0, "reason": "", "warnings": [],
        "tries": 1, "result": {"a": 1},
    }  # fmt: skip


def test_the_lock_is_for_its_owner_alone_and_no_link_is_followed(tmp_path: Path) -> None:
    with claimed(tmp_path):
        assert (tmp_path / ".lock").stat().st_mode & 0o777 == 0o600
    (tmp_path / ".lock").unlink()
    (tmp_path / ".lock").symlink_to(tmp_path / "victim")
    with pytest.raises(InputError, match="cannot be written"), claimed(tmp_path):
        raise AssertionError("it was claimed")
    assert not (tmp_path / "victim").exists()
