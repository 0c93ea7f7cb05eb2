"""The walls between an idle job and a start; each case has one wall only, unless it says so.

The facts are those of HTCondor's own source (matchmaker.cpp, schedd.cpp, qmgmt.cpp, 25.14): an
allocation of 0 skips a group, a limit is truncated, a ceiling is an integer, shares go by
1/priority, a talk offers 20 jobs from 25.11 on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.errors import InputError
from htcq.pool.pool import Pool
from htcq.pool.record import NEGOTIATOR
from htcq.why import match_failure as wall
from htcq.why.choice import all_idle, at_access_point, jobs_of
from htcq.why.match_failure import WALLS, MatchFailure
from htcq.why.verdict import Verdict, Verdicts
from tests.audit.sites import (
    accounting,
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
    user,
)

GROUPS = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_b = 4\n"


def verdicts(given: Pool, who: str = "") -> tuple[Verdict, ...]:
    """Return the verdicts on the jobs of ``who``, or on all idle ones."""
    judged = Verdicts(given)
    return judged.on(
        jobs_of(given, judged.cycle.quotas, who) if who else all_idle(given.jobs or ())
    )


def why(given: Pool, who: str = "") -> Verdict:
    """Return the only verdict."""
    (found,) = verdicts(given, who)
    return found


def ids(verdict: Verdict) -> list[str]:
    """Return the walls but that no negotiator is known."""
    return [each.id for each in verdict.walls if each.id != wall.NEGOTIATOR_ABSENT]


def one(verdict: Verdict) -> MatchFailure:
    """Return the only wall."""
    (found,) = [each for each in verdict.walls if each.id != wall.NEGOTIATOR_ABSENT]
    return found


def test_a_job_that_fits_starts_by_a_match_and_has_no_walls() -> None:
    found = why(pool(slot(), submitter(), negotiator(), jobs=[job()]))
    assert (found.starts, found.starts_by, found.walls) == (True, "match", ())


def test_without_a_negotiator_not_even_a_job_that_fits_starts() -> None:
    given = pool(slot(), submitter(), jobs=[job()])
    found = why(replace(given, records={**(given.records or {}), NEGOTIATOR: ()}))
    assert (found.starts, [each.id for each in found.walls]) == (False, [wall.NEGOTIATOR_ABSENT])


def test_a_job_starts_in_what_is_left_of_a_slot_that_another_was_matched_with() -> None:
    given = pool(slot(), submitter(IdleJobs=2), jobs=[job("1.0"), job("2.0", RequestMemory=2048)])
    assert [(each.jobs[0].id, each.starts, each.starts_by) for each in verdicts(given)] == [
        ("1.0", True, "match"),
        ("2.0", True, "leftover"),
    ]
    off = pool(
        slot(), submitter(IdleJobs=2), jobs=[job("1.0"), job("2.0", RequestMemory=2048)],
        config="CLAIM_PARTITIONABLE_LEFTOVERS = False\n",
    )  # fmt: skip
    assert [(each.starts, each.starts_by) for each in verdicts(off)] == [
        (True, "match"),
        (False, ""),
    ]


# The job
# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"JobStatus": 5}, wall.HELD),
        ({"JobStatus": 2}, wall.NOT_IDLE),
        ({"JobUniverse": 7}, wall.UNMATCHED_UNIVERSE),
        ({"Managed": '"External"'}, wall.MANAGED),
        ({"CurrentHosts": 1}, wall.HOSTS_TAKEN),
    ],
)
def test_the_state_of_a_job_is_a_wall(changes: dict[str, int], expected: str) -> None:
    assert one(why(pool(slot(), submitter(), jobs=[job(**changes)]), "1.0")).id == expected


def test_a_job_in_cool_down_does_not_start_though_it_fits() -> None:
    ads = [slot(), submitter(LastHeardFrom=1000), negotiator()]
    found = one(why(pool(*ads, jobs=[job(JobCoolDownExpiration=1060)])))
    assert (found.id, found.amounts["until"]) == (wall.COOL_DOWN, 1060)
    assert why(pool(*ads, jobs=[job(JobCoolDownExpiration=940)])).starts


# The access point
# ------------------------------------------------------------------------------------------------


def budget(uploads: int = 20, **changes: int) -> Pool:
    """Return a pool with 100 jobs of higher priority that fit nowhere, and one that fits."""
    jobs = [job(f"1.{proc}", JobPrio=10, RequestMemory=999_999) for proc in range(100)]
    return pool(
        slot(), schedd(**changes), submitter(IdleJobs=101), negotiator(), jobs=[*jobs, job("2.0", JobPrio=0)],
        access={"access1": f"MAX_CONCURRENT_UPLOADS_PER_USER = {uploads}\n"},
    )  # fmt: skip


def test_jobs_that_fit_nowhere_use_up_what_the_schedd_offers() -> None:
    found = one(why(budget(), "2.0"))
    assert (found.id, found.amounts["budget"]) == (wall.OFFER_BUDGET, 20)
    assert found.amounts["offered_rejected"] == 20
    assert "1.0" in found.text
    assert why(budget(0), "2.0").starts


def test_the_jobs_that_use_the_offers_up_are_explained_themselves() -> None:
    found = why(budget(), "1")
    assert wall.NO_SUCH_MACHINE in ids(found)
    assert len(found.jobs) == 100


def test_a_schedd_at_max_jobs_running_offers_nothing() -> None:
    ads = [slot(), submitter(), negotiator()]
    found = one(why(pool(*ads, schedd(MaxJobsRunning=50, TotalRunningJobs=50), jobs=[job()])))
    assert (found.id, found.amounts) == (
        wall.MAX_JOBS_RUNNING,
        {"limit": 50, "used": 50, "schedd": "access1"},
    )
    assert why(pool(*ads, schedd(MaxJobsRunning=50, TotalRunningJobs=49), jobs=[job()])).starts


def test_the_matches_of_the_cycle_itself_bring_a_schedd_to_max_jobs_running() -> None:
    full = schedd(MaxJobsRunning=50, TotalRunningJobs=49)
    jobs = [job("1.0"), job("2.0", User='"bob@site"', Owner='"bob"')]
    ads = [
        policy_slot(),
        full,
        submitter(LastHeardFrom=1),
        submitter("bob@site", LastHeardFrom=2),
        negotiator(),
    ]
    found = {each.jobs[0].id: ids(each) for each in verdicts(pool(*ads, jobs=jobs))}
    assert found == {"1.0": [], "2.0": [wall.MAX_JOBS_RUNNING]}


@pytest.mark.parametrize(
    ("knobs", "config", "expected"),
    [
        ("CURB_MATCHMAKING = True\n", "", wall.CURB_MATCHMAKING),
        ("START_VANILLA_UNIVERSE = JOB.RequestCpus > 2\n", "", wall.START_VANILLA_UNIVERSE),
        ('START_VANILLA_UNIVERSE = SLOT.OpSys == "AIX"\n', "", wall.START_VANILLA_UNIVERSE),
        ("START_VANILLA_UNIVERSE = RequestCpus > 2\n", "", wall.START_VANILLA_UNIVERSE),
        ("", "NEGOTIATOR_JOB_CONSTRAINT = RequestCpus > 2\n", wall.JOB_CONSTRAINT),
    ],
)
def test_what_keeps_a_schedd_from_offering_a_job(knobs: str, config: str, expected: str) -> None:
    found = one(
        why(
            pool(
                slot(),
                schedd(),
                submitter(),
                jobs=[job()],
                access={"access1": knobs},
                config=config,
            )
        )
    )
    assert found.id == expected


@pytest.mark.parametrize(
    ("start", "lost"), [("RequestCpus < 2", "RequestCpus"), ("TARGET.Cpus > 0", "TARGET.Cpus")]
)
def test_a_match_that_the_schedd_cannot_use_says_which_names_it_does_not_find(
    start: str, lost: str
) -> None:
    """The negotiator finds them in the job or in the slot, and makes the match (schedd.cpp: jobCanUseMatch)."""
    knobs = f"START_VANILLA_UNIVERSE = {start}\n"
    found = one(why(pool(slot(), schedd(), submitter(), jobs=[job()], access={"access1": knobs})))
    assert found.id == wall.START_VANILLA_UNIVERSE
    assert f"the schedd does not find {lost}" in found.text


def test_the_record_of_its_user_keeps_a_part_of_alike_jobs_from_being_offered() -> None:
    """Not the offer budget, of which the two matches use little (schedd.cpp: scheduler_getRequestConstraints)."""
    jobs, record = [job(f"1.{proc}") for proc in range(6)], user(MaxJobsRunning=3, NumRunning=1)
    ads = [policy_slot(Cpus=8, NumClaims=8), schedd("access1"), submitter(IdleJobs=6), negotiator()]
    started, kept = verdicts(pool(*ads, jobs=jobs, users=[record]))
    assert (len(started.jobs), len(kept.jobs)) == (2, 4)
    found = one(kept)
    amounts = {"user": "ada@site", "used": 1, "limit": 3, "matches": 2}
    assert (found.id, found.amounts) == (wall.USER_MAX_JOBS, amounts)


def test_jobs_of_two_access_points_with_the_same_id_are_told_apart() -> None:
    """Both are matched; the user may run none at access2, which says so of its own job alone."""
    jobs = [
        job(ScheddName=f'"{where}"', GlobalJobId=f'"{where}#1.0#1"')
        for where in ("access1", "access2")
    ]
    knobs = {"access1": "A = 1\n", "access2": "START_VANILLA_UNIVERSE = RequestCpus < 2\n"}
    asking = [submitter(ScheddName=f'"{where}"') for where in ("access1", "access2")]
    ads = [
        policy_slot(Cpus=8, NumClaims=8),
        schedd("access1"),
        schedd("access2"),
        *asking,
        negotiator(),
    ]
    found = {each.access_point: ids(each) for each in verdicts(pool(*ads, jobs=jobs, access=knobs))}
    assert found == {"access1": [], "access2": [wall.START_VANILLA_UNIVERSE]}


def test_claimed_slots_that_are_not_preempted_are_named() -> None:
    held = {"State": '"Claimed"', "Activity": '"Busy"', "CurrentRank": "0.0", "Rank": "0.0"}
    who = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), '"bob@site"')
    given = pool(
        static_slot(**held, **who), submitter(), negotiator(), jobs=[job()], config="A = 1\n"
    )
    in_use, found = why(given).walls
    assert (in_use.id, in_use.lifted_by) == (wall.NO_ROOM, "the end of running jobs")
    assert (
        in_use.text == "1 slot that could take it is in use; claims are held by bob@site (1 claim)"
    )
    assert found.id == wall.PREEMPTION
    assert "slot1@node1, are not preempted: PREEMPTION_REQUIREMENTS == False" in found.text


def test_claims_without_a_job_are_told_apart_from_those_with_one() -> None:
    """No end of a job ends them: their access point gives them back."""
    held = {
        "State": '"Claimed"',
        "CurrentRank": "0.0",
        "Rank": "0.0",
        "RemoteScheddName": '"access2"',
    }
    who = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), '"bob@site"')
    slots = [
        static_slot(f"slot1@node{place}", Activity=f'"{activity}"', **held, **who)
        for place, activity in enumerate(("Busy", "Idle", "Vacating"))
    ]
    given = pool(*slots, submitter(), negotiator(), jobs=[job()], config="A = 1\n")
    first = why(given).walls[0]
    assert "bob@site (3 claims, 1 of them idle, 1 of them vacating)" in first.text
    expected = "the end of running jobs; the return of 1 claim without a job by access2"
    assert first.lifted_by == expected


def test_a_schedd_that_may_be_down_hides_no_other_wall() -> None:
    held = {"State": '"Claimed"', "Activity": '"Busy"', "CurrentRank": "0.0", "Rank": "0.0"}
    who = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), '"bob@site"')
    given = pool(
        static_slot(**held, **who), schedd("other"), submitter(), jobs=[job(ScheddName='"access1"')]
    )
    assert ids(why(given)) == [wall.SCHEDD_SILENT, wall.NO_ROOM, wall.PREEMPTION]


def test_a_submitter_that_has_all_slots_waits_for_the_end_of_its_own_jobs() -> None:
    held = {"State": '"Claimed"', "Activity": '"Busy"', "CurrentRank": "0.0", "Rank": "0.0"}
    who = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), '"ada@site"')
    given = pool(static_slot(**held, **who), submitter(), negotiator(), jobs=[job()])
    assert ids(why(given)) == [wall.NO_ROOM]


def test_retirement_that_keeps_a_claim_has_its_own_cure() -> None:
    """The negotiator leaves out slots whose job may retire yet, though RANK prefers the other job."""
    held = {
        "State": '"Claimed"',
        "Activity": '"Busy"',
        "CurrentRank": "0.0",
        "RetirementTimeRemaining": 9999,
    }
    who = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), '"bob@site"')
    slot_of_bob = static_slot(**held, **who, Rank='TARGET.Owner == "ada"')
    given = pool(slot_of_bob, submitter(), negotiator(), jobs=[job()], config="A = 1\n")
    assert ids(why(given)) == [wall.NO_ROOM, wall.PREEMPTION]
    assert "MAXJOBRETIREMENTTIME" in why(given).walls[1].lifted_by


def test_preemption_requirements_that_are_false_are_named_with_their_value() -> None:
    who = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), '"bob@site"')
    of_bob = static_slot(State='"Claimed"', Activity='"Busy"', CurrentRank="0.0", **who)
    given = pool(
        of_bob, submitter(), negotiator(), jobs=[job()],
        config="NEGOTIATOR_CONSIDER_PREEMPTION = True\nPREEMPTION_REQUIREMENTS = MY.Never\n",
    )  # fmt: skip
    (kept,) = [each for each in why(given).walls if each.id == wall.PREEMPTION]
    assert kept.lifted_by == (
        "the end of these jobs; a PREEMPTION_REQUIREMENTS that is true for this job and such a "
        "claim (it is MY.Never)"
    )


def test_a_schedd_without_an_ad_may_be_down() -> None:
    given = pool(
        slot(),
        schedd("other"),
        submitter(),
        jobs=[job(ScheddName='"access1"', RequestMemory=99999)],
    )
    assert ids(why(given)) == [wall.NO_SUCH_MACHINE, wall.SCHEDD_SILENT]


# Demand, groups, submitters
# ---------------------------------------------------------------------------------------


def test_a_parallel_job_does_not_wait_for_demand() -> None:
    """The dedicated scheduler's ad has no idle jobs until it asks for slots (dedicated_scheduler.cpp)."""
    dedicated = submitter(
        "DedicatedScheduler@access1", IdleJobs=0, RunningJobs=1, ScheddName='"access1"'
    )
    parallel = job(JobUniverse=11, Scheduler='"DedicatedScheduler@access1"', ScheddName='"access1"')
    found = ids(why(pool(slot(), schedd("access1"), dedicated, jobs=[parallel])))
    assert wall.DEDICATED_SCHEDULER in found
    assert wall.NO_DEMAND not in found


def test_a_weighted_demand_of_zero_passes_the_group_over() -> None:
    starved = submitter("a.ada@site", IdleJobs=14, WeightedIdleJobs=0)
    found = one(why(pool(slot(), starved, jobs=[job(AccountingGroup='"a.ada"')], config=GROUPS)))
    assert found.id == wall.NO_DEMAND
    assert (found.amounts["idle"], found.amounts["weighted_idle"], found.amounts["group"]) == (
        14,
        0.0,
        "a",
    )
    assert why(pool(slot(), submitter(IdleJobs=14, WeightedIdleJobs=0), jobs=[job()])).starts


@pytest.mark.parametrize(
    ("ad", "config", "expected"),
    [
        (submitter("bob@site"), "", wall.NOT_ADVERTISED),
        (submitter(SkipMatchmaking="true"), "", wall.SKIP_MATCHMAKING),
        (submitter(IdleJobs=0), "", wall.NO_DEMAND),
        (submitter(IdleJobs=0, RunningJobs=3), "", wall.NO_DEMAND),
        (
            submitter(),
            "NEGOTIATOR_SUBMITTER_CONSTRAINT = IdleJobs > 3\n",
            wall.SUBMITTER_CONSTRAINT,
        ),
    ],
)
def test_what_keeps_the_negotiator_from_asking_for_jobs(
    ad: str, config: str, expected: str
) -> None:
    assert one(why(pool(slot(), ad, jobs=[job()], config=config))).id == expected


def test_a_group_at_its_limit_is_a_wall() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1", "a.ada@site") for n in range(1, 5)]
    ads = [slot(Cpus=4), *claims, submitter("a.ada@site", RunningJobs=4, WeightedRunningJobs="4.0")]
    found = why(pool(*ads, jobs=[job(AccountingGroup='"a.ada"')], config=GROUPS))
    (limit,) = [each for each in found.walls if each.id == wall.GROUP_QUOTA]
    assert (limit.amounts["used"], limit.amounts["limit"], limit.amounts["quota"]) == (
        4.0,
        4.0,
        4.0,
    )


def test_a_fraction_of_a_quota_is_truncated_to_nothing() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 0.9\nNEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    found = why(
        pool(slot(), submitter("a.ada@site"), jobs=[job(AccountingGroup='"a.ada"')], config=config)
    )
    assert ids(found) == [wall.GROUP_QUOTA]


def test_a_ceiling_that_is_reached_is_a_wall() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in (1, 2)]
    ads = [policy_slot(Cpus=6), *claims, submitter()]
    found = one(why(pool(*ads, accounting("ada@site", Ceiling=2), jobs=[job()])))
    assert found.lifted_by == "the end of one of its jobs; condor_userprio -setceil above 2"
    assert (found.id, found.amounts["ceiling"], found.amounts["used"]) == (
        wall.SUBMITTER_CEILING,
        2,
        2.0,
    )
    assert why(pool(*ads, accounting("ada@site", Ceiling=3), jobs=[job()])).starts


def test_a_share_that_is_used_up_is_a_wall() -> None:
    """Two users of equal priority, and one has half of the pool already."""
    claims = [dynamic_slot(f"slot1_{n}@node1") for n in range(1, 5)]
    others = [job(f"2.{n}", User='"bob@site"', Owner='"bob"', RequestMemory=512) for n in range(9)]
    ads = [
        policy_slot(Cpus=4),
        *claims,
        submitter(),
        submitter("bob@site", IdleJobs=9),
        negotiator(),
    ]
    accounts = [accounting("ada@site", Priority="500.0"), accounting("bob@site", Priority="500.0")]
    config = "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    (share,) = [
        each
        for each in why(pool(*ads, *accounts, jobs=[job(), *others], config=config), "ada").walls
        if each.id == wall.SUBMITTER_SHARE
    ]
    assert (share.amounts["used"], share.amounts["share"], share.amounts["part"]) == (4.0, 4.0, 0.5)


def test_groups_that_have_their_turns_before_take_the_slots() -> None:
    jobs = [job("1.0", AccountingGroup='"a.ada"'), job("2.0", AccountingGroup='"b.bob"')]
    ads = [slot(Cpus=1), submitter("a.ada@site"), submitter("b.bob@site"), negotiator()]
    found = {each.jobs[0].id: ids(each) for each in verdicts(pool(*ads, jobs=jobs, config=GROUPS))}
    assert found == {"1.0": [], "2.0": [wall.OUTRANKED, wall.GROUP_ORDER]}


def test_who_takes_the_slots_of_the_cycle_is_named_with_the_matches() -> None:
    others = [job(f"2.{each}", User='"bob@site"', Owner='"bob"') for each in range(2)]
    accounts = [accounting("ada@site", Priority="900.0"), accounting("bob@site", Priority="900.0")]
    ads = [slot("slot1@a", Cpus=1), slot("slot1@b", Cpus=1), *accounts, negotiator()]
    ads += [submitter("bob@site", IdleJobs=2), submitter()]
    given = pool(*ads, jobs=[job("1.0"), *others])
    found = [each for one in verdicts(given) for each in one.walls if each.id == wall.OUTRANKED]
    assert found
    for each in found:
        assert "earlier matches take them (in this cycle " in each.text
        assert "bob@site has " in each.text
        assert each.lifted_by == "time: one of these slots that becomes free"


# The negotiator, the startd
# ----------------------------------------------------------------------------------------


def test_a_weight_that_is_no_number_ends_the_negotiator_for_all() -> None:
    jobs = [job("1.0"), job("2.0", User='"bob@site"', Owner='"bob"')]
    ads = [policy_slot(SlotWeight="64/(Cpus-7)"), submitter(), submitter("bob@site")]
    assert [wall.SLOT_WEIGHT in ids(each) for each in verdicts(pool(*ads, jobs=jobs))] == [
        True,
        True,
    ]


def test_a_quota_that_ends_the_negotiator_is_named() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = -20\n"
    found = why(pool(slot(), submitter(), jobs=[job()], config=config))
    (crash,) = [each for each in found.walls if each.id == wall.NEGOTIATOR_CRASH]
    assert crash.amounts["knob"] == "GROUP_QUOTA_a"


def test_a_claim_that_the_startd_refuses_is_a_wall() -> None:
    half = policy_slot(ConsumptionCpus="1.5")
    found = one(why(pool(half, submitter(), negotiator(), jobs=[job()])))
    assert (found.id, found.amounts["slot"]) == (wall.CLAIM_REFUSED, "slot1@node1")
    assert found.lifted_by == "the consumption policy and MODIFY_REQUEST_EXPR_* of node1"


def test_a_start_that_dynamic_slots_do_not_meet_is_what_resolves_a_refused_claim() -> None:
    """Seen on 25.14.1 with START = PartitionableSlot: each claim is refused."""
    closed = slot(Start="PartitionableSlot =?= true", Requirements="START")
    found = one(why(pool(closed, submitter(), negotiator(), jobs=[job(Requirements="true")])))
    assert found.id == wall.CLAIM_REFUSED
    assert found.lifted_by == (
        "a START of node1 that holds on its dynamic slots too, as DynamicSlot =?= true || ( ... )"
    )


@pytest.mark.parametrize(
    ("capability", "number", "why_not"),
    [
        ("8.6", 1, ""),
        ("1.2", 1, "none of its free GPUs meets RequireGPUs of the job: Capability >= 8.0"),
        ("8.6", 2, "only 1 of its free GPUs meets RequireGPUs of the job: Capability >= 8.0"),
    ],
)
def test_gpus_that_only_the_startd_compares(capability: str, number: int, why_not: str) -> None:
    """Seen on 25.14.1 with a transform that sets RequireGPUs: matches in each cycle, no claim."""
    gpus = slot(
        GPUs=2, TotalSlotGPUs=2, TotalGPUs=2, MachineResources='"Cpus Memory Disk Swap GPUs"',
        AvailableGPUs="{ GPUs_GPU_a, GPUs_GPU_b }", GPUs_GPU_b='[ Id = "b"; Capability = 1.2 ]',
        GPUs_GPU_a=f'[ Id = "a"; Capability = {capability} ]',
    )  # fmt: skip
    asks = job(RequestGPUs=number, RequireGPUs="Capability >= 8.0", Requirements="true")
    found = why(pool(gpus, submitter(), negotiator(), jobs=[asks]))
    assert [each.id for each in found.walls] == ([wall.CLAIM_REFUSED] if why_not else [])
    assert why_not in "".join(each.text for each in found.walls)


# Several walls, several jobs
# ---------------------------------------------------------------------------------------


def max_jobs_run(**asked: int) -> list[str]:
    """Return the reasons of a job at an access point that runs all that it may, on a full slot."""
    ads = [
        slot(Cpus=0),
        schedd(MaxJobsRunning=1, TotalRunningJobs=1),
        submitter("a.ada@site", WeightedIdleJobs=0),
    ]
    mine = job(AccountingGroup='"a.ada"', GlobalJobId='"access1#1.0#1"', **asked)
    return ids(why(pool(*ads, jobs=[mine], config=GROUPS)))


def test_walls_come_in_the_order_in_which_a_job_meets_them() -> None:
    found = max_jobs_run()
    assert found == [wall.MAX_JOBS_RUNNING, wall.NO_DEMAND, wall.NO_ROOM]
    assert found == [each for each in WALLS if each in found]


def test_that_no_slot_suits_a_job_comes_before_limits_that_it_meets_first() -> None:
    """It starts no sooner without them, and `status` counts it among those that fit no slot."""
    found = max_jobs_run(RequestMemory=99999)
    assert found == [wall.NO_SUCH_MACHINE, wall.MAX_JOBS_RUNNING, wall.NO_DEMAND]


def test_jobs_that_are_alike_have_one_verdict() -> None:
    jobs = [
        job("1.0"),
        job("1.1"),
        job("2.0", RequestMemory=99999),
        job("2.1", RequestMemory=99999),
    ]
    found = verdicts(pool(policy_slot(), submitter(IdleJobs=4), negotiator(), jobs=jobs))
    assert [([job.id for job in each.jobs], each.starts) for each in found] == [
        (["1.0", "1.1"], True),
        (["2.0", "2.1"], False),
    ]


def test_ids_that_repeat_are_told_apart_by_the_access_point() -> None:
    jobs = [
        job(ScheddName='"access1"'),
        job(ScheddName='"access2"', User='"bob@site"', Owner='"bob"', RequestMemory=99999),
    ]
    ads = [
        slot(), schedd(), schedd("access2"), submitter(), submitter("bob@site", ScheddName='"access2"'), negotiator(),
    ]  # fmt: skip
    given = pool(*ads, jobs=jobs)
    assert [(each.access_point, each.starts) for each in verdicts(given, "1.0")] == [
        ("access1", True),
        ("access2", False),
    ]
    judged = Verdicts(given)
    (mine,) = at_access_point(given.jobs or (), "ACCESS2", judged.access_point, given)
    assert mine.user == "bob@site"
    with pytest.raises(
        InputError, match="none of these jobs waits at the access point 'access9'"
    ) as raised:
        at_access_point(given.jobs or (), "access9", judged.access_point, given)
    assert raised.value.hint == "the access points are access1, access2"


# Who is meant
# ------------------------------------------------------------------------------------------------------


def test_a_group_stands_for_its_submitters_and_those_of_groups_below_it() -> None:
    names = ("a.ada", "a.sub.abe", "b.ben", "cyd")
    jobs = [job(f"{number}.0", AccountingGroup=f'"{name}"') for number, name in enumerate(names, 1)]
    given = pool(
        slot(),
        jobs=jobs,
        config="GROUP_NAMES = a, a.sub, b\nGROUP_QUOTA_a = 2\nGROUP_QUOTA_b = 2\n",
    )
    quotas = Verdicts(given).cycle.quotas
    assert [job.id for job in jobs_of(given, quotas, "A")] == ["1.0", "2.0"]
    assert [job.id for job in jobs_of(given, quotas, "a.sub")] == ["2.0"]
    assert [job.id for job in jobs_of(given, quotas, "<none>")] == ["4.0"]
    assert [job.id for job in jobs_of(given, quotas, "b.ben@site")] == ["3.0"]


def test_unknown_names_are_refused_with_the_near_one() -> None:
    given = pool(slot(), jobs=[job()])
    quotas = Verdicts(given).cycle.quotas
    with pytest.raises(InputError, match="no job belongs to 'adda'") as raised:
        jobs_of(given, quotas, "adda")
    assert raised.value.hint == "did you mean ada@site?"
    with pytest.raises(InputError, match="there is no job 7"):
        jobs_of(given, quotas, "7")


def test_every_wall_has_a_sentence_and_what_lifts_it() -> None:
    for id_, type_ in WALLS.items():
        assert type_.text.endswith("."), id_
        assert type_.lifted_by, id_
        assert not type_.lifted_by.endswith("."), id_


def test_without_a_negotiator_that_is_the_first_reason_and_no_earlier_job() -> None:
    """The first of the two jobs would take the only slot in a first cycle."""
    jobs = [job(f"1.{proc}", RequestCpus=8) for proc in (0, 1)]
    given = pool(slot(), schedd(), submitter(IdleJobs=2), jobs=jobs, complete=False)
    found = Verdicts(given).on(given.jobs or ())

    assert [each.walls[0].id for each in found] == ["negotiator-absent"] * len(found)
    assert sum(len(each.jobs) for each in found) == 2
