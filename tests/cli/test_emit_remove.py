"""``htcq emit --remove``: takes back what emit wrote, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call, listing, names

NAME = "50-htcq-execute.config"
ARGUMENTS = ("emit", "--node", "node.json")
OTHER = "# ours since 2019\nSLOT_WEIGHT = Cpus\n"


@pytest.fixture
def target(quiet_place: Path) -> Path:
    """The directory that is written to."""
    directory = quiet_place / "config.d"
    directory.mkdir()
    return directory


@pytest.mark.parametrize(
    ("role", "needs"),
    [
        (
            "execute",
            (
                "condor_restart -startd makes it take effect, which ends the node's jobs: drain it "
                "first"
            ),
        ),
        ("access", "condor_reconfig -schedd makes it take effect\n"),
        ("central", "condor_reconfig makes it take effect\n"),
    ],
)
def test_the_role_s_file_goes_and_a_second_run_changes_nothing(
    role: str, needs: str, call: Call, target: Path
) -> None:
    (target / "10-mine.config").write_text(OTHER)
    before = listing(target)
    for weight in ("cpus=1", "cpus=2"):
        call(*ARGUMENTS, "--role", role, "--weight", weight, "--write", str(target))
    path = target / f"50-htcq-{role}.config"
    assert names(target) == ["10-mine.config", path.name, f"{path.name}~"]

    done = call("emit", "--role", role, "--remove", "--write", str(target))
    assert (done.status, done.out) == (0, "")
    assert done.err.startswith(f"{path}: removed; {needs}")
    assert before == listing(target)
    done = call("emit", "--role", role, "--remove", "--write", str(target))
    assert (done.status, done.err) == (0, f"{path}: not there\n")


def test_it_needs_no_model_and_no_node(command: Call, target: Path) -> None:
    """A site file that is broken by now must not keep anybody from going back."""
    command(*ARGUMENTS, "--write", str(target))
    (target.parent / "htcq.toml").write_text("broken")

    assert command("emit", "--remove", "--write", str(target)).status == 0
    assert names(target) == []


def test_a_file_that_was_replaced_comes_back(call: Call, target: Path) -> None:
    (target / NAME).write_text(OTHER)
    for weight in ("cpus=1", "cpus=2", "cpus=3"):
        call(*ARGUMENTS, "--weight", weight, "--write", str(target))
    done = call("emit", "--remove", "--write", str(target))

    assert "removed; the file that it had replaced is back; condor_restart -startd" in done.err
    assert (names(target), (target / NAME).read_text()) == ([NAME], OTHER)
    assert call("emit", "--remove", "--write", str(target)).status == 2


def test_the_difference_is_shown_and_nothing_changed(call: Call, target: Path) -> None:
    call(*ARGUMENTS, "--write", str(target))
    before = listing(target)
    done = call("emit", "--remove", "--write", str(target), "--diff")

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"--- {target / NAME}\n+++ /dev/null\n")
    assert before == listing(target)


def test_a_file_that_htcq_did_not_write_stays(call: Call, target: Path) -> None:
    (target / NAME).write_text(OTHER)
    done = call("emit", "--remove", "--write", str(target))

    assert done.status == 2
    assert (
        "does not begin with '# Written by htcq': htcq did not write it (remove it by hand"
        in done.err
    )
    assert (target / NAME).read_text() == OTHER


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--remove",), "--remove without a directory"),
        (("--remove", "--check", "--write", "."), "--remove and --check contradict each other"),
        (("--remove", "--write", "nowhere"), "nowhere is not a directory"),
    ],
)
def test_bad_input_is_one_line(flags: tuple[str, ...], said: str, call: Call) -> None:
    done = call("emit", *flags)

    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1
