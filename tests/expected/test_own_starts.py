"""Jobs that a schedd starts itself (AddRunnableLocalJobs of schedd.cpp, 25.14), and grid jobs (basejob.cpp, 25.14)."""

from __future__ import annotations

import pytest

from htcq.audit.engine import Finding
from htcq.balance.balance import balance_of
from htcq.expected.unmet import GRID_DOWN, SCHEDD_REFUSES
from htcq.pool.pool import Pool
from htcq.report.verdict import CRITICAL, OK, WARNING
from htcq.report.views.status import plugin
from htcq.why.verdict import Verdicts
from tests.audit.sites import Text, found
from tests.expected.pools import (
    LATELY,
    NOW,
    access_point,
    cycles,
    free,
    observed,
    only,
    site,
    waiting,
)

SCHEDULER, GRID, LOCAL = 7, 9, 12
PER_OWNER = "MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER"


def jobs(
    count: int, cluster: int = 1, universe: int = SCHEDULER, **changes: Text | None
) -> list[str]:
    """Return jobs of a universe that no negotiator sees, which fit their schedd."""
    own: dict[str, Text | None] = {"JobUniverse": universe, "Requirements": "true", **changes}
    return [waiting(f"{cluster}.{proc}", **own) for proc in range(count)]


def of(queue: list[str], config: str = "", **schedd: Text | None) -> Pool:
    """Return a pool with a free slot and these jobs, at an access point with this configuration."""
    access = {"access1": config or "MAX_JOBS_RUNNING = 10\n"}
    return site(free(), access_point(**schedd), cycles(), jobs=queue, access=access)


def nagios(given: Pool) -> int:
    """Return the state of the monitoring plugin."""
    return plugin(balance_of(Verdicts(given)), ())[0]


@pytest.mark.parametrize(
    ("universe", "knob"),
    [(SCHEDULER, "START_SCHEDULER_UNIVERSE"), (LOCAL, "START_LOCAL_UNIVERSE")],
)
def test_a_universe_that_the_schedd_refuses(universe: int, knob: str) -> None:
    given = of(jobs(4, universe=universe), f"{knob} = False\n")
    finding = only(SCHEDD_REFUSES, given)
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert "at access1, such as 1.0, wait, the oldest since 2027-01-15 05:30 UTC" in finding.message
    assert observed(finding) == {knob: "False"}
    assert nagios(given) == CRITICAL
    other = SCHEDULER + LOCAL - universe
    assert not found(SCHEDD_REFUSES, of(jobs(4, universe=other), f"{knob} = False\n"))
    assert not found(SCHEDD_REFUSES, of(jobs(4, universe=universe), f"{knob} = True\n"))
    unknown = site(
        free(), access_point(StartSchedulerUniverse="false", StartLocalUniverse="false"), cycles(),
        jobs=jobs(4, universe=universe),
    )  # fmt: skip
    assert found(SCHEDD_REFUSES, unknown), "the schedd advertises it"


def test_jobs_that_are_tried_again_and_again_are_not_kept_by_their_requirements() -> None:
    """Seen on 25.14.1 with a STARTER_LOCAL that does not exist: NumShadowStarts grows."""
    own = 'TARGET.Arch == "X86_64" && TARGET.Cpus >= RequestCpus'
    given = of(jobs(3, universe=LOCAL, Requirements=own, NumShadowStarts=22))
    finding = only(SCHEDD_REFUSES, given)
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert "one of them 22 times, and none runs" in finding.message
    assert not found("requirements-met-nowhere", given)
    once = of(jobs(3, universe=LOCAL, Requirements=own, NumShadowStarts=1))
    assert not found(SCHEDD_REFUSES, once)


def test_what_the_schedds_machine_has_is_not_known_to_be_undefined() -> None:
    """Scheduler::publish of schedd.cpp says it to such jobs; the collector's ad does not."""
    own = 'TARGET.Arch == "X86_64" && TARGET.Memory >= RequestMemory'
    fresh = jobs(2, Requirements=own, QDate=NOW - 60, EnteredCurrentStatus=NOW - 60)
    assert not found("requirements-met-nowhere", of(fresh))
    # Nothing else keeps these, and the schedd looks for them every few seconds.
    finding = only("requirements-met-nowhere", of(jobs(2, Requirements=own)))
    assert "does not say Memory of its machine" in finding.message
    limited = of(jobs(2, Requirements=own), "START_SCHEDULER_UNIVERSE = False\n")
    assert not found("requirements-met-nowhere", limited)
    known = of(jobs(2, Requirements='TARGET.Arch == "ARM"'), "ARCH = X86_64\n")
    assert 'Arch of the schedd is "X86_64"' in only("requirements-met-nowhere", known).message


def test_a_limit_of_such_jobs_is_no_error_where_some_run() -> None:
    queue = [*jobs(4), *jobs(2, 2, JobStatus=2)]
    refused = of(
        queue,
        "START_SCHEDULER_UNIVERSE = TotalSchedulerJobsRunning < 2\n",
        TotalSchedulerJobsRunning=2,
    )
    finding = only(SCHEDD_REFUSES, refused)
    assert finding.severity.word == "warning"
    assert "it runs 2 such jobs" in finding.message
    assert nagios(refused) == WARNING
    by_default = of(queue, TotalSchedulerJobsRunning=500)
    assert only(SCHEDD_REFUSES, by_default).severity.word == "info"
    assert nagios(by_default) == OK
    fresh = jobs(4, QDate=LATELY, EnteredCurrentStatus=LATELY)
    assert not found(SCHEDD_REFUSES, of(fresh, "START_SCHEDULER_UNIVERSE = False\n"))
    unfit = jobs(4, Requirements="NoSuchAttribute")
    assert not found(SCHEDD_REFUSES, of(unfit, "START_SCHEDULER_UNIVERSE = False\n")), (
        "their user's"
    )


def per_owner(config: str, universe: int = SCHEDULER) -> list[Finding]:
    """Return what is found where ada runs one job and four wait."""
    queue = [*jobs(4, universe=universe), *jobs(1, 2, universe, JobStatus=2)]
    return list(found(SCHEDD_REFUSES, of(queue, config)))


def test_a_limit_of_running_jobs_per_user() -> None:
    advertised = of([*jobs(4), *jobs(1, 2, JobStatus=2)], MaxRunningSchedulerJobsPerOwner=1)
    assert found(SCHEDD_REFUSES, advertised)
    (finding,) = per_owner(f"{PER_OWNER} = 1\n")
    assert (finding.severity.word, observed(finding)) == ("warning", {PER_OWNER: "1"})
    assert "the end of jobs that ada@site run there" in finding.advice
    assert not per_owner(f"{PER_OWNER} = 2\n")
    assert not per_owner(f"{PER_OWNER} = -1\n")
    assert not per_owner("MAX_JOBS_RUNNING = 10\n"), "200 by default"
    assert not per_owner(f"{PER_OWNER} = 1\n", LOCAL), "of the scheduler universe alone"
    assert not per_owner(f"{PER_OWNER} = 1\nMAX_JOBS_PER_OWNER = 1\n"), "it has to be smaller"
    # Each user by himself.
    others = [*jobs(4), *jobs(1, 2, JobStatus=2, User='"bob@site"', Owner='"bob"')]
    assert not found(SCHEDD_REFUSES, of(others, f"{PER_OWNER} = 1\n"))
    none = only(SCHEDD_REFUSES, of(jobs(4), f"{PER_OWNER} = 0\n"))
    assert none.severity.word == "error"


def test_a_grid_resource_that_does_not_answer() -> None:
    own = '"arc https://ce"'
    down = of(jobs(4, universe=GRID, GridResourceUnavailableTime=NOW - 86400, GridResource=own))
    finding = only(GRID_DOWN, down)
    assert (finding.subject, finding.severity.word) == ("grid resource arc https://ce", "warning")
    assert "arc https://ce has been unavailable since 2027-01-14 08:00 UTC" in finding.message
    assert nagios(down) == WARNING
    assert not found(GRID_DOWN, of(jobs(4, universe=GRID, GridResource=own)))
    lately = jobs(4, universe=GRID, GridResourceUnavailableTime=NOW - 300, GridResource=own)
    assert not found(GRID_DOWN, of(lately)), "three probes have not passed"
