"""A pool whose daemons are not well: no command gives an all-clear, whatever ails it, and each says what it is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from broken import cycles
from claims import groups, queued
from conftest import NEWEST, PACE, ROOT, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

SOUND = groups(chem="3", phys="3")
#: What makes the negotiator crash of a group whenever it starts, with the rule that names it.
FATAL = {
    "GROUP_QUOTA_chem = -20": "quota-out-of-range",
    "GROUP_QUOTA_chem = 20 cores": "quota-out-of-range",
    "GROUP_QUOTA_DYNAMIC_chem = 20%": "quota-out-of-range",
}
#: Seconds for each query: a daemon that hangs costs every command so much.
PATIENCE = 8
#: What a monitoring system runs on a live pool, and the commands on a snapshot of it.
NAGIOS: Mapping[str, tuple[str, ...]] = {
    "nagios": ("audit", "--nagios", "--timeout", str(PATIENCE)),
    "check": ("drift", "check", "--nagios", "--timeout", str(6 * PATIENCE)),
}
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "audit": ("audit", "--json"),
    "quota": ("quota", "--json"),
    "simulate": ("simulate", "--json"),
    "why": ("why", "--all", "--json"),
    "record": ("drift", "record"),
}
Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def pool(site: Site) -> Iterator[Pool]:
    """A pool of two groups that works: one group's job runs, the other's waits."""
    site.emptied()
    site.start(text_of(SOUND))
    pool = site.pool
    queued(pool, {"chem.ada": 1})
    cycles(pool, 3)
    pool.wait(lambda: published(pool), 30, "accounting ads of the groups", ("NegotiatorLog",))
    yield pool
    for daemon in ("negotiator", "schedd", "collector", "startd"):
        _signal(pool, daemon, signal.SIGCONT)


def text_of(knobs: Mapping[str, str]) -> str:
    return "".join(f"{name} = {value}\n" for name, value in knobs.items())


def published(pool: Pool) -> bool:
    return (
        "chem"
        in pool.tool(
            "condor_status", "-any", "-constraint", 'MyType == "Accounting"', "-af", "Name"
        ).split()
    )


def _signal(pool: Pool, daemon: str, number: int) -> None:
    pid = pool.daemon_pids().get(daemon)
    if pid is not None:
        os.kill(pid, number)


@contextmanager
def hung(pool: Pool, daemon: str) -> Iterator[None]:
    _signal(pool, daemon, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal(pool, daemon, signal.SIGCONT)


def htcq(*arguments: str) -> Done:
    return subprocess.run(
        [sys.executable, "-m", "htcq", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "CONDOR_CONFIG": "/dev/null"},
        timeout=300,
    )


def together(commands: Mapping[str, tuple[str, ...]], *more: str) -> dict[str, Done]:
    """Run ``commands`` all at once: they wait for daemons at the same time."""
    with ThreadPoolExecutor(len(commands)) as crew:
        return dict(zip(commands, crew.map(lambda words: htcq(*words, *more), commands.values())))


def on_snapshot(snapshot: Path) -> dict[str, Done]:
    """Run every command on a snapshot."""
    record = (*COMMANDS["record"], "--store", str(snapshot.with_name("history.db")))
    return together({**COMMANDS, "record": record}, "--snapshot", str(snapshot))


def live(pool: Pool, place: Path) -> dict[str, Done]:
    """Run the checks on the live pool, and every command on a snapshot that is taken at the same time."""
    snapshot = place / "snap"
    taking = ("snapshot", str(snapshot), "--timeout", str(PATIENCE))
    done = together({**NAGIOS, "snapshot": taking}, "--pool", pool.collector)
    del done["snapshot"]
    return {**done, **on_snapshot(snapshot)}


def no_all_clear(done: Mapping[str, Done], ailment: str, words: str) -> None:
    """Every command must say what ails the pool, and none that all is well."""
    for name, each in done.items():
        told = each.stdout + each.stderr
        assert words in told, f"{name}: {told}"
        if name in NAGIOS:
            assert each.returncode in (2, 3), name
            assert each.stdout.split(":")[0].endswith(("CRITICAL", "UNKNOWN")), name
        else:
            assert each.returncode == 3, f"{name}: {told}"
    of_jobs = ("simulate", "why")
    for name in ("audit", "quota", *(each for each in of_jobs if done[each].stdout)):
        assert ailment in ids(done[name]), name


def ids(done: Done) -> list[str]:
    return [each["id"] for each in json.loads(done.stdout)["health"]]


def test_a_pool_that_works_has_no_ailment(pool: Pool, tmp_path: Path) -> None:
    done = live(pool, tmp_path)

    for name in ("audit", "quota", "simulate", "why"):
        assert ids(done[name]) == [], name
    statuses = {
        name: done[name].returncode for name in ("quota", "simulate", "why", "record", "check")
    }
    assert statuses == dict.fromkeys(statuses, 0), {name: done[name].stderr for name in statuses}
    assert done["nagios"].returncode in (0, 1), done["nagios"].stdout


def test_a_negotiator_that_hangs(pool: Pool, tmp_path: Path) -> None:
    with hung(pool, "negotiator"):
        no_all_clear(
            live(pool, tmp_path), "negotiator-silent", "node.test does not answer: no answer within"
        )


def test_a_schedd_that_hangs(pool: Pool, tmp_path: Path) -> None:
    with hung(pool, "schedd"):
        no_all_clear(
            live(pool, tmp_path),
            "schedd-silent",
            "the schedd node.test does not answer: no answer within",
        )


def test_two_daemons_that_hang_leave_time_for_a_verdict(pool: Pool) -> None:
    """Whether the negotiator is named as well depends on how long its last cycle took: it may only be busy."""
    with hung(pool, "negotiator"), hung(pool, "schedd"):
        done = htcq(
            "drift", "check", "--nagios", "--timeout", str(3 * PATIENCE), "--pool", pool.collector
        )

    assert done.returncode in (2, 3)
    assert "the schedd node.test does not answer: no answer within" in done.stdout, done.stdout


def test_ads_that_are_hours_old(pool: Pool, tmp_path: Path) -> None:
    snapshot = tmp_path / "snap"
    assert htcq("snapshot", str(snapshot), "--pool", pool.collector).returncode == 0
    meta = json.loads((snapshot / "meta.json").read_text())
    meta["taken"] = (datetime.fromisoformat(meta["taken"]) + timedelta(hours=3)).isoformat()
    (snapshot / "meta.json").write_text(json.dumps(meta))

    no_all_clear(on_snapshot(snapshot), "stale-ads", "all ads of the collector are old")


def test_a_negotiator_that_is_gone(pool: Pool, tmp_path: Path) -> None:
    pool.off("negotiator")
    try:
        no_all_clear(live(pool, tmp_path), "negotiator-absent", "no negotiator runs")
    finally:
        pool.on("negotiator")


@pytest.mark.parametrize("line", FATAL)
def test_a_quota_that_ends_the_negotiator_whenever_it_starts(
    line: str, pool: Pool, tmp_path: Path
) -> None:
    knob = line.partition(" = ")[0]
    # A static quota would hide a dynamic one.
    others = {name: value for name, value in SOUND.items() if name != "GROUP_QUOTA_chem"}
    with configured(pool, f"{text_of(others)}{line}\n", 2):
        done = live(pool, tmp_path)
        no_all_clear(
            done, "negotiator-crash", f"the negotiator crashes whenever it starts: {knob} is"
        )
    findings = {finding["rule"] for finding in json.loads(done["audit"].stdout)["findings"]}
    assert FATAL[line] in findings
    assert done["nagios"].returncode == 2


@contextmanager
def configured(pool: Pool, text: str, ends: int) -> Iterator[None]:
    """Let the daemons read ``text``, which makes the negotiator crash so often, then let it start as before."""
    before = pool.log("NegotiatorLog").count("ERROR ")
    pool.configure(PACE + text)
    pool.tool("condor_reconfig")
    pool.wait(
        lambda: pool.log("NegotiatorLog").count("ERROR ") >= before + ends,
        30,
        "its end",
        ("NegotiatorLog",),
    )
    try:
        yield
    finally:
        pool.configure(PACE + text_of(SOUND))
        pool.tool("condor_reconfig", check=False)
        cycles(pool, 2)


def test_a_collector_that_hangs_or_is_gone(pool: Pool) -> None:
    commands = {**NAGIOS, **{name: (*words, "--timeout", "2") for name, words in COMMANDS.items()}}
    with hung(pool, "collector"):
        silent = together(commands, "--pool", pool.collector)
    gone = together(commands, "--pool", "127.0.0.1:1")

    for name, done in (*silent.items(), *gone.items()):
        assert done.returncode == 3, name
        told = "UNKNOWN" in done.stdout if name in NAGIOS else "cannot be queried" in done.stderr
        assert told, f"{name}: {done.stdout}{done.stderr}"
