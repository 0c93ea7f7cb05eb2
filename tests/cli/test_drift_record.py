"""htcq drift record: what is kept of a look, when nothing is, and what cron hears of it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from htcq.drift.observation import Kept, QuotaSample
from htcq.store.history import open_history
from tests.audit.sites import negotiator
from tests.cli.conftest import ROOT, Call, listing, names
from tests.cli.looks import DECLARED, START, STEP, damage, snapshot

STORE = "history.db"
POOL = "cm.example.net"
RECORD = ("drift", "record", "--store", STORE, "--config", "/dev/null")


def samples(pool: str = POOL) -> list[QuotaSample]:
    with open_history(Path(STORE)) as history:
        return list(history.samples(pool, 0, START * 2))


def kept(kind: str, pool: str = POOL) -> list[Kept]:
    with open_history(Path(STORE)) as history:
        return list(history.kept(pool, 0, START * 2, kind))


# What is kept
# ---------------------------------------------------------------------------------------------------


def test_a_look_is_kept_in_silence(call: Call, quiet_place: Path) -> None:
    done = call(*RECORD, "--snapshot", snapshot(quiet_place, used={"chem": 7}))

    assert (done.status, done.out, done.err) == (0, "", "")
    assert {sample.group: (sample.effective, sample.computed, sample.usage) for sample in samples()} == {
        "<none>": (10, 10, 0), "physics": (20, 20, 0), "chem": (10, 10, 7),
    }  # fmt: skip
    assert {(each.name, each.text) for each in kept("configured")} >= {
        ("physics", "static 20"),
        ("chem", "static 10"),
    }
    assert kept("declared") == []


def test_a_snapshot_counts_for_the_time_at_which_it_was_taken(
    call: Call, quiet_place: Path
) -> None:
    call(*RECORD, "--snapshot", snapshot(quiet_place, 1))
    call(*RECORD, "--snapshot", snapshot(quiet_place, 2))

    assert {(sample.time, sample.span) for sample in samples()} == {
        (START, 0),
        (START + STEP, STEP),
    }


def test_the_site_file_names_the_store_and_declares_groups(call: Call, quiet_place: Path) -> None:
    (quiet_place / "htcq.toml").write_text(DECLARED)
    done = call(
        "drift", "record", "--config", "htcq.toml", "--snapshot", snapshot(quiet_place, physics=15)
    )

    assert done.status == 0
    assert {(each.name, each.text) for each in kept("declared")} == {
        ("physics", "static 20"),
        ("chem", "static 10"),
    }


def test_one_line_says_what_was_recorded(
    call: Call, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = snapshot(quiet_place)
    first, again = (
        call(*RECORD, "--snapshot", name, "-v"),
        call(*RECORD, "--snapshot", name, "--verbose"),
    )

    assert first.out.startswith(f"{STORE}: {POOL}, 2024-11-04 ")
    assert first.out.endswith(", 3 groups: recorded\n")
    assert again.out.endswith(", 3 groups: there already\n")
    assert len(samples()) == 3


def test_metrics_are_written_besides(call: Call, quiet_place: Path) -> None:
    done = call(
        *RECORD, "--snapshot", snapshot(quiet_place, used={"chem": 7}), "--prometheus", "htcq.prom"
    )
    text = (quiet_place / "htcq.prom").read_text()

    assert (done.status, done.out) == (0, "")
    assert (
        f'htcq_drift_observation_timestamp_seconds{{pool="{POOL}",negotiator=""}} {START}\n' in text
    )
    assert 'group="chem"' in text


def test_several_pools_share_a_store(call: Call, quiet_place: Path) -> None:
    call(*RECORD, "--snapshot", snapshot(quiet_place, 1))
    call(*RECORD, "--snapshot", snapshot(quiet_place, 2, machine="other.example.net"))

    assert {sample.time for sample in samples()} == {START}
    assert {sample.time for sample in samples("other.example.net")} == {START + STEP}


def test_two_at_once_are_both_recorded(quiet_place: Path) -> None:
    """Each is a process of its own, and waits for the other."""
    found = [
        snapshot(quiet_place, number, machine=f"cm{number}.example.net") for number in range(1, 5)
    ]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "htcq", *RECORD, "--snapshot", name],
            cwd=quiet_place, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HTCQ_UNCONFINED": "1"},
            stderr=subprocess.PIPE, text=True,
        )
        for name in found
    ]  # fmt: skip
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in running]

    assert ended == [("", 0)] * 4
    with open_history(quiet_place / STORE) as history:
        assert history.pools() == tuple(f"cm{number}.example.net" for number in range(1, 5))


# When nothing is
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "flags", "said"),
    [
        ({"age": 901}, [], "the negotiator last published its groups 901 s ago, more than 900 s"),
        ({"age": 61}, ["--max-age", "60"], "61 s ago, more than 60 s"),
        (
            {"published": False},
            [],
            "no negotiator publishes its groups (is its negotiator running?)",
        ),
    ],
)
def test_a_silent_negotiator_is_not_recorded(
    changes: dict[str, int], flags: list[str], said: str, call: Call, quiet_place: Path
) -> None:
    done = call(
        *RECORD, "--snapshot", snapshot(quiet_place, **changes), *flags, "--prometheus", "x.prom"
    )  # type: ignore[arg-type]

    assert (done.status, done.out) == (3, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert names(quiet_place) == ["node.json", "snap1"]


def test_old_ads_are_recorded_where_that_is_asked_for(call: Call, quiet_place: Path) -> None:
    assert (
        call(*RECORD, "--snapshot", snapshot(quiet_place, age=901), "--max-age", "1000").status == 0
    )


@pytest.mark.parametrize(
    ("missing", "said"),
    [("collector.ads", "slots"), ("config.txt", "configuration of the central")],
)
def test_a_pool_of_which_too_little_is_known_is_not_recorded(
    missing: str, said: str, call: Call, quiet_place: Path
) -> None:
    """Groups that are not known have not gone."""
    name = snapshot(quiet_place)
    (quiet_place / name / missing).unlink()
    done = call(*RECORD, "--snapshot", name)

    assert done.status == 3
    assert f"{name}: the {said}" in done.err
    assert STORE not in names(quiet_place)


def test_a_pool_that_cannot_be_reached_is_status_3_and_makes_no_store(
    call: Call, quiet_place: Path
) -> None:
    done = call(*RECORD, "--pool", "127.0.0.1:1", "--timeout", "5")

    assert (done.status, done.out, done.err.count("\n")) == (3, "", 1)
    assert names(quiet_place) == ["node.json"]


def test_a_store_that_somebody_else_holds_is_status_3(
    call: Call, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(*RECORD, "--snapshot", snapshot(quiet_place, 1))
    # Nobody waits half a minute here.
    monkeypatch.setattr("htcq.store.history.open_history.__wrapped__.__defaults__", (False, 0.2))
    with closing(sqlite3.connect(quiet_place / STORE)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = call(*RECORD, "--snapshot", snapshot(quiet_place, 2), "--prometheus", "htcq.prom")

    assert (done.status, done.out) == (3, "")
    assert f"{STORE} is being written by another program" in done.err
    assert "htcq.prom" not in names(quiet_place)
    assert {sample.time for sample in samples()} == {START}


def test_an_older_snapshot_is_not_recorded_after_a_newer_one(call: Call, quiet_place: Path) -> None:
    call(*RECORD, "--snapshot", snapshot(quiet_place, 2))
    done = call(*RECORD, "--snapshot", snapshot(quiet_place, 1))

    assert done.status == 3
    assert f"{POOL} was last observed at 2024-11-04T08:05:00Z" in done.err
    assert {sample.time for sample in samples()} == {START + STEP}


def test_a_damaged_store_is_set_aside_and_said_to_be(call: Call, quiet_place: Path) -> None:
    call(*RECORD, "--snapshot", snapshot(quiet_place, 1))
    damage(quiet_place / STORE)
    damaged, before = (quiet_place / STORE).read_bytes(), names(quiet_place)
    done = call(*RECORD, "--snapshot", snapshot(quiet_place, 2))
    (aside,) = {*names(quiet_place)} - {*before, "snap2"}

    assert (done.status, done.out) == (1, "")
    assert (
        done.err
        == f"htcq: {STORE} was damaged: it is {quiet_place / aside} now, and a new one was begun\n"
    )
    assert (quiet_place / aside).read_bytes() == damaged
    assert {sample.time for sample in samples()} == {START + STEP}
    assert [each.name for each in kept("damage")] == [aside]


def test_what_is_no_history_is_left_alone(call: Call, quiet_place: Path) -> None:
    (quiet_place / STORE).write_bytes(b"rubbish" * 5000)
    done = call(*RECORD, "--snapshot", snapshot(quiet_place))

    assert (done.status, done.out) == (3, "")
    assert (quiet_place / STORE).read_bytes() == b"rubbish" * 5000


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--pool", "somewhere"], "--snapshot and --pool contradict each other"),
        (["--prometheus", "missing/x.prom"], "missing is not a directory"),
        (["--prometheus", "snap1"], "snap1 is not a plain file"),
        (["--config", "missing.toml"], "missing.toml cannot be read"),
        (["--max-age", "-1"], "--max-age -1: out of range"),
        (["--max-age", "nan"], "--max-age: 'nan' is not a number of seconds"),
        (["--timeout", "0"], "--timeout 0: out of range"),
        (["--name", "nobody"], "snap1 has no negotiator nobody"),
        (["--nothing"], "there is no option --nothing"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    flags: list[str], said: str, call: Call, quiet_place: Path
) -> None:
    name = snapshot(quiet_place, extra=negotiator("cm.example.net"))
    before = listing(quiet_place)
    done = call(*RECORD, "--snapshot", name, *flags)

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert listing(quiet_place) == before


def test_a_snapshot_that_does_not_tell_its_time_is_refused(call: Call, quiet_place: Path) -> None:
    name = snapshot(quiet_place)
    (quiet_place / name / "meta.json").unlink()
    done = call(*RECORD, "--snapshot", name)

    assert done.status == 2
    assert f"{name} does not tell when it was taken" in done.err
    assert STORE not in names(quiet_place)


def test_an_action_must_be_chosen(call: Call) -> None:
    done = call("drift")

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "needs an action" in done.err
