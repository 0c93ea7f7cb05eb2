"""``htcq cost``: tables, JSON and CSV of a snapshot, what it says where parts are missing, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.audit.sites import accounting, collected, dynamic_slot, job, policy_slot, slot
from tests.cli.conftest import Call
from tests.cli.test_bad_input import ONE_LINE

MULTI = "min({Cpus, floor(Memory / 2048), floor(Disk / 100000)})"
#: 8 cpus, 16384 MB, of which a job of 1 cpu and 8192 MB has taken its part.
LEAKY = (
    policy_slot(SlotWeight=MULTI, Cpus=7, Memory=8192, Disk=19800000),
    dynamic_slot(SlotWeight=MULTI, Memory=8192, Disk=200000),
    accounting("ada@site", WeightedResourcesUsed="4.0"),
)
RUNNING = job(RequestMemory=8192, RequestDisk=200000, JobStatus=2, RemoteHost='"slot1_1@node1"')


@pytest.fixture
def snapshot(quiet_place: Path) -> Path:
    """A snapshot of the leak."""
    return write(quiet_place / "leak", collected(LEAKY), RUNNING)


def write(place: Path, collector: str | None, jobs: str | None) -> Path:
    place.mkdir()
    for name, text in (("collector.ads", collector), ("jobs.ads", jobs)):
        if text is not None:
            (place / name).write_text(text)
    return place


def as_json(call: Call, *arguments: str) -> dict[str, Any]:
    done = call("cost", *arguments, "--json")
    assert (done.status, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_the_leak_of_a_published_policy_stands_in_the_tables(snapshot: Path, call: Call) -> None:
    done = call("cost", "--snapshot", str(snapshot))
    lines = [" ".join(line.split()) for line in done.out.splitlines()]

    assert (done.status, done.err) == (0, "")
    assert "1 8 4 1 -3 1 of 1 -3 on slot1@node1" in lines
    assert "1.0 0 1 1 1 core, 8 GiB memory, 195 MiB disk 4 1 -3 1" in lines
    assert "ada@site 4 1" in lines


def test_json_holds_the_same_numbers(snapshot: Path, call: Call) -> None:
    found = as_json(call, "--snapshot", str(snapshot))
    (charge,), (conservation,) = found["charges"], found["conservation"]

    assert (found["schema"], found["source"], found["incomplete"]) == (1, str(snapshot), [])
    assert (charge["match_cost"], charge["standing_charge"], charge["gap"]) == (4, 1, -3)
    assert (charge["claims"], charge["held"], charge["matches"], charge["why"]) == (1, 1, True, "")
    assert [
        conservation[name] for name in ("full", "left", "charged", "gap", "broken", "worst")
    ] == [
        8,
        4,
        1,
        -3,
        1,
        -3,
    ]
    assert found["customers"] == [{"name": "ada@site", "published": 4, "claimed": 1}]


def test_csv_has_a_row_for_each_charge(snapshot: Path, call: Call) -> None:
    (row,) = csv.DictReader(io.StringIO(call("cost", "--snapshot", str(snapshot), "--csv").out))

    assert (row["slots"], row["job"], row["match_cost"], row["standing_charge"], row["gap"]) == (
        "slot1@node1",
        "1.0",
        "4",
        "1",
        "-3",
    )
    assert row["weight_expression"] == MULTI


def test_made_up_jobs_stand_instead_of_the_pools(snapshot: Path, call: Call) -> None:
    shapes = ("cpus=1,memory=8GiB,disk=200000KiB", "cpus=2,memory=1GiB")
    found = as_json(call, "--snapshot", str(snapshot), "--job", shapes[0], "--job", shapes[1])

    assert [each["job"] for each in found["jobs"]] == list(shapes)
    assert found["incomplete"] == []
    # 8 - min(6, 7, …) = 2 for the second; as a slot of its own it weighs min(2, 0, 0) = 0.
    assert [(each["match_cost"], each["standing_charge"]) for each in found["charges"]] == [
        (4, 1),
        (2, 0),
    ]


def test_an_archive_is_as_good(snapshot: Path, call: Call, quiet_place: Path) -> None:
    import tarfile

    with tarfile.open(quiet_place / "leak.tar.gz", "w:gz") as packed:
        packed.add(snapshot, "leak")

    assert as_json(call, "--snapshot", "leak.tar.gz")["charges"][0]["gap"] == -3


def test_a_pool_without_jobs_shows_its_slots_and_says_so(call: Call, quiet_place: Path) -> None:
    place = write(quiet_place / "s", collected([slot()]), None)
    done = call("cost", "--snapshot", str(place))

    assert done.status == 0
    assert "kinds of slots" in done.out
    assert (
        done.err == "htcq: incomplete: there is no jobs.ads: the jobs of the pool are not known\n"
    )
    assert as_json(call, "--snapshot", str(place))["incomplete"] == [
        done.err[len("htcq: incomplete: ") : -1]
    ]


def test_jobs_that_are_not_looked_at_are_not_missing(call: Call, quiet_place: Path) -> None:
    place = write(quiet_place / "s", collected([slot()]), None)

    assert (
        as_json(call, "--snapshot", str(place), "--job", "cpus=1,memory=1GiB")["incomplete"] == []
    )


def test_an_empty_queue_is_nothing_missing(call: Call, quiet_place: Path) -> None:
    place = write(quiet_place / "s", collected([slot()]), "All queues are empty\n")

    assert as_json(call, "--snapshot", str(place))["incomplete"] == []


@pytest.mark.parametrize("flags", [[], ["--csv"]])
def test_damage_is_told_beside_what_could_be_read(
    flags: list[str], call: Call, quiet_place: Path
) -> None:
    place = write(
        quiet_place / "s",
        collected([slot()]) + "\n" + slot("slot1@node2")[:-20],
        "\x1b[31mrubbish\n\n" + job(),
    )
    done = call("cost", "--snapshot", str(place), *flags)

    assert done.status == 0
    assert "slot1@node1" in done.out
    assert done.err.splitlines() == [
        "htcq: incomplete: collector.ads ends in the middle of an ad, which was left out",
        (
            "htcq: incomplete: jobs.ads has 1 lines that are no attributes, the first: "
            "'\\x1b[31mrubbish'"
        ),
    ]


def test_what_a_capture_could_not_have_is_told(call: Call, quiet_place: Path) -> None:
    place = write(quiet_place / "s", collected([slot()]), job())
    (place / "meta.json").write_text(
        '{"failed": [{"what": "jobs of access2", "why": "no answer"}]}'
    )

    assert (
        call("cost", "--snapshot", str(place)).err
        == "htcq: incomplete: jobs of access2: no answer\n"
    )


def test_names_in_ads_do_not_steer_the_terminal(call: Call, quiet_place: Path) -> None:
    name = "slot1@\x1b]0;title\x07node\u202e"
    place = write(quiet_place / "s", collected([slot(name)]), job(RequestMemory=10**9))

    for flags in ([], ["--csv"], ["--json"]):
        assert not set("\x1b\x07\u202e") & set(call("cost", "--snapshot", str(place), *flags).out)


def test_only_the_largest_classes_are_shown_unless_all_are_asked_for(
    call: Call, quiet_place: Path
) -> None:
    jobs = [job(f"{memory}.0", RequestMemory=memory) for memory in range(100, 125)]
    place = write(
        quiet_place / "s", collected([slot()]), "\n".join([*jobs, job("124.1", RequestMemory=124)])
    )
    some, everything = (
        call("cost", "--snapshot", str(place)).out,
        call("cost", "--snapshot", str(place), "--all").out,
    )

    assert "5 more autoclusters; --all shows them" in some
    assert "more autoclusters" not in everything
    assert "\n124.0" in some
    assert len(as_json(call, "--snapshot", str(place))["charges"]) == 25


@pytest.mark.parametrize(
    ("collector", "jobs", "flags", "said"),
    [
        (None, job(), [], "has no slots"),
        ("", job(), [], "has no slots"),
        (accounting("ada@site"), None, [], "has no slots"),
        ("\x00\x01", None, [], "holds no ad that could be read"),
        (slot(), None, ["--json", "--csv"], "--json and --csv contradict each other"),
        (slot(), None, ["--pool", "cm"], "--snapshot and --pool contradict each other"),
        (slot(), None, ["--job", "cpus=many"], "'many' is not an amount"),
        (slot(), None, ["--job", "railguns"], "is not ASSET=AMOUNT"),
        (slot(), None, ["--job", "memory=1"], "memory: '1' has no unit"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    collector: str | None,
    jobs: str | None,
    flags: list[str],
    said: str,
    call: Call,
    quiet_place: Path,
) -> None:
    done = call("cost", "--snapshot", str(write(quiet_place / "s", collector, jobs)), *flags)

    assert (done.status, done.out) == (2, "")
    assert ONE_LINE.match(done.err), done.err
    assert said in done.err


def test_slots_that_were_not_heard_in_time_are_not_known(call: Call, quiet_place: Path) -> None:
    place = write(quiet_place / "s", accounting("ada@site"), None)
    failed = [{"what": "slots", "why": "no answer within 2 s"}]
    (place / "meta.json").write_text(json.dumps({"failed": failed}))

    model = '[capacity]\nmodel = "linear"\nweights = { cpus = 1, memory = "0.25/GiB" }\n'
    (quiet_place / "new.toml").write_text(model)
    for command in (("cost",), ("migrate", "--model", str(quiet_place / "new.toml"))):
        done = call(*command, "--snapshot", str(place))

        assert (done.status, done.out) == (3, "")
        assert "its slots are not known: no answer within 2 s" in done.err


def test_a_snapshot_that_is_not_there_is_refused(call: Call) -> None:
    done = call("cost", "--snapshot", "missing")

    assert done.status == 2
    assert ONE_LINE.match(done.err), done.err
