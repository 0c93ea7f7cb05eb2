"""``htcq elastic apply --from``: a plan of another account is written only if nothing about it is doubtful.

Nobody answers here, so that a plan that stands all checks ends at the negotiator, with the file
put back."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from htcq.elastic.journal import PoolSeen
from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota
from htcq.elastic.quota_plan import plan_id
from htcq.errors import EXIT_UNKNOWN, EXIT_USAGE
from htcq.store.elastic_journal import Journal, read_journal
from tests.cli.conftest import Call
from tests.elastic.writing import written

STRANGER, PLANNER = 65533, 65532
FILE = "60-htcq-elastic.config"
QUOTAS = """\
[elastic.write]
directory = "config.d"
journal = "journal"
verify_within = "0s"
[groups.a]
min = { cpus = 4, weight = 4000 }
max = { cpus = 8, weight = 12000 }
[groups."a.x"]
max = { cpus = 4 }
[groups.b]
max = { cpus = 8 }
"""
WORDS = ("elastic", "apply", "--quotas", "elastic.toml", "--from", "run/plan.json")
NOWHERE = ("--pool", "127.0.0.1:9", "--timeout", "5")
STATIC = {"a": (4.0, True), "a.x": (1.0, True), "b": (0.0, True)}
IN_FORCE = {"a": (6.0, False), "a.x": (2.0, False), "b": (10.0, False)}


@pytest.fixture(autouse=True)
def place(quiet_place: Path) -> Path:
    handed_over(quiet_place)
    return quiet_place


def handed_over(place: Path) -> None:
    """Make in ``place`` quotas, their file, their journal, and a directory for plans."""
    place.chmod(0o755)
    (place / "elastic.toml").write_text(QUOTAS)
    (place / "config.d").mkdir()
    (place / "run").mkdir(mode=0o755)
    path = place / "config.d" / FILE
    path.write_text("elastic\n")
    for record in written(
        1, IN_FORCE, time=time.time(), text="elastic\n", path=str(path), fallback="static\n", fallback_quotas=STATIC,
        seen=PoolSeen(100, 10, 20.0),
    ):  # fmt: skip
        Journal(place / "journal").append(record)


def plan(changes: dict[str, Any] | None = None, made: float | None = None, **quotas: float) -> str:
    """A plan that follows the journal, with ``quotas`` and other keys changed, and the id that goes with them."""
    wanted = {
        "a": 6.0,
        "a.x": 2.0,
        "b": 12.0,
        **{name.replace("_", "."): amount for name, amount in quotas.items()},
    }
    groups = [
        {"group": name, "quota": quota, "accept_surplus": False} for name, quota in wanted.items()
    ]
    file = QuotaKnobs(tuple(WrittenQuota(name, quota, False) for name, quota in wanted.items()))
    told = {
        "kind": "htcq-elastic-plan", "schema": 1, "plan": plan_id(made or time.time(), "inputs", file),
        "inputs": "inputs", "base": 2, "negotiator": "", "groups": groups,
        "static": [{"group": name, "quota": quota, "accept_surplus": True} for name, (quota, _) in STATIC.items()],
        "seen": {"slots": 100, "schedds": 10, "pool_weight": 20.0, "busy": ["ap1"]}, "over": 0,
    }  # fmt: skip
    return json.dumps({**told, **(changes or {})})


def save(place: Path, text: str) -> Path:
    path = place / "run/plan.json"
    path.write_text(text)
    path.chmod(0o644)
    return path


def refused(call: Call, place: Path, status: int, *more: str) -> str:
    before = (place / "config.d" / FILE).read_bytes(), (place / "journal").read_bytes()
    done = call(*WORDS, *NOWHERE, *more)

    assert (done.status, done.out, done.err.count("\n")) == (status, "", 1), done.err
    assert ((place / "config.d" / FILE).read_bytes(), (place / "journal").read_bytes()) == before
    return done.err


def test_a_plan_without_a_doubt_is_written_and_put_back_where_no_negotiator_shows_it(
    call: Call, place: Path
) -> None:
    save(place, plan())
    done = call(*WORDS, *NOWHERE)

    assert done.status == EXIT_UNKNOWN
    assert "was put back" in done.err
    journaled = read_journal(place / "journal").records
    assert [each.what for each in journaled if each.kind == "intent"] == [
        "apply",
        "apply",
        "restore",
    ]
    assert journaled[2].quotas == {"a": (6.0, False), "a.x": (2.0, False), "b": (12.0, False)}
    assert (place / "config.d" / FILE).read_text() == "elastic\n"


def test_a_planner_may_move_quotas_up_to_a_max_in_weight_and_one_step_at_a_time(
    call: Call, place: Path
) -> None:
    """As much as a planner in wrong hands can do: the max of a is 12, and b loses what a gets."""
    save(place, plan(a=12.0, b=8.0))
    done = call(*WORDS, *NOWHERE)

    assert "was put back" in done.err
    journaled = read_journal(place / "journal").records
    assert journaled[2].quotas == {"a": (12.0, False), "a.x": (2.0, False), "b": (8.0, False)}
    # The next plan must follow what this one led to.
    save(place, plan(a=11.0, b=9.0))
    assert "the plan follows record 2 of the journal" in call(*WORDS, *NOWHERE).err
    intents = [each for each in read_journal(place / "journal").records if each.kind == "intent"]
    assert [each.what for each in intents] == ["apply", "apply", "restore"]


@pytest.mark.parametrize(
    ("quotas", "said"),
    [
        ({"a": 13.0, "b": 7.0}, "a would have 13, above its max of 12"),
        ({"b": 21.0}, "b would have 21, more than the pool, which has 20"),
        ({"a_x": 7.0}, "a.x would have 7, more than a, which has 6"),
        ({"a": 3.0}, "a would have 3, below its min of 4"),
        ({"evil": 1.0}, "the plan has the group 'evil', which is not declared"),
        ({"a\nGROUP_NAMES": 1.0}, "which is not declared"),
    ],
)
def test_numbers_that_cannot_be_are_refused(
    quotas: dict[str, float], said: str, call: Call, place: Path
) -> None:
    save(place, plan(**quotas))

    assert said in refused(call, place, EXIT_UNKNOWN)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"base": 1}, "the plan follows record 1 of the journal, but its last record is 2"),
        ({"base": 3}, "the plan follows record 3 of the journal, but its last record is 2"),
        ({"inputs": "others"}, "is not the id of the plan's content"),
        ({"plan": "latest"}, "latest is not the id of the plan's content"),
        ({"static": []}, "the group a is not in the static quotas"),
        (
            {"seen": {"slots": 1, "schedds": 1, "pool_weight": 2000.0, "busy": []}},
            "the pool's weight would be 2000; it was 20",
        ),
        (
            {"static": [{"group": name, "quota": 20.0, "accept_surplus": True} for name in ("a", "a.x")]
             + [{"group": "b", "quota": 0.0, "accept_surplus": True}]},
            "the plan raises the weight of mins by",
        ),
    ],
)  # fmt: skip
def test_a_plan_that_does_not_follow_what_is_known_is_refused(
    changes: dict[str, Any], said: str, call: Call, place: Path
) -> None:
    save(place, plan(changes))

    assert said in refused(call, place, EXIT_UNKNOWN)


@pytest.mark.parametrize(
    ("ago", "said"), [(700, " s old, more than 600 s"), (-100, "the plan was made ")]
)
def test_a_plan_of_another_time_is_refused(ago: float, said: str, call: Call, place: Path) -> None:
    save(place, plan(made=time.time() - ago))

    assert said in refused(call, place, EXIT_UNKNOWN)


def test_a_plan_is_written_once(call: Call, place: Path) -> None:
    save(place, plan())
    call(*WORDS, *NOWHERE)
    done = call(*WORDS, *NOWHERE)

    assert done.status == EXIT_UNKNOWN
    assert "nothing is written: the plan follows record 2 of the journal" in done.err
    assert (place / "config.d" / FILE).read_text() == "elastic\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("[" * 100000, "is not JSON"),
        ("{}", "the whole has no kind"),
        ("[]", "the whole is not an object"),
        ('{"kind": 1e999}', "the whole has no schema"),
        (plan({"schema": 2}), "is not a plan of schema 1"),
        (plan({"more": 1}), "more is unknown"),
        (plan({"base": 1.5}), "base is not a count"),
        (plan({"base": True}), "base is not a count"),
        (plan({"groups": {}}), "groups is not a list"),
        (
            plan({"groups": [{"group": "a", "quota": float("nan"), "accept_surplus": False}]}),
            "not an amount of slot",
        ),
        (
            plan({"groups": [{"group": "a", "quota": 1e999, "accept_surplus": False}]}),
            "not an amount of slot",
        ),
        (
            plan({"groups": [{"group": "a", "quota": -1, "accept_surplus": False}]}),
            "not an amount of slot",
        ),
        (
            plan({"groups": [{"group": "a", "quota": 1, "accept_surplus": "x"}]}),
            "without true or false",
        ),
        (plan({"inputs": "a\nb"}), "inputs is not a text of one line"),
        (" " * (5 * 2**20), "is longer than"),
    ],
    ids=range(16),
)
def test_what_is_no_plan_is_refused(text: str, said: str, call: Call, place: Path) -> None:
    save(place, text)

    assert said in refused(call, place, EXIT_USAGE)


def test_a_link_is_not_followed(call: Call, place: Path) -> None:
    path = save(place, plan())
    path.rename(place / "run/other.json")
    path.symlink_to("other.json")
    assert "cannot be read" in refused(call, place, EXIT_USAGE)

    path.unlink()
    os.link(place / "run/other.json", path)
    assert "is not a regular file, or has hard links" in refused(call, place, EXIT_USAGE)


@pytest.mark.parametrize("whose", ["plan.json", "."])
def test_a_file_or_directory_of_a_stranger_is_refused(whose: str, call: Call, place: Path) -> None:
    save(place, plan())
    os.chown(place / "run" / whose, STRANGER, STRANGER)

    assert f"belongs to user {STRANGER}, who may not save plans" in refused(call, place, EXIT_USAGE)
    told = refused(call, place, EXIT_USAGE, "--planner", str(PLANNER))
    assert f"belongs to user {STRANGER}, who may not save plans" in told


@pytest.mark.parametrize("whose", ["plan.json", "."])
def test_a_file_or_directory_that_others_can_write_is_refused(
    whose: str, call: Call, place: Path
) -> None:
    save(place, plan())
    (place / "run" / whose).chmod(0o777)

    assert "others can write" in refused(call, place, EXIT_USAGE)


def test_the_file_of_the_account_that_plans_is_taken(call: Call, place: Path) -> None:
    save(place, plan())
    for path in (place / "run", place / "run/plan.json"):
        os.chown(path, PLANNER, PLANNER)
    done = call(*WORDS, *NOWHERE, "--planner", str(PLANNER))

    assert "was put back" in done.err
    assert "there is no such account" in call(*WORDS, "--planner", "nobody-of-that-name").err


def test_a_fifo_keeps_nobody_waiting_and_what_is_not_there_is_said(call: Call, place: Path) -> None:
    os.mkfifo(place / "run/plan.json", 0o644)
    assert "is not a regular file" in refused(call, place, EXIT_USAGE)
    (place / "run/plan.json").unlink()
    assert "No such file" in refused(call, place, EXIT_USAGE)


def test_flags_that_contradict_each_other_are_refused(call: Call) -> None:
    assert "contradict each other" in call(*WORDS, "--plan", "x").err
    assert "--accept-loss and --from contradict each other" in call(*WORDS, "--accept-loss").err
    done = call("elastic", "apply", "--quotas", "elastic.toml", "--plan", "x", "--planner", "root")
    assert "--planner without --from" in done.err
    done = call(
        "elastic", "plan", "--quotas", "elastic.toml", "--snapshot", "x", "--save", "plan.json"
    )
    assert "--snapshot and --save contradict each other" in done.err
