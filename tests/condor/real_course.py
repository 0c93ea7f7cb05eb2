"""Several cycles of a real pool whose jobs do not end: what each brings, when all claims are made."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import second_schedd
from claims import log_from_now
from conftest import Site
from match_logs import read
from one_cycle import (
    NegotiatorCrashedError,
    cycle,
    limit_user,
    printed_by_tools,
    queued,
    set_up,
    slots,
    slots_of_startds,
    snapshot_of_together,
    standing_still,
)
from random_cycles import Scenario
from testpool import Pool, PoolError

_ENDED, _LOOKED = "Finished Negotiation Cycle", "Done starting jobs"
#: Says a schedd whose list of jobs is older than what it is used for: it takes some time between two lists.
_OLD_LIST = "Reusing prioritized runnable job list to save time"
_CRASHED = "the negotiator crashed"
#: A schedd has a job that runs in a list that it has not made anew since, and asks for it once more.
_ASKED_TWICE = "a schedd asked for more jobs than wait"
_ASKED = re.compile(
    r"Negotiating for (?:owner|Submitter): (?P<who>\S+)"
    r"|Sent job \S+ \(autocluster=(?P<kind>\d+) resources_requested=(?P<jobs>\d+)\)"
)
_ATTEMPTS = 3
#: What a schedd does of its own accord, it does by the time that it has looked at its jobs so often.
_LOOKS = 3
_OF_JOBS = ["ClusterId", "JobStatus"]
_OF_SLOTS = ["Name", "State", "Activity", "Cpus", "Memory"]


@dataclass(frozen=True)
class Stage:
    """What a cycle brought: matches, rejections, and afterwards the running jobs of each cluster and their cpus."""

    matches: int
    rejections: int
    running: Mapping[int, int]
    cpus: float


@dataclass(frozen=True)
class RealCourse:
    """A snapshot, what the tools print of the same pool, and the cycles that came after.

    ``crashed``: in the next one the negotiator ended. ``cut``: in the next one a schedd asked for a
    job that runs.
    """

    snapshot: Path
    printed: Path
    stages: tuple[Stage, ...]
    crashed: bool = False
    cut: bool = False


def real_course(
    site: Site,
    scenario: Scenario,
    cycles: int,
    directory: Path,
    before_cycle: Callable[[Pool, int], None] = lambda pool, number: None,
) -> RealCourse:
    """Set the pool up as ``scenario`` has it, capture it in both ways, and let it go through some cycles.

    ``before_cycle`` is called ahead of each of them with its number.
    What starts from an old list of jobs depends on how fast this machine is: such a course is
    recorded anew.

    Raises:
        PoolError: a schedd used an old list in each of some attempts.
    """
    for attempt in range(_ATTEMPTS):
        within = directory / f"attempt-{attempt}"
        within.mkdir()
        course = _course(site, scenario, cycles, within, before_cycle)
        if course is not None:
            return course
    raise PoolError(f"a schedd used an old list of its jobs in each of {_ATTEMPTS} attempts")


def _course(
    site: Site,
    scenario: Scenario,
    cycles: int,
    directory: Path,
    before_cycle: Callable[[Pool, int], None],
) -> RealCourse | None:
    pool = set_up(site, scenario)
    queued(pool, scenario.clusters, scenario.groups, scenario.elsewhere)
    if scenario.user_limit:
        limit_user(pool, scenario.user_limit)
    try:
        before, printed = snapshot_of_together(pool, directory), printed_by_tools(pool, directory)
        stages, ended = _stages(pool, cycles, directory, before_cycle)
    finally:
        if scenario.user_limit:
            limit_user(pool, None)
    if ended == _OLD_LIST:
        return None
    return RealCourse(before, printed, tuple(stages), ended == _CRASHED, ended == _ASKED_TWICE)


def _stages(
    pool: Pool, cycles: int, directory: Path, before_cycle: Callable[[Pool, int], None]
) -> tuple[list[Stage], str]:
    """Return what each cycle brought, and what ended the course before its time."""
    stages: list[Stage] = []
    for number in range(cycles):
        before_cycle(pool, number)
        # A claim that is made during a cycle brings leftovers: by the time that the daemons take, the
        # schedd has used these before it is asked again, or after.
        accepted = log_from_now(pool, "StartLog")
        others = second_schedd.logs_from_now(pool)
        idle = {
            (ad["ScheddName"] == second_schedd.NAME, ad["Name"]): ad["IdleJobs"]
            for ad in pool.ads("submitters", ["ScheddName", "Name", "IdleJobs"])
        }
        try:
            with standing_still(pool, "startd"):
                negotiated, scheduled = cycle(pool)
        except NegotiatorCrashedError:
            return stages, _CRASHED
        (directory / f"NegotiatorLog.{number}").write_text(negotiated)
        (directory / f"SchedLog.{number}").write_text(scheduled)
        said = {address: log() for address, log in others.items()}
        logged = read(negotiated, scheduled, said)
        claimed = log_from_now(pool, "SchedLog")
        running, cpus = _at_rest(pool)
        at_rest = claimed()
        (directory / f"SchedLog.{number}.claims").write_text(at_rest)
        (directory / f"StartLog.{number}").write_text(accepted())
        told = [log() for log in others.values()]
        for place, text in enumerate(told):
            (directory / f"SchedLog.{number}.other-{place}").write_text(text)
        if any(_OLD_LIST in log for log in (scheduled, at_rest, *told)):
            return stages, _OLD_LIST
        logs = [(scheduled, False), *((log, True) for log in said.values())]
        for log, of_second in logs:
            for who, jobs in _asked(log):
                if jobs > idle.get((of_second, who), 0):
                    return stages, _ASKED_TWICE
        stages.append(Stage(len(logged.matches), len(logged.rejections), running, cpus))
    return stages, ""


def _asked(log: str) -> Iterator[tuple[str, int]]:
    """Yield for how many jobs a schedd asks in each talk, with the submitter; each autocluster once."""
    who, asked = "", dict[str, int]()
    for found in _ASKED.finditer(log):
        if found["who"]:
            yield who, sum(asked.values())
            who, asked = found["who"], {}
        else:
            asked[found["kind"]] = max(asked.get(found["kind"], 0), int(found["jobs"]))
    yield who, sum(asked.values())


def _at_rest(pool: Pool) -> tuple[Mapping[int, int], float]:
    """Wait until all claims are made and nothing changes any more; return what runs then."""
    logs = [log_from_now(pool, "SchedLog"), *second_schedd.logs_from_now(pool).values()]
    before: Any = None
    looks: list[int] = []

    def rests() -> bool:
        nonlocal before, looks
        seen = slots(pool, _OF_SLOTS)
        jobs = _jobs(pool, len(logs) > 1)
        running = sum(job["JobStatus"] == 2 for job in jobs)
        busy = sum(slot["Activity"] == "Busy" for slot in seen)
        claimed = sum(slot["State"] not in ("Unclaimed", "Owner") for slot in seen)
        now = (seen, sorted(jobs, key=str))
        changed = now != before or not running == busy == claimed
        if changed or seen != slots_of_startds(pool, _OF_SLOTS):
            before, looks = now, [log().count(_LOOKED) for log in logs]
            return False
        return all(log().count(_LOOKED) >= count + _LOOKS for log, count in zip(logs, looks))

    pool.wait(rests, 60, "claims that stay as they are", ("SchedLog", "StartLog"))
    running = Counter(job["ClusterId"] for job in before[1] if job["JobStatus"] == 2)
    cpus = sum(float(slot["Cpus"]) for slot in before[0] if slot["State"] == "Claimed")
    return dict(running), cpus


def _jobs(pool: Pool, of_both: bool) -> list[dict[str, Any]]:
    jobs = pool.ads("jobs", _OF_JOBS)
    if of_both:
        attributes = ",".join(_OF_JOBS)
        options = ("-name", second_schedd.NAME, "-allusers", "-attributes", attributes, "-json")
        jobs += json.loads(pool.tool("condor_q", *options).strip() or "[]")
    return jobs
