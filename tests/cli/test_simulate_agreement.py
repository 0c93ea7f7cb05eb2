"""``htcq simulate --agreement``: the percentage, the autoclusters that differ, and what it cannot compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from tests.audit.sites import job, negotiator, schedd, slot, submitter
from tests.cli.conftest import Call

BEGUN = 1_730_000_000
NEVER = {"Requirements": "false", "LastRejMatchTime": BEGUN + 5}


def written(place: Path, *jobs: str) -> str:
    """Write a snapshot of one slot and these jobs, and return where it is."""
    ads = (slot(), schedd(), negotiator(LastNegotiationCycleTime0=BEGUN), submitter(IdleJobs=2))
    snapshot = place / "snap"
    snapshot.mkdir()
    (snapshot / "collector.ads").write_text("\n".join(ads))
    (snapshot / "jobs.ads").write_text("\n".join(jobs))
    (snapshot / "config.txt").write_text("")
    return str(snapshot)


@pytest.fixture
def half(quiet_place: Path) -> str:
    """Two autoclusters: of one HTCondor says the same as the simulated cycle, of the other something else."""
    same = job("1.0", **NEVER, AutoClusterId=1, LastRejMatchReason='"no match found"')
    other = job(
        "2.0", **NEVER, AutoClusterId=2, LastRejMatchReason='"submitter limit exceeded"', JobPrio=3
    )
    return written(quiet_place, same, other)


def test_the_text_has_the_percentage_and_what_differs(half: str, call: Call) -> None:
    done = call("simulate", "--agreement", "--snapshot", half)

    assert done.status == EXIT_FINE, done.err
    assert (
        "50.0 % agree: 1 of 2 autoclusters with a reason of the last negotiation cycle" in done.out
    )
    (row,) = [line.split() for line in done.out.splitlines() if " 2.0 " in line]
    assert row == [
        "access1",
        "2",
        "ada@site",
        "2.0",
        "1",
        "submitter",
        "limit",
        "exceeded",
        "no",
        "match",
        "found",
    ]
    assert " 1.0 " not in done.out


def test_the_json_has_every_autocluster_that_was_compared(half: str, call: Call) -> None:
    done = call("simulate", "--agreement", "--json", "--snapshot", half)
    found = json.loads(done.out)

    assert (found["percentage"], found["agree"], found["compared"]) == (50.0, 1, 2)
    assert (found["stale"], found["of_other_negotiators"], found["without_reason"]) == (0, 0, 0)
    assert [(each["job"], each["agrees"]) for each in found["autoclusters"]] == [
        ("1.0", True),
        ("2.0", False),
    ]


def test_without_a_reason_nothing_is_known(quiet_place: Path, call: Call) -> None:
    done = call(
        "simulate",
        "--agreement",
        "--snapshot",
        written(quiet_place, job("1.0", Requirements="false")),
    )

    assert done.status == EXIT_UNKNOWN
    assert "no autocluster has a reason of the last negotiation cycle" in done.out
    assert "1 autocluster that HTCondor gives no reason for: not compared" in done.out


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("--set", ["LIC_LIMIT=1"]),
        ("--remove", ["node1"]),
        ("--cycles", ["2"]),
        ("--matches", []),
        ("--html", ["p.html"]),
    ],
)
def test_it_is_of_the_pool_as_it_is(half: str, call: Call, option: str, values: list[str]) -> None:
    done = call("simulate", "--agreement", "--snapshot", half, option, *values)

    assert done.status == EXIT_USAGE
    assert "--agreement" in done.err
    assert option in done.err
