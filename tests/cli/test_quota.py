"""``htcq quota`` as a command: pools, what-ifs, bad input. What it prints of groups is tested in tests/report."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.audit.sites import accounting, collected, negotiator, slot
from tests.cli.conftest import Call

TAKEN = 1_795_262_145
MACHINE = slot(Cpus=40)


def snapshot(path: Path, *ads: str, config: str | None = PHYSICS, **meta: str) -> str:
    """Write a snapshot of one machine of 40 cpus, hep's 30 jobs and chemistry's 8, and more ``ads``."""
    path.mkdir(parents=True, exist_ok=True)
    everything = (MACHINE, wants("physics.hep", 30), wants("chem", 8), *ads)
    (path / "collector.ads").write_text(collected(everything))
    if config is not None:
        (path / "config.txt").write_text(config)
    if meta:
        (path / "meta.json").write_text(json.dumps(meta))
    return str(path)


def published(name: str, negotiator_name: str = "", age: int = 10, **changes: str) -> str:
    named = {"NegotiatorName": f'"{negotiator_name}"'} if negotiator_name else {}
    heard = str(TAKEN - age)
    return accounting(name, IsAccountingGroup="true", LastHeardFrom=heard, **named, **changes)


def looked(call: Call, *arguments: str) -> Any:
    done = call("quota", *arguments, "--json")
    assert done.status == EXIT_FINE, done.err
    return json.loads(done.out)


def quotas(printed: Mapping[str, Any]) -> dict[str, float]:
    return {group["name"]: group["quota"] for group in printed["groups"]}


def test_a_table_and_its_units_are_printed(call: Call, tmp_path: Path) -> None:
    done = call("quota", "--snapshot", snapshot(tmp_path))
    assert (done.status, done.err) == (EXIT_FINE, "")
    assert "physics.hep" in done.out
    assert "slot\nweight" not in done.out
    assert "in slot weight: pool 40" in done.out


def test_json_names_unit_source_and_every_group(call: Call, tmp_path: Path) -> None:
    printed = looked(call, "--snapshot", snapshot(tmp_path))
    assert (printed["schema"], printed["source"], printed["unit"]) == (
        1,
        str(tmp_path),
        "slot weight",
    )
    assert quotas(printed) == {
        "<none>": 10,
        "chem": 10,
        "physics": 20,
        "physics.hep": 15,
        "physics.lep": 5,
    }
    assert {each["name"]: each["limit"] for each in printed["standings"] if each["turn"]} == {
        "chem": 10,
        "physics.hep": 20,
    }


def test_json_has_texts_for_what_is_no_number(call: Call, tmp_path: Path) -> None:
    """One who wants little and holds more than that, weighed otherwise: HTCondor computes 0/0."""
    held = slot("slot1_1@node1", State='"Claimed"', AccountingGroup='"ada@site"', Cpus=2)
    ads = (MACHINE, held, wants("", 1, 1))
    (tmp_path / "collector.ads").write_text(collected(ads))
    (tmp_path / "config.txt").write_text(
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 1\nGROUP_ACCEPT_SURPLUS = True\n"
    )
    printed = looked(call, "--snapshot", str(tmp_path))
    assert printed["rounds"][0]["limits"] == [{"group": "<none>", "limit": "nan"}]


def test_several_pools_are_shown_by_themselves(call: Call, tmp_path: Path) -> None:
    one, two = (
        snapshot(tmp_path / "one"),
        snapshot(tmp_path / "two", config="GROUP_NAMES = a\nGROUP_QUOTA_a = 3\n"),
    )
    printed = looked(call, "--snapshot", one, "--snapshot", two)
    assert [(each["source"], len(each["groups"])) for each in printed["pools"]] == [
        (one, 5),
        (two, 2),
    ]


def test_a_pool_that_cannot_be_read_does_not_hide_the_others(call: Call, tmp_path: Path) -> None:
    good, bad = snapshot(tmp_path / "good"), str(tmp_path / "bad")
    done = call("quota", "--snapshot", bad, "--snapshot", good)
    assert done.status == EXIT_USAGE
    assert done.err.startswith(f"htcq: {bad}: ")
    assert done.err.count("\n") == 1
    assert "physics.hep" in done.out


def test_what_if_shows_before_after_and_difference(call: Call, tmp_path: Path) -> None:
    """Physics may use 25 instead of 20; hep, which has 15 of its own, takes 5 more."""
    printed = looked(call, "--snapshot", snapshot(tmp_path), "--set", "GROUP_QUOTA_physics = 25")
    assert printed["changes"] == [{"knob": "GROUP_QUOTA_physics", "value": "25"}]
    limits = {
        each["name"]: each["limit"] for each in printed["differences"] if each["limit"]["changed"]
    }
    assert limits == {"physics.hep": {"before": 20, "after": 25, "difference": 5, "changed": True}}
    assert quotas(printed["before"])["<none>"] == 10
    assert quotas(printed["after"])["<none>"] == 5


def test_what_if_takes_several_knobs_and_expands_macros(call: Call, tmp_path: Path) -> None:
    changes = (
        "--set",
        "EXTRA=2",
        "--set",
        "GROUP_QUOTA_chem=$(GROUP_QUOTA_physics.lep)",
        "--set",
        "group_quota_chem=$(EXTRA)1",
    )
    printed = looked(call, "--snapshot", snapshot(tmp_path), *changes)
    assert quotas(printed["after"])["chem"] == 21
    assert quotas(printed["before"])["chem"] == 10


def test_what_if_takes_a_knob_away(call: Call, tmp_path: Path) -> None:
    printed = looked(call, "--snapshot", snapshot(tmp_path), "--set", "GROUP_QUOTA_chem=")
    assert quotas(printed["after"])["chem"] == 0


def test_what_if_reads_the_attributes_that_a_changed_constraint_names(
    call: Call, tmp_path: Path
) -> None:
    """Nothing but the change mentions Room: it must be read of the slots all the same."""
    ads = slot("slot1@node2", Cpus=8, Room='"north"')
    place = snapshot(tmp_path, ads)
    printed = looked(
        call, "--snapshot", place, "--set", 'NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT=Room =?= "north"'
    )
    assert (printed["before"]["pool_weight"], printed["after"]["pool_weight"]) == (48, 8)


@pytest.mark.parametrize(
    "knob", ["NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTIONS=False", "GROUP_QUOTA_physcs=3"]
)
def test_what_if_tells_of_knobs_that_do_nothing(call: Call, tmp_path: Path, knob: str) -> None:
    done = call("quota", "--snapshot", snapshot(tmp_path), "--set", knob)
    assert done.status == EXIT_FINE
    assert done.err.startswith(f"htcq: --set: knob {knob.partition('=')[0]}: ")
    assert "nothing changes" in done.out


@pytest.mark.parametrize(
    ("knob", "problem"),
    [
        ("GROUP_QUOTA_chem=-3", "GROUP_QUOTA_chem is out of range: -3"),
        ("GROUP_QUOTA_DYNAMIC_physics.hep=1.5", ""),
        ("GROUP_QUOTA_chem=3000000000", "GROUP_QUOTA_chem is out of range: 3000000000"),
        ("GROUP_QUOTA_chem=many", "GROUP_QUOTA_chem is not a number: many"),
        ("GROUP_ACCEPT_SURPLUS=maybe", "GROUP_ACCEPT_SURPLUS is neither true nor false: maybe"),
        (
            "GROUP_SORT_EXPR=GroupQuota * (",
            "GROUP_SORT_EXPR is not a ClassAd expression: GroupQuota * (",
        ),
    ],
)
def test_what_if_says_on_what_the_negotiator_would_exit(
    call: Call, tmp_path: Path, knob: str, problem: str
) -> None:
    """A share beside an amount is never looked at, however far out of range."""
    done = call("quota", "--snapshot", snapshot(tmp_path), "--set", knob)
    assert done.status == (EXIT_FINDINGS if problem else EXIT_FINE)
    assert f"configuration: {problem}: the negotiator exits on it" in done.out or not problem


def test_groups_that_are_twice_there_or_have_no_parent_are_told(call: Call, tmp_path: Path) -> None:
    config = "GROUP_NAMES = a, A, b.c\nGROUP_QUOTA_a = 1\n"
    done = call("quota", "--snapshot", snapshot(tmp_path, config=config))
    assert done.status == EXIT_FINE
    assert "configuration: group A is ignored: it is the same as group a" in done.out
    assert "configuration: group b.c is ignored: its parent b does not exist" in done.out


def test_quotas_that_refer_to_each_other_in_a_circle_are_no_quotas(
    call: Call, tmp_path: Path
) -> None:
    config = (
        "GROUP_NAMES = a, b\nGROUP_QUOTA_a = $(GROUP_QUOTA_b)\nGROUP_QUOTA_b = $(GROUP_QUOTA_a)\n"
    )
    done = call("quota", "--snapshot", snapshot(tmp_path, config=config))
    assert done.status == EXIT_FINDINGS
    assert "GROUP_QUOTA_a is not a number: $(GROUP_QUOTA_b)" in done.out


def test_usage_that_cannot_be_is_not_believed(call: Call, tmp_path: Path) -> None:
    ads = [
        published("chem", WeightedResourcesUsed="-3.0"),
        published("physics", WeightedResourcesUsed='real("NaN")'),
    ]
    printed = looked(call, "--snapshot", snapshot(tmp_path, *ads))
    assert {group["name"]: group["usage"] for group in printed["groups"]}["chem"] == 0
    assert [doubt.partition(":")[0] for doubt in printed["doubts"]] == [
        "the published usage of chem is -3",
        "the published usage of physics is nan",
    ]


def test_published_nan_is_a_mark(call: Call, tmp_path: Path) -> None:
    ads = [
        published("<none>", SubtreeQuota="40.0"),
        published("chem", EffectiveQuota='real("NaN")'),
    ]
    printed = looked(call, "--snapshot", snapshot(tmp_path, *ads))
    marks = {each["name"]: each["marks"] for each in printed["standings"]}
    assert marks["chem"] == [{"attribute": "EffectiveQuota", "published": "nan", "computed": 10}]


@pytest.mark.parametrize(
    ("age", "asked", "status"), [(10, (), 0), (1000, (), 3), (1000, ("--max-age", "2000"), 0)]
)
def test_what_was_published_long_ago_is_shown_and_doubted(
    call: Call, tmp_path: Path, age: int, asked: tuple[str, ...], status: int
) -> None:
    taken = "2026-11-21T11:55:45+00:00"
    done = call(
        "quota", "--snapshot", snapshot(tmp_path, published("<none>", age=age), taken=taken), *asked
    )
    assert done.status == status
    assert "physics.hep" in done.out
    assert (
        "doubt: the negotiator last published its groups 1000 s before: more than 900 s" in done.out
    ) is bool(status)


def test_of_two_negotiators_the_one_that_was_captured_is_shown(call: Call, tmp_path: Path) -> None:
    ads = [negotiator("one"), negotiator("two")]
    ads += [
        published("chem", "one", WeightedResourcesUsed="1.0"),
        published("chem", "two", WeightedResourcesUsed="2.0"),
    ]
    place = snapshot(tmp_path, *ads, negotiator="two")
    printed = looked(call, "--snapshot", place)
    assert printed["doubts"] == ["this collector has 2 negotiators: two is shown, one is not"]
    assert {group["name"]: group["usage"] for group in printed["groups"]}["chem"] == 2
    assert looked(call, "--snapshot", place, "--name", "two") == printed
    other = call("quota", "--snapshot", place, "--name", "one")
    assert other.status == EXIT_USAGE
    assert "its configuration is that of the negotiator two" in other.err


def test_a_negotiator_that_published_nothing_is_none(call: Call, tmp_path: Path) -> None:
    done = call(
        "quota", "--snapshot", snapshot(tmp_path, published("chem", "one")), "--name", "three"
    )
    assert done.status == EXIT_USAGE
    assert done.err == f"htcq: {tmp_path} has no negotiator three (its negotiators: one)\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("--set", "no knob"),
            "--set 'no knob': not KNOB=VALUE (such as --set GROUP_QUOTA_physics=20)",
        ),
        (
            ("--set", "a b=1"),
            "--set 'a b=1': not KNOB=VALUE (such as --set GROUP_QUOTA_physics=20)",
        ),
        (
            ("--set", "A=1\nB=2"),
            "--set 'A=1\\nB=2': not KNOB=VALUE (such as --set GROUP_QUOTA_physics=20)",
        ),
        (("--json", "--csv"), "--json and --csv contradict each other (give one of them)"),
        (("--why", "chem", "--json"), "--why and --json contradict each other (give one of them)"),
        (("--html", "nowhere/page.html"), "nowhere is not a directory (make it first)"),
        (("--timeout", "0"), "--timeout 0: out of range (more than 0s, and no more than 1d)"),
        (("--max-age", "-1"), "--max-age -1: out of range (0s or more)"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_a_hint(
    call: Call, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = call("quota", "--snapshot", snapshot(tmp_path), *arguments)
    assert (done.status, done.out, done.err) == (EXIT_USAGE, "", f"htcq: {told}\n")


def test_an_unknown_group_is_refused_with_the_near_one(call: Call, tmp_path: Path) -> None:
    done = call("quota", "--snapshot", snapshot(tmp_path), "--why", "chen")
    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert "chem" in done.err


def test_a_pool_that_does_not_answer_is_unknown(call: Call) -> None:
    done = call("quota", "--pool", "127.0.0.1:9", "--timeout", "5")
    assert (done.status, done.out) == (EXIT_UNKNOWN, "")
    assert done.err.count("\n") == 1


def test_who_holds_what_a_group_lacks_stands_in_text_json_csv_and_page(
    tmp_path: Path, call: Call
) -> None:
    config = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 8\nGROUP_QUOTA_b = 8\n"
    place = tmp_path / "snap"
    place.mkdir()
    ads = (slot(Cpus=0), *uses("a", 20), wants("a", 4, 20), wants("b", 30))
    (place / "collector.ads").write_text(collected(ads))
    (place / "config.txt").write_text(config)
    told = "group b uses 0 of the 8 that it is due; held by a 12, as its 20 claims end"
    told += ", for jobs that fit there"

    assert told in call("quota", "--snapshot", str(place)).out.splitlines()
    found = {each["name"]: each for each in looked(call, "--snapshot", str(place))["standings"]}
    holder = {"name": "a", "is_group": True, "amount": 12, "since": None, "returns_at": None}
    assert found["b"]["held_by"] == [
        {**holder, "returns": "as its 20 claims end, for jobs that fit there"}
    ]
    assert (found["b"]["below"], found["b"]["headroom"], found["b"]["obtainable"]) == (8, 8, 0)
    assert (found["a"]["below"], found["a"]["held_by"]) == (0, [])
    rows = list(csv.DictReader(call("quota", "--snapshot", str(place), "--csv").out.splitlines()))
    (row,) = (each for each in rows if each["group"] == "b")
    assert (row["below_weight"], row["obtainable_weight"]) == ("8", "0")
    assert row["held_by"] == "a 12, as its 20 claims end, for jobs that fit there"
    page = tmp_path / "page.html"
    call("quota", "--snapshot", str(place), "--html", str(page))
    assert told in page.read_text()
