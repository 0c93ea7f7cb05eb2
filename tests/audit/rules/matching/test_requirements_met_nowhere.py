"""Requirements of jobs that no slot fulfils, by clause."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, pool, schedd, slot

RULE = "requirements-met-nowhere"
OTHERS = ("jobs-fit-no-machine", "start-refuses-everywhere")
LINUX = {"OpSysAndVer": '"AlmaLinux9"', "Arch": '"X86_64"'}


@pytest.mark.parametrize(
    "clause",
    [
        'TARGET.OpSysAndVer == "CentOS7"',
        "TARGET.HasCvmfs",
        'TARGET.Machine == "node17"',
        "TARGET.Site =?= 1",
    ],
)
def test_a_clause_that_no_slot_fulfils_is_named(clause: str) -> None:
    wanting = job(Requirements=f"TARGET.Cpus >= RequestCpus && ({clause})")
    given = pool(slot(**LINUX), slot("slot1@node2", **LINUX), jobs=[wanting, job("2.0")])
    (finding,) = found(RULE, given)
    assert clause in finding.message
    assert "excludes all 2 slots" in finding.message
    assert not any(found(other, given) for other in OTHERS)


def test_a_clause_that_the_access_point_writes_is_told_with_its_knob() -> None:
    clause = 'TARGET.OpSysAndVer == "CentOS7"'
    wanting = job(Requirements=clause, ScheddName='"access1"')
    others = (schedd("access1"), schedd("access2"))
    access = {"access1": f"APPEND_REQUIREMENTS = ({clause})\n"}
    (finding,) = found(RULE, pool(slot(**LINUX), *others, jobs=[wanting], access=access))
    assert finding.message.endswith(
        "APPEND_REQUIREMENTS of access1 writes this clause into Requirements of its jobs"
    )
    assert finding.advice.startswith("APPEND_REQUIREMENTS of access1; then condor_qedit")


def test_jobs_have_the_name_of_their_access_point_where_there_are_several() -> None:
    wanting = job(Requirements="TARGET.HasCvmfs", ScheddName='"access1"')
    (alone,) = found(RULE, pool(slot(**LINUX), schedd("access1"), jobs=[wanting]))
    assert alone.subject == "job 1.0"
    others = (schedd("access1"), schedd("access2"))
    (finding,) = found(RULE, pool(slot(**LINUX), *others, jobs=[wanting]))
    assert finding.subject == "job access1#1.0"
    assert "such as access1#1.0, require" in finding.message
    assert finding.examples == ("access1#1.0",)


def test_the_jobs_of_all_autoclusters_count() -> None:
    clause = 'TARGET.OpSysAndVer == "CentOS7"'
    jobs = [job(f"{number}.0", RequestCpus=number, Requirements=clause) for number in (1, 2, 3)]
    (finding,) = found(RULE, pool(slot(**LINUX), jobs=jobs))
    assert "3 idle jobs in 3 autoclusters" in finding.message


@pytest.mark.parametrize(
    "clause",
    [
        'TARGET.Machine == "node2"',
        'regexp("^node[12]$", TARGET.Machine)',
        "TARGET.Cpus >= 8",
        'TARGET.State == "Unclaimed"',
        "TARGET.LoadAvg < 0.1",
        "time() > QDate + 3600",
        'TARGET.OpSysAndVer == "AlmaLinux9" || TARGET.HasSingularity',
    ],
)
def test_what_holds_somewhere_or_at_another_time_is_not(clause: str) -> None:
    given = pool(
        slot(**LINUX, LoadAvg="2.5", State='"Owner"', Cpus=4),
        slot("slot1@node2", **LINUX, LoadAvg="0.9", State='"Owner"'),
        jobs=[job(Requirements=clause, QDate=4000000000)],
    )
    assert not any(found(rule, given) for rule in (RULE, *OTHERS))


def test_a_job_of_the_local_universe_is_not_without_an_ad_of_its_schedd() -> None:
    assert not found(RULE, pool(slot(), jobs=[job(JobUniverse=12, Requirements="TARGET.HasCvmfs")]))


@pytest.mark.parametrize("universe", [7, 12])
def test_what_a_schedd_starts_itself_has_to_suit_its_ad(universe: int) -> None:
    own = {"JobUniverse": universe, "GlobalJobId": '"access1#1.0#1"', "ScheddName": '"access1"'}
    wanting = [
        job(f"1.{proc}", Requirements='TARGET.Arch == "X86_64" && true', **own) for proc in (0, 1)
    ]
    sound = job("2.0", Requirements="true", **own)
    access = {"access1": "ARCH = ARM64\n"}
    given = pool(slot(**LINUX), schedd(), jobs=[*wanting, sound], access=access)
    (finding,) = found(RULE, given)
    assert "2 idle jobs such as 1.0 are for the schedd access1 itself" in finding.message
    assert 'TARGET.Arch == "X86_64"' in finding.message
    assert finding.count == 2
    assert finding.advice.startswith("condor_qedit of Requirements to true")


def test_a_parallel_job_is_one_job_whatever_slots_it_wants() -> None:
    clause = 'TARGET.DedicatedScheduler == "DedicatedScheduler@access1"'
    wide = [
        job(f"1.{proc}", JobUniverse=11, MinHosts=3, MaxHosts=3, Requirements=clause)
        for proc in (0, 1)
    ]
    (finding,) = found(RULE, pool(slot(**LINUX), jobs=wide))
    assert "2 idle jobs in 1 autocluster" in finding.message
    assert finding.count == 2
