"""No input ends a command with a traceback, a hang, a half-written file or a text that a terminal would act on.

``--fuzz-inputs N`` and ``--fuzz-seed S`` draw more inputs, or others; ``python -m tests.fuzz``
does so without pytest."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Callable

import psutil
import pytest

from htcq.cli.main import COMMANDS, parser_of
from tests.fuzz.inputs import draw
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]


def actions(command: str) -> Iterator[str]:
    """Yield ``command``, or each of its actions with it."""
    found = [
        each for each in parser_of(command)._actions if isinstance(each, argparse._SubParsersAction)
    ]
    if not found or not found[0].required:
        yield command
    for each in found:
        yield from (f"{command} {name}" for name in each.choices)


def test_every_command_and_every_action_is_fuzzed() -> None:
    wanted = {name for command in COMMANDS for name in actions(command)}

    assert wanted - {target.name for target in TARGETS} == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_input_brings_a_command_down(
    command: str,
    tmp_path: Path,
    pytestconfig: pytest.Config,
    record_property: Callable[[str, object], None],
) -> None:
    """Inputs that failed are kept in the test's directory; ``python -m tests.fuzz --replay`` runs one again."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.fuzz", "--target", command, "--workers", "1"),
            *("--inputs", str(pytestconfig.getoption("fuzz_inputs")), "--seed", pytestconfig.getoption("fuzz_seed")),
            *("--kept", str(tmp_path / "failed")),
        ],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    record_property("fuzz", [line for line in done.stdout.splitlines() if line.startswith("  ")])

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{tmp_path}"


def test_an_interrupt_ends_a_run_with_the_counts_of_what_was_run(tmp_path: Path) -> None:
    words = ("--inputs", "1000000", "--workers", "1", "--kept", str(tmp_path / "failed"))
    campaign = subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz", *words],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    runs: set[int] = set()
    # Three runs make files; what comes after them are inputs.
    while len(runs) < 5:
        assert campaign.poll() is None
        runs |= {
            run.pid for part in psutil.Process(campaign.pid).children() for run in part.children()
        }
        time.sleep(0.01)
    campaign.terminate()
    told, _ = campaign.communicate()

    assert campaign.returncode == 0, told
    assert 1 <= int(told.split()[2]) < 1000


def test_no_change_of_words_makes_a_command_run_for_ever() -> None:
    (target,) = (each for each in TARGETS if each.name == "elastic run")
    drawn = [draw(Random(f"seed {n}"), target, [{}], {}) for n in range(500)]
    changed = [each for each in drawn if "words" in each.changes]

    assert len(changed) > 10
    assert all("--once" in each.words for each in changed)


@pytest.mark.parametrize("kind", ["ads", "config", "toml", "json", "jsonl", "archive", "bytes"])
def test_a_seed_makes_the_same_inputs_again(kind: str) -> None:
    content = b'A = 1\n{"a": [1, 2]}\n'
    drawn = [
        [mutated(Random(f"seed {n}"), kind, content, b"B = 2") for n in range(50)] for _ in range(2)
    ]

    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 10
