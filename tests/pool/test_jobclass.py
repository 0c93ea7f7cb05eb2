"""Jobs that are alike are one class, whoever submitted them."""

from __future__ import annotations

from htcq.classads import UNDEFINED
from htcq.pool.autocluster import Autocluster, autoclusters_of, made_up
from tests.audit.sites import job, pool, slot


def classes(*texts: str) -> tuple[Autocluster, ...]:
    return autoclusters_of(pool(slot(), jobs=texts).jobs or ())


def test_jobs_with_equal_requests_and_requirements_are_one_class() -> None:
    (found,) = classes(job(), job("1.1"), job("2.0", User='"ben@site"', Owner='"ben"'))

    assert found.name == "1.0"
    assert found.idle == {"ada@site": 2, "ben@site": 1}
    assert found.submitters == ("ada@site", "ben@site")


def test_another_request_is_another_class() -> None:
    assert [
        found.name
        for found in classes(job(), job("2.0", RequestMemory=2048), job("3.0", Rank="Memory"))
    ] == [
        "1.0",
        "2.0",
        "3.0",
    ]


def test_running_jobs_are_counted_apart_and_held_ones_not_at_all() -> None:
    (found,) = classes(
        job(), job("1.1", JobStatus=2), job("1.2", JobStatus=5), job("1.3", JobStatus=4)
    )

    assert (sum(found.idle.values()), sum(found.running.values())) == (1, 1)


def test_jobs_that_no_negotiator_sees_are_left_out() -> None:
    """Scheduler, grid and local universe."""
    assert classes(*[job(f"{universe}.0", JobUniverse=universe) for universe in (7, 9, 12)]) == ()


def test_a_job_may_want_several_slots() -> None:
    (found,) = classes(job(MaxHosts=4, CurrentHosts=1))

    assert found.idle == {"ada@site": 3}


def test_no_job_wants_more_slots_than_a_pool_can_have() -> None:
    """A number of a damaged snapshot must not fill the memory."""
    (found,) = classes(job(MaxHosts=10**12))

    assert found.idle == {"ada@site": 1_000_000}


def test_the_accounting_group_is_the_submitter() -> None:
    (found,) = classes(job(AccountingGroup='"hep.ada"'))

    assert found.submitters == ("hep.ada@site",)


def test_requests_are_numbers_and_custom_assets_are_among_them() -> None:
    (found,) = classes(job(RequestTokens=3, RequestMemory="1024 * 2", RequestDisk="NoSuchThing"))

    assert found.request == {"cpus": 1, "memory": 2048, "disk": None, "tokens": 3}


def test_changes_hold_for_one_question_only() -> None:
    (found,) = classes(job(RequestMemory=1024))

    assert found.ad({"RequestMemory": 5, "Extra": 1}).value("RequestMemory") == 5
    assert found.ad().value("RequestMemory") == 1024
    assert found.ad().value("Extra") is UNDEFINED


def test_a_made_up_job_asks_for_what_it_is_given() -> None:
    found = made_up("cpus=2", {"cpus": 2, "memory": 100})

    assert (found.name, found.request, found.idle) == (
        "cpus=2",
        {"cpus": 2, "memory": 100, "disk": None},
        {"": 1},
    )
