"""JOB_START_DELAY and JOB_START_COUNT against what the next cycle starts (jobThrottle of schedd.cpp, 25.14)."""

from __future__ import annotations

from htcq.expected.unmet import DELAYED
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found
from tests.expected.pools import access_point, cycles, free, observed, only, site, waiting


def of(count: int, config: str, **schedd: Text | None) -> Pool:
    """Return a pool with 8 free cores and so many jobs."""
    jobs = [waiting(f"1.{proc}") for proc in range(count)]
    access = {"access1": config}
    return site(free(), access_point(**schedd), cycles(), jobs=jobs, access=access)


def test_starts_that_take_hours() -> None:
    config = "JOB_START_DELAY = 1200\nJOB_START_COUNT = 2\n"
    finding = only(DELAYED, of(9, config, NumJobStartsDelayed=1))
    assert (finding.subject, finding.severity.word) == ("access point access1", "warning")
    # 8 of the 9 jobs get a slot; with the one that has a claim already, 9 jobs start two by two.
    assert "9 jobs of access1, such as 1.0, have a slot" in finding.message
    assert "start 6 an hour, so that the last one starts after 1.3 h" in finding.message
    assert observed(finding) == {"JOB_START_DELAY": "1200", "JOB_START_COUNT": "2"}


def test_starts_within_the_hour_and_jobs_that_wait_for_slots() -> None:
    assert not found(DELAYED, of(8, "JOB_START_DELAY = 1200\nJOB_START_COUNT = 2\n")), "an hour"
    # The cycle starts 8 jobs; that others wait for a slot is not the fault of the schedd.
    assert not found(DELAYED, of(200, "JOB_START_DELAY = 500\n"))
    assert found(DELAYED, of(200, "JOB_START_DELAY = 600\n"))
    assert not found(DELAYED, of(200, "JOB_START_DELAY = 0\nJOB_START_COUNT = 1\n"))
