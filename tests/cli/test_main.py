"""The command line itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from htcq import __version__
from htcq.cli.main import COMMANDS
from tests.cli.conftest import ROOT, Call


@pytest.mark.parametrize("flag", ["--version", "-version", "-V"])
def test_the_version(flag: str, call: Call) -> None:
    assert call(flag).out == f"htcq {__version__}\n"


@pytest.mark.parametrize("flag", ["--help", "-help", "-h", "help"])
def test_help_lists_every_command(flag: str, call: Call) -> None:
    done = call(flag)

    assert done.status == 0
    assert [name for name in COMMANDS if name not in done.out] == []


def test_nothing_at_all_is_a_wrong_usage(call: Call) -> None:
    done = call()

    assert done.status == 2
    assert "usage: htcq COMMAND" in done.out + done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, command: Call) -> None:
    done = command(name, "--help")

    assert (done.status, done.err) == (0, "")
    assert f"usage: htcq {name}" in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_needs_no_bindings_and_no_machine(name: str, tmp_path: Path) -> None:
    """A command's libraries are loaded when they are needed, not to print its help."""
    program = (
        "import sys; sys.modules.update(dict.fromkeys(('htcondor2', 'classad2', 'psutil', "
        "'pynvml', 'rich')))\n"
        f"from htcq.cli.main import run; run(['{name}', '--help'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert done.stdout.startswith(f"usage: htcq {name}")


def test_a_reader_that_goes_away_is_no_error(quiet_place: Path) -> None:
    program = f"{sys.executable} -m htcq plan --node node.json | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=quiet_place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert done.stderr == ""


def test_an_unknown_command_names_those_there_are(call: Call) -> None:
    assert "(the commands are: probe, plan, emit" in call("fly").err
