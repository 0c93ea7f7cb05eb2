"""Which of the waiting jobs of a submitter comes next (FindRunnableJob of schedd.cpp, HTCondor 25.14)."""

from __future__ import annotations

from htcq.simulate.course.suiting import Suiting
from htcq.simulate.course.waiting import Waiting
from htcq.simulate.cycle.queues import Request
from tests.audit.sites import job, pool, schedd, slot, submitter


def waiting(count: int) -> Waiting:
    """Return jobs no two of which ask for the same."""
    jobs = [job(f"1.{proc}", RequestMemory=100 + proc) for proc in range(count)]
    given = pool(slot(), submitter(IdleJobs=count), schedd(), jobs=jobs)
    return Waiting(given, Suiting(given, None))


def test_no_more_jobs_are_looked_at_than_come_before_the_first_that_suits() -> None:
    asked: list[str] = []

    def suits(request: Request) -> bool:
        asked.append(request.first.id)
        return len(asked) == 3

    found = waiting(50).next("ada@site", "access1", suits, lambda job: job.proc != 1)
    assert found is not None
    assert (found.id, asked) == ("1.3", ["1.0", "1.2", "1.3"])


def test_none_comes_next_where_none_suits() -> None:
    assert waiting(3).next("ada@site", "access1", lambda request: False, lambda job: True) is None
