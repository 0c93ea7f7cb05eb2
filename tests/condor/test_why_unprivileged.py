"""``htcq why`` for an ordinary account of the access point's machine: READ authorisation and nothing else."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator

import pytest
from access_point import AccessPoint
from broken import SMALL_JOB, cycles
from conftest import NEWEST, PACE
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

#: Every level but READ is for the daemons alone, once the jobs are there.
_OF_DAEMONS = ("WRITE", "ADMINISTRATOR", "NEGOTIATOR", "DAEMON", "OWNER", "CONFIG")
READ_ONLY = "".join(f"ALLOW_{level} = condor@family/*\n" for level in _OF_DAEMONS)
KNOBS = f"{PACE}GROUP_NAMES = chem\nGROUP_QUOTA_chem = 2\n"


@pytest.fixture(scope="module")
def pool(suite: str) -> Iterator[Pool]:
    """A pool in which an ordinary account has one job, and another account a second one."""
    with Pool.start(suite=suite, settings=KNOBS) as pool:
        pool.patience = 3.0
        yield pool


def submitted(pool: Pool, account: str, requirements: str) -> str:
    lines = {
        "executable": "/bin/sleep",
        "arguments": "600",
        "transfer_executable": "false",
        **SMALL_JOB,
    }
    text = "".join(
        f"{name} = {value}\n" for name, value in {**lines, "requirements": requirements}.items()
    )
    numbers = ("--reuid", account, "--regid", "nogroup", "--clear-groups")
    told = pool.tool("setpriv", *numbers, "condor_submit", "-terse", "-", text=f"{text}queue\n")
    return told.split()[0]


def read_by(pool: Pool, text: str) -> None:
    """Let the daemons read their configuration; once it is closed no tool may tell them to."""
    pool.configure(text)
    for daemon, pid in pool.daemon_pids().items():
        if daemon in ("collector", "negotiator", "schedd", "startd"):
            os.kill(pid, signal.SIGHUP)


def test_an_ordinary_account(pool: Pool) -> None:
    mine = submitted(pool, "tester", 'Machine == "elsewhere"')
    other = submitted(pool, "nobody", 'Machine == "nowhere"')
    cycles(pool, 3)
    user = AccessPoint(pool, "of-the-user")
    read_by(pool, KNOBS + READ_ONLY)
    denied = ("condor_qedit", mine, "JobPrio", "1")
    pool.wait(
        lambda: pool.run(["condor_reschedule"], capture_output=True).returncode,
        30,
        "a refusal",
        ("SchedLog",),
    )

    for job, owner, clause in ((mine, "tester", "elsewhere"), (other, "nobody", "nowhere")):
        asked = ("why", job, "--pool", pool.collector)
        done = user.run(*asked, "--json")
        assert (done.status, done.err) == (0, ""), done
        (found,) = json.loads(done.out)["jobs"]
        assert (found["submitter"], found["starts"]) == (f"{owner}@test", False)
        (wall,) = found["walls"]
        assert (wall["wall"], clause in wall["text"]) == ("requirements", True)
        assert found["negotiator_reason"]["agrees"]
        assert f"job {job} of {owner}@test at node.test: does not start" in user.run(*asked).out
    assert pool.run(denied, as_job_user=True, capture_output=True).returncode
