"""Random courses in real time: jobs that end, are held, removed and retried while the pool goes from cycle to cycle.

``--real-time-courses N`` draws N for each HTCondor version. Pools are those of ``random_courses``; jobs have policies
and run times besides, which let nothing happen within some seconds of a cycle. What a course brought stays in the
test's directory, in the form of ``tests/golden/real-time``.

Not drawn: the parallel, local, scheduler and grid universes, flocking,
condor_drain and condor_defrag (``test_defrag.py``), cron jobs, suspension.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from claims import log_from_now
from conftest import NEWEST, ROOT, Site
from one_cycle import (
    NegotiatorCrashedError,
    are_together,
    cycle,
    limit_user,
    queued,
    set_up,
    standing_still,
)
from random_additions import course_with_additions
from random_courses import course_scenario
from random_cycles import Scenario
from random_jobs import Cluster
from testpool import Pool

from htcq.operations.pool_source import Source, open_source, read_open
from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.older_reading import as_negotiator_reads
from htcq.simulate.unmodelled import unmodelled

pytestmark = pytest.mark.condor
ONLY_WITH = "--real-time-courses"

_INTERVAL, _CYCLES, _LOOK = 30, 5, 7
_NUMBERS = ("matches", "rejections", "running", "cpus")
_LOGS = ("NegotiatorLog", "SchedLog", "StartLog")
_RUN_TIME = "attribute:Secs"
_PACE = {"UPDATE_INTERVAL": "5", "PERIODIC_EXPR_INTERVAL": "3", "SHADOW_QUEUE_UPDATE_INTERVAL": "5"}
#: A job that starts after a cycle ends between two others. A claim is used for one job where jobs
#: are short: the start of the next one would come with every job nearer to a cycle.
_SHORT, _LONG = (14, 44, 74, 104, 9999), (104, 9999, 9999)
_RAN = "time() - JobCurrentStartDate"
_POLICIES: tuple[Mapping[str, object], ...] = (
    {"periodic_remove": f"JobStatus == 2 && {_RAN} > 7"},
    {"periodic_hold": f"JobStatus == 2 && {_RAN} > 40"},
    {
        "periodic_hold": f"JobStatus == 2 && {_RAN} > 7",
        "periodic_release": "time() - EnteredCurrentStatus > 4",
    },
    {"allowed_execute_duration": 12},
    {"allowed_job_duration": 42},
    {"on_exit_remove": "NumJobStarts > 1"},
    {"on_exit_hold": "true"},
    {"on_exit_hold": "true", "periodic_release": "NumHolds < 2 && JobStatus == 5"},
    {"keep_claim_idle": 40},
    {"periodic_vacate": f"{_RAN} > 7"},
    {"+NiceUser": "true"},
    {"max_idle": 1},
    {"max_materialize": 2},
)
_KNOBS: tuple[Mapping[str, str], ...] = (
    {"SYSTEM_PERIODIC_REMOVE": f"JobStatus == 2 && {_RAN} > 42 && RequestCpus > 1"},
    {"SYSTEM_PERIODIC_HOLD": f"JobStatus == 2 && {_RAN} > 7 && JobPrio > 0"},
    {"RANK": '(TARGET.AcctGroupUser =?= "ben") * 10'},
    {"PREEMPTION_REQUIREMENTS": "RemoteUserPrio > SubmitterUserPrio * 1.2"},
    {"MAXJOBRETIREMENTTIME": "42"},
    {"JOB_START_COUNT": "2", "JOB_START_DELAY": "1"},
    # What a startd publishes of its other slots follows their claims.
    {
        "STARTD_SLOT_ATTRS": "State, Cpus, NumDynamicSlots",
        "START": "SlotID == 1 || (Slot1_NumDynamicSlots ?: 0) > 0",
    },
    {"STARTD_SLOT_ATTRS": "State, Cpus", "START": "SlotID != 2 || (Slot1_Cpus ?: 0) < 2"},
    {"STARTD_SLOT_ATTRS": "State", "START": 'Slot2_State =!= "Claimed" || TARGET.RequestCpus < 2'},
    {"STARTD_JOB_ATTRS": "JobPrio", "RANK": "TARGET.JobPrio"},
    {"PRIORITY_HALFLIFE": "120"},
    {"GROUP_QUOTA_ROUND_ROBIN_RATE": "1"},
    {"SYSTEM_ON_VACATE_COOL_DOWN": "40"},
    {"START": "TotalSlots < 5"},
    {"SLOT_TYPE_1_START": "TARGET.JobPrio >= 0"},
    {"START": "(LoadAvg ?: 0) < 100 && size(ChildCpus ?: {}) < 2"},
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(metafunc.config.getoption(ONLY_WITH)))


def _drawn(seed: str, is_new: bool, more: bool) -> Scenario:
    """Return a pool; with ``more`` it can have a second schedd, a second startd, and what else sites add."""
    dice, scenario = Random(f"{seed}-real-time"), course_scenario(seed, is_new)
    if more:
        scenario = course_with_additions(scenario)
    knobs = {**scenario.knobs, **_PACE}
    short = dice.random() < 0.7
    if short:
        knobs["CLAIM_WORKLIFE"] = "0"
    for added in dice.sample(_KNOBS, dice.choice((0, 1, 1, 2, 2))):
        knobs.update(added)
    clusters = tuple(_timed(dice, each, short) for each in scenario.clusters)
    elsewhere = tuple(_timed(dice, each, short) for each in scenario.elsewhere)
    return replace(scenario, knobs=knobs, clusters=clusters, elsewhere=elsewhere)


def _timed(dice: Random, cluster: Cluster, short: bool) -> Cluster:
    seconds = dice.choice(_SHORT if short else _LONG)
    commands = {**cluster.commands, "arguments": seconds, "+Secs": seconds}
    if dice.random() < 0.6:
        commands.update(dice.choice(_POLICIES))
    return replace(cluster, commands=commands)


def _captured(pool: Pool, directory: Path) -> Path:
    """Take snapshots until one has submitters that were all heard of in one second, as the negotiator will."""
    # A schedd tells of its users to whom it knows.
    environment = {**os.environ, "_CONDOR_SEC_DEFAULT_AUTHENTICATION_METHODS": "CLAIMTOBE"}
    while True:
        where = directory / "snapshot"
        shutil.rmtree(where, ignore_errors=True)
        words = ("snapshot", str(where), "--pool", pool.collector, "--job-attribute", "Secs")
        subprocess.run(
            [sys.executable, "-m", "htcq", *words], check=True, cwd=ROOT, env=environment
        )
        if are_together(where):
            return where


def _cycles(pool: Pool) -> Iterator[dict[str, float]]:
    """Ask for a cycle each interval, the first at once, and yield what it brought and what runs after some seconds."""
    begun = time.monotonic()
    for number in range(_CYCLES):
        time.sleep(max(0.0, begun + number * _INTERVAL - time.monotonic()))
        # A claim that is made during a cycle brings leftovers: what the schedd does with these before
        # the end of the cycle depends on how fast the daemons are.
        try:
            with standing_still(pool, "startd"):
                text, _ = cycle(pool)
        except NegotiatorCrashedError:
            return
        time.sleep(max(0.0, begun + number * _INTERVAL + _LOOK - time.monotonic()))
        claims = pool.ads("slots", ["Activity", "Cpus"], constraint='State == "Claimed"')
        at = time.monotonic() - begun - number * _INTERVAL
        yield {
            "matches": len(re.findall(r" Matched \d", text)),
            "rejections": len(re.findall(r" Rejected \d", text)),
            "running": sum(ad["Activity"] != "Idle" for ad in claims),
            "cpus": sum(float(ad["Cpus"]) for ad in claims),
            "at": round(at, 1),
        }


def _simulated(where: Path) -> tuple[list[dict[str, float]], tuple[str, ...]]:
    """Return the cycles until the negotiator crashes, if it does, and what is not followed."""
    source = Source(snapshot=str(where), job_attributes=frozenset({"Secs"}))
    given = as_negotiator_reads(read_open(open_source(source)))
    course = run_course(given, Plan(_CYCLES, float(_INTERVAL)), run_time(_RUN_TIME), Random(0))
    told = (*course.unmodelled, *unmodelled(given, courses=True))
    found = [{name: getattr(each, name) for name in _NUMBERS} for each in course.samples]
    return found, told


def test_every_cycle_brings_what_it_brought(
    site: Site, number: int, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    seed = f"{pytestconfig.option.cycle_seed}-{site.suite}-real-time-{number}"
    scenario = _drawn(seed, site.suite == NEWEST, number % 2 == 1)
    pool = set_up(site, scenario)
    queued(pool, scenario.clusters, scenario.groups, scenario.elsewhere)
    if scenario.user_limit:
        limit_user(pool, scenario.user_limit)
    try:
        where = _captured(pool, tmp_path)
        logs = {name: log_from_now(pool, name) for name in _LOGS}
        stages = list(_cycles(pool))
    finally:
        if scenario.user_limit:
            limit_user(pool, None)
    record: dict[str, Any] = {
        "name": seed,
        "origin": f"recorded from a real HTCondor {site.version}",
        "interval": _INTERVAL,
        "run_time": _RUN_TIME,
        "cycles": stages,
        "clusters": [[each.submitter, each.count, each.commands] for each in scenario.clusters],
        "knobs": dict(scenario.knobs),
    }
    (where / "expected.json").write_text(json.dumps(record, indent=1))
    for name, read in logs.items():
        (tmp_path / name).write_text(read())

    simulated, told = _simulated(where)
    # Where this machine was late, the next cycle began elsewhere.
    stages = list(itertools.takewhile(lambda each: each["at"] < _LOOK + 2, stages))
    simulated = simulated[: len(stages)]
    really = [{name: each[name] for name in _NUMBERS} for each in stages]
    assert simulated == really or told, (seed, simulated, really)
