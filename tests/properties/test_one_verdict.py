"""``why``, ``simulate``, ``simulate --cycles`` and ``status`` agree on every idle job of every recorded pool.

Whether the next cycle starts it, a later one, or none of so many; for what reason it waits; and that
no cycle starts a job that fits nowhere. What each says is what it prints as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from htcq.balance.balance import balance_of
from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments
from htcq.report.views.course import course_json
from htcq.report.views.cycle import cycle_json
from htcq.report.views.status import status_json
from htcq.report.views.why import why_json
from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.single import run_single
from htcq.simulate.older_reading import as_negotiator_reads
from htcq.store.snapshot import open_snapshot
from htcq.why.choice import all_idle
from htcq.why.course import starts_of
from htcq.why.match_failure import NEGOTIATOR_ABSENT, NEGOTIATOR_LATE
from htcq.why.verdict import Verdicts

GOLDEN = Path(__file__).parents[1] / "golden"
#: Every recorded pool whose queues are known.
POOLS = sorted(
    {path.parent for path in GOLDEN.glob("**/collector.ads") if (path.parent / "jobs.ads").exists()}
    | set(GOLDEN.glob("**/*.tar.gz"))
)
PLAN = Plan(4, 60.0)
#: No cycle comes.
_NO_CYCLES = {NEGOTIATOR_ABSENT, NEGOTIATOR_LATE}


class Said(NamedTuple):
    """What the four commands print of one pool, and how many slots its idle jobs want.

    ``again`` counts by cycle the starts of jobs that were not idle at the capture, such as held
    ones, and of those that start once more.
    """

    why: Mapping[str, Any]
    cycle: Mapping[str, Any]
    course: Mapping[str, Any]
    status: Mapping[str, Any]
    wanted: Mapping[tuple[str, str], int]
    again: Mapping[int, int]

    @property
    def jobs(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """What ``why`` says of each job."""
        return {(each["access_point"], each["job"]): each for each in self.why["jobs"]}


def said(path: Path) -> Said:
    pool: Pool = as_negotiator_reads(pool_of(open_snapshot(path), str(path)))
    verdicts = Verdicts(pool)
    idle = all_idle(pool.jobs or ())
    course = run_course(pool, PLAN, lambda job, dice: 600.0, Random(0))
    starts = starts_of(course, PLAN, verdicts.access_point)
    seen, again = set[tuple[str, str]](), Counter[int]()
    keys = {(verdicts.access_point(job), job.id) for job in idle}
    for start in course.starts:
        key = (verdicts.access_point(start.job), start.job.id)
        if key in seen or key not in keys:
            again[int(start.at // PLAN.interval_seconds) + 1] += 1
        seen.add(key)
    return Said(
        why_json(verdicts.on(idle), pool, (), starts),
        cycle_json(run_single(pool), pool),
        course_json(course, PLAN, 0, pool),
        status_json(balance_of(verdicts), pool, ailments(pool)),
        {(verdicts.access_point(job), job.id): job.wanted for job in idle},
        again,
    )


def reason_of(job: Mapping[str, Any]) -> str:
    return "starting" if job["starts"] else str(job["walls"][0]["wall"])


def without_cycles(job: Mapping[str, Any]) -> bool:
    """Return whether the negotiator itself keeps the job: no cycle comes."""
    return any(each["wall"] in _NO_CYCLES for each in job["walls"])


def _gathers(job: Mapping[str, Any]) -> int:
    """Return how many of the slots that a waiting job wants the next cycle matches."""
    found = [each["amounts"].get("matched", 0) for each in job["walls"]]
    return int(max(found, default=0))


@pytest.mark.parametrize("path", POOLS, ids=lambda path: path.relative_to(GOLDEN).as_posix())
def test_four_commands_say_the_same_of_every_job(path: Path) -> None:
    found = said(path)
    first = {key for key, job in found.jobs.items() if job["starts_at"] == 1}
    matches = Counter(each["job"] for each in found.cycle["matches"] if not each["refusal"])
    matched = Counter[str]()

    for key, job in found.jobs.items():
        if key in first and job["starts_by"] == "match":
            matched[job["job"]] += found.wanted[key]
        elif not job["starts"] and _gathers(job):
            matched[job["job"]] += _gathers(job)
        assert job["starts"] == (key in first and not without_cycles(job)), key
        assert job["starts"] == (not job["walls"]), key
        assert not (job["fits_nowhere"] and job["starts_at"]), key
    # Two access points may have jobs of one id.
    assert matches == matched

    status, cycles = found.status["demand"], found.course["cycles"]
    assert status["jobs"] == len(found.jobs)
    reasons = Counter(reason_of(job) for job in found.jobs.values())
    assert {each["reason"]: each["jobs"] for each in status["by"]} == reasons
    nowhere = sum(job["fits_nowhere"] for job in found.jobs.values())
    assert (status["fits_nowhere"] or {"jobs": 0})["jobs"] == nowhere
    assert not nowhere or found.status["verdict"] == "findings"
    assert found.status["verdict"] != "ok" or not any(map(without_cycles, found.jobs.values()))
    # Each claim of a job that wants several slots is a start there.
    if all(number <= 1 for number in found.wanted.values()):
        for place, cycle in enumerate(cycles, 1):
            here = [job for job in found.jobs.values() if job["starts_at"] == place]
            assert cycle["started"] == len(here) + found.again[place], place
