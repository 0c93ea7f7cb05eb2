"""Jobs of a file that come to the queues of a pool one after another."""

from __future__ import annotations

from random import Random

import pytest

from htcq.errors import InputError
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.job_arrivals import with_arrivals
from tests.audit.sites import job, policy_slot, static_slot, submitter
from tests.pool.parsed_once import read_dump

NO_LEFTOVERS = "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"
DONE = {"JobStatus": 4, "RemoteWallClockTime": "900.0", "LastRemoteWallClockTime": "60.0"}
BEN = {"User": '"ben@site"', "Owner": '"ben"'}


def site(
    *past: str,
    ads: tuple[str, ...] = (policy_slot(), submitter()),
    jobs: tuple[str, ...] = (job(),),
) -> Pool:
    """Return a pool with 8 cpus in which one job waits, and the jobs of another file."""
    texts = Texts(
        source="test",
        collector=lambda: ["\n".join(ads).encode()],
        jobs=lambda: ["\n".join(jobs).encode()],
        central=NO_LEFTOVERS,
        past=lambda: ["\n".join(past).encode()],
    )
    return read_pool(texts, read_dump)


def course(given: Pool, cycles: int = 6, lasts: str = "10000") -> Course:
    return run_course(given, Plan(cycles, 100.0), run_time(lasts), Random(0))


def test_jobs_come_as_they_were_queued_and_run_as_long_as_they_did() -> None:
    """The first at once, the second 150 s later: it starts at the cycle of 200 s and ends at 260 s."""
    given = with_arrivals(
        site(job("7.0", QDate=5150, **DONE), job("7.1", QDate=5000, **DONE)), "file"
    )
    found = course(given)

    assert [each.at for each in given.arriving] == [0, 150]
    assert [sample.started for sample in found.samples] == [2, 0, 1, 0, 0, 0]
    assert [sample.running for sample in found.samples] == [2, 1, 2, 1, 1, 1]
    assert found.waited == {"ada@site": (0, 0, 50)}


def test_a_job_that_did_not_run_yet_runs_as_long_as_any() -> None:
    found = course(with_arrivals(site(job("7.0", QDate=5000)), "file"), lasts="250")

    assert [sample.running for sample in found.samples] == [2, 2, 2, 0, 0, 0]


def test_they_stand_behind_those_that_wait_but_for_better_priorities() -> None:
    queue = tuple(job(f"9.{proc}") for proc in range(3))
    past = (job("1.0", QDate=1), job("2.0", QDate=2, JobPrio=5), job("3.0", QDate=3))
    ads = (static_slot(), submitter(IdleJobs=3, WeightedIdleJobs=3))
    found = course(with_arrivals(site(*past, ads=ads, jobs=queue), "file"), 8, "100")

    # In the one slot: 9.0, then 2.0 for its priority, which came 1 s after the beginning; 9.1, 9.2,
    # 1.0, 3.0.
    assert found.waited["ada@site"][:2] == (0, 99)
    assert found.waited["ada@site"][2:6] == (200, 300, 400, 498)


def test_a_claim_goes_on_with_a_job_that_came_meanwhile() -> None:
    given = with_arrivals(
        site(job("7.0", QDate=1), job("7.1", QDate=51), jobs=(job(**BEN),)), "file"
    )
    found = course(given, 2, "60")

    # 7.0 has a claim from 0 to 60 s; 7.1 came at 50 s and takes it over, before the cycle at 100 s.
    assert found.waited["ada@site"] == (0, 10)


def test_somebody_without_an_ad_gets_one_and_priorities_follow_usage() -> None:
    given = with_arrivals(site(job("7.0", QDate=1, **BEN), job("7.1", QDate=201, **BEN)), "file")
    found = course(given)

    assert [record.name for record in given.submitters] == ["ada@site", "ben@site"]
    assert found.waited == {"ada@site": (0,), "ben@site": (0, 0)}
    assert found.samples[-1].submitters == {"ada@site": 1, "ben@site": 2}


def test_a_newcomer_that_has_used_much_is_served_later() -> None:
    """One slot, jobs of one cycle: whoever used nothing is before who used it, as soon as both have priorities."""
    ads = (static_slot(), submitter(IdleJobs=0))
    past = [job(f"7.{n}", QDate=100, **BEN) for n in range(3)] + [job("8.0", QDate=350)]
    given = with_arrivals(site(*past, ads=ads, jobs=()), "file")
    # Nothing waits at the capture; a claim is for one job only.
    text = f"{NO_LEFTOVERS}CLAIM_WORKLIFE = 0\nPRIORITY_HALFLIFE = 10\n"
    quick = with_arrivals(
        read_pool(
            Texts(
                source="test",
                collector=lambda: ["\n".join(ads).encode()],
                jobs=lambda: [job(JobStatus=5).encode()],
                central=text,
                past=lambda: ["\n".join(past).encode()],
            ),
            read_dump,
        ),
        "file",
    )

    assert given.arriving[-1].job.submitter == "ada@site"
    found = course(quick, 6, "100")
    # ben runs at 0, 100 and 200; ada comes at 250 and is next, at 300.
    assert found.waited == {"ben@site": (0, 100, 200), "ada@site": (50,)}


def test_slots_are_asked_for_what_arriving_jobs_name() -> None:
    special = {"Requirements": "TARGET.HasTape", "JobPrio": 1}
    ads = (policy_slot("slot1@node1"), policy_slot("slot1@node2", HasTape="true"), submitter())
    given = with_arrivals(site(job("7.0", QDate=1, **special), ads=ads), "file")

    assert course(given, 1).samples[0].started == 2


def test_jobs_have_the_attributes_that_slots_ask_for() -> None:
    ads = (policy_slot(Start="TARGET.IsShort"), submitter())
    given = with_arrivals(
        site(job("7.0", QDate=1, IsShort="true"), job("7.1", QDate=1), ads=ads), "file"
    )

    assert course(given, 1).samples[0].started == 1


def test_who_comes_after_the_last_cycle_changes_nothing() -> None:
    given = site(job("7.0", QDate=1, **BEN), job("7.1", QDate=100000))
    late = with_arrivals(given, "file")
    late = Pool(**{**vars(given), "arriving": late.arriving[1:]})

    assert course(late) == course(given)


@pytest.mark.parametrize(
    ("flawed", "why"),
    [
        (job("7.0"), "job 7.0 is left out: no QDate"),
        (job("7.0", QDate=1, RequestMemory=None), "job 7.0 is left out: no RequestMemory"),
        (job("7.0", QDate=1, RequestCpus=None), "job 7.0 is left out: no RequestCpus"),
        (job("7.0", QDate=1, User=None, Owner=None), "job 7.0 is left out: no User"),
        (
            job("7.0", QDate=1, JobUniverse=7),
            "job 7.0 is left out: the negotiator never sees jobs of its universe",
        ),
        ("\n".join(job(f"7.{n}") for n in range(2)), "2 jobs, such as 7.0, are left out: no QDate"),
    ],
)
def test_jobs_that_cannot_arrive_are_left_out_and_told(flawed: str, why: str) -> None:
    given = with_arrivals(site(flawed, job("8.0", QDate=1)), "file")

    assert given.damage == (f"--arrivals file: {why}",)
    assert [each.job.queued_at for each in given.arriving] == [1]
    with pytest.raises(InputError, match=why):
        with_arrivals(site(flawed), "file")


def test_jobs_wait_where_the_others_of_their_submitter_wait() -> None:
    """condor_history tells no ScheddName; a queue of its own would hide those that are there."""
    there = job(ScheddName='"access1"')
    given = with_arrivals(
        site(job("7.0", QDate=1), job("7.1", QDate=1, ScheddName='"other"'), jobs=(there,)), "file"
    )

    assert {each.job.schedd for each in given.arriving} == {"access1"}
    assert course(given, 1).samples[0].started == 3
