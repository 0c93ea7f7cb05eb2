"""``htcq why`` on a site of two access points: walls that one machine alone does not have, and what makes answers hard.

Runs with ``--all-walls`` alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from broken import SMALL_JOB, cycles
from conftest import NEWEST, ROOT
from fleet import Fleet, Machine, fleet_pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
ONLY_WITH = "--all-walls"

MACHINES = {"n1": Machine(4, 8192), "n2": Machine(2, 4096)}
_FILE = "70-walls.config"
#: Seconds for each query: a daemon that hangs costs every command so much.
PATIENCE = "20"
ON = {node: f'Machine == "{node}.test"' for node in MACHINES}


class Job(NamedTuple):
    """A job of an access point."""

    access_point: str
    id: str

    @property
    def words(self) -> tuple[str, ...]:
        """What asks for it."""
        return self.id, "--schedd", f"{self.access_point}.test"


@pytest.fixture(scope="module")
def site(suite: str) -> Iterator[Fleet]:
    """Two small nodes, two access points."""
    with fleet_pool(suite, MACHINES, ("ap1", "ap2")) as fleet:
        fleet.start()
        yield fleet


@pytest.fixture
def fleet(site: Fleet) -> Fleet:
    """The site without jobs."""
    site.clear()
    return site


def why(fleet: Fleet, *words: str, status: int = 0) -> list[dict[str, Any]]:
    """Return what ``htcq why`` says of jobs of the live pool, or of a snapshot that ``words`` names."""
    where = () if "--snapshot" in words else ("--pool", fleet.pool.collector, "--timeout", PATIENCE)
    done = htcq("why", *words, *where, "--json")
    assert done.returncode == status, done.stderr
    jobs: list[dict[str, Any]] = json.loads(done.stdout)["jobs"] if done.stdout else []
    return jobs


def htcq(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "htcq", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def ids(job: dict[str, Any]) -> list[str]:
    """Return the walls of a job; a job with walls does not start."""
    assert job["starts"] is not bool(job["walls"])
    return [each["wall"] for each in job["walls"]]


def submitted(fleet: Fleet, access_point: str, user: str, **asked: object) -> Job:
    """Submit a job and wait until the collector has heard of it."""
    cluster = fleet.submit({**SMALL_JOB, "accounting_group_user": user, **asked}, 1, access_point)
    is_its_ad = ("-constraint", f'Name == "{user}@test"')
    told = ("condor_status", "-submitters", *is_its_ad, "-af", "Name")
    fleet.pool.wait(lambda: fleet.pool.tool(*told).strip(), 40, f"an ad of {user}")
    return Job(access_point, f"{cluster}.0")


def until_running(fleet: Fleet, *jobs: Job) -> None:
    fleet.pool.wait(lambda: set(jobs) <= running(fleet), 60, f"{jobs} that run", ("NegotiatorLog",))


def running(fleet: Fleet) -> set[Job]:
    ids_of_all = fleet.jobs("GlobalJobId", constraint="JobStatus == 2")
    words = (str(id_).split("#") for (id_,) in ids_of_all)
    return {Job(schedd.partition(".")[0], job) for schedd, job, _ in words}


@contextmanager
def configured(fleet: Fleet, **texts: str) -> Iterator[None]:
    """Start members anew with more configuration, and without it afterwards."""
    for member, text in texts.items():
        fleet.put(member, _FILE, text)
    fleet.restart(*texts)
    try:
        yield
    finally:
        # A schedd that starts anew waits for jobs that ran, and removes none of them meanwhile.
        fleet.empty_queues()
        for member in texts:
            fleet.put(member, _FILE, "")
        fleet.restart(*texts)


@contextmanager
def standing_still(process: int) -> Iterator[None]:
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_ids_that_repeat(fleet: Fleet) -> None:
    """Both access points number their jobs from 1 on."""
    names = ("ap1", "ap2")
    jobs = [submitted(fleet, name, f"of-{name}", requirements="TARGET.NoSuch") for name in names]
    while jobs[0].id != jobs[1].id:
        behind = min(jobs, key=lambda job: int(job.id.partition(".")[0]))
        jobs[jobs.index(behind)] = submitted(
            fleet, behind.access_point, f"more-{behind.access_point}"
        )
    found = why(fleet, jobs[0].id)
    assert [(each["access_point"], each["job"]) for each in found] == [
        (f"{job.access_point}.test", job.id) for job in jobs
    ]
    for job in jobs:
        (each,) = why(fleet, *job.words)
        assert each["access_point"] == f"{job.access_point}.test"


def test_a_slot_that_another_access_point_has_claimed_as_a_whole(fleet: Fleet) -> None:
    claims = "ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS = True\n"
    with configured(fleet, ap1=claims, n1=claims):
        first = submitted(fleet, "ap1", "ann", requirements=ON["n1"])
        until_running(fleet, first)
        whole = 'PartitionableSlot && RemoteScheddName == "ap1.test"'
        fleet.pool.wait(lambda: fleet.slots(constraint=whole), 30, "a claim of the whole slot")
        # It does not fit into the slot of the first job either.
        other = submitted(fleet, "ap2", "ben", requirements=ON["n1"], request_cpus=2)
        cycles(fleet.pool, 3)

        (found,) = why(fleet, *other.words)
        assert "other-access-point" in ids(found)
        assert found["negotiator_reason"]["reason"] == "no match found"
        assert found["negotiator_reason"]["agrees"]
        assert other not in running(fleet)


def test_an_access_point_that_is_down(fleet: Fleet) -> None:
    """Its jobs are not known: there is no answer on them, and one with a mark on those of others."""
    here = submitted(fleet, "ap1", "ann", requirements="TARGET.NoSuch")
    there = submitted(fleet, "ap2", "ben", requirements="TARGET.NoSuch")
    with standing_still(fleet.pid("ap2")):
        assert [each["job"] for each in why(fleet, "--all", status=3)] == [here.id]
        for who in (there.words, ("ben",), ("99.0",)):
            done = htcq("why", *who, "--pool", fleet.pool.collector, "--timeout", PATIENCE)
            assert (done.returncode, done.stdout) == (3, ""), done.stderr
            assert "ap2.test" in done.stderr
    (found,) = why(fleet, *there.words)
    assert ids(found) == ["requirements"]


def test_a_negotiator_that_stands_still(fleet: Fleet) -> None:
    cycles(fleet.pool, 1)
    with standing_still(fleet.pool.daemon_pids()["negotiator"]):
        job = submitted(fleet, "ap1", "ann")

        def late() -> str:
            (found,) = why(fleet, *job.words, status=3)
            assert ids(found) == ["negotiator-late"] * len(found["walls"])
            return next(
                (each["text"] for each in found["walls"] if "no cycle for" in each["text"]), ""
            )

        fleet.pool.wait(late, 120, "a negotiator that is late")
        assert job not in running(fleet)
    until_running(fleet, job)


def test_a_weight_that_ends_the_negotiator(fleet: Fleet) -> None:
    weight = "CONSUMPTION_POLICY = True\nSLOT_WEIGHT = 2 / (Cpus - 1)\n"
    before = _errors(fleet)
    with configured(fleet, n2=weight):
        cluster = fleet.submit(
            {**SMALL_JOB, "accounting_group_user": "ann", "requirements": ON["n2"]}
        )
        job = Job("ap1", f"{cluster}.0")
        fleet.pool.wait(
            lambda: _errors(fleet) > before, 60, "an end of the negotiator", ("NegotiatorLog",)
        )
        done = htcq(
            "why", *job.words, "--pool", fleet.pool.collector, "--timeout", PATIENCE, "--json"
        )
        (found,) = json.loads(done.stdout)["jobs"]
        assert "slot-weight" in ids(found)
        assert job not in running(fleet)
        fleet.put("n2", _FILE, "")
        fleet.restart("n2")
        until_running(fleet, job)


def _errors(fleet: Fleet) -> int:
    return fleet.pool.log("NegotiatorLog").count("ERROR ")
