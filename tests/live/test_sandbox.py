"""What HTCondor would read with one more file, by its own parser: who wins, and whether it can be read at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.live.sandbox import values_with

NAME = "60-htcq-elastic.config"
TEXT = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 3\nGROUP_QUOTA_b = 5\n"
KNOBS = ("GROUP_NAMES", "GROUP_QUOTA_a", "GROUP_QUOTA_b")
WANTED = {"GROUP_NAMES": "a, b", "GROUP_QUOTA_a": "3", "GROUP_QUOTA_b": "5"}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration directory that this machine's HTCondor reads, with a file before ours."""
    found = tmp_path / "config.d"
    found.mkdir()
    (found / "50-groups.config").write_text("GROUP_NAMES = old\nGROUP_QUOTA_a = 1\n")
    main = tmp_path / "condor_config"
    main.write_text(
        f"LOCAL_CONFIG_DIR = {found}\nLOCAL_CONFIG_FILE = {tmp_path}/condor_config.local\n"
    )
    (tmp_path / "condor_config.local").write_text("")
    monkeypatch.setenv("CONDOR_CONFIG", str(main))
    return found


def test_a_file_wins_over_those_before_it(directory: Path) -> None:
    assert values_with(directory, NAME, TEXT, KNOBS) == WANTED


def test_what_stands_there_now_does_not_count(directory: Path) -> None:
    (directory / NAME).write_text("GROUP_QUOTA_a = 9\n")

    assert values_with(directory, NAME, TEXT, KNOBS) == WANTED


@pytest.mark.parametrize(
    ("name", "text"),
    [("config.d/99-late.config", "GROUP_QUOTA_a = 9\n"), ("config.d/10-early.config", "NEGOTIATOR.GROUP_QUOTA_a = 9\n"),
     ("condor_config.local", "GROUP_QUOTA_a = 9\n")],
)  # fmt: skip
def test_what_wins_over_it_is_seen(name: str, text: str, directory: Path) -> None:
    (directory.parent / name).write_text(text)

    assert values_with(directory, NAME, TEXT, KNOBS) == {**WANTED, "GROUP_QUOTA_a": "9"}


def test_what_for_another_daemon_is_set_does_not_matter(directory: Path) -> None:
    (directory / "10-early.config").write_text("SCHEDD.GROUP_QUOTA_a = 9\n")

    assert values_with(directory, NAME, TEXT, KNOBS) == WANTED


def test_a_text_that_cannot_be_read_is_refused_and_nothing_is_written(directory: Path) -> None:
    before = sorted(path.name for path in directory.iterdir())
    with pytest.raises(InputError, match=f"with {NAME} HTCondor cannot read it"):
        values_with(directory, NAME, "GROUP_NAMES\n", KNOBS)

    assert sorted(path.name for path in directory.iterdir()) == before


def test_of_a_directory_that_htcondor_does_not_read_nothing_is_known(
    directory: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()

    assert values_with(other, NAME, TEXT, KNOBS) is None


def test_without_htcondor_nothing_is_known(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", str(directory / "none"))

    assert values_with(directory, NAME, TEXT, KNOBS) is None


def test_a_directory_that_is_read_after_all_others(directory: Path) -> None:
    """As contrib/config.d/10-htcq-directory.config has it: what is there already does not count either."""
    own = directory.parent / "htcq.d"
    own.mkdir()
    (directory / "90-hook.config").write_text(f"LOCAL_CONFIG_DIR = {own}\n")
    (own / "00-all.config").write_text(f"LOCAL_CONFIG_DIR = {directory}, {own}\n")
    (own / NAME).write_text("GROUP_QUOTA_a = 7\n")
    (directory.parent / "condor_config.local").write_text("GROUP_QUOTA_a = 9\n")

    assert values_with(own, NAME, TEXT, KNOBS) == WANTED
    assert values_with(directory, NAME, TEXT, KNOBS) == {**WANTED, "GROUP_QUOTA_a": "7"}
    assert values_with(directory.parent, NAME, TEXT, KNOBS) is None


def test_directories_of_which_all_are_read_twice(directory: Path) -> None:
    """A list that is extended on the way is read anew from its beginning (seen on 23.9 and 25.14)."""
    own = directory.parent / "htcq.d"
    own.mkdir()
    (directory / "90-hook.config").write_text(f"LOCAL_CONFIG_DIR = $(LOCAL_CONFIG_DIR), {own}\n")
    (directory / "10-sum.config").write_text("GROUP_QUOTA_b = $(GROUP_QUOTA_b)1\n")

    found = values_with(own, NAME, "GROUP_QUOTA_a = 3\n", KNOBS)

    assert found == {"GROUP_NAMES": "old", "GROUP_QUOTA_a": "3", "GROUP_QUOTA_b": "11"}
