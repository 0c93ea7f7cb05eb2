"""Claims that are preempted as time goes by: who gets them, who waits again, and what is lost."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone

import pytest

from htcq.pool.past import Arrival
from htcq.pool.pool import Pool
from htcq.report.views.course_text import lost_work
from htcq.simulate.course.claims import LEFTOVER, MATCH, REUSED
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.runtimes import run_time
from tests.audit.sites import (
    VERSION,
    accounting,
    dynamic_slot,
    job,
    policy_slot,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
)

ALWAYS = "PREEMPTION_REQUIREMENTS = True\n"
HELD = {"State": '"Claimed"', "Activity": '"Busy"', "CurrentRank": 0.0, "Rank": 0.0}


def of(who: str, cluster: int, count: int, **changes: str | int | float) -> list[str]:
    own = {"Owner": f'"{who}"', "User": f'"{who}@site"', **changes}
    return [job(f"{cluster}.{proc}", **own) for proc in range(count)]


def asks(who: str, idle: int) -> str:
    return submitter(f"{who}@site", IdleJobs=idle, WeightedIdleJobs=idle)


def static(number: int, **changes: str | int | float) -> str:
    has = {"Cpus": 2, "TotalSlotCpus": 2, "SlotWeight": "Cpus", "SlotID": number, "Rank": 0.0}
    has["Requirements"] = "true"
    return static_slot(f"slot{number}@node1", **{**has, **changes})


def held(number: int, who: str = "ben", **changes: str | int | float) -> str:
    names = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), f'"{who}@site"')
    return static(number, **{**HELD, **names, **changes})


def course(given: Pool, cycles: int = 3, interval: float = 600.0, seconds: str = "3600") -> Course:
    return run_course(given, Plan(cycles, interval), run_time(seconds), random.Random(1))


def test_a_claim_goes_to_another_job_and_its_work_is_lost() -> None:
    """The job had run for half an hour on two cpus."""
    given = pool(held(1, TotalJobRunTime=1800), asks("ada", 1), jobs=of("ada", 1, 1), config=ALWAYS)
    found = course(given, 1)

    assert [start.job.id for start in found.starts] == ["1.0"]
    assert found.samples[0].preempted == 1
    assert found.samples[0].running == 1
    assert found.lost == {"<none>": 1.0}
    assert [each for each in found.unmodelled if "1 job that ran at the capture" in each]


def test_a_job_that_is_preempted_waits_again_and_starts_anew() -> None:
    """After ten minutes on two cpus; it has the claim again when the other job is over."""
    idle = [*of("ben", 1, 1), *of("ada", 2, 1, QDate=1700000000)]
    accounts = [
        accounting("ben@site", Priority=900.0, PriorityFactor=1.0),
        accounting("ada@site", Priority=500.0, PriorityFactor=1.0),
    ]
    given = pool(
        static(1, Rank='TARGET.Owner == "ada"'),
        asks("ben", 1),
        asks("ada", 1),
        *accounts,
        jobs=idle,
    )
    found = course(_late(given, {"2.0": 300.0}), 4, 600.0, "900")

    assert [(start.job.id, start.at) for start in found.starts] == [
        ("1.0", 0.0),
        ("2.0", 600.0),
        ("1.0", 1800.0),
    ]
    assert found.lost == {"<none>": pytest.approx(2 * 600 / 3600)}
    assert found.waited["ben@site"] == (0.0, 1200.0)


def _late(given: Pool, at: Mapping[str, float]) -> Pool:
    """Return a pool some of whose jobs come later, at these times."""
    jobs = given.jobs or ()
    return replace(
        given,
        jobs=tuple(each for each in jobs if each.id not in at),
        arriving=tuple(Arrival(at[each.id], each) for each in jobs if each.id in at),
    )


@pytest.mark.parametrize(
    ("startd", "own", "at"), [("1500", None, 1800.0), ("1500", "700", 1200.0), ("0", None, 600.0)]
)
def test_a_job_keeps_its_claim_for_its_retirement_time(
    startd: str, own: str | None, at: float
) -> None:
    """What the job asks for counts where it is less than what the startd offers."""
    wanted = {} if own is None else {"MaxJobRetirementTime": own}
    idle = [*of("ben", 1, 1, **wanted), *of("ada", 2, 1)]
    given = pool(
        static(1, Rank='TARGET.Owner == "ada"', MaxJobRetirementTime=startd),
        asks("ben", 1),
        asks("ada", 1),
        jobs=idle,
    )
    found = course(_late(given, {"2.0": 300.0}), 5, 600.0, "7200")

    assert [(start.job.id, start.at) for start in found.starts][:2] == [("1.0", 0.0), ("2.0", at)]


def test_a_dynamic_slot_goes_to_another_job_as_it_is() -> None:
    claimed = dynamic_slot(
        "slot1_1@node1", "ben@site", Cpus=2, SlotWeight="Cpus", Rank="0.0", CurrentRank="0.0",
        Requirements="true", TotalJobRunTime=3600,
    )  # fmt: skip
    given = pool(
        slot("slot1@node1", Cpus=0, Memory=0),
        claimed,
        asks("ada", 1),
        jobs=of("ada", 1, 1),
        config=ALWAYS,
    )
    found = course(given, 2, 600.0, "900")

    assert [sample.cpus for sample in found.samples] == [2, 2]
    assert found.lost == {"<none>": 2.0}


def test_jobs_of_a_negative_rank_are_preempted_in_every_cycle_without_rank() -> None:
    """CurrentRank is the job's Rank then: even the submitter's own jobs preempt each other."""
    given = pool(static(1, Rank="0.0"), asks("ada", 2), jobs=of("ada", 1, 2, Rank=-5.0))
    found = course(given, 3)

    assert [sample.preempted for sample in found.samples] == [0, 1, 1]


def test_a_preempted_job_returns_as_it_came() -> None:
    """A schedd shows its START_VANILLA_UNIVERSE with a job; the job itself stays like those that have not run."""
    config = "START_VANILLA_UNIVERSE = SLOT.SlotID > 0\n"
    jobs = of("ada", 1, 3, Rank=-5.0, Requirements="SlotID > 0")
    slots = static(1, Rank="0.0")
    found = course(pool(slots, schedd(), asks("ada", 3), jobs=jobs, config=config), 3)

    returned = {each.job.frame.text("Requirements") for each in found.evictions if each.job}
    assert [sample.preempted for sample in found.samples] == [0, 1, 1]
    assert returned == {"SlotID > 0"}


def test_no_job_comes_into_being_for_one_that_another_comes_back_for() -> None:
    """As on 23.9.6: with max_idle = 1 the preempted job is the one that is idle."""
    factory = {"TotalSubmitProcs": 9, "JobMaterializeNextProcId": 1, "JobMaterializeMaxIdle": 1}
    jobs = of("ada", 1, 1, Rank=-5.0, **factory)
    found = course(pool(static(1, Rank="0.0"), asks("ada", 1), jobs=jobs), 4)

    assert [start.job.id for start in found.starts] == ["1.0", "1.1", "1.0", "1.1"]


def test_without_preemption_nothing_is_lost() -> None:
    config = f"{ALWAYS}NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    given = pool(held(1, TotalJobRunTime=60), asks("ada", 1), jobs=of("ada", 1, 1), config=config)
    found = course(given, 2)

    assert found.lost == {}
    assert [sample.preempted for sample in found.samples] == [0, 0]


def test_a_what_if_tells_what_is_lost_on_either_side() -> None:
    ads = [held(1, TotalJobRunTime=900), held(2, TotalJobRunTime=1800), asks("ada", 2)]
    jobs = of("ada", 1, 2)
    before, after = (
        course(pool(*ads, jobs=jobs, config=config), 2) for config in ("A = 1\n", ALWAYS)
    )

    assert [*lost_work(before)] == []
    assert [*lost_work(after)] == ["2 claims were preempted; lost work in cpu hours: <none> 1.5"]
    assert [len(found.waited.get("ada@site", ())) for found in (before, after)] == [0, 2]


def test_dynamic_slots_that_are_preempted_together_are_one_claim_then() -> None:
    """Three jobs wait again."""
    wants = {"RequestCpus": 3, "QDate": 1700000000}
    idle = [*of("ben", 1, 4), *of("ada", 2, 1, **wants)]
    fits = "TARGET.RequestCpus <= MY.Cpus"
    split = slot(
        Cpus=4, TotalSlotCpus=4, Memory=8192, Rank='TARGET.Owner == "ada"', Requirements=fits,
        PslotRollupInformation="true", SlotWeight="Cpus",
    )  # fmt: skip
    given = pool(
        split, asks("ben", 4), asks("ada", 1), jobs=idle, config="ALLOW_PSLOT_PREEMPTION = True\n"
    )
    found = course(_late(given, {"2.0": 300.0}), 3, 600.0, "3600")

    assert [sample.preempted for sample in found.samples] == [0, 3, 0]
    assert [sample.running for sample in found.samples] == [4, 2, 2]
    assert [sample.idle for sample in found.samples] == [0, 3, 3]
    assert found.lost == {"<none>": pytest.approx(3 * 600 / 3600)}


def test_a_preempted_job_is_not_idle_yet_when_its_schedd_uses_what_the_slot_has_left() -> None:
    """Three of the submitter's own jobs are preempted for two cpus: the job wants more than that to be free."""
    wants = {"RequestCpus": 2, "Requirements": "TARGET.Cpus > MY.RequestCpus", "JobPrio": 5}
    split = slot(
        Cpus=4, TotalSlotCpus=4, Memory=8192, Rank="TARGET.JobPrio",
        Requirements="TARGET.RequestCpus <= MY.Cpus", PslotRollupInformation="true",
        SlotWeight="Cpus",
    )  # fmt: skip
    jobs = [*of("ada", 1, 4), *of("ada", 2, 1, **wants)]
    given = pool(split, asks("ada", 5), jobs=jobs, config="ALLOW_PSLOT_PREEMPTION = True\n")
    found = course(_late(given, {"2.0": 300.0}), 3, 600.0, "7200")

    assert [sample.preempted for sample in found.samples] == [0, 3, 0]
    assert [sample.running for sample in found.samples] == [4, 2, 3]


def test_a_slot_that_is_matched_twice_for_what_is_preempted_there_serves_one_request() -> None:
    """The negotiator takes nothing from such a slot; both jobs are preempted, and the second claim is refused."""
    split = policy_slot(
        Cpus=4, TotalSlotCpus=4, Memory=8192, Rank="TARGET.RequestCpus", NumClaims=9,
        PslotRollupInformation="true", SlotWeight="Cpus",
    )  # fmt: skip
    jobs = [*of("ben", 1, 2), *of("ada", 2, 2, RequestCpus=3)]
    config = "ALLOW_PSLOT_PREEMPTION = True\n"
    given = pool(split, asks("ben", 2), asks("ada", 2), jobs=jobs, config=config)
    found = course(_late(given, {"2.0": 300.0, "2.1": 300.0}), 2, 600.0, "7200")

    assert [sample.matches for sample in found.samples] == [2, 2]
    assert [sample.started for sample in found.samples] == [2, 1]
    assert [sample.running for sample in found.samples] == [2, 1]
    assert len(found.evictions) == 2


def test_a_claim_that_two_matches_take_serves_the_first() -> None:
    """Without PslotRollupInformation a dynamic slot is matched by itself, and with its slot as well."""
    split = slot(
        Cpus=4, TotalSlotCpus=4, Memory=8192, Rank='TARGET.Owner == "ada"', SlotWeight="Cpus",
        Requirements="TARGET.RequestCpus <= MY.Cpus",
    )  # fmt: skip
    jobs = [*of("ben", 1, 4), *of("ada", 2, 4)]
    config = "ALLOW_PSLOT_PREEMPTION = True\n"
    given = pool(split, asks("ben", 4), asks("ada", 4), jobs=jobs, config=config)
    found = course(_late(given, {f"2.{proc}": 300.0 for proc in range(4)}), 2, 600.0, "7200")

    assert found.samples[1].running == 4
    assert found.samples[1].started <= found.samples[1].matches
    assert len(found.evictions) == found.samples[1].started


@pytest.mark.parametrize(
    ("configured", "preempted"),
    [
        ("NEGOTIATOR_PRE_JOB_RANK = 1\nPREEMPTION_RANK = 2\nRANK =\n", 1),
        ("RANK = 0\n", 0),
        ("SLOT_TYPE_1_RANK = 0\n", 0),
        ("SLOT_TYPE_2_RANK = 0\n", 1),
    ],
)
def test_a_negative_rank_counts_only_where_the_startd_has_none(
    configured: str, preempted: int
) -> None:
    """What other daemons call a rank is in the configuration of the machine, too."""
    given = pool(
        static(1, SlotTypeID=1), asks("ada", 2), jobs=of("ada", 1, 2, Rank=-5.0),
        execute={"node1": configured},
    )  # fmt: skip

    assert course(given, 2, 600.0).samples[1].preempted == preempted


@pytest.mark.parametrize(("version", "again"), [("25.14.1", 100), ("23.9.6", 600)])
def test_a_claim_that_was_preempted_is_used_again_by_its_limits(version: str, again: int) -> None:
    """The match has the limits of the claim. To a schedd since 24.9.2 so has a job without any, by the slot's ad."""
    claim = held(1, Rank=1.0, ConcurrencyLimits='"licence"')
    access = schedd("access1", CondorVersion=f'"{VERSION.replace("25.14.1", version)}"')
    given = pool(claim, access, asks("ada", 2), jobs=of("ada", 1, 2), config="LICENCE_LIMIT = 9\n")
    found = course(given, 2, seconds="100")

    assert [start.at for start in found.starts] == [0, again]


LONG_AGO, NOW = 1700000000, 1750000000
TAKEN = datetime.fromtimestamp(NOW, timezone.utc).isoformat()
TIMED = "PREEMPTION_REQUIREMENTS = (time() - {}) > 900 && RemoteUser == {}\n"


@pytest.mark.parametrize("since", ["EnteredCurrentState", "EnteredCurrentActivity"])
@pytest.mark.parametrize("partitionable", [False, True])
@pytest.mark.parametrize(("user", "at"), [("ben@site", 1200.0), ("ada@site", 3600.0)])
def test_a_claim_is_as_old_as_its_slot_has_been_claimed(
    since: str, partitionable: bool, user: str, at: float
) -> None:
    """As in the manual's example, which preempts no new claim: slots are much older."""
    timed = {"EnteredCurrentState": LONG_AGO, "EnteredCurrentActivity": LONG_AGO}
    node = static(1, **timed)
    if partitionable:
        node = slot(Cpus=2, TotalSlotCpus=2, Rank=0.0, **timed)
    given = pool(
        node,
        asks("ben", 1),
        asks("ada", 1),
        accounting("ben@site", Priority=900.0, PriorityFactor=1.0),
        accounting("ada@site", Priority=500.0, PriorityFactor=1.0),
        jobs=[*of("ben", 1, 1, RequestCpus=2), *of("ada", 2, 1, RequestCpus=2)],
        config=TIMED.format(since, f'"{user}"'),
    )
    late = replace(_late(given, {"2.0": 300.0}), taken_at=TAKEN)
    found = course(late, 7, 600.0, "3600")

    assert [(start.job.id, start.at) for start in found.starts][:2] == [("1.0", 0.0), ("2.0", at)]


def test_a_slot_that_a_job_has_left_is_unclaimed_since_then() -> None:
    """START lets nobody in for a quarter of an hour after a job."""
    node = static(
        1, Requirements="(time() - EnteredCurrentState) > 900", EnteredCurrentState=LONG_AGO
    )
    queue = [*of("ben", 1, 1), *of("ada", 2, 1)]
    given = pool(node, asks("ben", 1), asks("ada", 1), jobs=queue)
    found = course(replace(given, taken_at=TAKEN), 7, 600.0, "600")

    assert [start.at for start in found.starts] == [0.0, 1800.0]


def test_a_claim_is_used_again_as_long_as_start_holds_at_that_time() -> None:
    young = 'State =!= "Claimed" || (time() - EnteredCurrentState) < 900'
    given = pool(static(1, Requirements=young), asks("ben", 4), jobs=of("ben", 1, 4))
    found = course(replace(given, taken_at=TAKEN), 5, 550.0, "500")

    assert [(start.at, start.by) for start in found.starts] == [
        (0.0, MATCH),
        (500.0, REUSED),
        (1100.0, MATCH),
        (1600.0, REUSED),
    ]


def test_start_of_what_is_left_is_asked_at_the_time_of_the_cycle() -> None:
    """The second job comes with the third cycle, and so is what is left of the slot used then."""
    late = f"RequestCpus > 1 || time() > {NOW + 1000}"
    node = slot(Cpus=8, TotalSlotCpus=8, Requirements=late, Rank=0.0)
    queue = [*of("ben", 1, 1, RequestCpus=2), *of("ben", 2, 1)]
    given = pool(node, asks("ben", 2), jobs=queue, config="CLAIM_PARTITIONABLE_LEFTOVERS = True\n")
    late = replace(_late(given, {"1.0": 1100.0}), taken_at=TAKEN)
    found = course(late, 4, 600.0, "5000")

    assert sorted((start.job.id, start.at, start.by) for start in found.starts) == [
        ("1.0", 1200.0, MATCH),
        ("2.0", 1200.0, LEFTOVER),
    ]


@pytest.mark.parametrize("of_user", [True, False])
def test_a_claim_tells_its_user_and_its_access_point_unless_it_was_taken_over(
    of_user: bool,
) -> None:
    """Seen on 23.9.6: the one that preempted another has no RemoteScheddName; so it stays."""
    text = 'RemoteScheddName =?= "access1"'
    if of_user:
        text = 'RemoteUser =?= "cyd@site" && RemoteOwner =?= "cyd@site"'
    given = pool(
        static(1),
        asks("ben", 1),
        asks("ada", 1),
        asks("dan", 1),
        accounting("ben@site", Priority=900.0, PriorityFactor=1.0),
        accounting("ada@site", Priority=500.0, PriorityFactor=1.0),
        accounting("dan@site", Priority=500.0, PriorityFactor=1.0),
        schedd(),
        jobs=[
            job("3.0", Owner='"cyd"', User='"cyd@site"', AccountingGroup='"ben"'),
            *of("ada", 2, 1),
            *of("dan", 4, 1),
        ],
        config=f"PREEMPTION_REQUIREMENTS = {text}\n",
    )
    found = course(_late(given, {"2.0": 300.0, "4.0": 900.0}), 5)

    assert [(start.job.id, start.at) for start in found.starts] == [("3.0", 0.0), ("2.0", 600.0)]


def test_a_captured_claim_that_is_used_again_is_as_old_as_it_was() -> None:
    """Its job ends within the first ten minutes, and the next one of ben's starts there."""
    own = {"EnteredCurrentState": NOW - 800, "EnteredCurrentActivity": NOW - 800}
    given = pool(
        held(1, **own),
        asks("ben", 1),
        asks("ada", 1),
        accounting("ben@site", Priority=900.0, PriorityFactor=1.0),
        accounting("ada@site", Priority=500.0, PriorityFactor=1.0),
        jobs=[*of("ben", 1, 1), *of("ada", 2, 1)],
        config=TIMED.format("EnteredCurrentState", '"ben@site"'),
    )
    late = replace(_late(given, {"2.0": 590.0}), taken_at=TAKEN)
    found = course(late, 2, 600.0, "500")

    assert [(start.job.id, start.by) for start in found.starts][:2] == [
        ("1.0", REUSED),
        ("2.0", MATCH),
    ]
