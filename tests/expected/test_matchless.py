"""Transforms that make all jobs of an access point fit nothing."""

from __future__ import annotations

from htcq.expected.unmet import MATCHLESS
from tests.audit.sites import found
from tests.expected.pools import LATELY, access_point, cycles, free, observed, only, site, waiting

_TRANSFORM = """
JOB_TRANSFORM_NAMES = gpu
JOB_TRANSFORM_gpu @=end
   SET Requirements TARGET.HasGoodGPU
@end
"""
_BAD = waiting(Requirements="TARGET.HasGoodGPU")


def test_a_transform_that_writes_requirements_that_nothing_meets() -> None:
    given = site(free(), access_point(), cycles(), jobs=[_BAD], access={"access1": _TRANSFORM})
    finding = only(MATCHLESS, given)
    assert "none of 1 idle jobs of access1 fits any slot" in finding.message
    assert "JOB_TRANSFORM_gpu sets Requirements" in finding.message
    assert list(observed(finding)) == ["JOB_TRANSFORM_gpu"]


def test_what_the_user_wrote_or_another_job_shows_to_be_possible_is_not() -> None:
    ads = (free(), access_point(), cycles())
    plain = {
        "access1": "JOB_TRANSFORM_NAMES = own\nJOB_TRANSFORM_own @=end\n   SET Project = 1\n@end\n"
    }
    assert not found(MATCHLESS, site(*ads, jobs=[_BAD], access=plain))
    access = {"access1": _TRANSFORM}
    assert not found(MATCHLESS, site(*ads, jobs=[_BAD, waiting("2.0")], access=access))
    runs = waiting("2.0", JobStatus=2)
    assert not found(MATCHLESS, site(*ads, jobs=[_BAD, runs], access=access))
    fresh = waiting(since=LATELY, Requirements="TARGET.HasGoodGPU")
    assert not found(MATCHLESS, site(*ads, jobs=[fresh], access=access))


def test_a_default_request_that_no_machine_has() -> None:
    """Seen on 25.14.1: condor_submit writes the value into jobs that request no memory."""
    large = waiting(RequestMemory=1000000)
    access = {"access1": "JOB_DEFAULT_REQUESTMEMORY = 1000000\n"}
    finding = only(MATCHLESS, site(free(), access_point(), cycles(), jobs=[large], access=access))
    assert observed(finding) == {"JOB_DEFAULT_REQUESTMEMORY": "1000000"}
    own = waiting(RequestMemory=2000000)
    assert not found(MATCHLESS, site(free(), access_point(), cycles(), jobs=[own], access=access))


def test_requests_that_the_schedd_rounds_up() -> None:
    """Seen on 25.14.1 with 9: the queue has a RequestMemory of 1,000,000,000 for 128."""
    access = {"access1": "SCHEDD_ROUND_ATTR_RequestMemory = 9\n"}
    ads = (free(), access_point(), cycles())
    rounded = waiting(RequestMemory=1000000000)
    finding = only(MATCHLESS, site(*ads, jobs=[rounded], access=access))
    assert observed(finding) == {"SCHEDD_ROUND_ATTR_RequestMemory": "9"}
    small = {"access1": "SCHEDD_ROUND_ATTR_RequestMemory = 1\n"}
    assert not found(MATCHLESS, site(*ads, jobs=[rounded], access=small))
