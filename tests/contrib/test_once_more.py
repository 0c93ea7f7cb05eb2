"""contrib/once-more: a few tests that failed get one second run, alone; what fails then, or too many, fail the run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Tests of which each says that it runs. Those called late fail unless they run alone; those called
#: wrong always fail.
TESTS = """
import os, pytest

ALONE = "PYTEST_XDIST_WORKER" not in os.environ

@pytest.mark.parametrize("name", {names})
def test_it(name, request):
    with open("ran", "a") as ran:
        ran.write(f"{{name}} {{'alone' if ALONE else 'together'}} {{request.config.getoption('--verbosity')}}\\n")
    assert ALONE and name.startswith("late") or name.startswith("sound")
"""
LATE, WRONG, SOUND = "late [a] b", "wrong", "sound"


def run(place: Path, names: list[str], *first: str) -> tuple[int, str, Counter[str]]:
    """Run a test for each of ``names`` in a worker of pytest-xdist; return exit status, output and what ran."""
    (place / "test_it.py").write_text(TESTS.format(names=names))
    (place / "pytest.ini").write_text("[pytest]\n")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    command = [str(ROOT / "contrib/once-more"), "-n", "1", *first, "--", "--verbosity=2"]
    done = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    ran = place / "ran"
    return (
        done.returncode,
        done.stdout,
        Counter(ran.read_text().splitlines() if ran.exists() else ()),
    )


def test_what_fails_only_among_others_passes_alone_and_is_named(tmp_path: Path) -> None:
    status, printed, ran = run(tmp_path, [SOUND, LATE, "late too"])

    assert status == 0, printed
    assert ran == Counter((
        f"{SOUND} together 2", f"{LATE} together 2", "late too together 2", f"{LATE} alone 2", "late too alone 2",
    ))  # fmt: skip
    named = printed.partition("== passed only when run alone:\n")[2]
    assert sorted(named.splitlines()) == [
        f"test_it.py::test_it[{LATE}]",
        "test_it.py::test_it[late too]",
    ]


def test_what_fails_alone_too_fails_the_run(tmp_path: Path) -> None:
    status, printed, ran = run(tmp_path, [SOUND, LATE, WRONG])

    assert status == 1
    assert ran[f"{WRONG} alone 2"] == ran[f"{LATE} alone 2"] == 1
    assert "passed only when" not in printed


def test_many_that_fail_get_no_second_run(tmp_path: Path) -> None:
    status, printed, ran = run(tmp_path, [f"late {number}" for number in range(6)])

    assert status == 1
    assert "6 tests failed: no second run (at most 5 get one)" in printed
    assert not any("alone" in line for line in ran)


def test_when_all_pass_nothing_runs_again(tmp_path: Path) -> None:
    status, printed, ran = run(tmp_path, [SOUND])

    assert (status, ran) == (0, Counter([f"{SOUND} together 2"]))
    assert "once more" not in printed


def test_a_wrong_option_is_not_tried_again(tmp_path: Path) -> None:
    assert run(tmp_path, [LATE], "--no-such-option") == (4, "", Counter())


def test_an_error_of_collection_is_not_tried_again(tmp_path: Path) -> None:
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")
    status, printed, _ = run(tmp_path, [SOUND])

    assert status != 0
    assert "passed only when" not in printed
