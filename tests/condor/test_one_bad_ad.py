"""Everything hostile at once on a real pool: a job, a slot, a schedd, a submitter and a group that nobody can use.

All commands answer about the rest and name what they left out, and the quota writer goes on.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from claims import queued
from conftest import NEWEST, Site
from elastic_pool import Elastic, elastic_pool, fixed
from testpool import Pool

from htcq.cli.main import run
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
LETTERS = "a" * 1200
NESTED = f"{'(' * 60}true{')' * 60}"
CHAIN = " || ".join(["nothing"] * 5000)
#: A name that forges a line of its own, and one that clears the screen.
EVIL_SCHEDD = r"evil\nhtcq: all is well"
EVIL_SLOT = "slot1@\x1b[2Jbad"
JOBS = (
    {"rank": LETTERS, "requirements": NESTED, "+Odd": '{1, [a = "\x1b[31m"], error}'},
    {"rank": ".".join(["a"] * 9000), "accounting_group": "busy..(x", "accounting_group_user": "m"},
    {
        "rank": CHAIN, "+RequestOdd": 'real("NaN")', "+GlobalJobId": '""', "accounting_group": "nobody.(",
        "accounting_group_user": "m",
    },
)  # fmt: skip


@pytest.fixture
def elastic(site: Site, tmp_path: Path) -> Elastic:
    return elastic_pool(site, tmp_path)


@pytest.fixture
def mute() -> Iterator[str]:
    """The address of somebody who takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"<127.0.0.1:{server.getsockname()[1]}>"


def advertise(pool: Pool, command: str, **attributes: str) -> None:
    text = "".join(f"{name} = {value}\n" for name, value in attributes.items())
    pool.tool("condor_advertise", command, "-", text=text)


def attack(pool: Pool, address: str) -> None:
    """Submit the jobs, and advertise the daemons."""
    for description in JOBS:
        pool.submit(description)
    advertise(
        pool, "UPDATE_STARTD_AD", MyType='"Machine"', Name=f'"{EVIL_SLOT}"', Machine='"bad"', MyAddress=f'"{address}"',
        Cpus="1", Memory='"much"', Disk='real("NaN")', State='"Unclaimed"', Activity='"Idle"', SlotWeight=LETTERS,
        MachineResources='"Cpus ( Memory \x01 a+b"', PartitionableSlot="true", Requirements=CHAIN,
    )  # fmt: skip
    advertise(
        pool, "UPDATE_SCHEDD_AD", MyType='"Scheduler"', Name=f'"{EVIL_SCHEDD}"', Machine='"evil"',
        MyAddress=f'"{address}"', ScheddIpAddr=f'"{address}"', MyCurrentTime="1",
        CondorVersion='"$CondorVersion: 25.14.1 2026-10-16 $"',
    )  # fmt: skip
    advertise(
        pool, "UPDATE_SUBMITTOR_AD", MyType='"Submitter"', Name='"quiet..(@\x1b[31m"', ScheddName=f'"{EVIL_SCHEDD}"',
        Machine='"evil"', MyAddress=f'"{address}"', ScheddIpAddr=f'"{address}"', IdleJobs="1e300",
        RunningJobs="-5", WeightedIdleJobs='"many"',
    )  # fmt: skip
    pool.wait(
        lambda: len(pool.ads("schedd", ["Name"])) == 2, 30, "the other schedd", ("CollectorLog",)
    )
    pool.wait(lambda: len(pool.ads("jobs", ["ClusterId"])) == 12, 30, "the jobs", ("SchedLog",))


def commands(elastic: Elastic, snapshot: str) -> dict[str, list[str]]:
    """The words of every command that reads a pool."""
    quotas = ["--quotas", str(elastic.directory / "elastic.toml")]
    drift = ["--store", str(elastic.directory / "drift.db")]
    found = {
        "audit": ["audit"], "audit html": ["audit", "--json", "--html", str(elastic.directory / "a.html")],
        "why": ["why", "busy.ann@test"], "cost": ["cost"], "quota": ["quota", "--tree"],
        "simulate": ["simulate"], "cycles": ["simulate", "--cycles", "2"], "plan": ["plan"],
        "status": ["elastic", "status", *quotas], "step": ["elastic", "plan", *quotas],
        "reclaim": ["elastic", "reclaim", "plan", *quotas], "drift": ["drift", "record", *drift],
        "drift ledger": ["drift", "record", *drift, *quotas],
    }  # fmt: skip
    return {name: [*words, "--snapshot", snapshot] for name, words in found.items()}


def test_all_answer_about_the_rest_and_the_writer_goes_on(
    elastic: Elastic, mute: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pool = elastic.pool
    elastic.declare(fixed(3, 5))
    elastic.step()
    queued(pool, {"busy.ann": 9})
    attack(pool, mute)
    elastic.declare(fixed(5, 3))

    status, out, err = elastic.htcq("run", "--once", "--yes", "--timeout", "3")
    assert (status, err.count("Traceback")) == (EXIT_FINE, 0), err
    assert "written" in out
    assert elastic.configured()[0] == "5"
    assert f"jobs of {EVIL_SCHEDD}: no answer within 3 s" in err

    snapshot = str(tmp_path / "snap")
    # What was advertised without a daemon does not answer, on some versions a startd that is asked.
    status = run(["snapshot", snapshot, "--pool", pool.collector, "--timeout", "3"])
    assert status in (EXIT_FINE, EXIT_UNKNOWN)
    capfd.readouterr()
    for name, words in commands(elastic, snapshot).items():
        status = run(words)
        out, err = capfd.readouterr()
        assert status in (EXIT_FINE, EXIT_FINDINGS, EXIT_UNKNOWN), f"{name}: {err}"
        assert out or name.startswith("drift"), f"{name}: {status}: {err}"
        assert " assets left out: ( of slot1@" in err, f"{name}: {err}"
        assert "\nhtcq: all is well" not in out + err, name
