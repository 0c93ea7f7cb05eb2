"""``why`` and ``simulate`` never contradict each other: which jobs start, and what keeps the others from it.

Over all recorded cycles and random pools. The walls of slots are checked against another
simulation besides: that of the job alone in the same pool, with nobody before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.preemption import NO_PREEMPTION
from htcq.simulate.cycle.search import NO_MATCH, OVER_LIMIT
from htcq.why import match_failure as wall
from htcq.why.choice import all_idle
from htcq.why.verdict import Verdict, Verdicts
from tests.pool import negotiations
from tests.why.random_families import Families
from tests.why.random_pools import random_pool

#: Random pools are checked in so many at a time.
_EACH = 10
#: Of the job itself, or of its access point: it is in no queue, or not offered, whoever else there
#: is.
UNASKED = {
    wall.HELD, wall.COOL_DOWN, wall.NOT_IDLE, wall.UNMATCHED_UNIVERSE, wall.HOSTS_TAKEN, wall.MANAGED,
    wall.START_VANILLA_UNIVERSE, wall.CURB_MATCHMAKING, wall.JOB_CONSTRAINT, wall.NOT_ADVERTISED,
    wall.SKIP_MATCHMAKING, wall.SUBMITTER_CONSTRAINT, wall.NO_DEMAND, wall.USER_MAX_JOBS,
}  # fmt: skip
LIMITS = {wall.GROUP_QUOTA, wall.SUBMITTER_SHARE, wall.SUBMITTER_CEILING}
#: Of the slots, even if no other job waits; NumClaims may be used up in the cycle.
OF_SLOTS = {
    wall.REQUIREMENTS, wall.START, wall.NO_SUCH_MACHINE, wall.CONSUMPTION, wall.NO_ROOM, wall.PREEMPTION,
    wall.SLOT_CONSTRAINT, wall.OTHER_ACCESS_POINT, wall.DEFERRED,
}  # fmt: skip
#: Of the negotiator: no cycle comes.
NO_CYCLES = {wall.NEGOTIATOR_ABSENT, wall.NEGOTIATOR_LATE}
CRASH = {wall.NEGOTIATOR_CRASH, wall.SLOT_WEIGHT}
#: What the simulated negotiator says, and the walls one of which it must be.
REASONS: Mapping[str, set[str]] = {
    NO_MATCH: {
        *OF_SLOTS,
        wall.START_VANILLA_UNIVERSE,
        wall.NO_CLAIMS_LEFT,
        wall.OUTRANKED,
        *LIMITS,
        *CRASH,
    },
    OVER_LIMIT: LIMITS,
    NO_PREEMPTION: {wall.PREEMPTION},
    "concurrency limit": {wall.CONCURRENCY_LIMIT},
}


def ids(verdict: Verdict) -> set[str]:
    return {each.id for each in verdict.walls}


def without_cycles(verdict: Verdict) -> bool:
    """Return whether only the negotiator itself stands in the way."""
    return set[str]() < ids(verdict) <= NO_CYCLES


def check(pool: Pool) -> None:
    """Check every idle job of ``pool``."""
    verdicts = Verdicts(pool)
    trace = run_cycle(pool)
    matched = Counter(
        (verdicts.access_point(made.job), made.job.id) for made in verdicts.cycle.talks.made
    )
    refused = {match.job for match in trace.matches if match.refusal}
    found = verdicts.on(all_idle(pool.jobs or ()))

    assert verdicts.trace.matches == trace.matches
    assert sum(len(each.jobs) for each in found) == len(all_idle(pool.jobs or ()))
    for verdict in found:
        assert verdict.starts == (verdict.starts_by != "")
        for job in verdict.jobs:
            # A job that wants several slots starts when it has all.
            whole = 0 < job.wanted <= matched[verdict.access_point, job.id]
            starts = verdict.starts_by == "match" or wall.CLAIM_REFUSED in ids(verdict)
            # No cycle comes where the negotiator does not work.
            assert whole == starts or (whole and without_cycles(verdict)), job.id
            assert wall.CLAIM_REFUSED not in ids(verdict) or job.id in refused
        if verdict.starts or without_cycles(verdict):
            continue
        assert ids(verdict), f"{verdict.jobs[0].id}: no wall"
        if verdict.rejection:
            reason = next(reason for reason in REASONS if verdict.rejection.startswith(reason))
            assert ids(verdict) & REASONS[reason], (
                f"{verdict.jobs[0].id}: {verdict.rejection}, but {verdict.walls}"
            )
        check_alone(pool, verdicts, verdict)


def check_alone(pool: Pool, verdicts: Verdicts, verdict: Verdict) -> None:
    """Check the walls against a cycle in which the first job of ``verdict`` is the only one."""
    if wall.CLAIM_REFUSED in ids(verdict) or CRASH & ids(verdict):
        return
    # A match that the schedd gives back, or does not ask for, since the cycle's other matches bring
    # it to a limit.
    if any({"given_back", "matches"} & each.amounts.keys() for each in verdict.walls):
        return
    job = verdict.jobs[0]
    trace = run_cycle(alone(pool, verdicts, job), skip_bad_slots=True)
    matched = any(match.job == job.id for match in trace.matches)
    # START_VANILLA_UNIVERSE may look at the slot: then a clause of it is false on some of them.
    if any(each.id in UNASKED and "clause" not in each.amounts for each in verdict.walls):
        assert not matched, f"{job.id} is asked for: {verdict.walls}"
        return
    if wall.OUTRANKED in ids(verdict) and not ids(verdict) & LIMITS:
        reasons = [each.reason for each in trace.rejections]
        assert matched or OVER_LIMIT in reasons or limited(verdict, reasons), (
            f"{job.id}: {verdict.walls}, {reasons}"
        )
    if ids(verdict) <= OF_SLOTS:
        assert not matched, f"{job.id} is matched when it is alone: {verdict.walls}"


def limited(verdict: Verdict, reasons: list[str]) -> bool:
    """Return whether limits of the access point or of concurrency keep a job from a slot even when it is alone."""
    others = {
        wall.CONCURRENCY_LIMIT,
        wall.MAX_JOBS_RUNNING,
        wall.DEDICATED_SCHEDULER,
        wall.OFFER_BUDGET,
    }
    return bool(ids(verdict) & others) or not reasons


def alone(pool: Pool, verdicts: Verdicts, job: Job) -> Pool:
    """Return ``pool`` with one idle job."""
    where = verdicts.access_point(job)
    kept = [
        each
        for each in pool.jobs or ()
        if each.status != 1 or (each.id == job.id and verdicts.access_point(each) == where)
    ]
    return replace(pool, jobs=tuple(kept))


@pytest.mark.parametrize(
    "path", [*negotiations.CYCLES, *negotiations.FAMILIES], ids=lambda path: path.name
)
def test_on_every_recorded_cycle(path: Path) -> None:
    check(negotiations.whole_pool(path))


def test_on_random_pools(first_of_ten: int) -> None:
    """Every second pool once more, with what some families add to it."""
    for seed in range(first_of_ten, first_of_ten + _EACH):
        check(random_pool(seed))
        if seed % 2:
            check(random_pool(seed, Families(seed)))
