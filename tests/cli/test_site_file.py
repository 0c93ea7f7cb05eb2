"""A site file that nobody named is used only where nobody else could have written it, and it names no places."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from htcq.operations import site_file as site
from tests.cli.conftest import Call

STRANGER = 65533
WEIGHTS = "[capacity]\nmodel = 'linear'\nweights = { cpus = 7 }\n"
PLAN = ("plan", "--node", "node.json")


@pytest.fixture
def found(quiet_place: Path) -> Path:
    """A site file that is only found, in a directory that is the caller's alone."""
    quiet_place.chmod(0o755)
    path = quiet_place / "htcq.toml"
    path.write_text(WEIGHTS)
    path.chmod(0o644)
    return path


def test_a_file_of_the_caller_in_his_own_directory_is_used(call: Call, found: Path) -> None:
    assert "weights cpus=7" in call(*PLAN).out


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o1777])
def test_a_directory_that_others_can_write_is_not_trusted(
    mode: int, call: Call, found: Path
) -> None:
    found.parent.chmod(mode)
    done = call(*PLAN)

    assert (done.status, done.out) == (2, "")
    assert "htcq.toml is not used: others can write its directory" in done.err
    assert "--config htcq.toml" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_a_file_that_others_can_write_is_not_trusted(mode: int, call: Call, found: Path) -> None:
    found.chmod(mode)
    done = call(*PLAN)

    assert (done.status, done.out) == (2, "")
    assert f"htcq.toml is not used: others can write htcq.toml (mode {mode:04o})" in done.err


@pytest.mark.parametrize("of", ["the file", "its directory", "the target of a link"])
def test_what_belongs_to_another_account_is_not_trusted(
    of: str, call: Call, found: Path, tmp_path: Path
) -> None:
    if of == "the target of a link":
        found.rename(tmp_path / "elsewhere.toml")
        found.symlink_to(tmp_path / "elsewhere.toml")
    os.chown(found.parent if of == "its directory" else found, STRANGER, STRANGER)
    done = call(*PLAN)

    assert (done.status, done.out) == (2, "")
    assert f"belongs to user {STRANGER}" in done.err


def test_a_file_of_roots_own_behind_anybodys_link_is_judged_by_its_owner(
    call: Call, found: Path, tmp_path: Path
) -> None:
    found.rename(tmp_path / "elsewhere.toml")
    found.symlink_to(tmp_path / "elsewhere.toml")
    os.chown(found, STRANGER, STRANGER, follow_symlinks=False)

    assert "weights cpus=7" in call(*PLAN).out


def test_a_fifo_of_that_name_keeps_nobody_waiting(call: Call, found: Path) -> None:
    found.unlink()
    os.mkfifo(found)
    began = time.monotonic()

    assert call(*PLAN).status == 0
    assert time.monotonic() - began < 30


def test_who_stands_in_a_directory_that_he_cannot_enter_has_no_file_there(
    command: Call, found: Path
) -> None:
    """A service account that is started from root's directory."""
    found.parent.chmod(0o700)
    become = ("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups")
    done = command("explain", "quota-expired", before=become)
    assert done.status == 0, done.err
    done = command("quota", "lint", before=become)

    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert "htcq.toml declares no groups" in done.err


def test_a_file_that_is_named_is_trusted_as_it_is(call: Call, found: Path) -> None:
    found.chmod(0o666)
    found.parent.chmod(0o777)
    os.chown(found, STRANGER, STRANGER)

    assert "weights cpus=7" in call(*PLAN, "--config", "htcq.toml").out


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("templates = 'own'\n", "templates"),
        ("[drift]\nstore = 'history.db'\n", "drift.store"),
        ("[drift]\nquotas = 'elastic.toml'\n", "drift.quotas"),
    ],
)
@pytest.mark.parametrize(
    "command", [("emit", "--node", "node.json"), ("drift", "report"), ("drift", "prune")]
)
def test_places_are_not_taken_from_a_file_that_is_only_found(
    line: str, key: str, command: tuple[str, ...], call: Call, found: Path
) -> None:
    found.write_text(line)
    done = call(*command)

    assert (done.status, done.out) == (2, "")
    assert (
        f"htcq.toml: {key} is not taken from a file in the current directory (name the file ("
        in done.err
    )
    assert not (found.parent / "history.db").exists()


def test_code_in_templates_of_somebody_elses_directory_is_not_reached(
    call: Call, found: Path
) -> None:
    template = found.parent / "own/condor/execute.config.j2"
    template.parent.mkdir(parents=True)
    template.write_text(
        "{{ htcq.__class__ }} {{ cycler.__init__.__globals__.os.system('touch MARK') }}\n"
    )
    found.write_text("templates = 'own'\n")
    found.parent.chmod(0o1777)
    done = call("emit", "--node", "node.json")

    assert (done.status, done.out) == (2, "")
    assert not (found.parent / "MARK").exists()


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_the_file_of_the_machine_is_judged_in_the_same_way(
    mode: int, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = tmp_path / "etc/htcq.toml"
    machine.parent.mkdir(mode=0o755)
    machine.write_text(WEIGHTS)
    monkeypatch.setattr(site, "SITE_FILES", ("htcq.toml", str(machine)))
    assert "weights cpus=7" in call(*PLAN).out
    machine.chmod(mode)
    done = call(*PLAN)

    assert (done.status, done.out) == (2, "")
    assert f"{machine} is not used: others can write" in done.err


def test_weights_are_not_written_into_a_file_that_is_not_trusted(call: Call, found: Path) -> None:
    found.parent.chmod(0o1777)
    done = call(*PLAN, "--write-weights")

    assert done.status == 2
    assert found.read_text() == WEIGHTS


def test_root_is_not_steered_by_another_accounts_directory(command: Call, found: Path) -> None:
    """The attack as it was: root works in a directory of somebody else."""
    os.chown(found.parent, STRANGER, STRANGER)
    os.chown(found, STRANGER, STRANGER)
    done = command(*PLAN)

    assert (done.status, done.out) == (2, "")
    assert "htcq.toml is not used" in done.err
