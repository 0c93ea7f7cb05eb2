"""Reasons that the owner of a job did not set: knobs of its access point.

Seen on 25.14.1: with SIGNIFICANT_ATTRIBUTES that lack Project, jobs with Project = "foo" and "bar" were one
autocluster, and START = TARGET.Project =?= "bar" took none; with APPEND_REQUIREMENTS each job had that clause.
"""

from __future__ import annotations

from collections.abc import Sequence

from htcq.pool.pool import Pool
from htcq.why import match_failure as wall
from tests.audit.sites import job, negotiator, pool, schedd, slot, submitter
from tests.why.test_verdict import one, verdicts, why

ONLY = "SIGNIFICANT_ATTRIBUTES = JobUniverse RequestCpus RequestMemory RequestDisk Requirements\n"
OWN = {"ScheddName": '"access1"'}


def at_access_point(config: str, start: str, *projects: str, central: str = "A = 1\n") -> Pool:
    """Return a pool of one slot, and of an access point with a job of each of these projects."""
    jobs = [job(f"{number}.0", Project=each, **OWN) for number, each in enumerate(projects, 1)]
    return site(config, slot(Start=start), jobs, central)


def site(config: str, machine: str, jobs: Sequence[str], central: str = "A = 1\n") -> Pool:
    """Return a pool of one slot and one access point."""
    ads = (machine, schedd("access1"), submitter(IdleJobs=len(jobs)), negotiator())
    return pool(*ads, jobs=jobs, config=central, access={"access1": config})


def test_a_request_that_lacks_what_the_job_has_names_the_knob() -> None:
    given = at_access_point(ONLY, 'TARGET.Project =?= "bar"', '"foo"', '"bar"')
    foo, bar = (one(each) for each in verdicts(given))
    assert (foo.id, bar.id) == (wall.START, wall.START)
    assert 'Project of the job is "foo"' in foo.text
    assert "SIGNIFICANT_ATTRIBUTES" not in foo.text
    assert (
        'Project of the request is undefined; the job itself has Project = "bar", but '
        "SIGNIFICANT_ATTRIBUTES of access1 leaves it out"
    ) in bar.text
    assert bar.lifted_by.startswith("Project in SIGNIFICANT_ATTRIBUTES of access1; without")
    assert bar.amounts["knob"] == "SIGNIFICANT_ATTRIBUTES"


def test_lists_that_remove_it_are_named_with_their_daemon() -> None:
    removed, start = "REMOVE_SIGNIFICANT_ATTRIBUTES = Project\n", 'TARGET.Project =?= "bar"'
    of_schedd = one(why(at_access_point(removed, start, '"bar"')))
    assert of_schedd.lifted_by == "REMOVE_SIGNIFICANT_ATTRIBUTES of access1 without Project"
    of_negotiator = one(why(at_access_point("A = 1\n", start, '"bar"', central=removed)))
    assert "REMOVE_SIGNIFICANT_ATTRIBUTES of the negotiator leaves it out" in of_negotiator.text


def test_what_the_job_lacks_itself_is_its_own_matter() -> None:
    given = at_access_point(ONLY, 'TARGET.Project =?= "bar" && TARGET.Site =?= "x"', '"bar"')
    texts = [each.text for each in why(given).walls]
    assert any("Site of the job is undefined" in text for text in texts)
    assert not any("Site of the request" in text for text in texts)


def of_centos(config: str, universe: int = 5) -> Pool:
    """Return a pool without CentOS, and a job that requires it."""
    wanted = 'TARGET.Arch == "X86_64" && (TARGET.OpSysAndVer == "CentOS7")'
    machine = slot(OpSysAndVer='"Debian13"', Arch='"X86_64"')
    return site(config, machine, [job(Requirements=wanted, JobUniverse=universe, **OWN)])


def test_a_clause_that_the_access_point_writes_names_its_knob() -> None:
    clause = '(TARGET.OpSysAndVer == "CentOS7")'
    appended = f"APPEND_REQUIREMENTS = {clause}\n"
    found = one(why(of_centos(appended)))
    told = "APPEND_REQUIREMENTS of access1 writes this clause into Requirements of its jobs"
    assert found.text.endswith(told)
    assert found.lifted_by.startswith("APPEND_REQUIREMENTS of access1; then condor_qedit")
    of_universe = f"APPEND_REQ_VANILLA = {clause}\n{appended}"
    assert "APPEND_REQ_VANILLA of access1" in one(why(of_centos(of_universe))).text
    # The knob of the universe stands for the other one.
    other = f"APPEND_REQ_VANILLA = TARGET.HasFileTransfer\n{appended}"
    assert "APPEND_REQ" not in one(why(of_centos(other))).text


def test_so_does_a_transform() -> None:
    transform = (
        "JOB_TRANSFORM_NAMES = Old\nJOB_TRANSFORM_Old @=end\n"
        'SET Requirements $(MY.Requirements) && (TARGET.OpSysAndVer == "CentOS7")\n@end\n'
    )
    assert "JOB_TRANSFORM_Old of access1 writes this clause" in one(why(of_centos(transform))).text
    assert "access1" not in one(why(of_centos("APPEND_REQUIREMENTS = true\n"))).text
