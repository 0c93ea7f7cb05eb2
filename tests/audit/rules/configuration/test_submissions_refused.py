"""Limits of an access point that are reached, as on 25.14.1 with MAX_JOBS_SUBMITTED = 4 and the like."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found, job, pool, schedd

RULE = "submissions-refused"


def given(line: str, *jobs: str, total: int = 4) -> Pool:
    return pool(
        schedd(TotalJobAds=total),
        jobs=jobs,
        access={"access1": f"{line}\n"},
        config="",
        complete=True,
    )


def of(id_: str, **changes: Text | None) -> str:
    return job(id_, ScheddName='"access1"', **changes)


def test_a_full_queue_refuses_submissions() -> None:
    (finding,) = found(RULE, given("MAX_JOBS_SUBMITTED = 4"))
    assert finding.message == (
        "access1 has 4 jobs: it refuses each further submission (MAX_JOBS_SUBMITTED = 4)"
    )
    assert not found(RULE, given("MAX_JOBS_SUBMITTED = 5"))


def test_an_owner_with_all_that_he_may_have_is_information() -> None:
    jobs = [of("1.0", Owner='"ada"'), of("2.0", Owner='"ada"'), of("3.0", Owner='"bob"')]
    (finding,) = found(RULE, given("MAX_JOBS_PER_OWNER = 2", *jobs))
    assert finding.severity is Severity.INFO
    assert finding.message.startswith("ada has 2 jobs on access1, which refuses")


def test_a_cluster_whose_jobs_are_made_one_by_one() -> None:
    factory: dict[str, Text | None] = {
        "TotalSubmitProcs": 20, "JobMaterializeNextProcId": 2, "JobStatus": 2,
    }  # fmt: skip
    line = "MAX_MATERIALIZED_JOBS_PER_CLUSTER = 1"
    (finding,) = found(RULE, given(line, of("1.1", **factory)))
    assert finding.message.startswith("18 jobs of 1 cluster on access1 come into the queue only")
    waiting = {**factory, "JobStatus": 1}
    assert not found(RULE, given(line, of("1.1", **waiting))), "a job of it waits: no core is lost"
    done = {**factory, "JobMaterializeNextProcId": 20}
    assert not found(RULE, given(line, of("1.1", **done)))
