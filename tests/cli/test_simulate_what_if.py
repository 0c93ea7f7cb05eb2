"""``htcq simulate --model``, ``--arrivals`` and ``--run-time history:``: their files, and what is told of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINE, EXIT_USAGE
from tests.audit.sites import job, slot
from tests.cli.conftest import Call
from tests.cli.test_bad_input import ONE_LINE
from tests.cli.test_simulate import as_json, write

POLICY = '[capacity]\ncharge = { cpus = 1, memory = "2GiB" }\n'
DONE = {
    "JobStatus": 4,
    "RemoteWallClockTime": "600.0",
    "LastRemoteWallClockTime": "600.0",
    "CurrentHosts": 0,
}


@pytest.fixture
def snapshot(quiet_place: Path) -> str:
    """A plain slot of 8 cpus that two groups, with quotas of 3 and 5, want all of; and files beside it."""
    (quiet_place / "policy.toml").write_text(POLICY)
    (quiet_place / "split.toml").write_text(f'{POLICY}splitting = "scheduler"\n')
    (quiet_place / "none.toml").write_text('jobs = ["cpus=1"]\n')
    (quiet_place / "gpus.toml").write_text("[capacity]\ncharge = { gpus = 1 }\n")
    done = [
        job(f"7.{n}", QDate=1000 + 300 * n, AccountingGroup='"b.ben"', **DONE) for n in range(2)
    ]
    (quiet_place / "history").write_text("\n".join(done))
    (quiet_place / "idle").write_text(job("7.0"))
    (quiet_place / "rubbish").write_text("no job at all\n")
    (quiet_place / "empty").write_text("")
    (quiet_place / "cut").write_text(f"{done[0]}\nClusterId = 8")
    return write(quiet_place / "snap", slot=slot())


def started(found: Any, when: str) -> list[int]:
    return [cycle["started"] for cycle in found[when]["cycles"]]


def test_one_snapshot_answers_for_policies_plain_slots_and_leftovers(
    snapshot: str, call: Call
) -> None:
    """8 claims in one cycle; one in each; 8 in one cycle again, for whoever is first, whatever its quota."""
    flags = ("--snapshot", snapshot, "--cycles", "3", "--run-time", "100000")
    policy = as_json(call, *flags, "--model", "policy.toml")
    plain = as_json(
        call, *flags, "--model", "split.toml", "--set", "CLAIM_PARTITIONABLE_LEFTOVERS=False"
    )
    leftovers = as_json(
        call, *flags, "--model", "split.toml", "--set", "CLAIM_PARTITIONABLE_LEFTOVERS=True"
    )

    assert [started(each, "after") for each in (policy, plain, leftovers)] == [
        [8, 0, 0],
        [1, 1, 1],
        [8, 0, 0],
    ]
    assert [max(each["after"]["cycles"][0]["groups"].values()) for each in (policy, leftovers)] == [
        5,
        8,
    ]
    assert policy["changes"] == [{"knob": "--model", "value": "policy.toml"}]


def test_machines_can_be_named_and_new_ones_have_the_model_too(snapshot: str, call: Call) -> None:
    flags = ("--snapshot", snapshot, "--add", "1:node1", "--model", "*-added*=policy.toml")
    found = as_json(call, *flags, "--set", "GROUP_QUOTA_a=8", "--set", "GROUP_QUOTA_b=8")

    assert len(found["before"]["matches"]) == 1
    assert {match["slot"] for match in found["after"]["matches"]} == {
        "slot1@node1",
        "slot1@node1-added1",
    }
    assert len(found["after"]["matches"]) == 9


def test_machines_that_stay_as_they_are_are_told(
    quiet_place: Path, snapshot: str, call: Call
) -> None:
    path = quiet_place / "snap" / "collector.ads"
    path.write_text(f"{path.read_text()}\n{slot('slot1@tiny', Memory=100, TotalSlotMemory=100)}")
    done = call("simulate", "--snapshot", snapshot, "--model", "policy.toml")

    assert done.status == EXIT_FINE
    why = "--charge memory: 2 GiB is more than the node has"
    assert done.err == f"htcq: --model policy.toml: tiny stays as it is: {why}\n"


def test_jobs_arrive_in_one_of_two_courses(snapshot: str, call: Call) -> None:
    flags = (
        "--snapshot",
        snapshot,
        "--cycles",
        "3",
        "--interval",
        "300",
        "--run-time",
        "100000",
        "--demand",
        "b=x0",
    )
    found = as_json(call, *flags, "--model", "policy.toml", "--arrivals", "history")

    # Those of b are gone but for the two that come, at once and after 300 s: they run for 600 s.
    assert started(found, "after") == [4, 1, 0]
    assert [cycle["running"] for cycle in found["after"]["cycles"]] == [4, 5, 4]
    assert found["changes"][-1] == {"knob": "--arrivals", "value": "history"}
    waits = {each["submitter"]: each for each in found["after"]["waits"]}
    assert (waits["b.ben@site"]["started"], waits["b.ben@site"]["longest"]) == (2, 0)


def test_jobs_run_as_long_as_those_of_a_history(snapshot: str, call: Call) -> None:
    flags = ("--snapshot", snapshot, "--cycles", "4", "--interval", "300", "--model", "policy.toml")
    found = as_json(call, *flags, "--run-time", "history:history")
    fixed = as_json(call, *flags, "--run-time", "600")

    assert found["after"]["cycles"] == fixed["after"]["cycles"]
    assert found == as_json(call, *flags, "--run-time", "history:history", "--seed", "0")


def test_jobs_run_as_long_as_an_attribute_says_that_no_expression_names(
    quiet_place: Path, snapshot: str, call: Call
) -> None:
    path = quiet_place / "snap" / "jobs.ads"
    ads = path.read_text().split("\n\n")
    path.write_text(
        "\n\n".join(f"ExpectedSeconds = Minutes * 60\nMinutes = 10\n{ad}" for ad in ads)
    )
    flags = ("--snapshot", snapshot, "--cycles", "4", "--interval", "300", "--model", "policy.toml")
    found = as_json(call, *flags, "--run-time", "attribute:expectedseconds")
    fixed = as_json(call, *flags, "--run-time", "600")

    assert found["after"]["cycles"] == fixed["after"]["cycles"]
    assert found["before"]["cycles"] == fixed["before"]["cycles"]


def test_a_job_without_that_attribute_is_told(snapshot: str, call: Call) -> None:
    done = call("simulate", "--snapshot", snapshot, *COURSE, "--run-time", "attribute:Expected")

    assert done.status == EXIT_USAGE
    assert "has no number of seconds in Expected" in done.err


def test_what_of_a_file_cannot_be_read_is_told(snapshot: str, call: Call) -> None:
    done = call("simulate", "--snapshot", snapshot, "--cycles", "1", "--run-time", "history:cut")

    assert done.status == EXIT_FINE
    assert (
        done.err
        == "htcq: --run-time history:cut: it ends in the middle of an ad, which was left out\n"
    )


COURSE = ("--cycles", "2")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--model", "nope.toml"), "nope.toml cannot be read"),
        (("--model", "none.toml"), "--model none.toml: none.toml has no model"),
        (("--model", "node9=policy.toml"), "--model node9=policy.toml: no machine of that name"),
        (("--model", "=policy.toml"), "--model =policy.toml: not a site file"),
        (("--model", "node1="), "--model node1=: not a site file"),
        (("--model", "gpus.toml"), "--model gpus.toml: it fits no machine: --charge gpus"),
        (("--arrivals", "history"), "--arrivals without --cycles"),
        ((*COURSE, "--arrivals", "nope"), "nope cannot be read: No such file"),
        ((*COURSE, "--arrivals", "idle"), "--arrivals idle: job 7.0 is left out: no QDate"),
        (
            (*COURSE, "--arrivals", "rubbish"),
            "--arrivals rubbish: it holds no job that could be read",
        ),
        ((*COURSE, "--arrivals", "empty"), "--arrivals empty: no job in it"),
        ((*COURSE, "--arrivals", "snap"), "snap cannot be read: Is a directory"),
        ((*COURSE, "--run-time", "history:nope"), "nope cannot be read: No such file"),
        (
            (*COURSE, "--run-time", "history:idle"),
            "--run-time history:idle: a history without a finished job",
        ),
        ((*COURSE, "--run-time", "history:empty"), "--run-time history:empty: no job in it"),
        ((*COURSE, "--run-time", "history:rubbish"), "--run-time history:rubbish: it holds no job"),
        ((*COURSE, "--run-time", "history:"), "cannot be read"),
    ],
)
def test_files_that_cannot_be_used_are_one_line(
    flags: tuple[str, ...], message: str, snapshot: str, call: Call
) -> None:
    done = call("simulate", "--snapshot", snapshot, *flags)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert ONE_LINE.fullmatch(done.err)
    assert message in done.err
