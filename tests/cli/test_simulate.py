"""``htcq simulate``: what it prints of a cycle, of a what-if and of what cannot be simulated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_USAGE
from tests.audit.sites import collected, job, policy_slot, submitter
from tests.cli.conftest import Call
from tests.cli.test_bad_input import ONE_LINE
from tests.pool.negotiations import CYCLES, expected

GROUPS = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 3\nGROUP_QUOTA_b = 5\n"


def write(place: Path, *, config: str | None = GROUPS, jobs: bool = True, slot: str = "") -> str:
    """Write the snapshot of a slot of 8 cpus that two groups want all of."""
    place.mkdir()
    asking = [
        submitter(f"{who}@site", IdleJobs=8, WeightedIdleJobs=8) for who in ("a.ann", "b.ben")
    ]
    (place / "collector.ads").write_text(collected((slot or policy_slot(), *asking)))
    if jobs:
        queues = [
            job(f"{cluster}.{proc}", AccountingGroup=f'"{who}"')
            for cluster, who in enumerate(("a.ann", "b.ben"), 1)
            for proc in range(8)
        ]
        (place / "jobs.ads").write_text("\n".join(queues))
    if config is not None:
        (place / "config.txt").write_text(config)
    return str(place)


@pytest.fixture
def snapshot(quiet_place: Path) -> str:
    return write(quiet_place / "snap")


def as_json(call: Call, *arguments: str) -> Any:
    done = call("simulate", *arguments, "--json")
    assert done.status == EXIT_FINE, done.err
    return json.loads(done.out)


def test_knobs_that_are_not_followed_are_told_with_what_they_do(
    quiet_place: Path, call: Call
) -> None:
    knobs = "NEGOTIATOR_NUM_THREADS = 4\nNEGOTIATOR_MATCHLIST_CACHING = False\n"
    snapshot = write(quiet_place / "snap", config=GROUPS + knobs)
    (quiet_place / "snap" / "execute").mkdir()
    (quiet_place / "snap" / "execute" / "node1.txt").write_text("MACHINEMAXVACATETIME = 3600\n")

    one = as_json(call, "--snapshot", snapshot)["unmodelled"]
    several = as_json(call, "--snapshot", snapshot, "--cycles", "2", *LASTS)["unmodelled"]
    changed = as_json(call, "--snapshot", snapshot, "--set", "NEGOTIATOR_NUM_THREADS=1")

    assert [sentence.partition(":")[0] for sentence in one] == [
        "NEGOTIATOR_NUM_THREADS = 4 is not followed"
    ]
    assert [sentence.partition(":")[0] for sentence in several] == [
        "NEGOTIATOR_NUM_THREADS = 4 is not followed",
        "MACHINEMAXVACATETIME = 3600 of node1 is not followed",
    ]
    assert changed["before"]["unmodelled"] == one
    assert changed["after"]["unmodelled"] == []


def test_json_has_the_names_of_the_contract(snapshot: str, call: Call) -> None:
    found = as_json(call, "--snapshot", snapshot)

    assert (found["schema"], found["source"], found["unit"]) == (1, snapshot, "slot weight")
    assert found["matches"][0] == {
        "job": "1.0", "request": "1.0", "submitter": "a.ann@site", "slot": "slot1@node1", "cost": 1, "standing": 1,
        "refusal": "", "preempts": "", "by": "", "dynamic_slots": [], "access_point": "access1",
    }  # fmt: skip
    assert [(each["job"], each["submitter"]) for each in found["matches"]] == [
        *((f"1.{proc}", "a.ann@site") for proc in range(3)),
        *((f"2.{proc}", "b.ben@site") for proc in range(5)),
    ]
    assert found["groups"] == [
        {"name": "<none>", "limit": None, "used_before": 0, "used_after": 0},
        {"name": "a", "limit": 3, "used_before": 0, "used_after": 3},
        {"name": "b", "limit": 5, "used_before": 0, "used_after": 5},
    ]
    assert [
        (each["name"], each["used_before"], each["used_after"]) for each in found["submitters"]
    ] == [
        ("a.ann@site", 0, 3),
        ("b.ben@site", 0, 5),
    ]
    assert (found["crash"], found["unmodelled"], found["incomplete"]) == (None, [], [])


@pytest.mark.parametrize("path", CYCLES[:4], ids=lambda path: path.name)
def test_recorded_cycles_come_out_the_same(path: Path, call: Call) -> None:
    """As far as the jobs that the record keeps go: those of the first requests."""
    order = ",".join(expected(path)["submitter_order"])
    done = call("simulate", "--snapshot", str(path), "--order", order, "--json")
    found = json.loads(done.out)

    # The negotiator was stopped when these were recorded, and its ad is not in them.
    assert (done.status, [each["id"] for each in found["health"]]) == (3, ["negotiator-absent"])
    assert found["matches"][0]["slot"] == expected(path)["matches"][0]["slot"]


def test_the_table_says_who_got_what(snapshot: str, call: Call) -> None:
    done = call("simulate", "--snapshot", snapshot)
    rows = {line.split()[0]: line.split() for line in done.out.splitlines() if line.strip()}

    # The bar is as wide as its limit, and all of that is matched.
    assert rows["a"] == ["a", "3", "0", "3", f"|{'▓' * 24}|"]
    # On its first spin a group that has all it may use asks once more, for slots that prefer its
    # jobs.
    assert rows["a.ann@site"] == [
        "a.ann@site",
        "a",
        "8",
        "3",
        "0",
        "3",
        "3",
        "no",
        "match",
        "found",
    ]
    assert "8 matches on 1 slot cost 8, 2 rejections; the pool weighs 8\n" in done.out


def test_every_match_is_listed_if_wanted(snapshot: str, call: Call) -> None:
    lines = [
        line.split()
        for line in call("simulate", "--snapshot", snapshot, "--matches").out.splitlines()
    ]

    assert ["8", "2.4", "b.ben@site", "slot1@node1", "1"] in lines


def test_a_what_if_tells_who_gains_and_who_loses(snapshot: str, call: Call) -> None:
    flags = ("--set", "GROUP_QUOTA_a=6", "--set", "GROUP_QUOTA_b=2")
    found = as_json(call, "--snapshot", snapshot, *flags)
    by_name = {each["name"]: each["matches"] for each in found["differences"]}

    assert found["changes"] == [
        {"knob": "GROUP_QUOTA_a", "value": "6"},
        {"knob": "GROUP_QUOTA_b", "value": "2"},
    ]
    assert by_name["a.ann@site"] == by_name["a"] == {"before": 3, "after": 6}
    assert by_name["b.ben@site"] == {"before": 5, "after": 2}
    shown = call("simulate", "--snapshot", snapshot, *flags).out
    assert "  GROUP_QUOTA_a = 6\n" in shown
    assert [line.split()[2:12] for line in shown.splitlines() if " a.ann@site " in line] == [
        ["3", "6", "+3", "3", "6", "+3", "5", "2", "-3", "no"]
    ]
    assert "submitter a.ann@site: the limit of a goes from 3 to 6\n" in shown


@pytest.mark.parametrize(
    ("flags", "matches"),
    [
        (("--demand", "a=x0"), {"b.ben@site": 5}),
        (("--add", "1:node1"), {"a.ann@site": 3, "b.ben@site": 5}),
        (("--add", "1:node1", "--set", "GROUP_QUOTA_a=6"), {"a.ann@site": 6, "b.ben@site": 5}),
        (("--drain", "node*"), {"a.ann@site": 0, "b.ben@site": 0}),
        (("--remove", "node1"), {"a.ann@site": 0, "b.ben@site": 0}),
    ],
)
def test_what_if_there_were_other_machines_or_jobs(
    flags: tuple[str, ...], matches: dict[str, int], snapshot: str, call: Call
) -> None:
    found = as_json(call, "--snapshot", snapshot, *flags)

    assert {each["name"]: each["matches"] for each in found["after"]["submitters"]} == matches
    assert found["changes"][-1] == {"knob": flags[0], "value": flags[1]}


def test_a_what_if_that_changes_nothing_says_so(snapshot: str, call: Call) -> None:
    assert (
        "nothing changes"
        in call("simulate", "--snapshot", snapshot, "--set", "GROUP_QUOTA_a=3").out
    )


def test_the_end_of_the_negotiator_is_told(quiet_place: Path, call: Call) -> None:
    slot = policy_slot(SlotWeight="NoSuchThing")
    given = write(quiet_place / "bad", config=f"{GROUPS}SLOT_WEIGHT = AlsoNothing\n", slot=slot)
    done = call("simulate", "--snapshot", given)

    assert done.status == EXIT_FINDINGS
    assert (
        "the negotiator crashes here: Failed to evaluate SlotWeight, at slot slot1@node1 for job "
        "1.0\n"
    ) in done.out
    skipped = call("simulate", "--snapshot", given, "--skip-bad-slots")
    assert skipped.status == EXIT_FINE
    assert "left out: slot slot1@node1" in skipped.out


LASTS = ("--interval", "300", "--run-time", "600")


def test_cycles_are_as_far_apart_as_the_negotiator_has_them(snapshot: str, call: Call) -> None:
    """A cycle comes NEGOTIATOR_INTERVAL after the one before (matchmaker.cpp, 25.14)."""
    dump = Path(snapshot) / "config.txt"
    dump.write_text(f"{dump.read_text()}\nNEGOTIATOR_INTERVAL = 480\n")
    found = as_json(call, "--snapshot", snapshot, "--cycles", "3")
    assert found["interval_seconds"] == 480
    assert [each["at"] for each in found["cycles"]] == [0, 480, 960]
    given = as_json(call, "--snapshot", snapshot, "--cycles", "3", "--interval", "90")
    assert given["interval_seconds"] == 90


def test_several_cycles_have_names_of_their_own(snapshot: str, call: Call) -> None:
    found = as_json(call, "--snapshot", snapshot, "--cycles", "3", *LASTS)

    assert (found["schema"], found["interval_seconds"], found["seed"], found["total_cpus"]) == (
        1,
        300,
        0,
        8,
    )
    names = ("at", "started", "reused", "idle")
    assert [tuple(each[name] for name in names) for each in found["cycles"]] == [
        (0, 8, 0, 8),
        (300, 0, 0, 8),
        (600, 6, 6, 2),
    ]
    assert found["cycles"][0]["quotas"] == {"<none>": 0, "a": 3, "b": 5}
    # Those who were not matched start in the claims of those who were, after 600 s.
    assert [(each["submitter"], each["started"], each["longest"]) for each in found["waits"]] == [
        ("a.ann@site", 6, 600),
        ("b.ben@site", 8, 600),
    ]


def test_the_course_is_shown_with_bars(snapshot: str, call: Call) -> None:
    done = call("simulate", "--snapshot", snapshot, "--cycles", "2", *LASTS)

    assert f"{snapshot}: 2 cycles, 5 min apart\n" in done.out
    assert f" 100%  0 cores, 8,192 MB  {'#' * 20}\n" in done.out
    assert "the pool is full from the start\n" in done.out


def test_two_courses_are_shown_side_by_side(snapshot: str, call: Call) -> None:
    flags = ("--cycles", "2", *LASTS, "--set", "GROUP_QUOTA_a=6", "--set", "GROUP_QUOTA_b=2")
    done = call("simulate", "--snapshot", snapshot, *flags)

    assert [
        line.split()[:3] for line in done.out.splitlines() if line.startswith(("a.", "b."))
    ] == [
        ["a.ann@site", "3", "6"],
        ["b.ben@site", "5", "2"],
    ]
    assert set(as_json(call, "--snapshot", snapshot, *flags)) == {
        "schema", "health", "changes", "versions", "before", "after", "differences",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "parts", "message"),
    [
        (("--add", "node1"), {}, "--add node1: not N:MACHINE"),
        (("--demand", "a"), {}, "--demand a: not NAME=FACTOR"),
        (("--demand", "a=-1"), {}, "--demand a=-1: not NAME=FACTOR"),
        (("--cycles", "0"), {}, "--cycles 0: out of range"),
        (("--cycles", "9223372036854775808"), {}, "--cycles 9.22337e+18: out of range"),
        (("--cycles", "2", "--interval", "0"), {}, "--interval 0: out of range"),
        (("--cycles", "2", "--run-time", "soon"), {}, "run time 'soon'"),
        (("--cycles", "2", "--matches"), {}, "--matches and --cycles contradict each other"),
        (("--seed", "1"), {}, "--seed without --cycles"),
        ((), {"jobs": False}, "has no jobs"),
        (("--set", "A"), {}, "not KNOB=VALUE"),
        (("--set", "exec:START=false"), {}, "nor access:KNOB=VALUE nor execute:KNOB=VALUE"),
        (("--set", "access:=3"), {}, "nor access:KNOB=VALUE nor execute:KNOB=VALUE"),
        (("--pool", "here"), {}, "contradict each other"),
    ],
)
def test_what_cannot_be_simulated_is_one_line(
    flags: tuple[str, ...], parts: dict[str, Any], message: str, quiet_place: Path, call: Call
) -> None:
    done = call("simulate", "--snapshot", write(quiet_place / "part", **parts), *flags)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert ONE_LINE.fullmatch(done.err)
    assert message in done.err


@pytest.mark.parametrize(
    "flags", [(), ("--cycles", "2", *LASTS), ("--set", "GROUP_QUOTA_a=6", "--cycles", "2", *LASTS)]
)
def test_a_page_is_written_besides(
    flags: tuple[str, ...], snapshot: str, quiet_place: Path, call: Call
) -> None:
    page = quiet_place / "page.html"
    shown = call("simulate", "--snapshot", snapshot, *flags)
    done = call("simulate", "--snapshot", snapshot, *flags, "--html", str(page))

    assert done == shown
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert f"<title>htcq simulate: {snapshot}</title>" in page.read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_told_of_at_once(
    snapshot: str, quiet_place: Path, call: Call
) -> None:
    done = call(
        "simulate", "--snapshot", snapshot, "--html", str(quiet_place / "nowhere" / "page.html")
    )

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert "is not a directory" in done.err


def test_the_fill_of_the_machines_is_in_the_json(snapshot: str, call: Call) -> None:
    one = as_json(call, "--snapshot", snapshot)["fill"]
    several = as_json(call, "--snapshot", snapshot, "--cycles", "3", *LASTS)

    machine = {
        "name": "node1",
        "cpus": 8,
        "claimed_cpus": 8,
        "memory_mb": 16384,
        "claimed_memory_mb": 8192,
    }
    assert one["after"] == {"machines": [machine], "largest_cpus": 0, "largest_memory_mb": 8192}
    assert one["before"]["machines"] == [{**machine, "claimed_cpus": 0, "claimed_memory_mb": 0}]
    # After 600 s all eight jobs end, and six more are left to start.
    assert several["machines"] == [{**machine, "claimed_cpus": 6, "claimed_memory_mb": 6144}]
    assert [each["by_fill"] for each in several["cycles"]] == [
        [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0],
    ]  # fmt: skip


def test_usage_against_quota_is_drawn_in_characters(snapshot: str, call: Call) -> None:
    lines = call("simulate", "--snapshot", snapshot, "--cycles", "2", *LASTS).out.splitlines()

    assert [line.split() for line in lines if line.startswith("b ")] == [
        ["b", "|██|", "5", "5", "5", "5", "5"]
    ]


def test_matches_name_the_access_point_where_several_have_jobs(call: Call, tmp_path: Path) -> None:
    """Both schedds have a job 1.0."""
    place = tmp_path / "snap"
    place.mkdir()
    asking = [submitter(ScheddName=f'"ap{number}"') for number in (1, 2)]
    jobs = [job("1.0", GlobalJobId=f'"ap{number}#1.0#1"') for number in (1, 2)]
    jobs.append(job("2.0", GlobalJobId='"ap2#2.0#1"', RequestCpus=99))
    (place / "collector.ads").write_text(collected((policy_slot(), *asking)))
    (place / "jobs.ads").write_text("\n".join(jobs))
    (place / "config.txt").write_text("")
    out = call("simulate", "--matches", "--snapshot", str(place)).out
    found = as_json(call, "--snapshot", str(place))

    assert [line.split()[1] for line in out.splitlines() if "#1.0" in line] == [
        "ap1#1.0",
        "ap2#1.0",
    ]
    assert [(each["access_point"], each["job"]) for each in found["matches"]] == [
        ("ap1", "1.0"),
        ("ap2", "1.0"),
    ]
    assert [(each["access_point"], each["job"]) for each in found["rejections"]] == [("ap2", "2.0")]


def test_one_access_point_need_not_be_named(call: Call, snapshot: str) -> None:
    out = call("simulate", "--matches", "--snapshot", snapshot).out

    assert "#1.0" not in out


def test_where_no_job_waits_no_slot_is_too_few(call: Call, quiet_place: Path) -> None:
    place = write(quiet_place / "idle", jobs=False)
    (Path(place) / "jobs.ads").write_text("")
    (Path(place) / "collector.ads").write_text(collected((policy_slot(),)))

    assert "no job asks for a slot, 0 rejections" in call("simulate", "--snapshot", place).out


def test_a_knob_that_matters_in_later_cycles_alone_does_not_read_as_without_effect(
    call: Call, snapshot: str
) -> None:
    out = call("simulate", "--set", "execute:CLAIM_WORKLIFE=0", "--snapshot", snapshot).out

    assert "nothing changes in the next cycle" in out
    assert "--cycles shows later ones" in out
