"""Whatever bindings a machine has, htcq reads the same: its tests of reading, once with each series of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bindings.wheels import ROOT, SERIES, environment, locked_version
from tests.cli.test_reader import POOL, said

#: What they share with the bindings that all tests use are the tests of what only the bindings do.
READING = ("tests/live/test_configuration.py",)


@pytest.mark.bindings
@pytest.mark.parametrize("series", SERIES)
def test_what_is_read_does_not_depend_on_the_bindings(series: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import classad2; print(classad2.version())"],
        env=environment(series),
        capture_output=True,
        text=True,
        check=True,
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            *READING,
        ],
        env=environment(series),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert told.stdout.strip() == locked_version(series)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.bindings
@pytest.mark.parametrize("series", SERIES)
def test_every_command_says_the_same_of_a_snapshot(series: str, tmp_path: Path) -> None:
    with_series = {"PYTHONPATH": environment(series)["PYTHONPATH"]}

    assert said(POOL, tmp_path, with_series) == said(POOL, tmp_path, {})
