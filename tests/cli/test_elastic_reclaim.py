"""``htcq elastic reclaim`` as a command, on a snapshot: what it shows, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from htcq.cli.elastic_reclaim import ACTIONS
from htcq.elastic.serving import Serving
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from htcq.store.lock import held
from tests.audit.sites import accounting, collected, negotiator, schedd, slot, submitter
from tests.cli.conftest import Call
from tests.docs.documents import ROOT, section, words
from tests.docs.test_man import keys
from tests.elastic.reclaim.scenes import NOW, Scene, borrowed

QUOTAS = """
[elastic.reclaim]
journal = "{directory}/reclaim"
over_for = "{over_for}"
need_for = "{over_for}"
pool_percent = 100
[elastic.write]
cycle_age = "1h"
[groups.borrower]
min = {{ cpus = 4 }}
max = {{ cpus = 8 }}
[groups.lender]
min = {{ cpus = 4 }}
max = {{ cpus = 8 }}
"""
TAKEN = "1970-01-12T13:46:40+00:00"


def write(directory: Path, scene: Scene, over_for: str = "0s") -> None:
    """Write the scene as a snapshot of a negotiator that has just gone through a cycle, and the quotas."""
    machines = [
        slot(f"slot1@{name}", **{**scene.left[name], **changes}) for name, changes in scene.machines.items()
    ]  # fmt: skip
    cycle = accounting(
        "<none>", IsAccountingGroup="true", LastHeardFrom=NOW - 5, NegotiatorName='"central"'
    )
    pool = directory / "pool"
    pool.mkdir()
    waiting = [
        submitter(who, IdleJobs=idle, WeightedIdleJobs=idle) for who, idle in scene.who.items()
    ]
    ads = [*machines, *scene.ads, *waiting, schedd(), negotiator(), cycle]
    (pool / "collector.ads").write_text(collected(ads))
    (pool / "jobs.ads").write_text("\n".join(scene.jobs))
    (pool / "config.txt").write_text(
        "GROUP_NAMES = borrower, lender\nGROUP_QUOTA_borrower = 4\nGROUP_QUOTA_lender = 4\n"
        "GROUP_ACCEPT_SURPLUS = True\n"
    )
    (pool / "meta.json").write_text(json.dumps({"taken": TAKEN}))
    (directory / "q.toml").write_text(QUOTAS.format(directory=directory, over_for=over_for))


@pytest.fixture
def reclaim(quiet_place: Path, call: Call) -> Any:
    """Run the command on a machine full of a borrower's jobs while a lender waits with two."""
    write(quiet_place, borrowed(8, 2))
    return lambda action, *more: call("elastic", "reclaim", action, "--quotas", "q.toml", *more)


def test_the_plan_as_text(reclaim: Any) -> None:
    done = reclaim("plan", "--snapshot", "pool")
    assert done.status == EXIT_FINE, done.err
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "borrower 2 cpus 0 s" in lines
    assert "lender 2 jobs' room 0 s" in lines
    assert any(
        line.startswith("borrower 1.0 access1 slot1_1@node1 1 h cpus 1.00 ") for line in lines
    )
    assert "borrower.bob@site 6 8 2" in lines
    assert "2 jobs lose 2.00 weight-hours" in lines
    assert "not taken back: 6 jobs: no further jobs wait" in lines


def test_the_plan_of_quotas_tells_what_a_reclaim_would_take_once_its_time_has_come(
    quiet_place: Path, call: Call
) -> None:
    write(quiet_place, borrowed(8, 2), over_for="10min")
    words = (
        "elastic",
        "plan",
        "--quotas",
        "q.toml",
        "--snapshot",
        "pool",
        "--journal",
        "none",
        "--directory",
        ".",
    )
    lines = [" ".join(line.split()) for line in call(*words).out.splitlines()]
    printed = json.loads(call(*words, "--json").out)

    assert any(
        line.startswith("borrower 1.0 access1 slot1_1@node1 1 h cpus 1.00 ") for line in lines
    )
    assert "2 jobs lose 2.00 weight-hours" in lines
    assert [each["job"] for each in printed["victims"]] == ["1.0", "1.1"]
    assert printed["lost_weight_hours"] == 2


def test_a_window_gives_groups_other_amounts_while_it_is_open(
    reclaim: Any, quiet_place: Path, call: Call
) -> None:
    """In status, for the writer and for reclaim: a min and a max of 1 in place of 4 and 8."""
    words = ("--quotas", "q.toml", "--snapshot", "pool")
    places = ("--journal", "none", "--directory", ".")
    text = (quiet_place / "q.toml").read_text()
    found = []
    for until in ("1970-01-12T13:00Z", "1970-01-13T00:00Z"):
        window = (
            f'[[elastic.window]]\nname = "night"\nfrom = "1970-01-12T00:00Z"\nuntil = "{until}"\n'
            "[elastic.window.groups.lender]\nmin = { cpus = 1 }\nmax = { cpus = 1 }\n"
        )
        (quiet_place / "q.toml").write_text(f"{text}{window}")
        seen = json.loads(call("elastic", "status", *words, "--json").out)
        plan = json.loads(call("elastic", "plan", *words, *places, "--json").out)
        (quota,) = (each["quota"] for each in plan["groups"] if each["group"] == "lender")
        victims = json.loads(reclaim("plan", "--snapshot", "pool", "--json").out)["victims"]
        amounts = seen["groups"]["lender"]["max"]["cpus"]
        found.append((seen["windows"], amounts, quota, len(victims)))

    assert found == [([], 8, 4, 2), (["night"], 1, 1, 1)]


def test_why_tells_a_group_who_has_its_min_and_when_it_is_back(
    quiet_place: Path, call: Call
) -> None:
    write(quiet_place, borrowed(8, 2), over_for="2min")
    done = call("why", "lender", "--quotas", "q.toml", "--snapshot", "pool")

    assert done.status == EXIT_FINE, done.err
    assert "4 cpus of its min are unused; beyond their own mins borrower uses 4" in done.out
    assert (
        "2 cpus of its min are missing; claims of groups that use more than they may: 8 of borrower"
        in done.out
    )
    assert "others have 4 of it: if the group asked for all, it would be back within " in done.out
    assert "in 95 of 100 cases as claims end, within 3 min by reclaim" in done.out


def test_the_json_has_the_names_of_the_manual(reclaim: Any) -> None:
    printed = json.loads(reclaim("plan", "--snapshot", "pool", "--json").out)
    assert {each["job"] for each in printed["victims"]} == {"1.0", "1.1"}
    assert printed["done"] is None
    described = words(
        section(ROOT / "man/man1/htcq-elastic.1", "RECLAIM").split(".SS Reclaim JSON")[1]
    )
    assert keys(printed, ()) - {"cpus", "memory", "disk", "weight"} <= described


def test_nothing_is_written_unless_told(reclaim: Any, quiet_place: Path) -> None:
    before = sorted(quiet_place.rglob("*"))
    reclaim("plan", "--snapshot", "pool")
    assert sorted(quiet_place.rglob("*")) == before


def test_since_when_is_known_from_the_journal_alone(
    reclaim: Any, quiet_place: Path, call: Call
) -> None:
    (quiet_place / "q.toml").write_text(QUOTAS.format(directory=quiet_place, over_for="10min"))
    said = "no group has used more than its runtime for 600 s; the longest time is 0 s"
    assert said in reclaim("plan", "--snapshot", "pool").out
    told = {"negotiator": "central", "over": ["borrower"], "needs": ["lender"]}

    def look(ago: int) -> str:
        return (
            json.dumps({"v": 1, "kind": "reclaim-look", "time": NOW - ago, "reclaim": told}) + "\n"
        )

    # Nobody has seen what was between the two.
    (quiet_place / "reclaim").write_text(look(700))
    assert said in reclaim("plan", "--snapshot", "pool").out
    (quiet_place / "reclaim").write_text(look(700) + look(300))
    assert len(json.loads(reclaim("plan", "--snapshot", "pool", "--json").out)["victims"]) == 2


@pytest.mark.parametrize("action", ["apply", "record", "resume", "release", "ceilings"])
def test_a_snapshot_is_not_acted_on(reclaim: Any, action: str) -> None:
    done = reclaim(action, "--snapshot", "pool")
    assert (done.status, done.err) == (
        EXIT_USAGE, "htcq: a snapshot cannot be acted on: jobs are taken back from a live pool "
        "(leave out --snapshot; --pool names a live pool)\n"
    )  # fmt: skip


@pytest.mark.parametrize("action", ["apply", "record", "resume", "release"])
def test_a_second_one_that_acts_is_refused(reclaim: Any, quiet_place: Path, action: str) -> None:
    """Before it looks at anything: there is no pool at that address."""
    with held(quiet_place / "reclaim.lock", "the first"):
        done = reclaim(action, "--pool", "127.0.0.1:1")
    assert done.status == EXIT_UNKNOWN
    assert done.err == "htcq: another htcq is writing there: the first (wait until it has ended)\n"


def test_an_old_look_is_shown_and_not_to_be_acted_on(reclaim: Any, quiet_place: Path) -> None:
    ads = quiet_place / "pool/collector.ads"
    ads.write_text(
        ads.read_text().replace(f"LastHeardFrom = {NOW - 5}", f"LastHeardFrom = {NOW - 7200}")
    )
    done = reclaim("plan", "--snapshot", "pool")
    assert done.status == EXIT_UNKNOWN
    assert "htcq: not now: " in done.err
    assert json.loads(reclaim("plan", "--snapshot", "pool", "--json").out)["refused"]


def test_queues_that_are_not_known_are_told(reclaim: Any, quiet_place: Path) -> None:
    (quiet_place / "pool/jobs.ads").unlink()
    done = reclaim("plan", "--snapshot", "pool")
    assert done.status == EXIT_UNKNOWN
    assert "htcq: not now: the queues are not known" in done.err


def test_configuration_for_the_negotiator(reclaim: Any, quiet_place: Path) -> None:
    (quiet_place / "q.toml").write_text(
        QUOTAS.format(directory=quiet_place, over_for="0s").replace(
            "need_for", 'min_runtime = "30min"\nneed_for'
        )
    )
    done = reclaim("emit")
    assert done.status == EXIT_FINE
    assert "time() - MY.JobStart > 1800\n" in done.out


@pytest.mark.parametrize(
    ("former", "action"),
    [
        ("--apply", "apply"), ("--record", "record"), ("--resume", "resume"), ("--release", "release"),
        ("--ceilings", "ceilings"), ("--emit-preemption", "emit"),
    ],
)  # fmt: skip
def test_former_options_are_refused_with_the_action(former: str, action: str, call: Call) -> None:
    done = call("elastic", "reclaim", "--quotas", "q.toml", former)

    assert done.status == EXIT_USAGE
    assert done.err == (
        f"htcq: {former} is no option (it is an action: htcq elastic reclaim {action} "
        "--quotas FILE)\n"
    )


def test_without_an_action_all_are_named(call: Call) -> None:
    done = call("elastic", "reclaim", "--quotas", "q.toml")

    assert done.status == EXIT_USAGE
    assert all(action in done.err for action in ACTIONS)


@pytest.mark.parametrize("action", ["record", "apply"])
def test_where_another_central_manager_serves_nothing_is_taken_back(
    action: str, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its timer runs on each of them: this is no failure, and no pool is read."""
    elsewhere = Serving("negotiator@one", "one.site", here=False)
    monkeypatch.setattr(
        "htcq.operations.serving_negotiator.serving_source", lambda source, _: (source, elsewhere)
    )
    (tmp_path / "quotas.toml").write_text(QUOTAS.format(directory=tmp_path, over_for="0s"))
    done = call("elastic", "reclaim", action, "--quotas", str(tmp_path / "quotas.toml"))

    assert (done.status, done.err) == (EXIT_FINE, "")
    told = (
        "nothing is taken back here: the negotiator on one.site serves, and the writer there acts"
    )
    assert done.out == f"{told}\n"
    assert not (tmp_path / "reclaim").exists()
