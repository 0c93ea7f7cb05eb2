"""A real pool of eight startds with job policies, condor_defrag, three groups and a machine that goes and comes: what a
course says of it beforehand.

Runs with ``--real-days N``, for each of N courses of 80 cycles, half a minute apart, and writes both into day.txt. What the
machine takes from the end of a job to the start of the next one in the same claim is measured afterwards, and added to
the run times that the course is given.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from broken import snapshot
from claims import accounted, groups
from conftest import NEWEST
from fleet import Fleet, Machine, fleet_pool
from pool_config import settings_text

from htcq.operations.pool_source import pool_of
from htcq.pool.past import PlannedDrain
from htcq.simulate.course.course import Plan, run_course
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
ONLY_WITH = "--real-days"
_INTERVAL, _CYCLES, _MACHINES = 30, 80, 8
_QUOTAS = {"phys": "28", "bio": "20", "chem": "16"}
_SUBMITTERS = ("phys.ann", "bio.ben", "chem.cyd")
_CLUSTERS, _JOBS = 30, 10
_SHORTEST, _LONGEST = 40, 400
#: The machine that is drained, and takes jobs again, at these seconds.
_FLAKY, _GOES, _COMES = "n8", 615, 1215
#: By how many seconds it may go earlier or later than it was told to.
_SHIFT = 15
_PACE = f"""
NEGOTIATOR_INTERVAL = {_INTERVAL}
NEGOTIATOR_CYCLE_DELAY = 5
NEGOTIATOR_MIN_INTERVAL = 5
SCHEDD_SEND_RESCHEDULE = False
SCHEDD_INTERVAL = 5
SCHEDD_MIN_INTERVAL = 5
UPDATE_INTERVAL = 5
PERIODIC_EXPR_INTERVAL = 5
CLAIM_WORKLIFE = 600
GROUP_ACCEPT_SURPLUS = True
NUM_CLAIMS = 8
"""
_DEFRAG = {
    "DAEMON_LIST": "$(DAEMON_LIST) DEFRAG",
    "DEFRAG_INTERVAL": 300,
    "DEFRAG_DRAINING_MACHINES_PER_HOUR": 12,
    "DEFRAG_WHOLE_MACHINE_EXPR": "Cpus == TotalSlotCpus",
    "DEFRAG_REQUIREMENTS": "PartitionableSlot",
    "DEFRAG_RANK": "int(substr(Machine, 1, 1))",
}
_TIMES = ["ClusterId", "ProcId", "JobStartDate", "JobCurrentStartDate", "CompletionDate", "LastRemoteHost"]  # fmt: skip
_ENDED = "Finished Negotiation Cycle"


@dataclass(frozen=True)
class Day:
    """Weight times seconds used by group, the mean wait of the jobs that started, and how many of each kind started."""

    used: Mapping[str, float]
    waited: Mapping[str, float]
    started: Mapping[str, int]


def _kinds(seconds: int) -> Mapping[str, Mapping[str, object]]:
    """Return what jobs of each kind have besides: most have no policy."""
    half = max(20, seconds // 2)
    ran = "JobStatus == 2 && time() - JobCurrentStartDate"
    return {
        "plain": {},
        "limited": {"allowed_execute_duration": half},
        "removed": {"periodic_remove": f"{ran} > {half}"},
        "again": {"on_exit_remove": "NumJobStarts > 1"},
        "large": {"request_cpus": 4, "request_memory": 4096},
    }


@pytest.fixture(scope="module")
def fleet(suite: str) -> Iterator[Fleet]:
    machines = {f"n{number}": Machine(8, 16384) for number in range(1, _MACHINES + 1)}
    with fleet_pool(suite, machines, pace=_PACE) as fleet:
        yield fleet


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "day" in metafunc.fixturenames:
        metafunc.parametrize("day", range(metafunc.config.getoption(ONLY_WITH)))


def _submitted(fleet: Fleet, dice: Random) -> tuple[dict[int, str], dict[int, int]]:
    """Submit all jobs, and return the kind and the seconds of each cluster."""
    kinds, seconds = dict[int, str](), dict[int, int]()
    wanted = [who for who in _SUBMITTERS for _ in range(_CLUSTERS)]
    dice.shuffle(wanted)
    for submitter in wanted:
        group, _, user = submitter.partition(".")
        runs = dice.randint(_SHORTEST, _LONGEST)
        kind = dice.choice(("plain", "plain", "plain", *_kinds(runs)))
        commands: dict[str, object] = {
            "request_cpus": 1,
            "request_memory": 1024,
            "accounting_group": group,
            "accounting_group_user": user,
            "arguments": runs,
            **_kinds(runs)[kind],
        }
        cluster = fleet.submit(commands, _JOBS)
        kinds[cluster], seconds[cluster] = kind, runs
    return kinds, seconds


def _cycles(fleet: Fleet) -> int:
    return fleet.pool.log("NegotiatorLog").count(_ENDED)


def _starts(fleet: Fleet) -> list[int]:
    return [int(ad["JobStartDate"]) for ad in _ads(fleet)]


def _goes_and_comes(fleet: Fleet, began: float) -> None:
    time.sleep(max(0.0, began + _GOES - time.time()))
    fleet.pool.tool("condor_drain", "-graceful", f"{_FLAKY}.test", check=False)
    time.sleep(max(0.0, began + _COMES - time.time()))
    fleet.pool.tool("condor_drain", "-cancel", f"{_FLAKY}.test", check=False)


def test_a_course_says_what_a_day_brings(
    fleet: Fleet, day: int, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """Usage in all within 2 %, starts of each kind within 6 %.

    A job that is evicted some seconds later waits for another cycle, and which group that is decides who has the surplus
    for minutes: what a group uses, and how long its jobs wait, is compared with courses in which the machine goes some
    seconds earlier or later.
    """
    dice, pool = Random(f"{pytestconfig.option.cycle_seed}-day-{day}"), fleet.pool
    quotas = {name: text for name, text in groups(**_QUOTAS).items() if name.startswith("GROUP")}
    policy = {name: text for name, text in groups(**_QUOTAS).items() if name not in quotas}
    for node in fleet.machines:
        fleet.put(node, "50-policy.config", settings_text(policy))
    fleet.put("central", "50-groups.config", settings_text({**quotas, **_DEFRAG}))
    fleet.start()
    used_before = _accumulated(fleet)
    pool.off("negotiator")
    kinds, seconds = _submitted(fleet, dice)
    for submitter in _SUBMITTERS:
        count = sum(_JOBS * _weight(kinds[each]) for each in kinds if _who(fleet, each, submitter))
        fleet.demand(submitter, count)
    where, begun = snapshot(pool, tmp_path), _cycles(fleet)
    pool.tool("condor_on", "-daemon", "negotiator")
    pool.wait(lambda: _cycles(fleet) > begun, 60, "a cycle", ("NegotiatorLog",))
    began = min(pool.wait(lambda: _starts(fleet), 60, "the first starts", ("SchedLog",)))
    other = threading.Thread(target=_goes_and_comes, args=(fleet, began))
    other.start()
    pool.wait(lambda: _cycles(fleet) > begun + _CYCLES, 2 * _INTERVAL * _CYCLES, "all cycles")
    other.join()
    used = {name: each - used_before[name] for name, each in _accumulated(fleet).items()}
    really = _really(fleet, began, kinds, used)
    latency = _latency(fleet, kinds, seconds)
    courses = [
        _simulated(where, kinds, seconds, latency + late, shift)
        for late, shift in ((0.0, 0), (0.0, -_SHIFT), (0.0, _SHIFT), (0.5, 0), (1.0, 0))
    ]
    told = f"latency {latency:.2f} s\nreally    {really}\n"
    told += "".join(f"simulated {each}\n" for each in courses)
    (tmp_path / "day.txt").write_text(told)
    first = courses[0]
    assert sum(first.used.values()) == pytest.approx(sum(really.used.values()), rel=0.02), told
    assert dict(first.started) == pytest.approx(dict(really.started), rel=0.06), told
    for name in _QUOTAS:
        used, waited = (
            [each.used[name] for each in courses],
            [each.waited[name] for each in courses],
        )
        assert min(used) * 0.98 <= really.used[name] <= max(used) * 1.02, told
        assert min(waited) * 0.95 <= really.waited[name] <= max(waited) * 1.05, told


_owners: dict[int, str] = {}


def _who(fleet: Fleet, cluster: int, submitter: str) -> bool:
    if cluster not in _owners:
        for row in fleet.jobs("ClusterId", "AccountingGroup"):
            _owners[int(str(row[0]))] = str(row[1])
    return _owners[cluster] == submitter


def _weight(kind: str) -> int:
    return 4 if kind == "large" else 1


def _accumulated(fleet: Fleet) -> dict[str, float]:
    found = accounted(fleet.pool, "WeightedAccumulatedUsage")
    return {name: found.get(name, 0.0) for name in _QUOTAS}


def _ads(fleet: Fleet) -> list[dict[str, Any]]:
    """Return the jobs that have started."""
    words = ("-af:lrt", *_TIMES)
    found = []
    for command in (("condor_history", *words), ("condor_q", "-allusers", *words)):
        for line in fleet.tool("ap1", *command).splitlines():
            pairs = (part.partition(" = ") for part in line.split("\t"))
            ad = {name.strip(): text.strip().strip('"') for name, _, text in pairs}
            if ad.get("JobStartDate", "undefined") != "undefined":
                found.append(ad)
    return found


def _really(fleet: Fleet, began: float, kinds: Mapping[int, str], used: Mapping[str, float]) -> Day:
    waits, started = defaultdict[str, list[float]](list), Counter[str]()
    for ad in _ads(fleet):
        cluster, start = int(ad["ClusterId"]), int(ad["JobStartDate"])
        if start - began < _INTERVAL * (_CYCLES - 1):
            waits[_owners[cluster].partition(".")[0]].append(start - began)
            started[kinds[cluster]] += 1
    means = {name: sum(each) / len(each) for name, each in waits.items()}
    return Day(dict(used), means, dict(started))


def _latency(fleet: Fleet, kinds: Mapping[int, str], seconds: Mapping[int, int]) -> float:
    """Return the mean seconds from the end of a job to the start of the next one in its claim, and what each loses."""
    by_slot = defaultdict[str, list[tuple[int, int]]](list)
    for ad in _ads(fleet):
        cluster = int(ad["ClusterId"])
        if kinds[cluster] == "plain" and ad.get("CompletionDate", "0") not in ("0", "undefined"):
            by_slot[ad["LastRemoteHost"]].append((int(ad["JobStartDate"]), seconds[cluster]))
    gaps = []
    for starts in by_slot.values():
        starts.sort()
        for (first, ran), (second, _) in zip(starts, starts[1:]):
            if 0 <= second - first - ran <= 5:
                gaps.append(second - first - ran)
    return sum(gaps) / len(gaps)


def _simulated(
    where: Path, kinds: Mapping[int, str], seconds: Mapping[int, int], latency: float, shift: int
) -> Day:
    def lasts(job: Any, _dice: object) -> float:
        return seconds[int(job.cluster)] + latency

    given = pool_of(open_snapshot(where), str(where))
    given = replace(given, drains=(PlannedDrain(f"{_FLAKY}.test", _GOES + shift, _COMES + shift),))
    course = run_course(given, Plan(_CYCLES, float(_INTERVAL)), lasts, Random(0))
    assert course.unmodelled == ()
    used = defaultdict[str, float](float)
    for sample in course.samples:
        for name, weight in sample.groups.items():
            if name in _QUOTAS:
                used[name] += weight * _INTERVAL
    waits, started, seen = defaultdict[str, list[float]](list), Counter[str](), set[str]()
    for start in course.starts:
        if start.at < _INTERVAL * (_CYCLES - 1) and start.job.id not in seen:
            seen.add(start.job.id)
            waits[start.job.submitter.partition("@")[0].partition(".")[0]].append(start.at)
            started[kinds[int(start.job.cluster)]] += 1
    means = {name: sum(each) / len(each) for name, each in waits.items()}
    return Day(dict(used), means, dict(started))
