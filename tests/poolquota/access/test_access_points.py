"""What schedds offer, rule by rule, and what the negotiator writes into a request (schedd.cpp, qmgmt.cpp, 25.14)."""

from __future__ import annotations

import pytest

from htcq.pool.pool import Pool
from htcq.poolquota.access.access_points import AccessPoints
from htcq.poolquota.access.refusals import Refusal
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import job, policy_slot, pool, schedd, static_slot, submitter, user

NOW = 1_700_000_000


def queue(count: int, who: str = "ada", cluster: int = 1, **changes: str | int) -> list[str]:
    own = {"Owner": f'"{who}"', "User": f'"{who}@site"', **changes}
    return [job(f"{cluster}.{proc}", **own) for proc in range(count)]


def asks(who: str, idle: int, access: str = "access1") -> str:
    at = {"ScheddName": f'"{access}"', "LastHeardFrom": NOW}
    return submitter(f"{who}@site", IdleJobs=idle, WeightedIdleJobs=idle, **at)


def matched(given: Pool) -> list[str]:
    return [match.job for match in run_cycle(given).matches]


def refusals(given: Pool) -> list[Refusal]:
    """Return why the first job of a pool is not offered."""
    knobs = {knob.name: knob.value for knob in given.central or ()}
    return list(AccessPoints(given, Knobs(knobs), NOW).refusals((given.jobs or ())[0]))


@pytest.mark.parametrize(
    ("until", "jobs"), [(NOW - 1, ["1.0"]), (NOW, []), (NOW + 60, []), ("undefined", ["1.0"])]
)
def test_a_job_that_cools_down_is_not_offered(until: int | str, jobs: list[str]) -> None:
    given = pool(policy_slot(), asks("ada", 1), jobs=queue(1, JobCoolDownExpiration=until))

    assert matched(given) == jobs


@pytest.mark.parametrize(("most", "running", "count"), [(0, 0, 0), (3, 0, 3), (3, 2, 1), (3, 5, 0)])
def test_max_jobs_running_is_for_all_submitters_of_a_schedd_together(
    most: int, running: int, count: int
) -> None:
    access = schedd("access1", MaxJobsRunning=most, TotalRunningJobs=running)
    jobs = [*queue(4), *queue(4, "ben", 2)]
    given = pool(
        policy_slot(Cpus=8, NumClaims=8), access, asks("ada", 4), asks("ben", 4), jobs=jobs
    )

    assert len([job for job in matched(given) if job]) == count


def test_what_a_schedd_offers_of_all_submitters_is_fixed_before_the_matches_and_some_are_given_back() -> (
    None
):
    """2 may start: each of two submitters offers 2, and the schedd has no use for the matches of the second one."""
    access = schedd("access1", MaxJobsRunning=2, TotalRunningJobs=0)
    jobs = [*queue(4), *queue(4, "ben", 2)]
    given = pool(
        policy_slot(Cpus=8, NumClaims=8), access, asks("ada", 4), asks("ben", 4), jobs=jobs
    )
    matches = run_cycle(given, ["ada@site", "ben@site"]).matches

    assert [(each.request, each.job) for each in matches] == [
        ("1.0", "1.0"),
        ("1.0", "1.1"),
        ("2.0", ""),
        ("2.0", ""),
    ]
    assert [bool(each.refusal) for each in matches] == [False, False, True, True]


@pytest.mark.parametrize(
    ("curb", "count"),
    [
        ("True", 0),
        ("TransferQueueNumWaitingToUpload > 3", 0),
        ("TransferQueueNumWaitingToUpload > 9", 1),
    ],
)
def test_a_curbed_schedd_offers_nothing(curb: str, count: int) -> None:
    access = schedd("access1", TransferQueueNumWaitingToUpload=5)
    given = pool(
        policy_slot(), access, asks("ada", 1), jobs=queue(1), config=f"CURB_MATCHMAKING = {curb}\n"
    )

    assert len(matched(given)) == count


@pytest.mark.parametrize(
    ("start", "slots"),
    [
        ("JOB.RequestCpus < 2", ["slot1@node1"]),
        ("JOB.RequestCpus > 2", []),
        ('SLOT.Machine == "node2"', ["slot1@node2"]),
        ('JOB.Owner != "SLOT.x" && SLOT.SlotID == 1', ["slot1@node1"]),
    ],
)
def test_start_vanilla_universe_keeps_jobs_and_slots_apart(start: str, slots: list[str]) -> None:
    free = [
        static_slot(f"slot1@node{number}", Machine=f'"node{number}"', SlotID=number)
        for number in (1, 2)
    ]
    config = f"START_VANILLA_UNIVERSE = {start}\n"
    given = pool(*free, schedd("access1"), asks("ada", 1), jobs=queue(1), config=config)

    assert [match.slot for match in run_cycle(given).matches] == slots


@pytest.mark.parametrize(
    ("start", "matches"),
    [
        ("RequestCpus > 2", [("", "2.0")]),
        ("MY.RequestCpus > 2", [("", "2.0")]),
        ("Cpus > 2", [("", "1.0"), ("", "2.0")]),
        ("TARGET.Cpus > 2", [("", "1.0"), ("", "2.0")]),
        ("RequestCpus =?= 4", []),
        ("RequestCpus =!= 4", [("1.0", "1.0")]),
        ("JOB.NoSuch > 2", []),
    ],
)
def test_the_schedd_finds_names_without_a_scope_nowhere_and_the_negotiator_does(
    start: str, matches: list[tuple[str, str]]
) -> None:
    """Jobs of 1 and 4 cpus, one after the other, as the SchedLog of 25.14.1 tells it with D_MATCH:2.

    A match that no job is started on is given back; the negotiator has charged it all the same.
    """
    jobs = [*queue(1), *queue(1, cluster=2, RequestCpus=4)]
    slot = policy_slot(Cpus=8, NumClaims=8)
    given = pool(
        slot,
        schedd("access1"),
        asks("ada", 2),
        jobs=jobs,
        config=f"START_VANILLA_UNIVERSE = {start}\n",
    )
    trace = run_cycle(given)

    assert [(each.job, each.request) for each in trace.matches] == matches
    assert [each.standing for each in trace.matches if each.refusal] == [
        0.0 for job, _ in matches if not job
    ]
    assert all("START_VANILLA_UNIVERSE" in each.refusal for each in trace.matches if not each.job)


@pytest.mark.parametrize(
    ("start", "count"),
    [
        ('OWNER.name == "ada@site"', 2),
        ('OWNER.name == "ben@site"', 0),
        ("OWNER.JobsIdle == 2 && OWNER.JobsRunning == 1 && OWNER.JobsHeld == 1", 2),
        ("SLOT.Cpus > OWNER.JobsIdle", 2),
        ("SLOT.Cpus < OWNER.JobsIdle", 0),
        ('SCHEDD.Name == "access1" && SCHEDD.TotalRunningJobs < 5', 2),
        ("SLOT.Cpus > SCHEDD.TotalRunningJobs", 2),
        ("SCHEDD.NoSuch < 5", 0),
    ],
)
def test_start_vanilla_universe_may_look_at_the_user_and_at_the_schedd(
    start: str, count: int
) -> None:
    """VanillaMatchAd::Init: OWNER counts jobs that run or are suspended, idle and held ones; SCHEDD is its own ad."""
    jobs = [*queue(2), *queue(1, cluster=2, JobStatus=2), *queue(1, cluster=3, JobStatus=5)]
    slot, own = policy_slot(Cpus=8, NumClaims=8), schedd("access1", TotalRunningJobs=1)
    given = pool(slot, own, asks("ada", 2), jobs=jobs, config=f"START_VANILLA_UNIVERSE = {start}\n")

    assert len(matched(given)) == count


@pytest.mark.parametrize(("requested", "matches"), [(1, 1), (2, 0)])
def test_the_schedd_puts_the_request_in_and_not_what_a_policy_consumes(
    requested: int, matches: int
) -> None:
    """The slot has 2 cpus and consumes none; real pools do the same (flattenVanillaStartExpr)."""
    slot = policy_slot(Cpus=2, ConsumptionCpus="0", NumClaims=8)
    config = "START_VANILLA_UNIVERSE = SLOT.Cpus > JOB.RequestCpus\n"
    jobs = queue(1, RequestCpus=requested)
    given = pool(slot, schedd("access1"), asks("ada", 1), jobs=jobs, config=config)

    assert len(run_cycle(given).matches) == matches


def test_what_the_ad_of_the_schedd_lacks_is_said() -> None:
    config = "START_VANILLA_UNIVERSE = SCHEDD.NoSuch =!= 5 && SCHEDD.MaxJobsRunning > 5\n"
    given = pool(
        policy_slot(),
        schedd("access1", MaxJobsRunning=9),
        asks("ada", 1),
        jobs=queue(1),
        config=config,
    )
    (said,) = run_cycle(given).unmodelled
    assert "access1 names SCHEDD.NoSuch" in said


def test_a_schedd_before_24_7_has_no_scope_of_its_own_ad() -> None:
    """HTCONDOR-2919; on 23.9.6 no job starts with such an expression, and nothing says why."""
    config = "START_VANILLA_UNIVERSE = SCHEDD.TotalRunningJobs < 5\n"
    for version, count in (("23.9.6", 0), ("24.6.1", 0), ("24.7.3", 1), ("25.14.1", 1)):
        own = schedd(
            "access1", TotalRunningJobs=1, CondorVersion=f'"$CondorVersion: {version} 2026-01-01 $"'
        )
        given = pool(policy_slot(), own, asks("ada", 1), jobs=queue(1), config=config)
        assert len(matched(given)) == count, version


def test_a_match_that_one_job_may_not_be_started_on_goes_to_the_next_that_may() -> None:
    """FindRunnableJob of qmgmt.cpp, 25.14: to the schedd TARGET is undefined, and 1.0 is not startable anywhere."""
    jobs = [*queue(1), *queue(1, cluster=2, RequestCpus=2)]
    start = "JOB.RequestCpus == 2 || TARGET.SlotID == 1"
    free = [static_slot(f"slot{number}@node1", SlotID=number, Cpus=2) for number in (1, 2)]
    given = pool(
        *free,
        schedd("access1"),
        asks("ada", 2),
        jobs=jobs,
        config=f"START_VANILLA_UNIVERSE = {start}\n",
    )

    first, *_ = run_cycle(given).matches
    assert (first.request, first.job) == ("1.0", "2.0")


def test_a_job_that_the_negotiator_does_not_want_may_use_a_match_all_the_same() -> None:
    """The schedd asks for 2.0 and 2.1 alone; when it has the second match, 1.0 is the first that suits it."""
    jobs = [*queue(1, RequestMemory=600), *queue(2, cluster=2, RequestMemory=100)]
    config = "NEGOTIATOR_JOB_CONSTRAINT = RequestMemory < 500\n"
    slots = [static_slot(f"slot{number}@node1", SlotID=number) for number in range(1, 4)]
    given = pool(*slots, schedd("access1"), asks("ada", 3), jobs=jobs, config=config)

    assert matched(given) == ["2.0", "1.0"]


def test_jobs_that_are_alike_are_one_request_if_those_between_them_are_not_offered() -> None:
    """1.0 and 3.0 are alike, and the negotiator does not want 2.0: a second match is for the first job that suits."""
    jobs = [*queue(1), *queue(1, cluster=2, RequestMemory=600), *queue(1, cluster=3)]
    config = "NEGOTIATOR_JOB_CONSTRAINT = RequestMemory > 1000\n"
    slots = [static_slot(f"slot{number}@node1", SlotID=number) for number in range(1, 4)]
    given = pool(*slots, schedd("access1"), asks("ada", 3), jobs=jobs, config=config)

    assert [(each.request, each.job) for each in run_cycle(given).matches] == [
        ("1.0", "1.0"),
        ("1.0", "2.0"),
    ]


@pytest.mark.parametrize("kind", [{"JobUniverse": 11}, {"WantParallelScheduling": "true"}])
def test_parallel_jobs_are_the_dedicated_schedulers(kind: dict[str, str | int]) -> None:
    jobs = queue(2, Scheduler='"DedicatedScheduler@access1"', **kind)
    own = static_slot("slot1@node1", DedicatedScheduler='"DedicatedScheduler@access1"')
    dedicated = submitter("DedicatedScheduler@access1", IdleJobs=2, ScheddName='"access1"')
    given = pool(
        own, static_slot("slot1@node2"), schedd("access1"), asks("ada", 2), dedicated, jobs=jobs
    )

    assert [(each.submitter, each.slot) for each in run_cycle(given).matches] == [
        ("DedicatedScheduler@access1", "slot1@node1")
    ]


def test_what_another_program_starts_is_not_asked_for() -> None:
    assert matched(pool(policy_slot(), asks("ada", 1), jobs=queue(1, Managed='"External"'))) == []


@pytest.mark.parametrize(
    ("start", "count"),
    [
        ("TARGET.SubmitterUserPrio < 501", 4),
        ("TARGET.SubmitterUserPrio < 500", 0),
        ("TARGET.SubmitterUserResourcesInUse < 2", 4),
        ('TARGET.SubmitterGroup == "physics"', 4),
        ("TARGET.SubmitterGroupQuota == 3 && TARGET.SubmitterGroupResourcesInUse < 3", 4),
        ('TARGET.SubmitterNegotiatingGroup == "<none>"', 0),
    ],
)
def test_slots_may_look_at_the_submitter_of_a_job(start: str, count: int) -> None:
    """A new user has priority 500. What it uses is looked at when the list of slots is made, not later.

    Seen on 25.14.1: four slots were matched with ``SubmitterUserResourcesInUse < 2``.
    """
    slots = [
        static_slot(f"slot{number}@node1", SlotID=number, Requirements=start)
        for number in range(1, 5)
    ]
    config = (
        "GROUP_NAMES = physics\nGROUP_QUOTA_physics = 3\nGROUP_ACCEPT_SURPLUS = True\n"
        "GROUP_PRIO_FACTOR = 1\n"
    )
    jobs = queue(4, AccountingGroup='"physics.ada"')
    given = pool(*slots, asks("physics.ada", 4), jobs=jobs, config=config)

    assert len(matched(given)) == count


@pytest.mark.parametrize(
    ("limit", "running", "count"), [(0, 0, 0), (3, 0, 3), (3, 1, 2), (3, 4, 0)]
)
def test_a_user_runs_no_more_jobs_than_the_record_of_the_user_allows(
    limit: int, running: int, count: int
) -> None:
    """As condor_qusers sets it: MaxJobsRunning is of one user at one access point, whatever the group."""
    record = user(MaxJobsRunning=limit, NumRunning=running)
    jobs = [*queue(4), *queue(2, "ben", 2)]
    slot = policy_slot(Cpus=8, NumClaims=8)
    given = pool(slot, schedd("access1"), asks("ada", 4), asks("ben", 2), jobs=jobs, users=[record])

    assert sorted(matched(given)) == [*(f"1.{proc}" for proc in range(count)), "2.0", "2.1"]


def test_each_request_of_a_user_asks_for_what_the_user_may_still_run_and_matches_beyond_it_are_given_back() -> (
    None
):
    """The schedd counts jobs that run, not matches: only when it starts the jobs it finds that two are too many."""
    jobs = [*queue(2), *queue(2, cluster=2, RequestMemory=100)]
    slot = policy_slot(Cpus=8, NumClaims=8)
    given = pool(slot, schedd("access1"), asks("ada", 4), jobs=jobs, users=[user(MaxJobsRunning=1)])
    matches = run_cycle(given).matches

    assert [(each.request, each.job) for each in matches] == [("1.0", "1.0"), ("2.0", "2.0")]
    assert "MaxJobsRunning" in matches[1].refusal


@pytest.mark.parametrize(("start", "matches"), [("JOB.RequestCpus < 9", 4), ("SLOT.Cpus < 9", 2)])
def test_a_start_vanilla_universe_that_is_true_for_every_slot_forgets_the_limit_of_the_user(
    start: str, matches: int
) -> None:
    """As on 25.14.1: the requests are for all jobs then, and the matches beyond the limit are given back."""
    config = f"START_VANILLA_UNIVERSE = {start}\n"
    slot, record = policy_slot(Cpus=8, NumClaims=8), user(MaxJobsRunning=2)
    given = pool(
        slot, schedd("access1"), asks("ada", 4), jobs=queue(4), users=[record], config=config
    )
    found = run_cycle(given).matches

    assert len(found) == matches
    assert [bool(each.refusal) for each in found] == [False, False, True, True][:matches]


def test_nothing_is_offered_of_a_user_who_runs_as_many_jobs_as_allowed() -> None:
    record = user(MaxJobsRunning=2, NumRunning=2)
    config = "START_VANILLA_UNIVERSE = JOB.RequestCpus < 9\n"
    given = pool(
        policy_slot(),
        schedd("access1"),
        asks("ada", 4),
        jobs=queue(4),
        users=[record],
        config=config,
    )

    assert run_cycle(given).matches == ()


def test_a_limit_is_that_of_the_users_own_access_point() -> None:
    other = user(MaxJobsRunning=0, ScheddName='"access2"')
    given = pool(policy_slot(), schedd("access1"), asks("ada", 1), jobs=queue(1), users=[other])

    assert matched(given) == ["1.0"]


REFUSED = [
    ({"JobCoolDownExpiration": NOW + 9}, "", Refusal("cool-down", {"until": NOW + 9})),
    (
        {"RequestMemory": 700},
        "NEGOTIATOR_JOB_CONSTRAINT = RequestMemory < 500\n",
        Refusal("job-constraint", {"expression": "RequestMemory < 500"}),
    ),
    (
        {},
        "START_VANILLA_UNIVERSE = JOB.RequestCpus > 2\n",
        Refusal("start-vanilla-universe", {"expression": "JOB.RequestCpus > 2"}),
    ),
    (
        {},
        "START_VANILLA_UNIVERSE = SLOT.Cpus > 2\n",
        Refusal("start-vanilla-universe", {"expression": "SLOT.Cpus > 2"}, offered=True),
    ),
    (
        {"JobUniverse": 11, "Scheduler": '"DedicatedScheduler@access1"'},
        "",
        Refusal("dedicated-scheduler", {"submitter": "DedicatedScheduler@access1"}, offered=True),
    ),
    (
        {
            "DeferralTime": NOW + 500,
            "DeferralPrepTime": 300,
            "ScheddInterval": 60,
            "Requirements": "time() + ScheddInterval >= DeferralTime - DeferralPrepTime",
        },
        "",
        Refusal("deferred", {"until": NOW + 140}, offered=True),
    ),
    ({}, "CURB_MATCHMAKING = True\n", Refusal("curb-matchmaking", {"expression": "True"})),
]


@pytest.mark.parametrize(
    ("changes", "config", "refusal"), REFUSED, ids=lambda each: getattr(each, "id", "")
)
def test_a_job_that_is_not_offered_says_why(
    changes: dict[str, str | int], config: str, refusal: Refusal
) -> None:
    given = pool(
        policy_slot(),
        schedd("access1"),
        asks("ada", 1),
        jobs=queue(1, **changes),
        config=config or "A = 1\n",
    )

    assert refusals(given) == [refusal]


def test_limits_of_the_schedd_and_of_the_user_say_how_much_of_them_is_used() -> None:
    access = schedd("access1", MaxJobsRunning=3, TotalRunningJobs=4)
    record = user(MaxJobsRunning=2, NumRunning=1, NumSuspended=1)
    given = pool(policy_slot(), access, asks("ada", 1), jobs=queue(1), users=[record])

    assert refusals(given) == [
        Refusal("user-max-jobs", {"user": "ada@site", "limit": 2, "used": 2}),
        Refusal("max-jobs-running", {"limit": 3, "used": 4}),
    ]


def test_a_job_that_is_offered_has_nothing_against_it() -> None:
    assert refusals(pool(policy_slot(), schedd("access1"), asks("ada", 1), jobs=queue(1))) == []


def starving() -> list[str]:
    """Three autoclusters of higher priority that fit nowhere, and one that fits."""
    large = [
        job
        for number in range(3)
        for job in queue(4, cluster=number + 1, JobPrio=9, RequestMemory=10**6 + number)
    ]
    return [*large, *queue(4, cluster=9)]


@pytest.mark.parametrize(
    "knobs",
    [
        "",
        "SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS = True\n",
        "SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS = True\nNEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE = 1\n",
    ],
)
def test_what_fits_nowhere_uses_up_what_is_offered(knobs: str) -> None:
    """5 jobs of the submitter are offered in a talk. No released schedd refunds any of them."""
    config = f"MAX_CONCURRENT_UPLOADS_PER_USER = 5\n{knobs}"
    slot = policy_slot(Cpus=8, NumClaims=8)
    given = pool(slot, schedd("access1"), asks("ada", 16), jobs=starving(), config=config)

    assert matched(given) == []


def test_limits_of_projects_are_told_not_to_be_followed() -> None:
    config = "PERSISTENT_PROJECT_RECORDS = True\n"
    given = pool(policy_slot(), schedd("access1"), asks("ada", 1), jobs=queue(1), config=config)

    assert run_cycle(given).unmodelled == (
        (
            "access1 keeps records of projects (PERSISTENT_PROJECT_RECORDS), whose limits are not "
            "followed"
        ),
    )
