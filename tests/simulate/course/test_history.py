"""Jobs run as long as those of a history that are most like them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from htcq.errors import InputError
from htcq.pool.ads import read_past
from htcq.pool.job import Job
from htcq.pool.past import Past
from htcq.pool.shared_attributes import Expressions
from htcq.simulate.course.history import run_time_of
from tests.audit.sites import job, pool

DONE = {"JobStatus": 4, "RemoteWallClockTime": "1.0"}
BEN, CYD = ({"User": f'"{who}@site"', "Owner": f'"{who}"'} for who in ("ben", "cyd"))


def finished(seconds: float, **changes: str | int) -> str:
    return job(**{**DONE, "LastRemoteWallClockTime": f"{seconds:.1f}", **changes})


def past(*ads: str) -> list[Past]:
    return read_past(lambda: ["\n".join(ads).encode()], Expressions()).past


HISTORY = past(
    finished(10),
    finished(20),
    finished(30, RequestCpus=8),
    finished(40, **BEN, RequestMemory=7),
    job(JobStatus=1),
)


def waiting(**changes: str | int) -> Job:
    (one,) = pool(jobs=[job(**changes)]).jobs or ()
    return one


@pytest.mark.parametrize(
    ("one", "times"),
    [
        (waiting(), {10, 20}),
        (waiting(RequestCpus=8), {30}),
        (waiting(RequestCpus=2), {10, 20, 30}),
        (waiting(**BEN), {40}),
        (waiting(**CYD), {10, 20, 30, 40}),
        (None, {10, 20, 30, 40}),
    ],
    ids=[
        "its like",
        "its like with 8 cpus",
        "its submitter",
        "another submitter",
        "anybody",
        "a claim",
    ],
)
def test_a_job_is_like_its_submitters_with_the_same_requests_else_its_submitters_else_all(
    one: Job | None, times: set[float]
) -> None:
    lasts, dice = run_time_of(HISTORY), Random(1)
    drawn = Counter(lasts(one, dice) for _ in range(400))

    assert set(drawn) == times
    # Each of them is as likely as the others: less than half of its share would be more than
    # chance.
    assert min(drawn.values()) > 400 / len(times) / 2


def test_requests_are_the_same_if_they_read_the_same() -> None:
    """What was written down when the job ended is another number than at its beginning."""
    history = past(finished(10), finished(50, RequestDisk="DiskUsage", DiskUsage=900))
    lasts = run_time_of(history)

    assert lasts(waiting(RequestDisk="DiskUsage", DiskUsage=1), Random(1)) == 50


def test_the_same_seed_draws_the_same() -> None:
    lasts = run_time_of(HISTORY)
    one, other = ([lasts(None, dice) for _ in range(20)] for dice in (Random(4), Random(4)))

    assert one == other


def test_a_history_in_which_nothing_was_finished_is_an_error() -> None:
    with pytest.raises(InputError, match="without a finished job"):
        run_time_of(past(job(JobStatus=3)))
