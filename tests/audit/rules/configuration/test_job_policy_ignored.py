"""What a schedd passes over when it reads its transforms and submit requirements (job_transforms.cpp, schedd.cpp)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, look, pool, schedd

RULE = "job-policy-ignored"
CLASSAD = 'JOB_TRANSFORM_NAMES = Site\nJOB_TRANSFORM_Site = [ set_SiteName = "here"; ]\n'
OLD = '"$CondorVersion: 25.7.2 2026-02-01 BuildID: 1 $"'


@pytest.mark.parametrize(
    ("access", "said"),
    [
        (CLASSAD, "ignores JOB_TRANSFORM_Site: it is written as a ClassAd"),
        (
            "JOB_TRANSFORM_NAMES = One, Two\nJOB_TRANSFORM_One = SET X 1\n",
            "ignores JOB_TRANSFORM_Two: it is not defined",
        ),
        (
            "SUBMIT_REQUIREMENT_NAMES = Memory\n",
            "ignores SUBMIT_REQUIREMENT_Memory: it is not defined",
        ),
    ],
)
def test_what_the_schedd_ignores_is_found(access: str, said: str) -> None:
    (finding,) = found(RULE, pool(schedd(), access={"access1": access}))
    assert said in finding.message
    assert finding.severity is Severity.WARNING


def test_what_a_newer_schedd_will_ignore_is_worth_knowing() -> None:
    (finding,) = found(RULE, pool(schedd(CondorVersion=OLD), access={"access1": CLASSAD}))
    assert "will ignore" in finding.message
    assert finding.severity is Severity.INFO


def test_without_a_version_nobody_knows() -> None:
    outcome = look(RULE, pool(schedd("access2"), access={"access1": CLASSAD}))
    assert not outcome.findings
    assert "the version of access1" in outcome.not_checked[0].missing


@pytest.mark.parametrize(
    "access",
    [
        (
            "JOB_TRANSFORM_NAMES = Site\nJOB_TRANSFORM_Site @=end\nREQUIREMENTS JobUniverse == 5\n"
            "SET X 1\n@end\n"
        ),
        "SUBMIT_REQUIREMENT_NAMES = Memory\nSUBMIT_REQUIREMENT_Memory = RequestMemory < 4096\n",
        "JOB_TRANSFORM_Unlisted = [ X = 1; ]\n",
        "JOB_TRANSFORM_NAMES = NAMES\n",
        "UID_DOMAIN = site\n",
    ],
)
def test_what_works_or_is_not_listed_is_not(access: str) -> None:
    assert not found(RULE, pool(schedd(), access={"access1": access}))


def test_what_looks_like_a_secret_was_not_captured() -> None:
    assert not found(
        RULE, pool(schedd(), access={"access1": "JOB_TRANSFORM_NAMES = SetPassword\n"})
    )


def test_an_anonymous_snapshot_has_none() -> None:
    given = replace(
        pool(schedd(), access={"access1": "JOB_TRANSFORM_NAMES = One\n"}), anonymous=True
    )
    outcome = look(RULE, given)
    assert not outcome.findings
    assert outcome.not_checked
