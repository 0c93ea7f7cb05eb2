"""The examples of the manual pages and of README run, and print what is shown."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from htcq.errors import UNCONFINED_VARIABLE
from tests.docs.documents import PAGES, README, ROOT, Example, examples, matches


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A shell's environment with this checkout's ``htcq`` on PATH and an empty HTCondor configuration."""
    programs = tmp_path / "bin"
    programs.mkdir()
    htcq = programs / "htcq"
    root, python = shlex.quote(str(ROOT)), shlex.quote(sys.executable)
    htcq.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {python} -m htcq "$@"\n')
    htcq.chmod(0o755)
    (tmp_path / "condor_config").write_text("")
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "CONDOR_CONFIG": str(tmp_path / "condor_config"),
        # This Python may be one that only root can read.
        UNCONFINED_VARIABLE: "1",
    }


def run(example: Example, directory: Path, environment: dict[str, str]) -> str:
    """Run one command as a shell would and return what it prints on both streams; a status other than 0 fails."""
    done = subprocess.run(
        ["sh", "-c", example.command],
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"$ {example.command}\n{done.stdout}"
    return done.stdout


@pytest.mark.parametrize("document", [*PAGES, README], ids=lambda document: document.name)
def test_examples_run_and_print_what_is_shown(
    document: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    directory = tmp_path / "here"
    directory.mkdir()
    given = examples(document)
    assert any("htcq" in example.command for example in given)

    for example in given:
        if example.file:
            (directory / example.file).write_text(example.printed)
            continue
        printed = run(example, directory, environment)
        if example.printed:
            assert matches(example.printed, printed), (
                f"$ {example.command}\nprints\n{printed}\nnot\n{example.printed}"
            )


@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        ("a b", "a  b\n", True),
        ("a\nb", "a b c", False),
        ("a ...", "a b c", True),
        ("... c", "a b c", True),
        ("a ... d", "a b c", False),
        ("a ... b", "a b", True),
        ("1 (x)", "1 (x)", True),
        ("b", "ab", False),
    ],
)
def test_what_is_left_out_is_marked(shown: str, real: str, same: bool) -> None:
    assert matches(shown, real) is same
