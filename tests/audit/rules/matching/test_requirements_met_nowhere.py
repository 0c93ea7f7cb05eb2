"""Requirements of jobs that no slot fulfils, by clause."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, pool, slot

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


def test_a_job_of_the_local_universe_is_not() -> None:
    assert not found(RULE, pool(slot(), jobs=[job(JobUniverse=12, Requirements="TARGET.HasCvmfs")]))
