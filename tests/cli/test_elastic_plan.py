"""``htcq elastic plan`` as a command: on a snapshot, beside a journal; it writes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from htcq.store.elastic_journal import Journal
from tests.audit.sites import POLICY, accounting, job, negotiator, schedd
from tests.cli.conftest import Call, listing
from tests.docs.documents import ROOT, section, words
from tests.elastic.quotas import claimed, node, running
from tests.elastic.writing import written

PAGE = ROOT / "man/man1/htcq-elastic.1"
TAKEN = "2026-11-21T12:00:00+00:00"
#: The same in seconds, by date(1).
SECONDS = 1795262400
QUOTAS = """
[elastic.write]
journal = "journal"
directory = "."
[groups.physics]
min = { cpus = 6 }
max = { cpus = 12 }
[groups.chem]
min = { cpus = 10 }
max = { cpus = 16 }
"""
CONFIG = (
    "GROUP_NAMES = physics, chem\nGROUP_QUOTA_physics = 6\nGROUP_QUOTA_chem = 10\n"
    "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
)
FRESH = {"LastHeardFrom": SECONDS - 5}
ADS = (
    node("node1", 6, 14336, **POLICY),
    node("node2", **POLICY),
    claimed(1, "physics.ada@site"),
    claimed(2, "physics.ada@site"),
    schedd("access1", MyCurrentTime=SECONDS - 5, **FRESH),
    accounting(
        "<none>", IsAccountingGroup="true", NegotiatorName='"central"', SubtreeQuota="16.0", **FRESH
    ),
)
JOBS = (
    running("1.0", "slot1_1@node1", AccountingGroup='"physics.ada"'),
    running("1.1", "slot1_2@node1", AccountingGroup='"physics.ada"'),
    job("2.0", AccountingGroup='"physics.ada"', MaxHosts=20),
)


@pytest.fixture
def plan(quiet_place: Path, call: Call) -> Any:
    """Return a function that runs the command on the snapshot, with more words."""
    snapshot = quiet_place / "snap"
    snapshot.mkdir()
    central = negotiator(LastNegotiationCycleEnd0=SECONDS - 60, MyCurrentTime=SECONDS - 5, **FRESH)
    (snapshot / "collector.ads").write_text("\n".join((*ADS, central)))
    (snapshot / "jobs.ads").write_text("\n".join(JOBS))
    (snapshot / "config.txt").write_text(CONFIG)
    (snapshot / "meta.json").write_text(json.dumps({"schema": 1, "taken": TAKEN}))
    (quiet_place / "elastic.toml").write_text(QUOTAS)
    return lambda *more: call(
        "elastic", "plan", "--quotas", "elastic.toml", "--snapshot", "snap", *more
    )


def test_it_shows_what_would_change_and_changes_nothing(plan: Any, quiet_place: Path) -> None:
    before = listing(quiet_place)
    done = plan()

    assert (done.status, done.err) == (EXIT_FINE, "")
    assert listing(quiet_place) == before
    rows = {
        line.split()[0]: line.split()
        for line in done.out.splitlines()
        if line.startswith(("physics  ", "chem  "))
    }
    # physics wants 22 cpus; of the 14 that are free 4 would be beyond its max of 12, 10 below it.
    assert rows["physics"][1:5] == ["6", "6", "6", "yes"]
    assert "physics accepts surplus until it has its max of 12: it can exceed it by up to 4" in (
        done.out
    )
    assert done.out.splitlines()[-1].startswith("plan: 20")


def test_the_json_has_the_keys_that_the_page_describes(plan: Any) -> None:
    told = json.loads(plan("--json").out)
    described = words(section(PAGE, "WRITING"))

    assert set(told) <= described
    assert set(told["groups"][0]) <= described
    assert {group["group"]: group["quota"] for group in told["groups"]} == {
        "physics": 6.0,
        "chem": 10.0,
    }
    assert told["static"] == {"physics": 6.0, "chem": 10.0}
    assert told["refused"] == []


def test_every_setting_stands_in_the_page() -> None:
    from htcq.settings.elastic_write import WRITE_KEYS

    assert set(WRITE_KEYS) <= words(section(PAGE, "QUOTAS"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            (f"LastHeardFrom = {SECONDS - 5}", f"LastHeardFrom = {SECONDS - 5000}"),
            "access1 is 5000 s old",
        ),
        (
            (f"MyCurrentTime = {SECONDS - 5}", f"MyCurrentTime = {SECONDS + 595}"),
            "600 s ahead of the collector's",
        ),
        (('MyType = "Negotiator"', 'MyType = "Nonsense"'), "snap has no negotiator"),
    ],
)
def test_what_cannot_be_trusted_is_told_and_is_no_plan_to_apply(
    change: tuple[str, str], told: str, plan: Any, quiet_place: Path
) -> None:
    path = quiet_place / "snap/collector.ads"
    path.write_text(path.read_text().replace(*change))
    done = plan()

    assert done.status == EXIT_UNKNOWN
    assert "htcq: not now: " in done.err
    assert told in done.err
    assert done.out.splitlines()[-1].startswith("plan: ")


def test_several_negotiators_must_be_told_apart(plan: Any, quiet_place: Path) -> None:
    with (quiet_place / "snap/collector.ads").open("a") as file:
        file.write("\n" + negotiator("gpu", MyCurrentTime=SECONDS - 5, **FRESH))

    assert "snap has 2 negotiators: central, gpu" in plan().err


def test_what_the_journal_saw_before_counts(plan: Any, quiet_place: Path) -> None:
    from htcq.elastic.journal import LOOK, JournalRecord, PoolSeen

    Journal(quiet_place / "journal").append(
        JournalRecord(1, SECONDS - 300.0, LOOK, seen=PoolSeen(4, 1, 32.0))
    )
    done = plan()
    assert done.status == EXIT_UNKNOWN
    assert "2 slots are present, less than 90% of the 4 seen before" in done.err
    assert "the pool weighs 16, 20% or more below the 32 seen before" in done.err
    assert plan("--accept-loss").status == EXIT_FINE


def test_a_journal_that_was_torn_is_told(plan: Any, quiet_place: Path) -> None:
    (quiet_place / "journal").write_text('{"v":1,"num')
    done = plan()

    assert done.status == EXIT_FINE
    assert (
        "journal: no record in line 1: it was written in part, and nothing was done after it"
        in done.err
    )


def test_who_stopped_the_writing_is_told(plan: Any, quiet_place: Path) -> None:
    for record in written(
        1, {"physics": (6.0, True), "chem": (10.0, True)}, what="disable", operator="ann", text=None
    ):
        Journal(quiet_place / "journal").append(record)

    assert "htcq: disable by ann\n" in plan().err


def test_quotas_that_are_refused_have_no_plan(plan: Any, quiet_place: Path) -> None:
    (quiet_place / "elastic.toml").write_text(QUOTAS.replace("cpus = 12", "cpus = 5"))
    done = plan()

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert "group physics has a min of 6 cpus and a max of 5 [elastic-min-above-max]" in done.err


def test_a_file_without_groups_has_no_plan(plan: Any, quiet_place: Path) -> None:
    (quiet_place / "elastic.toml").write_text("[elastic]\n")

    assert "elastic.toml declares no groups" in plan().err


def test_of_several_trees_one_must_be_named(plan: Any, quiet_place: Path) -> None:
    trees = (
        "[trees.central.groups.physics]\nmax = { cpus = 9 }\n[trees.gpu.groups.physics]\n"
        "max = { cpus = 9 }\n"
    )
    (quiet_place / "elastic.toml").write_text(trees)
    done = plan()

    assert done.status == EXIT_USAGE
    assert "elastic.toml has several trees (--name one of central, gpu)" in done.err


def test_a_plan_as_a_diff_of_the_file_and_as_a_file_for_others(
    plan: Any, quiet_place: Path
) -> None:
    """The mins, and what HTCondor may lend to whom."""
    done = plan("--diff", "--propose", "proposed.config")

    lines = done.out.splitlines()
    assert lines[:2] == ["--- 60-htcq-elastic.config", "+++ 60-htcq-elastic.config (planned)"]
    assert "+GROUP_QUOTA_physics = 6" in lines
    assert "+GROUP_ACCEPT_SURPLUS_physics = True" in lines
    assert "+GROUP_QUOTA_chem = 10" in lines
    assert not any(line.startswith("+#") for line in lines)
    assert "GROUP_QUOTA_physics = 6\n" in (quiet_place / "proposed.config").read_text()
    assert not (quiet_place / "60-htcq-elastic.config").exists()
    assert plan("--diff", "--json").status == EXIT_USAGE


def test_fault_12_directories_that_are_not_there_are_told(tmp_path: Path) -> None:
    from htcq.operations.quota_steps import doubts_of_places
    from htcq.settings.elastic_write import WriteSettings

    there = WriteSettings(directory=str(tmp_path), journal=str(tmp_path / "journal"))
    assert list(doubts_of_places(there)) == []
    gone = WriteSettings(directory=str(tmp_path), journal=str(tmp_path / "var/journal"))
    (told,) = doubts_of_places(gone)
    assert told.startswith(f"the directory of the journal, {tmp_path}/var, is not there")
    (tmp_path / "10-role.config").write_text("# Managed by Puppet\n")
    (told,) = doubts_of_places(there)
    assert told.startswith(f"{tmp_path}/10-role.config says that Puppet manages it")


def test_a_diff_has_what_changes_and_nothing_else() -> None:
    from htcq.elastic.quota_file import file_diff

    before, after = "# one\nA = 1\n\nB = 2\n", "# two\nA = 1\nB = 3\n"
    assert list(file_diff(before, after, "f"))[3:] == [" A = 1\n", "-B = 2\n", "+B = 3\n"]
    assert list(file_diff(before, "# two\nA = 1\nB = 2\n", "f")) == []
