"""Concurrency limits that no job can keep, and that no pool can reach (matchmaker.cpp:rejectForConcurrencyLimits)."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import collector, dynamic_slot, found, job, pool, slot

SHUT, USELESS = "concurrency-limit-shut", "concurrency-limit-without-effect"
BROKEN = "concurrency-limit-not-a-number"


def limited(limits: str, **changes: int) -> str:
    return job(ConcurrencyLimits=f'"{limits}"', **changes)


@pytest.mark.parametrize(
    ("limits", "config", "said"),
    [
        (
            "sw",
            "SW_LIMIT = 0\n",
            "concurrency limit sw is 0, and 1 idle job such as 1.0 asks for 1",
        ),
        (
            "XSW:5",
            "XSW_LIMIT = 3\n",
            "concurrency limit xsw is 3, and 1 idle job such as 1.0 asks for 5",
        ),
        ("a,b", "B_LIMIT = 0\n", "concurrency limit b is 0"),
        ("new", "CONCURRENCY_LIMIT_DEFAULT = 0\n", "concurrency limit new is 0"),
        ("large.x", "CONCURRENCY_LIMIT_DEFAULT_LARGE = 0\n", "concurrency limit large.x is 0"),
    ],
)
def test_a_limit_that_no_job_can_keep_is_found(limits: str, config: str, said: str) -> None:
    (finding,) = found(SHUT, pool(slot(), jobs=[limited(limits)], config=config))
    assert said in finding.message
    assert finding.subject == f"knob {config.split()[0]}"


def test_a_group_whose_jobs_starve_for_a_limit_makes_it_an_error() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 2\nSW_LIMIT = 0\n"
    waiting = job(ConcurrencyLimits='"sw"', AccountingGroup='"a.ada"')
    (finding,) = found(SHUT, pool(slot(), jobs=[waiting], config=config))
    assert (finding.severity, finding.harm.starved) == (Severity.ERROR, ("a",))


@pytest.mark.parametrize(
    "config", ["SW_LIMIT = 1\n", "CONCURRENCY_LIMIT_DEFAULT = 2\n", "OTHER_LIMIT = 0\n", ""]
)
def test_a_limit_with_room_for_one_job_is_not(config: str) -> None:
    """That others use all of it now is no fault."""
    running = dynamic_slot(ConcurrencyLimits='"sw"')
    assert not found(SHUT, pool(slot(), running, jobs=[limited("sw")], config=config))


def test_a_limit_that_nobody_waits_for_is_not() -> None:
    assert not found(
        SHUT, pool(slot(), jobs=[limited("sw", JobStatus=5), job("2.0")], config="SW_LIMIT = 0\n")
    )


def test_a_limit_above_the_pool_is_worth_knowing() -> None:
    (finding,) = found(USELESS, pool(slot(), jobs=[limited("sw")], config="SW_LIMIT = 100\n"))
    assert (
        "concurrency limit sw is 100, but the whole pool has space for 8 claims" in finding.message
    )


@pytest.mark.parametrize(
    ("limits", "config"),
    [
        ("sw", "SW_LIMIT = 8\n"),
        ("sw:20", "SW_LIMIT = 100\n"),
        ("sw", "CONCURRENCY_LIMIT_DEFAULT = 100\n"),
        ("sw", ""),
    ],
)
def test_a_limit_that_the_pool_can_reach_is_not(limits: str, config: str) -> None:
    assert not found(USELESS, pool(slot(), collector(), jobs=[limited(limits)], config=config))


def test_claims_count_where_no_job_is_known() -> None:
    running = dynamic_slot(ConcurrencyLimits='"sw"')
    assert found(USELESS, pool(slot(), running, config="SW_LIMIT = 100\n"))


@pytest.mark.parametrize(
    ("limits", "config", "meant"),
    [
        ("sw", "SW_LIMIT = 20 licences\n", "SW_LIMIT = 20"),
        ("sw:2", "SW_LIMIT = many\n", "SW_LIMIT ="),
        ("new", "CONCURRENCY_LIMIT_DEFAULT = none\n", "CONCURRENCY_LIMIT_DEFAULT ="),
        ("large.x", "CONCURRENCY_LIMIT_DEFAULT_LARGE = 5x\n", "CONCURRENCY_LIMIT_DEFAULT_LARGE ="),
    ],
)
def test_a_limit_that_is_no_number_ends_the_negotiator(
    limits: str, config: str, meant: str
) -> None:
    (finding,) = found(
        BROKEN, pool(slot(), jobs=[limited(limits), limited(limits, ProcId=1)], config=config)
    )
    assert finding.severity is Severity.ERROR
    assert "2 idle jobs name the limit" in finding.message
    assert [each.line for each in finding.settings] == [meant]


@pytest.mark.parametrize(
    "config", ["SW_LIMIT = 4 * 5\n", "SW_LIMIT =\n", "OTHER_LIMIT = many\n", "SW_LIMIT = 2.5\n"]
)
def test_a_limit_that_is_a_number_or_that_no_job_names_does_not(config: str) -> None:
    assert not found(BROKEN, pool(slot(), jobs=[limited("sw"), job("2.0")], config=config))
