"""Access points and machines whose jobs are all on hold with one code, as seen on 25.14.1.

A transform set AllowedExecuteDuration = 5 (code 47), EXECUTE was mounted noexec (code 6, errno 13),
an access point had no credential monitor (code 4).
"""

from __future__ import annotations

import pytest

from htcq.expected.unmet import HELD_BY_FAULTS
from htcq.htcondor.attributes import ASKED, JOB, names
from htcq.htcondor.hold_codes import ACCESS, MACHINE, MEANT, USER, hold_code
from htcq.htcondor.tables import rows
from htcq.pool.disclosure import form_of
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found
from tests.expected.pools import (
    LATELY,
    NOW,
    access_point,
    claim,
    cycles,
    free,
    observed,
    only,
    site,
    waiting,
)

_ADS = (free(), free("slot1@node2"), cycles())
_TRANSFORM = {
    "access1": "JOB_TRANSFORM_NAMES = short\nJOB_TRANSFORM_short = DEFAULT AllowedExecuteDuration 5\n"
}
_EVE: dict[str, Text | None] = {"User": '"eve@site"', "Owner": '"eve"'}


def _held(count: int, code: int, **changes: Text | None) -> list[str]:
    own: dict[str, Text | None] = {
        "JobStatus": 5, "HoldReasonCode": code, "HoldReasonSubCode": 0, "NumShadowStarts": 1,
        "LastRemoteHost": '"slot1_1@node1"',
    }  # fmt: skip
    return [waiting(f"1.{proc}", LATELY, **{**own, **changes}) for proc in range(count)]


def _pool(*jobs: str, **changes: Text | None) -> Pool:
    return site(*_ADS, access_point(**changes), jobs=jobs)


def test_a_transform_puts_all_jobs_of_an_access_point_on_hold() -> None:
    given = site(*_ADS, access_point(), jobs=_held(6, 47), access=_TRANSFORM)
    finding = only(HELD_BY_FAULTS, given)
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert finding.message == (
        "6 jobs, such as 1.0, went on hold at access1: the job ran longer than "
        "AllowedExecuteDuration (HoldReasonCode 47); all of them were on node1 last; it has no "
        "other job, and JOB_TRANSFORM_short sets AllowedExecuteDuration of its jobs"
    )
    assert finding.advice.startswith("JOB_TRANSFORM_short of access1, then condor_release")
    assert "condor_qedit of AllowedExecuteDuration" in finding.advice
    assert observed(finding)["JOB_TRANSFORM_short"] == "DEFAULT AllowedExecuteDuration 5"
    # Without it one user set the attribute himself; several do not.
    assert not found(HELD_BY_FAULTS, _pool(*_held(6, 47)))
    several = only(HELD_BY_FAULTS, _pool(*_held(3, 47), *_held(3, 47, **_EVE)))
    assert several.subject == "access point access1"


def test_an_access_point_whose_jobs_have_no_credentials() -> None:
    reason = '"Job credentials are not available"'
    jobs = _held(4, 4, HoldReason=reason)
    finding = only(HELD_BY_FAULTS, _pool(*jobs))
    assert (finding.subject, finding.severity.word) == ("access point access1", "warning")
    assert "the job's credentials are missing or invalid (HoldReasonCode 4)" in finding.message
    assert finding.advice.startswith("The credential monitor")
    assert observed(finding)["HoldReason"] == reason.strip('"')
    # A job without a shadow tells nothing; one that runs, or ran before, shows that others go on.
    assert found(HELD_BY_FAULTS, _pool(*jobs, waiting("2.0")))
    runs: dict[str, Text | None] = {"JobStatus": 2, "RemoteHost": '"slot1_1@node2"'}
    assert not found(HELD_BY_FAULTS, _pool(*jobs, waiting("2.0", **runs)))
    assert not found(HELD_BY_FAULTS, _pool(*jobs, waiting("2.0", NumShadowStarts=1)))
    assert not found(HELD_BY_FAULTS, _pool(*jobs, RecentJobsCompleted=3))
    assert not found(HELD_BY_FAULTS, _pool(*jobs[:2]))
    # A DAGMan that waits for its nodes is no job that goes on.
    assert found(HELD_BY_FAULTS, _pool(*jobs, waiting("2.0", JobStatus=2, JobUniverse=7)))


def test_a_machine_that_starts_no_executable() -> None:
    jobs = _held(4, 6, HoldReasonSubCode=13)
    others = [waiting("2.0", JobStatus=2, RemoteHost='"slot1_1@node2"', NumShadowStarts=1)]
    finding = only(HELD_BY_FAULTS, _pool(*jobs, *others))
    assert (finding.subject, finding.severity.word) == ("machine node1", "warning")
    assert "the starter could not start the executable (HoldReasonCode 6)" in finding.message
    assert finding.advice.startswith("The file system of EXECUTE (mount option noexec)")
    # On two machines, or where the file is not there, it is one user's executable; not of several.
    elsewhere = [waiting("3.0", LATELY, JobStatus=5, HoldReasonCode=6, HoldReasonSubCode=13,
                         LastRemoteHost='"slot1_1@node2"')]  # fmt: skip
    assert not found(HELD_BY_FAULTS, _pool(*jobs, *others, *elsewhere))
    missing = _held(4, 6, HoldReasonSubCode=2)
    assert not found(HELD_BY_FAULTS, _pool(*missing, *others))
    eve = _held(1, 6, HoldReasonSubCode=2, **_EVE)
    assert found(HELD_BY_FAULTS, _pool(*missing, *eve, *others))
    # Where others run, or have run, it is these jobs.
    runs = site(*_ADS, claim(), access_point(), jobs=[*jobs, *others])
    assert not found(HELD_BY_FAULTS, runs)
    counted = free(RecentJobStarts=40)
    ran = site(counted, free("slot1@node2"), cycles(), access_point(), jobs=[*jobs, *others])
    assert not found(HELD_BY_FAULTS, ran)


@pytest.mark.parametrize("code", [1, 15, 16])
def test_what_somebody_meant_and_input_that_still_comes_are_no_fault(code: int) -> None:
    assert not found(HELD_BY_FAULTS, _pool(*_held(5, code), *_held(5, code, **_EVE)))


def test_input_that_does_not_come_within_an_hour() -> None:
    old = [waiting(f"1.{proc}", NOW - 5000, JobStatus=5, HoldReasonCode=16) for proc in range(4)]
    finding = only(HELD_BY_FAULTS, _pool(*old))
    assert "its input files are being spooled (HoldReasonCode 16)" in finding.message
    days = [waiting(f"1.{proc}", NOW - 90000, JobStatus=5, HoldReasonCode=4) for proc in range(4)]
    assert not found(HELD_BY_FAULTS, _pool(*days)), "left behind by somebody"


def test_a_snapshot_has_the_reason_and_an_anonymous_one_has_not() -> None:
    """It has paths and names of machines."""
    assert "HoldReason" in names(JOB, ASKED)
    assert form_of("job", "holdreason") is None


def test_every_code_has_words() -> None:
    every = [hold_code(int(row.key)) for row in rows("hold_codes.tsv")]
    assert len(every) == 49, "condor_holdcodes.h has 1 to 49 below VacateBase"
    assert all(each.words and each.of in (ACCESS, MACHINE, MEANT, USER) for each in every)
    assert not hold_code(None).words
    assert not hold_code(77).words
