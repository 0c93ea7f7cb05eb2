"""Killed at any line, htcq leaves a configuration that was meant once and a journal that tells the truth."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from broken import UNHURRIED
from conftest import NEWEST, ROOT, Site
from elastic_pool import FILE, Elastic, elastic_pool, fixed
from test_elastic_refusals import DEAF, local

from htcq.elastic.journal import INTENT, OUTCOME, VERIFIED, resolved
from htcq.elastic.quota_file import digest_of
from htcq.store.elastic_journal import read_journal

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
PROGRAM = ROOT / "tests/elastic/killed_command.py"
#: Nothing is claimed here.
PROMPT = dict.fromkeys(UNHURRIED, "1")
#: Points for each command, spread over all of its lines, unless --kill-points says more.
POINTS = 6


def run(elastic: Elastic, until: int, words: list[str]) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(PROGRAM), str(until), *words]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, check=False, env=environment
    )
    return done.returncode, done.stderr


def lines(elastic: Elastic, words: list[str], status: int = 0) -> int:
    """Return how many lines a command executes that is not killed."""
    ended, said = run(elastic, 0, words)
    assert ended == status, said
    return int(said.split()[-1])


@pytest.fixture
def count(pytestconfig: pytest.Config) -> int:
    return int(pytestconfig.getoption("--kill-points")) or POINTS


#: Each test takes minutes with all points: two workers share them.
in_two_parts = pytest.mark.parametrize("part", [0, 1])


def points(total: int, count: int, part: int) -> list[int]:
    assert total > POINTS
    return [1 + number * (total - 2) // (count - 1) for number in range(part, count, 2)]


def killed(elastic: Elastic, until: int, words: list[str]) -> None:
    ended, said = run(elastic, until, words)
    assert ended == -signal.SIGKILL, f"at {until}: {ended} {said}"


def is_true(elastic: Elastic, may_be: set[tuple[str, ...]]) -> None:
    """Check what a killed command left: one of the configurations that were meant, and a journal that says which."""
    assert elastic.configured() in may_be
    others = {
        path.name for path in elastic.pool.config_dir.iterdir() if not path.name.startswith(".")
    }
    assert others <= {FILE, f"{FILE}~"}
    journal = read_journal(elastic.journal)
    state = journal.state
    assert journal.damaged == ()
    present = elastic.path.read_text() if elastic.path.exists() else None
    if state.unfinished is None:
        assert digest_of(present) == state.digest
    else:
        assert journal.records[-1].kind == INTENT
        assert digest_of(present) in (state.unfinished.before, state.unfinished.after)
        assert resolved(state, present)[0]


def is_finished(elastic: Elastic, quotas: tuple[str, str]) -> None:
    """Check that a command after the kill has left nothing undone."""
    state = elastic.state
    present = elastic.path.read_text()
    assert elastic.configured() == quotas
    assert (state.unfinished, state.result, state.digest) == (None, VERIFIED, digest_of(present))
    assert {name: quota for name, (quota, _) in elastic.published().items()} == {
        "busy": float(quotas[0]), "quiet": float(quotas[1]),
    }  # fmt: skip
    assert sorted(path.name for path in elastic.pool.config_dir.glob(f".{FILE}*")) == [
        f".{FILE}.lock"
    ]


@in_two_parts
def test_a_step_that_is_killed_anywhere(site: Site, tmp_path: Path, count: int, part: int) -> None:
    elastic = elastic_pool(site, tmp_path, **PROMPT)
    elastic.declare(fixed(3, 5))
    elastic.step()
    words = elastic.words("run", "--once", "--yes")
    elastic.declare(fixed(5, 3))
    total = lines(elastic, words)
    quotas = [("5", "3"), ("3", "5")]

    for number, until in enumerate(points(total, count, part)):
        old, new = quotas[number % 2], quotas[1 - number % 2]
        elastic.declare(fixed(int(new[0]), int(new[1])))
        killed(elastic, until, words)
        is_true(elastic, {old, new})
        elastic.step()
        is_finished(elastic, new)


@in_two_parts
def test_a_rollback_that_is_killed_anywhere(
    site: Site, tmp_path: Path, count: int, part: int
) -> None:
    elastic = elastic_pool(site, tmp_path, **PROMPT)
    elastic.declare(fixed(3, 5))
    elastic.step()
    elastic.declare(fixed(5, 3))
    elastic.step()
    words = elastic.words("rollback")
    total = lines(elastic, words)

    for until in points(total, count, part):
        applied(elastic, 5, 3)
        killed(elastic, until, words)
        is_true(elastic, {("5", "3"), ("3", "5")})
        status, _, err = elastic.htcq("rollback")
        assert status == 0, err
        is_finished(elastic, ("3", "5"))


def applied(elastic: Elastic, busy: int, quiet: int) -> None:
    """Begin again after a rollback, from what was there before."""
    elastic.declare(fixed(busy, quiet))
    plan = elastic.htcq("plan")[1].splitlines()[-1].split()[-1].rstrip(")")
    status, _, err = elastic.htcq("apply", "--plan", plan)
    assert status == 0, err


@in_two_parts
def test_a_dead_man_that_is_killed_anywhere(
    site: Site, tmp_path: Path, count: int, part: int
) -> None:
    """The static quotas are the mins, 3 and 4; an elastic one is up to the max of 5, which nobody else asks for."""
    elastic = elastic_pool(site, tmp_path, **PROMPT)
    groups = {"busy": "lend = false\nmin = {cpus = 3}\nmax = {cpus = 3}\n",
              "quiet": "min = {cpus = 4}\nmax = {cpus = 5}\n"}  # fmt: skip
    elastic.declare(groups)
    elastic.step()
    assert elastic.configured() == ("3", "5")
    words = elastic.words("disable", "--if-silent", "0s")
    total = lines(elastic, words)
    elastic.step()

    for until in points(total, count, part):
        killed(elastic, until, words)
        is_true(elastic, {("3", "5"), ("3", "4")})
        status, _, err = elastic.htcq("disable", "--if-silent", "0s")
        assert status == 0, err
        is_finished(elastic, ("3", "4"))
        elastic.step()
        assert elastic.configured() == ("3", "5")


@in_two_parts
def test_a_step_that_comes_to_nothing_and_is_killed_anywhere(
    site: Site, tmp_path: Path, count: int, part: int
) -> None:
    """The negotiator is deaf: what is written has to be put back, by whoever comes next if need be."""
    elastic = elastic_pool(site, tmp_path, **PROMPT)
    elastic.declare(fixed(3, 5), max_failures="0")
    elastic.step()
    elastic.pool.configure(local(DEAF))
    elastic.pool.restart()
    elastic.pool.wait(lambda: elastic.published(), 30, "published groups", ("NegotiatorLog",))
    elastic.declare(fixed(5, 3), max_failures="0")
    words = elastic.words("run", "--once", "--yes")
    total = lines(elastic, words, status=3)

    for until in points(total, count, part):
        elastic.declare(fixed(5, 3), max_failures="0")
        killed(elastic, until, words)
        is_true(elastic, {("3", "5"), ("5", "3")})
        elastic.declare(fixed(3, 5), max_failures="0")
        elastic.step()
        is_finished(elastic, ("3", "5"))
        assert all(
            each.kind in (INTENT, OUTCOME, "look") for each in read_journal(elastic.journal).records
        )
