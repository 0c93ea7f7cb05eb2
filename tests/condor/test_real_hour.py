"""An hour of a real pool, with jobs that last one to ten minutes: what a simulated course says of it beforehand.

Runs with ``--real-hours N``, for each of N hours, and writes both into hour.txt. What the machine takes to end a job and to start the next one in the
same claim is measured first, and added to the run times that the course is given."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from broken import before, break_it, snapshot
from claims import accounted, groups, queued
from conftest import NEWEST, Site
from testpool import Pool

from htcq.operations.pool_source import pool_of
from htcq.simulate.course.course import Plan, run_course
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
ONLY_WITH = "--real-hours"
_INTERVAL, _CYCLES = 60, 60
#: With 16 cpus one claim that ends a second earlier or later moves a group's usage by 3 %: a whole
#: job. With 64 it moves it by 0.1 %.
_CPUS = 64
#: Starts are compared up to half an interval before the last cycle, where none is at the edge.
_COMPARED = _INTERVAL * (_CYCLES - 1) - _INTERVAL // 2
_SHORTEST, _LONGEST = 60, 600
_PACE = {
    "NEGOTIATOR_INTERVAL": str(_INTERVAL),
    "NEGOTIATOR_CYCLE_DELAY": "5",
    "NEGOTIATOR_MIN_INTERVAL": "5",
    "SCHEDD_SEND_RESCHEDULE": "False",
    "SCHEDD_INTERVAL": "5",
    "SCHEDD_MIN_INTERVAL": "5",
    "UPDATE_INTERVAL": "5",
    "CLAIM_WORKLIFE": "1200",
    "NUM_CPUS": str(_CPUS),
    "MEMORY": str(2048 * _CPUS),
    "NUM_CLAIMS": str(_CPUS),
    "GROUP_ACCEPT_SURPLUS": "True",
}
#: Jobs of each submitter: the last has too few for the hour, and leaves its share to the others.
_JOBS = {"phys.ann": 500, "bio.ben": 400, "chem.cyd": 320, "chem.dan": 48}
_QUOTAS = {"phys": "28", "bio": "20", "chem": "16"}
_TIMES = [
    "ClusterId",
    "ProcId",
    "AccountingGroup",
    "JobStartDate",
    "CompletionDate",
    "LastRemoteHost",
]
_GROUPS = ("phys", "bio", "chem")
_ENDED = "Finished Negotiation Cycle"


@dataclass(frozen=True)
class Hour:
    """What an hour comes to: weight times seconds used by group, and the mean wait of the jobs that started."""

    used: Mapping[str, float]
    waited: Mapping[str, float]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "hour" in metafunc.fixturenames:
        metafunc.parametrize("hour", range(metafunc.config.getoption("--real-hours")))


def test_a_course_says_what_an_hour_brings(
    site: Site, hour: int, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """Usage of each group within 2 %, mean waits within 10 %."""
    dice = Random(f"{pytestconfig.option.cycle_seed}-{hour}")
    pool = break_it(site, {**groups(**_QUOTAS), **_PACE})
    latency = _latency(pool)
    pool = break_it(site, {**groups(**_QUOTAS), **_PACE})
    used_before = _accumulated(pool)
    seconds: dict[tuple[int, int], int] = {}
    with before(pool):
        for submitter, count in _JOBS.items():
            times = [dice.randint(_SHORTEST, _LONGEST) for _ in range(count)]
            choices = ",".join(map(str, times))
            queued(pool, {submitter: count}, arguments=f"$CHOICE(Process,{choices})")
            cluster = max(job["ClusterId"] for job in pool.ads("jobs", ["ClusterId"]))
            seconds.update({(cluster, proc): each for proc, each in enumerate(times)})
        where = snapshot(pool, tmp_path)
        begun = pool.log("NegotiatorLog").count(_ENDED)
    pool.wait(
        lambda: pool.log("NegotiatorLog").count(_ENDED) > begun, 60, "a cycle", ("NegotiatorLog",)
    )
    began = min(_wait_for_starts(pool))
    pool.wait(
        lambda: pool.log("NegotiatorLog").count(_ENDED) > begun + _CYCLES,
        2 * _INTERVAL * _CYCLES,
        "an hour of cycles",
        ("NegotiatorLog",),
    )
    really = Hour(
        {name: used - used_before[name] for name, used in _accumulated(pool).items()},
        _mean_waits(_jobs(pool), began, began + _COMPARED),
    )
    simulated = _simulated(where, seconds, latency)
    told = f"latency {latency:.2f} s\nreally    {really}\nsimulated {simulated}\n"
    (tmp_path / "hour.txt").write_text(told)

    assert dict(simulated.used) == pytest.approx(dict(really.used), rel=0.02)
    assert dict(simulated.waited) == pytest.approx(dict(really.waited), rel=0.1)


def _latency(pool: Pool) -> float:
    """Return the seconds between the end of a job and the start of the next one in its claim, and what each loses."""
    short, claims, each, since = 5, 3, 6, int(time.time())
    queued(
        pool,
        {"phys.ann": each * claims},
        weight=_CPUS // claims,
        request_cpus=_CPUS // claims,
        arguments=str(short),
    )
    pool.wait(
        lambda: not pool.ads("jobs", ["ClusterId"]), 200, "the end of short jobs", ("SchedLog",)
    )
    by_slot: defaultdict[str, list[int]] = defaultdict(list)
    for job in _jobs(pool):
        if int(job["JobStartDate"]) >= since:
            by_slot[job["LastRemoteHost"]].append(int(job["JobStartDate"]))
    gaps = [
        later - earlier - short
        for starts in map(sorted, by_slot.values())
        for earlier, later in zip(starts, starts[1:])
    ]
    return sum(gaps) / len(gaps)


def _wait_for_starts(pool: Pool) -> Sequence[int]:
    """Return when the first jobs started, as soon as some have."""

    def starts() -> list[int]:
        jobs = pool.ads("jobs", ["JobStartDate"], constraint="JobStatus == 2")
        return [int(job["JobStartDate"]) for job in jobs if "JobStartDate" in job]

    found: Sequence[int] = pool.wait(starts, 60, "the first starts", ("SchedLog",))
    return found


def _jobs(pool: Pool) -> list[dict[str, Any]]:
    """Return the jobs that are over, and those that run."""
    words = ("-af:lrt", *_TIMES)
    found = []
    for line in (
        *pool.tool("condor_history", *words).splitlines(),
        *pool.tool("condor_q", "-allusers", *words).splitlines(),
    ):
        pairs = (part.partition(" = ") for part in line.split("\t"))
        ad = {name.strip(): text.strip().strip('"') for name, _, text in pairs}
        if ad.get("JobStartDate", "undefined") != "undefined":
            found.append(ad)
    return found


def _mean_waits(jobs: Sequence[Mapping[str, Any]], began: int, ends: int) -> dict[str, float]:
    waits: defaultdict[str, list[int]] = defaultdict(list)
    for job in jobs:
        started = int(job["JobStartDate"])
        if began <= started < ends:
            waits[_group(job["AccountingGroup"])].append(started - began)
    return {name: sum(each) / len(each) for name, each in waits.items()}


def _group(accounting_group: str) -> str:
    return accounting_group.rpartition(".")[0]


def _accumulated(pool: Pool) -> dict[str, float]:
    """Return what each group has used so far, in seconds times weight, as the accountant says."""
    found = accounted(pool, "WeightedAccumulatedUsage")
    return {name: found.get(name, 0.0) for name in _GROUPS}


def _simulated(where: Path, seconds: Mapping[tuple[int, int], int], latency: float) -> Hour:
    def lasts(job: Any, _dice: object) -> float:
        return seconds[int(job.cluster), int(job.proc)] + latency

    course = run_course(
        pool_of(open_snapshot(where), str(where)), Plan(_CYCLES, _INTERVAL), lasts, Random(0)
    )
    assert course.unmodelled == ()
    used: defaultdict[str, float] = defaultdict(float)
    for sample in course.samples:
        for name, weight in sample.groups.items():
            if name in _GROUPS:
                used[name] += weight * _INTERVAL
    waits: defaultdict[str, list[float]] = defaultdict(list)
    for start in course.starts:
        if start.at < _COMPARED:
            waits[_group(start.job.submitter.partition("@")[0])].append(start.at)
    return Hour(dict(used), {name: sum(each) / len(each) for name, each in waits.items()})
