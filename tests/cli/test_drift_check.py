"""``htcq drift check`` as a monitoring system runs it: a verdict on the pool, or UNKNOWN whatever goes wrong."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from htcq.cli import drift_check
from htcq.errors import NESTED_VARIABLE
from tests.audit.rules.quota.groups import PHYSICS, wants
from tests.audit.sites import slot
from tests.cli.conftest import ROOT, Call, Done, names
from tests.cli.published_pools import QUOTAS, agreed_pool, drifted_pool, published, snapshot


@pytest.fixture
def agreed(quiet_place: Path) -> None:
    agreed_pool(quiet_place / "snap")


@pytest.fixture
def drifted(quiet_place: Path) -> None:
    drifted_pool(quiet_place / "snap")


#: How the line begins that says who has what groups lack.
HELD = "what groups lack of their quotas is held by "


def by_group(done: Done) -> list[str]:
    """Return the lines of groups."""
    return [line for line in done.out.splitlines()[1:] if not line.startswith(HELD)]


def unknown(done: Done, said: str) -> None:
    assert (done.status, done.err) == (3, "")
    assert done.out.startswith("HTCQ DRIFT UNKNOWN: ")
    assert done.out.endswith("\n")
    assert done.out.count("\n") == 1
    assert said in done.out


# The verdict
# ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("agreed")
def test_a_pool_as_it_should_be_is_ok(call: Call) -> None:
    done = call("drift", "check", "--nagios", "--snapshot", "snap")

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("HTCQ DRIFT OK: snap: 0 of 5 groups drifted | drifted=0;0;;0;5 ")
    assert done.out.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "status", "line"),
    [
        (["--metric", "drifted"], 1, "physics.lep: drifted: quota published 4 where 5 should be"),
        (["-c", "0"], 2, "physics.lep: drifted: quota published 4 where 5 should be"),
        (["-w", "1"], 0, "physics.lep: drifted: quota published 4 where 5 should be"),
        (
            ["-w", "~:", "-c", "@1:5"],
            2,
            "physics.lep: drifted: quota published 4 where 5 should be",
        ),
        (["--metric", "starved"], 1, "physics.hep: starved: uses 0 of 15 while 30 waits"),
        (["--metric", "over", "--critical", "0"], 2, "chem: over: uses 12 of 10"),
        (["--metric", "usage", "--warning", "12"], 0, ""),
        (["--metric", "usage", "--warning", "13:"], 1, ""),
        (["--metric", "waiting", "--critical", "~:29"], 2, ""),
        (["--group", "chem"], 0, ""),
        (
            ["--metric", "drifted", "--group", "CHEM", "--group", "physics.*"],
            1,
            "physics.lep: drifted: quota published 4 where 5 should be",
        ),
    ],
)
@pytest.mark.usefixtures("drifted")
def test_what_is_measured_and_the_ranges_decide(
    flags: list[str], status: int, line: str, call: Call
) -> None:
    done = call("drift", "check", "--nagios", "--snapshot", "snap", *flags)

    assert (done.status, done.err) == (status, "")
    assert done.out.startswith(f"HTCQ DRIFT {('OK', 'WARNING', 'CRITICAL')[status]}: snap: ")
    assert by_group(done) == ([line] if line else [])


@pytest.mark.usefixtures("drifted")
def test_without_options_groups_that_starve_are_judged_as_well(call: Call) -> None:
    done = call("drift", "check", "--nagios", "--snapshot", "snap", "--group", "physics.hep")

    assert (done.status, done.err) == (1, "")
    assert "0 of 1 group drifted; 1 of 1 group below quota while jobs wait: physics.hep" in done.out
    assert done.out.splitlines()[1:] == [
        f"{HELD}chem 2, as its 12 claims end, for jobs that fit there; free 28: the next cycle, for "
        "jobs that fit",
        "physics.hep: starved: uses 0 of 15 while 30 waits",
    ]


def test_a_forgotten_drain_is_named_with_its_cure_as_quota_and_status_name_it(call: Call) -> None:
    place = str(ROOT / "tests/golden/drained/half-the-weight-drained.tar.gz")
    done = call("drift", "check", "--snapshot", place)

    lines = done.out.splitlines()
    assert lines[1].startswith(f"{HELD}drained 192 since ")
    assert lines[1].endswith(": condor_drain -cancel b1.test")
    assert lines[2] == (
        "biology: starved: uses 60 of the 90 that it is due (its quota is 100) while 30 waits"
    )


@pytest.mark.parametrize(("flags", "status"), [(["-w", "1"], 0), ([], 1), (["-c", "0"], 1)])
@pytest.mark.usefixtures("drifted")
def test_for_a_person_the_status_is_that_of_every_command(
    flags: list[str], status: int, call: Call
) -> None:
    plugin = call("drift", "check", "--nagios", "--snapshot", "snap", *flags)
    done = call("drift", "check", "--snapshot", "snap", *flags)

    assert (done.status, done.err) == (status, "")
    assert done.out.splitlines()[0] == plugin.out.splitlines()[0].partition(" | ")[0]
    assert done.out.splitlines()[1:] == plugin.out.splitlines()[1:]


@pytest.mark.parametrize(
    ("flags", "status"),
    [
        (["--metric", "x"], 2),
        (["--snapshot", "missing"], 2),
        (["--pool", "127.0.0.1:1", "-t", "5s"], 3),
    ],
)
def test_for_a_person_a_mistake_is_an_error(flags: list[str], status: int, call: Call) -> None:
    done = call("drift", "check", *flags)

    assert (done.status, done.out) == (status, "")
    assert done.err.startswith("htcq: ")


@pytest.mark.usefixtures("agreed")
def test_what_the_site_declares_counts(call: Call, quiet_place: Path) -> None:
    site = quiet_place / "site.toml"
    site.write_text(
        "[groups.physics]\nquota = 20\n[groups.physics.hep]\nquota = 15\naccept_surplus = true\n"
        "[groups.physics.lep]\nquota = 5\naccept_surplus = true\n[groups.chem]\nquota = 12\n"
        "[groups.bio]\nquota = 1\n"
    )
    done = call("drift", "check", "--nagios", "--snapshot", "snap", "--config", "site.toml")

    assert done.status == 1
    assert done.out.splitlines()[1:] == [
        "chem: drifted: quota declared 12, but configured 10",
        "bio: drifted: declared with a quota of 1, but not configured",
    ]


@pytest.mark.usefixtures("drifted")
def test_more_lines_can_be_asked_for(call: Call) -> None:
    once, twice = (
        by_group(call("drift", "check", "--nagios", "--snapshot", "snap", flag))
        for flag in ("-v", "-vv")
    )

    assert {tuple(line.split(": ")[:2]) for line in once} == {
        ("chem", "over"), ("physics", "lending"), ("physics.hep", "starved"), ("physics.lep", "drifted"),
        ("physics.lep", "lending"),
    }  # fmt: skip
    assert "physics.hep: quota 15, usage 0, idle demand 30" in set(twice) - set(once)


# Everything else is UNKNOWN
# -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
        (["-w"], "-w needs a value"),
        (["-w", "x"], "'x' is not a range"),
        (["-c", "20:10"], "ends before it starts"),
        (["-c", ""], "is not a range"),
        (["--metric", "nonsense"], "--metric nonsense: unknown (choose one of drifted, "),
        (["--metric", "usage"], "needs a range"),
        (["--group", "nonsense"], "has no group nonsense"),
        (["--pool", "cm.example.net"], "contradict each other"),
        (["--config", "missing.toml"], "missing.toml cannot be read"),
        (["--config", "snap/collector.ads"], "collector.ads"),
        (["--max-age", "-1"], "--max-age"),
        (["--max-age", "nan"], "--max-age"),
        (["--timeout", "0"], "--deadline 0"),
        (["--timeout", "soon"], "soon"),
        (["--name", "nonsense"], "has no negotiator nonsense"),
    ],
)
@pytest.mark.usefixtures("agreed")
def test_every_mistake_is_unknown(flags: list[str], said: str, call: Call) -> None:
    unknown(call("drift", "check", "--nagios", "--snapshot", "snap", *flags), said)


@pytest.mark.parametrize("flag", ["--help", "-h", "-help"])
def test_help_is_no_verdict(flag: str, call: Call) -> None:
    done = call("drift", "check", "--nagios", flag)

    assert done.status == 3
    assert "--critical" in done.out


def test_a_snapshot_that_is_missing_or_empty_is_unknown(call: Call, quiet_place: Path) -> None:
    unknown(call("drift", "check", "--nagios", "--snapshot", "missing"), "missing")
    (quiet_place / "empty").mkdir()
    unknown(call("drift", "check", "--nagios", "--snapshot", "empty"), "empty")


@pytest.mark.parametrize(
    ("ads", "config", "said"),
    [
        (
            [slot(Cpus=40), *published(QUOTAS, age=901)],
            PHYSICS,
            "last published its groups 901 s ago",
        ),
        ([slot(Cpus=40), wants("chem", 8)], PHYSICS, "no negotiator publishes its groups"),
        (
            [slot(Cpus=40), *published(QUOTAS)],
            None,
            "the configuration of the central manager could not be read",
        ),
        ([slot(Cpus=40)], "SLOT_WEIGHT = Cpus\n", "has no groups, and none are declared"),
    ],
    ids=["stale", "silent", "no configuration", "no groups"],
)
def test_a_pool_of_which_too_little_is_known_is_unknown(
    ads: list[str], config: str | None, said: str, call: Call, quiet_place: Path
) -> None:
    snapshot(quiet_place / "snap", *ads, config=config)
    unknown(call("drift", "check", "--nagios", "--snapshot", "snap"), said)


def test_how_old_is_too_old_can_be_said(call: Call, quiet_place: Path) -> None:
    snapshot(quiet_place / "snap", slot(Cpus=40), *published(QUOTAS, age=901))

    assert call("drift", "check", "--nagios", "--snapshot", "snap", "--max-age", "1000").status == 0


def test_a_pool_that_was_read_in_part_is_unknown(call: Call, quiet_place: Path) -> None:
    failed = [{"what": "submitters", "why": "no answer within 60 s"}]
    snapshot(quiet_place / "snap", slot(Cpus=40), *published(QUOTAS), failed=failed)

    unknown(
        call("drift", "check", "--nagios", "--snapshot", "snap"),
        "snap: 0 of 5 groups drifted; not known: submitters: no answer within 60 s",
    )


def test_a_pool_that_cannot_be_reached_is_unknown(call: Call) -> None:
    unknown(
        call("drift", "check", "--nagios", "--pool", "127.0.0.1:1"),
        "127.0.0.1:1: its collector cannot be queried",
    )


def test_a_pool_that_never_answers_is_unknown_in_time_and_nothing_is_left(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.monotonic()
        done = call(
            "drift",
            "check",
            "--nagios",
            "--pool",
            f"127.0.0.1:{silent.getsockname()[1]}",
            "-t",
            "1",
        )

    unknown(done, "no answer within 0.2 s")
    assert time.monotonic() - started < 10
    assert names(tmp_path / "temporary") == []


def loops(*_: object, **__: object) -> None:
    while True:
        pass


def ignores_the_alarm(*_: object, **__: object) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    loops()


def crashes(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fails(*_: object, **__: object) -> None:
    raise KeyError("nobody expected this")


def is_at_a_loss(*_: object, **__: object) -> None:
    raise MemoryError


@pytest.mark.parametrize(
    ("accident", "said"),
    [
        (loops, "snap: not done within 0.5 s"),
        (ignores_the_alarm, "snap: not done within 0.5 s"),
        (crashes, "its process ended"),
        (fails, "KeyError: 'nobody expected this'"),
        (is_at_a_loss, "there is not enough memory"),
    ],
)
@pytest.mark.usefixtures("agreed")
def test_every_accident_while_looking_is_unknown(
    accident: Callable[..., None], said: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift_check, "observe_quotas", accident)
    unknown(call("drift", "check", "--nagios", "--snapshot", "snap", "-t", "0.5"), said)


@pytest.mark.usefixtures("agreed")
def test_every_accident_before_looking_is_unknown(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift_check, "source_of", fails)
    unknown(
        call("drift", "check", "--nagios", "--snapshot", "snap"), "KeyError: 'nobody expected this'"
    )


@pytest.mark.usefixtures("agreed")
def test_a_tool_that_htcq_runs_gets_no_verdict(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NESTED_VARIABLE, "1")
    unknown(call("drift", "check", "--nagios", "--snapshot", "snap"), NESTED_VARIABLE)


@pytest.mark.usefixtures("agreed")
def test_a_verdict_that_nobody_can_read_is_unknown(quiet_place: Path) -> None:
    command = [sys.executable, "-m", "htcq", "drift", "check", "--nagios", "--snapshot", "snap"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=quiet_place,
            env=environment,
            check=False,
        )

    assert (done.returncode, done.stderr) == (3, b"")


def test_an_interruption_is_unknown(quiet_place: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-m", "htcq", "drift", "check", "--nagios", "--pool", address]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            cwd=quiet_place,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
        ) as process:
            with silent.accept()[0]:
                process.send_signal(signal.SIGINT)
                process.wait(60)
            out, _ = process.communicate(timeout=60)

    assert (process.returncode, out) == (3, "HTCQ DRIFT UNKNOWN: interrupted\n")
