"""Attributes that requests lack, and the clock.

Follows compute_significant_attrs of matchmaker.cpp (negotiator) and config of autocluster.cpp
(schedd), 23.9 and 25.14."""

from __future__ import annotations

import pytest

from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import job, negotiator, pool, schedd, static_slot, submitter

NOW = 1_700_000_000
PLAIN = "TARGET.Cpus >= RequestCpus"


def condor(version: str) -> str:
    return f'"$CondorVersion: {version} 2026-10-16 BuildID: 1 $"'


def site(
    start: str,
    config: str = "A = 1\n",
    version: str = "25.14.1",
    access: str | None = None,
    **of_job: str | int,
) -> Pool:
    """Return a pool of that version; its schedd has the configuration ``config`` too, or that of ``access``."""
    central = negotiator(CondorVersion=condor(version), LastHeardFrom=NOW)
    place = {} if access is None else {"access1": access}
    return pool(
        static_slot(Requirements=start),
        schedd(CondorVersion=condor(version)),
        central,
        submitter(),
        jobs=[job(Requirements=PLAIN, **of_job)],
        config=config,
        access=place,
    )


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
        ("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX = ^request(mem|gpu)\n", "24.0.1", 1),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = RequestCpus\n", "25.14.1", 1),
        ("SIGNIFICANT_ATTRIBUTES = Requirements\n", "25.14.1", 1),
    ],
)
def test_a_slot_does_not_see_what_the_negotiator_leaves_out(
    config: str, version: str, count: int
) -> None:
    assert matches(site("TARGET.RequestMemory > 100", config, version, access="A = 1\n")) == count


@pytest.mark.parametrize("version", ["23.9.6", "25.14.1"])
@pytest.mark.parametrize(
    ("access", "count"),
    [
        ("A = 1\n", 1),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio, requestmemory\n", 0),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = Requirements\n", 0),
        ("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX = ^request\n", 1),
        ("SIGNIFICANT_ATTRIBUTES = Requirements Rank\n", 0),
        ("SIGNIFICANT_ATTRIBUTES = RequestMemory, RequestCpus\n", 0),
        ("SIGNIFICANT_ATTRIBUTES = Requirements, RequestMemory\n", 1),
        (
            (
                "ADD_SIGNIFICANT_ATTRIBUTES = RequestMemory\n"
                "REMOVE_SIGNIFICANT_ATTRIBUTES = RequestMemory\n"
            ),
            0,
        ),
    ],
)
def test_the_lists_of_a_schedd_count_in_all_versions(version: str, access: str, count: int) -> None:
    assert matches(site("TARGET.RequestMemory > 100", version=version, access=access)) == count


def test_a_schedd_adds_what_the_negotiator_leaves_out() -> None:
    start = "TARGET.MemoryUsage < 5000"
    adds = "ADD_SIGNIFICANT_ATTRIBUTES = MemoryUsage\nREMOVE_SIGNIFICANT_ATTRIBUTES =\n"

    assert matches(site(start, access=adds, MemoryUsage=100)) == 1


def test_attributes_of_single_jobs_are_left_out_as_well() -> None:
    assert matches(site("TARGET.JobPrio > 3", JobPrio=5)) == 1
    assert (
        matches(site("TARGET.JobPrio > 3", "REMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio\n", JobPrio=5))
        == 0
    )


@pytest.mark.parametrize(
    ("access", "count"),
    [
        ("A = 1\n", 1),
        ("ADD_SIGNIFICANT_ATTRIBUTES = ProcId\n", 3),
        ("ADD_SIGNIFICANT_ATTRIBUTES = JobPrio\n", 2),
        ("SIGNIFICANT_ATTRIBUTES = JobPrio, Requirements\n", 2),
        ("ADD_SIGNIFICANT_ATTRIBUTES = JobPrio\nREMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio\n", 1),
    ],
)
def test_what_a_schedd_adds_tells_jobs_apart_though_nothing_looks_at_it(
    access: str, count: int
) -> None:
    queue = [job(f"1.{proc}", Requirements="false", JobPrio=int(proc < 2)) for proc in range(3)]
    central = negotiator(CondorVersion=condor("25.14.1"), LastHeardFrom=NOW)
    given = pool(
        static_slot(),
        schedd(),
        central,
        submitter(IdleJobs=3),
        jobs=queue,
        config="A = 1\n",
        access={"access1": access},
    )

    assert len(run_cycle(given).rejections) == count


def test_a_request_shows_the_value_that_start_vanilla_universe_names_whatever_is_left_out() -> None:
    """The schedd puts values of the job into it (flattenVanillaStartExpr)."""
    access = (
        "START_VANILLA_UNIVERSE = SLOT.Cpus > JOB.RequestMemory - {}\n"
        "REMOVE_SIGNIFICANT_ATTRIBUTES = RequestMemory\n"
    )

    assert matches(site("true", access=access.format(2000))) == 1
    assert matches(site("true", access=access.format(0))) == 0


def test_what_the_jobs_own_requirements_name_is_significant_whatever_the_negotiator_leaves_out() -> (
    None
):
    config = "REMOVE_SIGNIFICANT_ATTRIBUTES = RequestCpus\n"

    assert matches(site("TARGET.RequestCpus == 1", config)) == 1


def test_what_a_job_has_used_is_left_out_unless_told_otherwise() -> None:
    """The default since 25.5: a START that looks at MemoryUsage of jobs is never true."""
    start = "TARGET.MemoryUsage < 5000"

    assert matches(site(start, MemoryUsage=100)) == 0
    assert matches(site(start, "REMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio\n", MemoryUsage=100)) == 1
    assert matches(site(start, "REMOVE_SIGNIFICANT_ATTRIBUTES =\n", MemoryUsage=100)) == 1
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


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", 0),
        ("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE = 1\n", 1),
        ("USE_RESOURCE_REQUEST_COUNTS = False\n", 1),
        ("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE = 2\n", 0),
    ],
)
def test_a_request_that_is_asked_for_alone_is_the_whole_job(config: str, expected: int) -> None:
    """sendJobInfo, 23.9 to 25.14: a reply to SEND_JOB_INFO has all attributes."""
    removed = "REMOVE_SIGNIFICANT_ATTRIBUTES = RequestMemory\n"
    assert matches(site("TARGET.RequestMemory >= 1", removed + config)) == expected


@pytest.mark.parametrize("attribute", ["NiceUser", "IsNoopJob", "Managed"])
def test_jobs_with_an_attribute_that_no_request_shows_are_alike_with_jobs_without_it(
    attribute: str,
) -> None:
    """Recorded with 23.9.6: one autocluster, which is rejected once."""
    jobs = [
        job("1.0", Requirements="false"),
        job("2.0", Requirements="false", **{attribute: "false"}),
    ]
    given = pool(static_slot(), schedd(), negotiator(), submitter(IdleJobs=2), jobs=jobs)

    assert len(run_cycle(given).rejections) == 1
