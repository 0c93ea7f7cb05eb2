"""``htcq why``: what it prints, whose jobs it is about, and what it cannot answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from htcq.why.match_failure import WALLS
from tests.audit.sites import job, negotiator, policy_slot, schedd, submitter
from tests.cli.conftest import Call
from tests.cli.test_bad_input import ONE_LINE

KEYS = {
    "job",
    "access_point",
    "submitter",
    "starts",
    "starts_by",
    "fits_nowhere",
    "equals",
    "unmet",
    "walls",
    "negotiator_reason",
}


@pytest.fixture
def snapshot(quiet_place: Path) -> str:
    """Two cpus for four jobs of ann, one of which fits nowhere, and one of ben at another access point."""
    place = quiet_place / "snap"
    place.mkdir()
    ads = (
        policy_slot(Cpus=2, TotalSlotCpus=2), schedd("access1"), schedd("access2"), negotiator(),
        submitter("ann@site", IdleJobs=4), submitter("ben@site", ScheddName='"access2"', IdleJobs=0),
    )  # fmt: skip
    own = {"User": '"ann@site"', "Owner": '"ann"', "ScheddName": '"access1"'}
    jobs = [job(f"1.{proc}", **own) for proc in range(3)]
    jobs.append(job("2.0", RequestMemory=99_999, **own))
    jobs.append(job("1.0", User='"ben@site"', Owner='"ben"', ScheddName='"access2"', JobStatus=5))
    (place / "collector.ads").write_text("\n".join(ads))
    (place / "jobs.ads").write_text("\n".join(jobs))
    (place / "config.txt").write_text("NEGOTIATOR_CONSIDER_PREEMPTION = False\n")
    return str(place)


def as_json(call: Call, *arguments: str) -> list[dict[str, Any]]:
    done = call("why", *arguments, "--json")
    assert done.status == EXIT_FINE, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["jobs"]
    return found


def test_json_has_the_names_of_the_contract(snapshot: str, call: Call) -> None:
    found = as_json(call, "--all", "--snapshot", snapshot)

    assert [(each["job"], each["starts"], each["starts_by"]) for each in found] == [
        ("1.0", True, "match"),
        ("1.1", True, "match"),
        ("1.2", False, ""),
        ("2.0", False, ""),
    ]
    assert all(set(each) == KEYS for each in found)
    (wall,) = found[3]["walls"]
    assert (wall["wall"], wall["amounts"]["asked"], wall["amounts"]["largest"]) == (
        "no-such-machine",
        100_096,
        16384,
    )
    assert wall["lifted_by"] == WALLS["no-such-machine"].lifted_by


def test_a_course_says_with_which_cycle_each_job_starts(snapshot: str, call: Call) -> None:
    course = ("--cycles", "4", "--interval", "60", "--run-time", "90")
    found = {each["job"]: each for each in as_json(call, "ann", "--snapshot", snapshot, *course)}

    assert {id_: each["starts_at"] for id_, each in found.items()} == {
        "1.0": 1,
        "1.1": 1,
        "1.2": 2,
        "2.0": None,
    }
    assert (found["1.2"]["starts"], found["1.2"]["starts_by"]) == (False, "claim reused")
    assert all(set(each) == {*KEYS, "starts_at"} for each in found.values())


def test_every_wall_is_printed_with_what_lifts_it(snapshot: str, call: Call) -> None:
    done = call("why", "2.0", "--snapshot", snapshot)

    assert done.status == EXIT_FINE
    lines = done.out.splitlines()
    assert (
        lines[0] == "job 2.0 of ann@site at access1: does not start: no slot of the pool suits it"
    )
    assert lines[1].startswith("  no-such-machine: ")
    assert lines[2] == f"    resolved by: {WALLS['no-such-machine'].lifted_by}"


def test_all_idle_jobs_stand_in_one_table_those_that_are_alike_in_one_row(
    snapshot: str, call: Call
) -> None:
    done = call("why", "--all", "--snapshot", snapshot)

    assert done.status == EXIT_FINE
    rows = [line.split() for line in done.out.splitlines()]
    assert ["2", "1.0", "ann@site", "access1", "match"] in rows
    alike = [row[:5] for row in rows if "2.0" in row and "ann@site" in row]
    assert alike == [["1", "2.0", "ann@site", "access1", "no"]]
    # The sum by first reason comes first, most weight first.
    assert rows[1][:3] == ["JOBS", "WEIGHT", "FIRST"]
    assert [row[2] for row in rows[3:6]] == ["no-such-machine", "outranked", "starts"]
    assert "2 jobs start with the next cycle, 2 wait" in done.out


def test_an_id_that_repeats_is_that_of_the_access_point_named(snapshot: str, call: Call) -> None:
    assert len(as_json(call, "1.0", "--snapshot", snapshot)) == 2
    (found,) = as_json(call, "1.0", "--snapshot", snapshot, "--schedd", "access2")

    assert [each["wall"] for each in found["walls"]] == ["held"]
    refused = call("why", "1.0", "--snapshot", snapshot, "--schedd", "access3")
    assert refused.status == EXIT_USAGE
    assert "the access points are access1, access2" in refused.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give a job, a submitter or a group, or --all"),
        (("1.0", "--all"), "give a job, a submitter or a group, or --all"),
        (("9.0",), "there is no job 9.0"),
        (("an",), "did you mean ann@site?"),
        (("1.0", "--interval", "5"), "--interval without --cycles"),
        (("1.0", "--cycles", "0"), "--cycles 0: out of range"),
        (("1.0", "--cycles", "9223372036854775808"), "--cycles 9.22337e+18: out of range"),
        (("1.0", "--cycles", "2", "--run-time", "soon"), "run time 'soon'"),
    ],
)
def test_what_cannot_be_answered_is_one_line_and_a_hint(
    arguments: tuple[str, ...], told: str, snapshot: str, call: Call
) -> None:
    done = call("why", *arguments, "--snapshot", snapshot)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert told in done.err
    assert ONE_LINE.fullmatch(done.err)


def test_a_configuration_that_was_refused_is_said_and_the_verdict_is_given(
    snapshot: str, call: Call
) -> None:
    place = Path(snapshot)
    (place / "config.txt").unlink()
    refused = [{"what": "central configuration", "why": "the negotiator refuses"}]
    (place / "meta.json").write_text(json.dumps({"schema": 1, "failed": refused}))
    done = call("why", "1.0", "--schedd", "access1", "--snapshot", snapshot)

    assert done.status == EXIT_UNKNOWN
    assert "central configuration: the negotiator refuses" in done.err
    assert "the negotiator's configuration is not known" in done.err
    assert done.out.startswith("job 1.0 of ann@site at access1: starts")


@pytest.mark.parametrize("words", [("--all",), ("1.0",)])
def test_what_is_not_modelled_is_named(snapshot: str, call: Call, words: tuple[str, ...]) -> None:
    knob = "NEGOTIATOR_NUM_THREADS = 4"
    before = call("why", *words, "--snapshot", snapshot)
    with (Path(snapshot) / "config.txt").open("a") as file:
        file.write(f"{knob}\n")

    after = call("why", *words, "--snapshot", snapshot)
    printed = json.loads(call("why", *words, "--json", "--snapshot", snapshot).out)["unmodelled"]

    assert "not modelled" not in before.out
    assert f"not modelled: {knob} is not followed" in after.out
    assert [sentence.partition(":")[0] for sentence in printed] == [f"{knob} is not followed"]
