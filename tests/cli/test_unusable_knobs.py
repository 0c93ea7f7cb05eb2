"""Knobs at which the negotiator exits: simulate, quota and why say so instead of going on.

What a real negotiator does with them is in ``tests/golden/knobs/outcomes.jsonl`` (25.14.1)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Call

ROOT = Path(__file__).resolve().parents[2]
_FIELD = ROOT / "tests" / "golden" / "field"
#: Two slots and one job that would be matched if START were in order.
_ADS = _FIELD / "start-is-error"
_BROKEN = (_FIELD / "negotiator-expression-parenthesis" / "10.config").read_text()


def snapshot(place: Path, config: str) -> str:
    shutil.copy(_ADS / "jobs.ads", place)
    ads = (_ADS / "collector.ads").read_text().replace("START = error", "START = true")
    (place / "collector.ads").write_text(ads)
    (place / "config.txt").write_text(config)
    return str(place)


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (_BROKEN, "NEGOTIATOR_PRE_JOB_RANK is not a ClassAd expression"),
        ("NEGOTIATOR_INTERVAL = 5s\n", "NEGOTIATOR_INTERVAL is not a number: 5s"),
        ("NEGOTIATOR.USE_GLOBAL_JOB_PRIOS = on\n", "is neither true nor false: on"),
        ("GROUP_NAMES = a\nGROUP_QUOTA_a = 10%\n", "GROUP_QUOTA_a is not a number: 10%"),
    ],
)
def test_no_cycle_happens_where_the_negotiator_exits(
    config: str, says: str, tmp_path: Path, call: Call
) -> None:
    place = snapshot(tmp_path, config)
    for options in ((), ("--cycles", "2", "--run-time", "60")):
        done = call("simulate", "--snapshot", place, *options)
        assert done.status == 1, done.err
        assert f"no cycle happens: {says}" in " ".join(done.out.split()) or says in done.out
        printed = json.loads(call("simulate", "--snapshot", place, *options, "--json").out)
        assert says in printed["crash"]["message"]
        assert printed["crash"]["job"] == ""
    assert call("quota", "--snapshot", place).status == 1
    assert says in " ".join(call("quota", "--snapshot", place).out.split())
    assert says in " ".join(call("why", "46", "--snapshot", place).out.split())


@pytest.mark.parametrize(
    "config",
    [
        # Read when groups have their turns, when a job has a limit, by other daemons.
        "GROUP_QUOTA_ROUND_ROBIN_RATE = x\n",
        "CONCURRENCY_LIMIT_DEFAULT = x\n",
        "SCHEDD.SCHEDD_INTERVAL = 5s\nMAX_JOBS_RUNNING = many\nSLOT_WEIGHT = (Cpus\n",
        "NEGOTIATOR_JOB_CONSTRAINT = (1\n",
        "NEGOTIATOR_INTERVAL = 2 * 30\n",
    ],
)
def test_a_cycle_goes_on_where_the_negotiator_does(config: str, tmp_path: Path, call: Call) -> None:
    done = call("simulate", "--snapshot", snapshot(tmp_path, config), "--json")

    assert done.status == 0, done.err
    printed = json.loads(done.out)
    assert printed["crash"] is None
    assert len(printed["matches"]) == 1


def test_why_says_that_start_does_not_parse(call: Call) -> None:
    done = call("why", "46", "--snapshot", str(_ADS))

    assert "START is an error on all 2 slots" in done.out
    assert "not a ClassAd expression" in done.out


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (
            "negotiator-expression-parenthesis",
            "(the ( at column 27 is not closed): the negotiator exits when it reads it",
        ),
        ("missing-underscore", "HTCondor has no knob GROUP_QUOTAphys and ignores it; did you mean"),
    ],
)
def test_audit_of_files_finds_what_a_pool_suffers_from(case: str, says: str, call: Call) -> None:
    done = call("audit", "--config-dir", str(_FIELD / case))

    assert done.err == ""
    assert says in " ".join(done.out.split())
