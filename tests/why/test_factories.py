"""Clusters that materialize no more of their jobs: paused, invalid, or full of jobs on hold."""

from __future__ import annotations

import pytest

from htcq.expected.held import held_by_faults
from htcq.pool.pool import Pool
from htcq.report.views.held import held_lines
from htcq.why.factories import stuck_factories
from htcq.why.held import HeldJobs
from htcq.why.verdict import Verdicts
from tests.audit.sites import Text, job, negotiator, pool, schedd, slot, submitter
from tests.balance.pools import balanced
from tests.why.test_never_starts import verdicts

FACTORY: dict[str, Text] = {
    "TotalSubmitProcs": 10, "JobMaterializeNextProcId": 2, "ScheddName": '"access1"',
    "JobMaterializePauseReason": '"via condor_hold (by user ada)"',
}  # fmt: skip


def with_factory(**changes: Text) -> Pool:
    """Return a pool with two jobs of a cluster that has eight more to come."""
    jobs = [job(f"1.{proc}", **{**FACTORY, **changes}) for proc in range(2)]
    return pool(slot(), schedd(), negotiator(), submitter(IdleJobs=2), jobs=jobs)


def stuck_in(given: Pool) -> list[tuple[str, str]]:
    found = stuck_factories(given.jobs or (), lambda each: each.access_point)
    assert all(
        (each.cluster, each.access_point, each.jobs) == ("1", "access1", 8) for each in found
    )
    return [(each.why, each.cure) for each in found]


def test_a_cluster_that_is_paused_is_released() -> None:
    given = with_factory(JobMaterializePaused=1)
    why = "it is paused (JobMaterializePaused): via condor_hold (by user ada)"
    assert stuck_in(given) == [(why, "condor_release 1")]
    found = balanced(given)
    assert found.is_sound
    assert list(held_lines(found.held)) == [
        f"8 jobs of cluster 1 of access1 are not materialized: {why} (condor_release 1)"
    ]
    *_, coming = verdicts(given, "1")
    assert coming.walls[0].text.endswith(f"none is now: {why}")
    assert coming.walls[0].lifted_by == "condor_release 1"


def test_a_cluster_whose_files_the_schedd_cannot_read_is_a_fault() -> None:
    given = with_factory(JobMaterializePaused=-1)
    (found,) = held_by_faults(given, ())
    assert (found.id, found.severity, found.count) == ("jobs-held-by-faults", "error", 8)
    assert "8 jobs of cluster 1 of access1 cannot be materialized" in found.text
    seen = balanced(given)
    assert not seen.is_sound
    assert list(held_lines(seen.held)) == []


@pytest.mark.parametrize(
    ("limit", "name"),
    [("JobMaterializeMaxIdle", "max_idle"), ("JobMaterializeLimit", "max_materialize")],
)
def test_jobs_on_hold_count_against_the_limits(limit: str, name: str) -> None:
    given = with_factory(JobStatus=5, **{limit: 2})
    cure = "condor_release 1, once the reasons of the holds are removed"
    assert stuck_in(given) == [(f"2 jobs on hold count against its {name} of 2", cure)]
    assert stuck_in(with_factory(JobStatus=5, **{limit: 3})) == []


def test_a_max_idle_of_0_makes_no_job() -> None:
    given = with_factory(JobMaterializeMaxIdle=0)
    assert stuck_in(given) == [("its max_idle is 0", "condor_qedit of JobMaterializeMaxIdle")]


@pytest.mark.parametrize("mode", [2, 3])
def test_a_cluster_that_is_done_has_no_job_to_come(mode: int) -> None:
    given = with_factory(JobMaterializePaused=mode)
    assert stuck_in(given) == []
    assert [each.id for found in verdicts(given, "1") for each in found.jobs] == ["1.0", "1.1"]


def test_several_clusters_are_one_line() -> None:
    jobs = [
        job(f"{cluster}.0", **{**FACTORY, "JobMaterializePaused": 1, "TotalSubmitProcs": most})
        for cluster, most in ((1, 10), (2, 102))
    ]
    given = pool(slot(), schedd(), submitter(IdleJobs=2), jobs=jobs)
    found = stuck_factories(given.jobs or (), lambda each: each.access_point)
    (line,) = held_lines(HeldJobs(0, 0, (), found))
    assert line.startswith("108 jobs of 2 clusters, such as 2 of access1, are not materialized: ")


def test_a_job_that_needs_no_slot_has_not_all_that_it_requests() -> None:
    """25.14.1 runs such jobs like others; 23.9.6 completes them."""
    older = schedd(CondorVersion='"$CondorVersion: 25.13.2 2026-08-01 $"')
    given = pool(slot(), older, submitter(), jobs=[job(IsNoopJob="true")])
    (found,) = Verdicts(given).on(given.jobs or ())
    assert [each.text for each in found.walls] == [
        "IsNoopJob is true: the schedd completes it itself, without a slot"
    ]


def test_a_newer_access_point_runs_a_job_without_work_like_others() -> None:
    given = pool(slot(), schedd(), submitter(), jobs=[job(IsNoopJob="true"), job("2.0")])
    assert [each.wanted for each in given.jobs or ()] == [1, 1]
    first, second = Verdicts(given).on(given.jobs or ())
    assert first.walls == second.walls
