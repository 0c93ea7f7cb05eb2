"""Attributes that requests lack (matchmaker.cpp compute_significant_attrs, autocluster.cpp, 25.14), and the clock."""

from __future__ import annotations

import pytest

from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import job, negotiator, pool, schedd, static_slot, submitter

NOW = 1_700_000_000
PLAIN = "TARGET.Cpus >= RequestCpus"


def site(start: str, config: str = "A = 1\n", version: str = "25.14.1", **of_job: str | int) -> Pool:
    central = negotiator(CondorVersion=f'"$CondorVersion: {version} 2026-10-16 BuildID: 1 $"', LastHeardFrom=NOW)
    jobs = [job("1.0", Requirements=PLAIN, **of_job)]
    return pool(static_slot(Requirements=start), schedd(), central, submitter(), jobs=jobs, config=config)


def matches(given: Pool) -> int:
    return len(run_cycle(given).matches)


@pytest.mark.parametrize(
    ("config", "version", "count"),
    [
        ("A = 1\n", "25.14.1", 1),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = RequestMemory\n", "25.14.1", 0),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio, requestmemory\n", "25.5.1", 0),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = RequestMemory\n", "24.0.1", 1),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX = ^request(mem|gpu)\n", "25.14.1", 0),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = RequestCpus\n", "25.14.1", 1),
    ],
)
def test_a_slot_does_not_see_what_the_negotiator_leaves_out(config: str, version: str, count: int) -> None:
    assert matches(site("TARGET.RequestMemory > 100", config, version)) == count


def test_what_the_jobs_own_requirements_name_is_significant_whatever_the_negotiator_leaves_out() -> None:
    config = "REMOVE_SIGNIFICANT_ATTRIBUTES = RequestCpus\n"

    assert matches(site("TARGET.RequestCpus == 1", config)) == 1


def test_what_a_job_has_used_is_left_out_unless_told_otherwise() -> None:
    """The default since 25.5: a START that looks at MemoryUsage of jobs is never true."""
    start = "TARGET.MemoryUsage < 5000"

    assert matches(site(start, MemoryUsage=100)) == 0
    assert matches(site(start, "REMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio\n", MemoryUsage=100)) == 1
    assert matches(site(start, version="25.4.1", MemoryUsage=100)) == 1


@pytest.mark.parametrize(
    ("start", "count"),
    [
        (f"time() < {NOW + 5}", 1),
        (f"CurrentTime < {NOW + 5}", 1),
        (f"time() > {NOW + 5}", 0),
        (f'TARGET.Owner != "time() < 5" && time ( ) == {NOW}', 1),
    ],
)
def test_the_clock_of_expressions_is_that_of_the_capture(start: str, count: int) -> None:
    assert matches(site(start)) == count
