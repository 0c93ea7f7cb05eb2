"""Which commands collect garbage: a short one has nothing that is worth it, a course of cycles has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = """
import gc, sys
sys.argv = ["htcq", *sys.argv[1:]]
import htcq.__main__ as program
program._run = lambda: print(gc.isenabled(), flush=True) or 0
program.main()
"""


@pytest.mark.parametrize(
    ("arguments", "enabled"),
    [
        (["emit"], "False"),
        (["simulate", "--snapshot", "snap"], "False"),
        (["simulate", "--cycles", "60"], "True"),
        (["simulate", "--cycles=60"], "True"),
        (["why", "12.0", "--cycles", "5"], "True"),
    ],
)
def test_garbage_is_collected_where_cycles_follow_each_other(
    arguments: list[str], enabled: str
) -> None:
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)

    assert done.stdout == f"{enabled}\n", done.stderr
