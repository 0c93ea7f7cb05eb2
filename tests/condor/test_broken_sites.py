"""What real sites break and nothing tells: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from broken import SMALL_JOB, audited, before, break_it, cycles, running, said_from_now, submitted
from claims import written
from conftest import NEWEST, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]


def of_rule(findings: list[dict[str, Any]], rule: str) -> dict[str, Any]:
    (found,) = [finding for finding in findings if finding["rule"] == rule]
    return found


def set_as_told(pool: Pool, finding: dict[str, Any], knobs: dict[str, str]) -> None:
    """Give the pool the configuration of a finding besides its own."""
    fixes = {each["knob"]: each["value"] for each in finding["fix"]}
    pool.configure(written({**knobs, **fixes}))
    pool.reconfig()


def runs(pool: Pool, count: int) -> None:
    pool.wait(
        lambda: running(pool) == count,
        60,
        f"{count} claims",
        ("NegotiatorLog", "SchedLog", "StartLog"),
    )


def test_jobs_that_fit_nowhere_starve_those_behind_them_until_the_setting(
    site: Site, tmp_path: Path
) -> None:
    """In a default configuration: 20 offers for each user, and a whole autocluster is deducted before any match."""
    knobs = {"SCHEDD_SLOT_WEIGHT": "RequestCpus"}
    pool = break_it(site, knobs)
    with before(pool):
        pool.submit({**SMALL_JOB, "request_cpus": 100, "priority": 10}, 20)
        submitted(pool, {"priority": 0})
        findings = audited(pool, tmp_path)
        assert "the job asks for 100 cores" in of_rule(findings, "jobs-fit-no-machine")["message"]
        starving = of_rule(findings, "offer-budget-used-up")
        assert starving["severity"] == "error"
    cycles(pool, 2)
    assert not running(pool)
    set_as_told(pool, starving, knobs)
    runs(pool, 1)


def test_a_sick_machine_a_shut_limit_an_old_transform_and_a_misspelt_weight(
    site: Site, tmp_path: Path
) -> None:
    broken = {
        "SCHEDD_SLOT_WEIGHT": "RequestCpu",
        "STARTD_HEALTH_EXPRS": "false, true",
        "SW_LIMIT": "0",
        "JOB_TRANSFORM_NAMES": "Site",
        "JOB_TRANSFORM_Site": '[ set_SiteName = "here"; ]',
    }
    pool = break_it(site, broken)
    with before(pool):
        limited = pool.submit({**SMALL_JOB, "concurrency_limits": "sw"})
        submitted(pool, {"request_cpus": 3}, 1)
        pool.wait(lambda: demanded(pool) == [(2, 4)], 30, "a demand of 1 and 3 cpus", ("SchedLog",))
        findings = audited(pool, tmp_path)
        for rule in ("unhealthy-nodes", "concurrency-limit-shut", "job-policy-ignored"):
            assert of_rule(findings, rule)
        weight = of_rule(findings, "schedd-weight-misspelt")
        assert weight["fix"][0]["value"] == "RequestCpus"
        assert "start-refuses-everywhere" not in [finding["rule"] for finding in findings], (
            "one cause, one finding"
        )
    cycles(pool, 2)
    assert not running(pool)
    assert not pool.ads("jobs", ["SiteName"], constraint="SiteName isnt undefined")
    del broken["STARTD_HEALTH_EXPRS"]
    pool.configure(written(broken))
    pool.reconfig()
    runs(pool, 1)
    cycles(pool, 2)
    assert [
        ad["ClusterId"] for ad in pool.ads("jobs", ["ClusterId"], constraint="JobStatus == 1")
    ] == [limited]
    del broken["SW_LIMIT"]
    pool.configure(written(broken))
    pool.reconfig()
    runs(pool, 2)


def test_a_limit_that_is_no_number_ends_the_negotiator_until_the_setting(
    site: Site, tmp_path: Path
) -> None:
    knobs = {"SW_LIMIT": "20 licences"}
    pool = break_it(site, knobs)
    said = said_from_now(pool, "NegotiatorLog")
    with before(pool):
        submitted(pool, {"concurrency_limits": "sw"})
        broken = of_rule(audited(pool, tmp_path), "concurrency-limit-not-a-number")
    pool.wait(
        lambda: said("Invalid expression for sw_LIMIT") > 0,
        40,
        "the end of the negotiator",
        ("NegotiatorLog",),
    )
    assert not running(pool)
    set_as_told(pool, broken, knobs)
    runs(pool, 1)


def demanded(pool: Pool) -> list[tuple[int, int]]:
    ads = pool.ads("submitters", ["IdleJobs", "WeightedIdleJobs"])
    return [(ad["IdleJobs"], ad["WeightedIdleJobs"]) for ad in ads]
