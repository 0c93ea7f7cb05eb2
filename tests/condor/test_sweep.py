"""A sweep as HTCondor jobs on a real pool comes to what it comes to in processes, whoever dies meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator

import pytest
from access_point import AccessPoint
from broken import break_it
from conftest import NEWEST, Site
from testpool import Pool

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN
from tests.audit.sites import negotiator
from tests.pool.negotiations import CYCLES

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

GRID = """
[submit]
request_memory = 64

[base]
cycles = 3

[grid]
seed = [1, 2]
set = [[], ["GROUP_QUOTA_a=1", "GROUP_QUOTA_b=2"]]
"""
BAD = """
[[item]]
name = "bad"
set = "no knob"

[[item]]
name = "odd"
set = '''PREEMPTION_RANK = ifThenElse(TARGET.Owner == "it's $(me) and 'you'", 1, 2)'''

[[item]]
name = "model"
model = "my models/m.toml"
"""
#: Fails the first time that it is run with the same words.
FAILS_FIRST = """#!/bin/sh
tried="{place}/tried/$(echo "$@" | md5sum | cut -c1-32)"
[ -e "$tried" ] || {{ : > "$tried"; echo "not this time" >&2; exit 7; }}
exec "{htcq}" "$@"
"""
WAITS = """#!/bin/sh
until [ -e "{place}/go" ]; do sleep 0.1; done
exec "{htcq}" "$@"
"""


@pytest.fixture
def access(site: Site, request: pytest.FixtureRequest) -> Iterator[AccessPoint]:
    """The pool's machine with a recorded snapshot and a sweep of it, in a directory whose name has a space."""
    point = AccessPoint(break_it(site, ""), f"user {abs(hash(request.node.name)):x}")
    shutil.copytree(CYCLES[0], point.place / "snap", ignore=shutil.ignore_patterns("expected.json"))
    with (point.place / "snap/collector.ads").open("a") as ads:
        ads.write(f"\n\n{negotiator()}")
    (point.place / "sweep.toml").write_text(GRID)
    yield point
    site.pool.remove_jobs(60)
    shutil.rmtree(point.place)


def queued(pool: Pool) -> list[int]:
    """Return the states of all jobs."""
    return [ad["JobStatus"] for ad in pool.ads("jobs", ["JobStatus"])]


SWEEP = ("simulate", "--snapshot", "snap", "--sweep", "sweep.toml", "--results")


def submit(access: AccessPoint, directory: str = "far", program: str = "") -> tuple[str, ...]:
    return (*SWEEP, directory, "--submit", "--executable", program or access.htcq)


def test_jobs_come_to_what_processes_come_to(access: AccessPoint) -> None:
    """One job an item; the bad one is no hindrance to the rest, and is not tried again."""
    (access.place / "sweep.toml").write_text(GRID + BAD)
    (access.place / "my models").mkdir()
    (access.place / "my models/m.toml").write_text('[capacity]\nmodel = "minimum-charge"\n')
    here = access.run(*SWEEP, "near", "--json")
    there = access.run(*submit(access), "--json")

    assert (here.status, there.status) == (EXIT_FINDINGS, EXIT_FINDINGS), here.err + there.err
    assert access.results("near") == access.results("far")
    results = access.results("far")
    assert [name for name, told in results.items() if told["result"] is None] == ["bad"]
    assert results["bad"]["reason"].startswith("--set 'no knob': not KNOB=VALUE")
    assert results["odd"]["result"]["changes"][0]["value"].endswith(
        """"it's $(me) and 'you'", 1, 2)"""
    )
    assert results["model"]["result"]["changes"][0] == {
        "knob": "--model",
        "value": "my models/m.toml",
    }
    assert json.loads(here.out) == json.loads(there.out)
    jobs = access.jobs_ever("far")
    assert len(jobs) == 7
    assert len({job.partition(".")[0] for job in jobs}) == 1
    assert access.tries("far")["bad"] == 1
    assert (
        sorted(
            path.name
            for path in (access.place / "far/jobs").iterdir()
            if path.suffix in (".out", ".log")
        )
        == []
    )


def test_a_job_that_fails_is_tried_again(access: AccessPoint) -> None:
    (access.place / "tried").mkdir()
    (access.place / "tried").chmod(0o777)
    program = access.program("fails", FAILS_FIRST.format(place=access.inside, htcq=access.htcq))
    once = access.run(*submit(access, program=program), "--retries", "0")

    assert once.status == EXIT_FINDINGS, once.err
    assert {told["reason"] for told in access.results("far").values()} == {"not this time"}
    assert {told["exit_status"] for told in access.results("far").values()} == {7}
    shutil.rmtree(access.place / "tried")
    (access.place / "tried").mkdir()
    (access.place / "tried").chmod(0o777)
    again = access.run(*submit(access, program=program))

    assert again.status == EXIT_FINE, again.err
    assert set(access.tries("far").values()) == {2}
    assert access.run(*SWEEP, "near").status == EXIT_FINE
    assert access.results("near") == access.results("far")


@pytest.mark.parametrize(
    ("moment", "name"), [("state", "KILL"), ("queue", "KILL"), ("queue", "INT")]
)
def test_an_interrupted_sweep_goes_on_with_the_jobs_that_it_has(
    access: AccessPoint, moment: str, name: str
) -> None:
    """Killed just before or after the schedd took the jobs: nothing is submitted twice, and all of it is gathered."""
    program = access.program("waits", WAITS.format(place=access.inside, htcq=access.htcq))
    command = submit(access, program=program)
    child = access.start(*command)
    state = access.place / "far/jobs/sweep.json"
    reached = state.exists if moment == "state" else lambda: len(queued(access.pool)) == 4
    access.pool.wait(reached, 60, moment, ("SchedLog",))
    access.signal(name)
    _, said = child.communicate(timeout=600)
    assert child.returncode in (EXIT_UNKNOWN, 128 + 9, -9), said
    assert ("the same command waits for them again" in said) == (name == "INT")
    (access.place / "go").touch()
    if moment == "queue":
        # All that came while nobody looked.
        access.pool.wait(
            lambda: not queued(access.pool), 90, "the end of the jobs", ("SchedLog", "StartLog")
        )
    done = access.run(*command)

    assert done.status == EXIT_FINE, done.err
    assert len(access.jobs_ever("far")) == 4
    assert ("submitted" in done.err) <= (moment == "state")
    assert access.run(*SWEEP, "near").status == EXIT_FINE
    assert access.results("near") == access.results("far")


def test_held_jobs_are_told_and_submitted_anew(access: AccessPoint) -> None:
    held = access.run(*submit(access, program="/no/such/htcq"))

    assert held.status == EXIT_FINDINGS, held.err
    reasons = [told["reason"] for told in access.results("far").values()]
    assert all("is held: " in reason and "/no/such/htcq" in reason for reason in reasons), reasons
    assert queued(access.pool) == [5] * 4
    done = access.run(*submit(access))
    assert done.status == EXIT_FINE, done.err
    assert queued(access.pool) == []


def test_what_changed_is_submitted_and_nothing_else(access: AccessPoint) -> None:
    assert access.run(*submit(access)).status == EXIT_FINE
    (access.place / "sweep.toml").write_text(GRID.replace("[1, 2]", "[1, 2, 3]"))
    done = access.run(*submit(access))

    assert done.status == EXIT_FINE, done.err
    assert "4 of 6 results are in far already" in done.err
    assert len(access.jobs_ever("far")) == 6
    # All there: the schedd is not even asked.
    assert access.run(*submit(access)).err == "htcq: 6 of 6 results are in far already\n"


def test_a_schedd_that_does_not_answer_is_one_line(access: AccessPoint) -> None:
    schedd = access.pool.daemon_pids()["schedd"]
    os.kill(schedd, signal.SIGSTOP)
    try:
        done = access.run(*submit(access), "--timeout", "2")
    finally:
        os.kill(schedd, signal.SIGCONT)

    assert (done.status, done.out) == (EXIT_UNKNOWN, "")
    assert done.err.startswith(
        "htcq: this machine's schedd cannot be asked: no answer within 2 s ("
    )
    assert access.run(*submit(access)).status == EXIT_FINE


def test_a_live_pool_is_captured_once(access: AccessPoint) -> None:
    access.pool.submit({"accounting_group_user": "ann", "request_memory": 128}, 3)
    access.pool.wait(lambda: 2 in queued(access.pool), 60, "a running job", ("SchedLog",))
    command = ("simulate", "--sweep", "sweep.toml", "--results", "live")
    first = access.run(*command)
    assert first.status == EXIT_FINE, first.err
    taken = (access.place / "live/snapshot.tar.gz").read_bytes()
    before = access.results("live")
    access.pool.clear()
    (access.place / "sweep.toml").write_text(GRID.replace("[1, 2]", "[1, 2, 3]"))
    second = access.run(*command)

    assert second.status == EXIT_FINE, second.err
    assert (access.place / "live/snapshot.tar.gz").read_bytes() == taken
    after = access.results("live")
    assert {name: after[name] for name in before} == before
    assert len(after) == 6
    assert {
        told["result"].get("source") or told["result"]["after"]["source"] for told in after.values()
    } == {access.pool.collector}
