"""Killed while it puts a file in place, htcq leaves one that was meant and a journal that tells which.

The negotiator is away here; what is left to do with one, tests/condor tells.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from htcq.elastic.journal import INTENT, OUTCOME, resolved
from htcq.elastic.quota_file import digest_of
from htcq.store.elastic_journal import Journal, read_journal
from tests.cli.conftest import ROOT
from tests.elastic.writing import written

PROGRAM = ROOT / "tests/elastic/killed_command.py"
FILE = "60-htcq-elastic.config"
FIRST, SECOND, STATIC = {"a": (2.0, False)}, {"a": (8.0, False)}, {"a": (4.0, True)}
PLACE = ("--journal", "journal", "--pool", "127.0.0.1:9", "--timeout", "5", "--within", "0")
#: Points for each command, spread over all of its lines, unless --kill-points says more.
POINTS = 12


def run(until: int, words: tuple[str, ...], place: Path) -> tuple[int, str]:
    command = [sys.executable, str(PROGRAM), str(until), "elastic", *words, *PLACE]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=place, check=False, env=environment
    )
    return done.returncode, done.stderr


def furnish(place: Path) -> None:
    """Two writes are in the journal, the second one is in the file; both long ago."""
    shutil.rmtree(place / "config.d", ignore_errors=True)
    (place / "journal").unlink(missing_ok=True)
    (place / "config.d").mkdir()
    path = place / "config.d" / FILE
    path.write_text("second\n")
    before, when = "", time.time() - 9000
    for number, (quotas, text) in enumerate(((FIRST, "first\n"), (SECOND, "second\n"))):
        records = written(
            1 + 2 * number, quotas, time=when, text=text, before=before, path=str(path),
            fallback="static\n", fallback_quotas=STATIC,
        )  # fmt: skip
        for record in records:
            Journal(place / "journal").append(record)
        before = digest_of(text)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("rollback",), "first\n"),
        (("disable",), "static\n"),
        (("disable", "--if-silent", "30min"), "static\n"),
    ],
    ids=["rollback", "disable", "dead-man"],
)
def test_killed_at_any_line_a_command_leaves_what_was_meant(
    words: tuple[str, ...], meant: str, quiet_place: Path, pytestconfig: pytest.Config
) -> None:
    count = int(pytestconfig.getoption("--kill-points")) or POINTS
    furnish(quiet_place)
    status, said = run(0, words, quiet_place)
    # The file is in place, and the negotiator away.
    assert status == 3
    total = int(said.split()[-1])
    assert total > POINTS
    path, journal = quiet_place / "config.d" / FILE, quiet_place / "journal"
    seen = set()

    for number in range(count):
        furnish(quiet_place)
        status, said = run(1 + number * (total - 2) // (count - 1), words, quiet_place)
        assert status == -signal.SIGKILL, said
        present = path.read_text()
        records = read_journal(journal).records
        state = read_journal(journal).state
        seen.add((present, records[-1].kind))
        assert present in ("second\n", meant)
        assert {each.name for each in path.parent.iterdir() if not each.name.startswith(".")} <= {
            FILE,
            f"{FILE}~",
        }
        if state.unfinished is None:
            assert digest_of(present) == state.digest
        else:
            assert digest_of(present) in (state.unfinished.before, state.unfinished.after)
            assert resolved(state, present)[0]
        # Whoever comes next ends with what was meant, and a journal that says so.
        run(0, words, quiet_place)
        after = read_journal(journal)
        assert path.read_text() == meant
        assert (after.state.unfinished, after.state.digest, after.damaged) == (
            None,
            digest_of(meant),
            (),
        )
        assert {each.of for each in after.records if each.kind == OUTCOME} == {
            each.number for each in after.records if each.kind == INTENT
        }
        assert [each.name for each in path.parent.glob(f".{FILE}*")] == [f".{FILE}.lock"]

    # Before and after each of the three things that are done.
    assert seen == {("second\n", OUTCOME), ("second\n", INTENT), (meant, INTENT), (meant, OUTCOME)}


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "soon"])
def test_a_deadline_that_never_ends_is_refused(tmp_path: Path, seconds: str) -> None:
    furnish(tmp_path)
    status, told = run(10**9, ("disable", f"--within={seconds}"), tmp_path)

    assert status == 2
    assert f"--within: '{seconds}' is not a number of seconds" in told
