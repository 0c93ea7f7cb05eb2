"""``htcq simulate --sweep``: every item is what the same options make of one simulation, and what is there stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_USAGE
from htcq.store.results import claimed
from tests.audit.sites import policy_slot
from tests.cli.conftest import Call, names
from tests.cli.sweeps import kept, stamps
from tests.cli.test_bad_input import ONE_LINE
from tests.cli.test_simulate import GROUPS, write

GRID = """
[grid]
set = ["GROUP_QUOTA_a=6", ["GROUP_QUOTA_a=1", "GROUP_QUOTA_b=2"]]
demand = [[], "b=x0"]
"""


@pytest.fixture
def snapshot(quiet_place: Path) -> str:
    return write(quiet_place / "snap")


def sweep(text: str, *arguments: str) -> tuple[str, ...]:
    Path("f.toml").write_text(text)
    return ("simulate", "--sweep", "f.toml", *arguments)


def test_every_item_is_what_one_simulation_is(snapshot: str, call: Call) -> None:
    done = call(*sweep(GRID, "--snapshot", snapshot, "--json"))
    assert (done.status, done.err) == (EXIT_FINE, "")
    items = json.loads(done.out)["items"]

    assert [each["options"].get("demand") for each in items] == [None, ["b=x0"], None, ["b=x0"]]
    for each in items:
        one = call("simulate", "--snapshot", snapshot, "--json", *each["arguments"])
        assert (one.status, json.loads(one.out)) == (EXIT_FINE, each["result"])


def test_a_sweep_has_results_where_the_command_is_confined(snapshot: str, command: Call) -> None:
    done = command(*sweep(GRID, "--snapshot", snapshot, "--results", "results"))

    assert (done.status, done.out.splitlines()[-1]) == (EXIT_FINE, "every item has a result")


def test_the_table_says_what_each_comes_to(snapshot: str, call: Call) -> None:
    done = call(*sweep(GRID, "--snapshot", snapshot))
    rows = [line.split() for line in done.out.splitlines() if line.startswith("GROUP_QUOTA")]

    # Quotas of 6 and 5 for 8 cpus: in proportion 48/11 and 40/11, of which whole cpus are 4 and 3.
    assert rows[1] == ["GROUP_QUOTA_a=6", "b=x0", "6", "6", "2", "a", "6", "-"]
    assert rows[2] == [
        "GROUP_QUOTA_a=1,",
        "GROUP_QUOTA_b=2",
        "-",
        "3",
        "3",
        "13",
        "b",
        "2",
        "and",
        "a",
        "1",
        "-",
    ]
    assert done.out.splitlines()[0] == f"{snapshot}: a sweep of 4 items"
    assert names(Path()) == ["f.toml", "node.json", "snap"]


BAD = """
[base]
cycles = 2

[grid]
seed = [1, "one"]
interval = [60, 0]

[[item]]
name = "fine"
"""


def test_the_rest_of_a_sweep_with_bad_items_still_runs(snapshot: str, call: Call) -> None:
    done = call(*sweep(BAD, "--snapshot", snapshot, "--results", "R"))

    assert (done.status, done.err) == (EXIT_FINDINGS, "")
    found = kept(Path("R"))
    assert {name: told["exit_status"] for name, told in found.items()} == {
        "fine": 0, "seed=1,interval=60": 0, "seed=1,interval=0": 2, "seed=one,interval=60": 2, "seed=one,interval=0": 2,
    }  # fmt: skip
    assert {told["tries"] for told in found.values()} == {1}
    for told in found.values():
        one = call("simulate", "--snapshot", snapshot, "--json", *told["arguments"])
        assert one.err == (f"htcq: {told['reason']}\n" if told["reason"] else "")
        assert told["result"] == (json.loads(one.out) if one.out else None)
    assert "--interval 0: out of range" in done.out
    assert done.out.splitlines()[-1] == "3 items failed, 2 have a result"


def test_a_negotiator_that_would_end_is_a_finding(quiet_place: Path, call: Call) -> None:
    slot = policy_slot(SlotWeight="NoSuchThing")
    given = write(quiet_place / "bad", config=f"{GROUPS}SLOT_WEIGHT = AlsoNothing\n", slot=slot)
    text = "[grid]\nskip-bad-slots = [false, true]\n"
    done = call(*sweep(text, "--snapshot", given, "--results", "R"))

    assert done.status == EXIT_FINDINGS
    assert [told["exit_status"] for told in kept(Path("R")).values()] == [EXIT_FINDINGS, EXIT_FINE]
    assert "in 1 item the negotiator would end" in done.out


def test_what_is_there_is_not_run_again(snapshot: str, call: Call) -> None:
    command = sweep(GRID, "--snapshot", snapshot, "--results", "R")
    first, before = call(*command), stamps(Path("R"))
    again = call(*command)

    assert (again.status, again.out) == (first.status, first.out)
    assert again.err == "htcq: 4 of 4 results are in R already\n"
    assert stamps(Path("R")) == before
    assert names(Path("R")) == [".lock", *sorted(f"{name}.json" for name in before)]


def changed(before: dict[str, int]) -> set[str]:
    now = stamps(Path("R"))
    return {name for name in now if now[name] != before.get(name)}


def test_what_changed_or_failed_is_run_again(snapshot: str, call: Call) -> None:
    Path("m.toml").write_text('[capacity]\nmodel = "minimum-charge"\n')
    text = '[[item]]\nname = "a"\nset = "GROUP_QUOTA_a=1"\n[[item]]\nname = "b"\nmodel = "m.toml"\n'
    bad = '[[item]]\nname = "c"\nset = "?"\n'
    command = sweep(text + bad, "--snapshot", snapshot, "--results", "R")
    assert call(*command).status == EXIT_FINDINGS
    before = stamps(Path("R"))
    call(*command)
    assert changed(before) == {"c"}

    before = stamps(Path("R"))
    command = sweep(text.replace("a=1", "a=2"), "--snapshot", snapshot, "--results", "R")
    assert call(*command).status == EXIT_FINE
    assert changed(before) == {"a"}

    before = stamps(Path("R"))
    Path("m.toml").write_text('[capacity]\nmodel = "minimum-charge"\n# another\n')
    call(*command)
    assert changed(before) == {"b"}

    before = stamps(Path("R"))
    (Path(snapshot) / "config.txt").write_text(f"{GROUPS}GROUP_QUOTA_b = 1\n")
    call(*command)
    assert changed(before) == {"a", "b"}


def test_a_damaged_result_is_run_again(snapshot: str, call: Call) -> None:
    command = sweep('[[item]]\nname = "a"\n', "--snapshot", snapshot, "--results", "R", "--json")
    whole = json.loads(call(*command).out)
    (Path("R") / "a.json").write_text('{"schema": 1,')

    assert json.loads(call(*command).out) == whole


def test_a_packed_snapshot_and_another_name_are_the_same_options(snapshot: str, call: Call) -> None:
    """Names of negotiators stand before --sweep; those that do not fit fail each item."""
    (Path(snapshot) / "meta.json").write_text('{"negotiator": "n1"}')
    right = call(*sweep(GRID, "--snapshot", snapshot, "--name", "n1"))
    wrong = call(*sweep(GRID, "--snapshot", snapshot, "--name", "n2"))

    assert (right.status, wrong.status) == (EXIT_FINE, EXIT_FINDINGS)
    assert wrong.out.count("its configuration is that of the negotiator n1") == 4


def test_two_runs_do_not_meet_in_one_directory(snapshot: str, command: Call) -> None:
    arguments = sweep(GRID, "--snapshot", snapshot, "--results", "R")
    with claimed(Path("R")):
        done = command(*arguments)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert "another htcq is at work in" in done.err


ITEM = '[[item]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        ("[grid]\nsede = [1]\n", (), "f.toml: grid.sede is unknown (did you mean seed?)"),
        ("[grid]\njson = [true]\n", (), "f.toml: grid.json is unknown"),
        ("[grid]\nsnapshot = ['a']\n", (), "f.toml: grid.snapshot is unknown"),
        ("[grid]\nname = ['a']\n", (), "f.toml: grid.name is unknown"),
        ("[grid]\nhelp = [true]\n", (), "f.toml: grid.help is unknown"),
        ("[grid]\nresults = ['a']\n", (), "f.toml: grid.results is unknown"),
        ("[grid]\nseed = [1\n", (), "f.toml: "),
        (f"[grid]\nseed = [{'9' * 5000}]\n", (), "f.toml: "),
        (f"x = {'[' * 100_000}", (), "f.toml: "),
        ("\xff", (), "f.toml"),
        ("", (), "f.toml has no items"),
        (
            ITEM,
            ("--cycles", "2"),
            "--cycles and --sweep contradict each other (write it in [base] of f.toml)",
        ),
        (ITEM, ("--set", "A=1"), "--set and --sweep contradict each other"),
        (
            ITEM,
            ("--matches",),
            "--matches and --sweep contradict each other (it is for one simulation",
        ),
        (ITEM, ("--pool", "here"), "contradict each other"),
        (ITEM, ("--timeout", "0"), "--timeout 0: out of range"),
        (ITEM, ("--processes", "0"), "--processes 0: out of range"),
        (ITEM, ("--retries", "-1"), "--retries -1: out of range"),
        (ITEM, ("--results", "no/such"), "cannot be written"),
    ],
)
def test_what_cannot_be_a_sweep_is_one_line(
    text: str, flags: tuple[str, ...], message: str, snapshot: str, call: Call
) -> None:
    Path("f.toml").write_bytes(text.encode("latin-1"))
    done = call("simulate", "--sweep", "f.toml", "--snapshot", snapshot, *flags)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert ONE_LINE.fullmatch(done.err), done.err
    assert message in done.err


@pytest.mark.parametrize("flags", [("--results", "R"), ("--processes", "2"), ("--retries", "0")])
def test_options_of_a_sweep_need_one(flags: tuple[str, ...], snapshot: str, call: Call) -> None:
    done = call("simulate", "--snapshot", snapshot, *flags)

    assert (done.status, done.err) == (
        EXIT_USAGE,
        f"htcq: {flags[0]} without --sweep (give --sweep FILE too)\n",
    )


@pytest.mark.parametrize(
    "flags", [("--sweep", "none.toml"), ("--sweep", "f.toml", "--snapshot", "none")]
)
def test_files_that_are_not_there_are_told_and_nothing_is_made(
    flags: tuple[str, ...], call: Call
) -> None:
    sweep(ITEM)
    done = call("simulate", *flags, "--results", "R")

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert ONE_LINE.fullmatch(done.err)
    assert names(Path()) == ["f.toml", "node.json"]
