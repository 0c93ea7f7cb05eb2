"""Whatever bindings a machine has, htcq reads the same: its tests of reading, once with each series of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bindings.wheels import ROOT, SERIES, environment, locked_version
from tests.cli.test_reader import POOL, said

#: What they share with the bindings that all tests use: ClassAds, configurations, ads, snapshots.
READING = (
    "tests/live/test_configuration.py",
    "tests/test_classads.py",
    "tests/classad",
    "tests/pool/test_adtext.py",
    "tests/pool/test_config_lines.py",
    "tests/pool/test_frame.py",
    "tests/pool/test_reading.py",
    "tests/pool/test_slot.py",
    "tests/pool/test_weights.py",
    "tests/store/test_snapshot.py",
    "tests/store/test_snapshot_writer.py",
)
#: What differs: bindings before 25.13 read as HTCondor did then. docs/support.md says how.
FIRST_LIKE_NOW = (25, 13)
AS_OF_NOW = (
    # These compare htcq with the grammar of the bindings themselves.
    "tests/classad/test_old_and_new.py",
    "tests/pool/test_config_lines.py",
    # The bindings end at no depth.
    "tests/pool/test_frame.py::test_an_expression_too_deep_or_too_long_is_an_error[text3]",
    "tests/test_classads.py::test_an_expression_too_deep_to_evaluate_is_an_error_as_in_the_daemons",
    "tests/test_classads.py::test_references_of_a_chain_too_long_for_the_library_are_its_words",
    "tests/test_classads.py::test_what_would_overflow_the_library_is_refused_in_one_line[text1]",
    # A circle is an error.
    "tests/pool/test_weights.py::test_what_is_no_number_comes_back_as_it_is[SlotWeight-Missing.UNDEFINED]",
)


def _left_out(series: str) -> tuple[str, ...]:
    version = tuple(int(part) for part in series.split("."))
    return AS_OF_NOW if version < FIRST_LIKE_NOW else ()


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
            *(f"--deselect={each}" for each in _left_out(series)),
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
