"""What a cycle does, rule by rule, on pools of a few ads; the numbers follow from the rules of 25.14 by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
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
)
from tests.audit.sites import submitter as submitter_ad

#: The negotiator's ranks by default prefer less free cpus and memory, and then a lower SlotID.
FOUR = tuple(
    policy_slot(f"slot{number}@node1", SlotID=number, Rank="0.0") for number in range(1, 5)
)
#: Nobody may have it, but as the lightest slot it decides what is too little to go on for.
LIGHT = static_slot("slot9@node9", Cpus=1, TotalSlotCpus=1, Requirements="false")


def queue(count: int, who: str = "ada", cluster: int = 1, **changes: str | int) -> list[str]:
    own = {"Owner": f'"{who}"', "User": f'"{who}@site"', **changes}
    return [job(f"{cluster}.{proc}", **own) for proc in range(count)]


def asks(who: str, idle: int, **changes: str | int) -> str:
    return submitter_ad(f"{who}@site", IdleJobs=idle, WeightedIdleJobs=idle, **changes)


def given(*collector: str, jobs: list[str], config: str = "") -> Pool:
    return pool(*collector, jobs=jobs, config=config)


def slots_of(trace: Trace) -> list[str]:
    return [match.slot.partition("@")[0] for match in trace.matches]


def test_policies_fill_breadth_first() -> None:
    """A slot that is given back goes behind all that it has become better than: 1, 2, 3, 4, 4, 3, 2, 1, 4, 3."""
    trace = run_cycle(given(*FOUR, asks("ada", 10), jobs=queue(10)))

    assert slots_of(trace) == [f"slot{number}" for number in (1, 2, 3, 4, 4, 3, 2, 1, 4, 3)]
    assert [match.job for match in trace.matches] == [f"1.{proc}" for proc in range(10)]
    assert {match.request for match in trace.matches} == {"1.0"}


def test_without_match_lists_they_fill_depth_first() -> None:
    trace = run_cycle(
        given(
            *FOUR, asks("ada", 10), jobs=queue(10), config="NEGOTIATOR_MATCHLIST_CACHING = False\n"
        )
    )

    assert slots_of(trace) == ["slot1"] * 8 + ["slot2"] * 2


def test_a_policy_gives_no_more_than_its_claims() -> None:
    trace = run_cycle(given(policy_slot(NumClaims=3), asks("ada", 8), jobs=queue(8)))

    assert len(trace.matches) == 3
    assert [(each.job, each.reason) for each in trace.rejections] == [("1.0", "no match found")]


def test_a_plain_slot_is_taken_whole() -> None:
    trace = run_cycle(given(slot(), asks("ada", 2), jobs=queue(2)))

    assert [(match.slot, match.cost, match.standing) for match in trace.matches] == [
        ("slot1@node1", 8, 1)
    ]
    (ada,) = trace.submitters
    assert (ada.idle, ada.matches, ada.used_before, ada.used_after, ada.standing) == (2, 1, 0, 8, 1)


def test_a_pie_is_cut_by_priority() -> None:
    """Three quarters of 8 are 6; the second spin has nothing left."""
    ads = (
        accounting("ada@site", Priority="1500.0", IsAccountingGroup="false"),
        accounting("ben@site", Priority="500.0", IsAccountingGroup="false"),
    )
    jobs = [*queue(8), *queue(8, "ben", 2)]
    trace = run_cycle(given(policy_slot(), *ads, asks("ada", 8), asks("ben", 8), jobs=jobs))

    assert {each.name: each.matches for each in trace.submitters} == {"ada@site": 2, "ben@site": 6}
    assert trace.matches[0].submitter == "ben@site"


def test_what_one_leaves_the_other_has_in_the_next_spin() -> None:
    jobs = [*queue(8), *queue(2, "ben", 2)]
    order = ["ada@site", "ben@site"]
    trace = run_cycle(given(policy_slot(), LIGHT, asks("ada", 8), asks("ben", 2), jobs=jobs), order)

    assert {each.name: each.matches for each in trace.submitters} == {"ada@site": 6, "ben@site": 2}


def test_less_than_the_lightest_slot_is_not_shared_out_again() -> None:
    """There is but one slot, of weight 8, so that a pie of 4 is too little for a second spin."""
    jobs = [*queue(8), *queue(2, "ben", 2)]
    trace = run_cycle(
        given(policy_slot(), asks("ada", 8), asks("ben", 2), jobs=jobs), ["ada@site", "ben@site"]
    )

    assert {each.name: each.matches for each in trace.submitters} == {"ada@site": 4, "ben@site": 2}


def test_a_ceiling_is_looked_at_before_a_match() -> None:
    """With 3 cpus a job and a ceiling of 4 the second match overshoots."""
    ads = accounting("ada@site", Priority="500.0", Ceiling=4, IsAccountingGroup="false")
    trace = run_cycle(
        given(policy_slot(), LIGHT, ads, asks("ada", 3), jobs=queue(3, RequestCpus=3))
    )

    assert [match.cost for match in trace.matches] == [3, 3]
    assert trace.rejections == ()


def test_a_ceiling_below_the_lightest_slot_lets_nobody_through() -> None:
    ads = accounting("ada@site", Priority="500.0", Ceiling=7, IsAccountingGroup="false")

    assert run_cycle(given(slot(), ads, asks("ada", 3), jobs=queue(3))).matches == ()


def test_whoever_is_below_its_floor_is_first() -> None:
    ads = (
        accounting("ada@site", Priority="5000.0", Floor=2, IsAccountingGroup="false"),
        accounting("ben@site", Priority="500.0", IsAccountingGroup="false"),
    )
    jobs = [*queue(8), *queue(8, "ben", 2)]
    trace = run_cycle(given(policy_slot(), *ads, asks("ada", 8), asks("ben", 8), jobs=jobs))

    # A tenth of the priority is an eleventh of 8, beyond which it is let once, as the first match
    # of a talk.
    assert trace.matches[0].submitter == "ada@site"


GROUPS = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 3\nGROUP_QUOTA_b = 5\n"


def grouped(who: str) -> dict[str, str]:
    return {"AccountingGroup": f'"{who}"', "User": '"ada@site"', "Owner": '"ada"'}


def test_groups_have_their_turns_up_to_their_limits() -> None:
    jobs = [*queue(8, cluster=1, **grouped("a.ann")), *queue(8, cluster=2, **grouped("b.ben"))]
    trace = run_cycle(
        given(policy_slot(), asks("a.ann", 8), asks("b.ben", 8), jobs=jobs, config=GROUPS)
    )

    assert {each.name: (each.limit, each.used_after) for each in trace.groups} == {
        "<none>": (None, 0), "a": (3, 3), "b": (5, 5),
    }  # fmt: skip
    assert [match.submitter for match in trace.matches] == ["a.ann@site"] * 3 + ["b.ben@site"] * 5


def test_a_cycle_begins_with_what_claimed_slots_weigh() -> None:
    """The group has 2 of its 3 already."""
    claimed = [dynamic_slot(f"slot1_{number}@node1", "a.ann@site") for number in (1, 2)]
    jobs = queue(8, **grouped("a.ann"))
    trace = run_cycle(
        given(policy_slot(Cpus=6), *claimed, asks("a.ann", 8), jobs=jobs, config=GROUPS)
    )

    assert len(trace.matches) == 1
    assert {each.name: (each.used_before, each.used_after) for each in trace.groups}["a"] == (2, 3)


def test_claimed_slots_that_suit_a_job_are_the_reason_of_its_rejection() -> None:
    claimed = dynamic_slot("slot1_1@node1", "ben@site", Requirements="true")
    trace = run_cycle(
        given(claimed, asks("ada", 1), jobs=queue(1), config="PREEMPTION_REQUIREMENTS = False\n")
    )

    assert [each.reason for each in trace.rejections] == ["PREEMPTION_REQUIREMENTS == False"]
    assert trace.unmodelled == ()


@pytest.mark.parametrize(("limit", "matches"), [(1, 1), (3, 3), (8, 5)])
def test_concurrency_limits_count(limit: int, matches: int) -> None:
    jobs = queue(5, ConcurrencyLimits='"license"')
    trace = run_cycle(
        given(policy_slot(), asks("ada", 5), jobs=jobs, config=f"LICENSE_LIMIT = {limit}\n")
    )

    assert len(trace.matches) == matches
    assert [each.reason for each in trace.rejections] == (
        [] if matches == 5 else ["concurrency limit license reached"]
    )


def test_a_job_s_rank_comes_before_the_negotiator_s_second_one() -> None:
    slots = [
        static_slot(f"slot1@node{number}", SlotID=1, Machine=f'"node{number}"')
        for number in (1, 2, 3)
    ]
    jobs = queue(1, Rank='TARGET.Machine == "node3"')

    assert run_cycle(given(*slots, asks("ada", 1), jobs=jobs)).matches[0].slot == "slot1@node3"


def test_better_jobs_are_asked_for_first() -> None:
    jobs = [
        *queue(1, cluster=1),
        *queue(1, cluster=2, JobPrio=5),
        *queue(1, cluster=3, PreJobPrio1=1),
    ]
    trace = run_cycle(given(policy_slot(), asks("ada", 3), jobs=jobs))

    assert [match.job for match in trace.matches] == ["3.0", "2.0", "1.0"]


def test_a_priority_that_is_an_expression_is_that_of_each_job() -> None:
    """As on 25.14.1 and 23.9.6: the schedd evaluates it in the job."""
    asked = queue(3, PreJobPrio1="ProcId % 2", PostJobPrio1="ProcId")
    trace = run_cycle(given(policy_slot(), asks("ada", 3), jobs=asked))

    assert [match.job for match in trace.matches] == ["1.1", "1.2", "1.0"]


OLDER = VERSION.replace("25.14.1", "23.9.6")


@pytest.mark.parametrize(
    ("config", "of_schedd", "named"),
    [
        ("USE_RESOURCE_REQUEST_COUNTS = False\n", VERSION, ["1.0", "1.1", "1.2", "1.3"]),
        ("USE_RESOURCE_REQUEST_COUNTS = False\n", OLDER, ["1.0", "1.1", "1.2", "1.3"]),
        ("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE = 1\n", VERSION, ["1.0", "1.1", "1.1", "1.1"]),
        ("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE = 1\n", OLDER, ["1.0", "1.0", "1.0", "1.0"]),
    ],
)
def test_requests_that_are_sent_one_at_a_time(
    config: str, of_schedd: str, named: list[str]
) -> None:
    """As on 25.14.1, where the second alone is for all jobs that are alike; and on 23.9.6 (SEND_JOB_INFO)."""
    ad = schedd(CondorVersion=f'"{of_schedd}"')
    jobs = queue(5)
    trace = run_cycle(given(ad, policy_slot(Cpus=3), asks("ada", 5), jobs=jobs, config=config))

    found = [match.request for match in trace.matches], [each.job for each in trace.rejections]
    assert found == (named[:3], named[3:])


@pytest.mark.parametrize(
    ("version", "config", "rejected"),
    [
        (OLDER, "", ["1.0", "2.0", "3.0"]),
        (VERSION, "", ["1.0", "2.0", "3.0"]),
        (VERSION, "MAX_CONCURRENT_UPLOADS_PER_USER = 10\n", ["1.0", "2.0"]),
    ],
)
def test_what_the_lists_after_the_first_one_offer(
    version: str, config: str, rejected: list[str]
) -> None:
    """As on 23.9.6 and 25.14.1: each list has what may still start, but what is made ready counts for the limit.

    Of 6 jobs the first list offers the four of cluster 1, of which two are matched, and two of cluster 2. Made ready
    are three jobs, two, eight and one: with a limit of 10 nothing is left.
    """
    ad = schedd(CondorVersion=f'"{version}"', MaxJobsRunning=6)
    jobs = [*queue(4, cluster=1, JobPrio=2), *queue(8, cluster=2, JobPrio=1, RequestCpus=2)]
    jobs += queue(1, cluster=3, RequestCpus=3)
    config += "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE = 2\n"
    trace = run_cycle(given(ad, policy_slot(Cpus=2), asks("ada", 13), jobs=jobs, config=config))

    assert [each.job for each in trace.rejections] == rejected
    assert len(trace.matches) == 2


WITHOUT_CLAIM = [("Offline", "true"), ("Offline", "SlotID == 2"), ("WantClaiming", "SlotID =!= 2")]


@pytest.mark.parametrize(("name", "text"), WITHOUT_CLAIM)
def test_a_slot_whose_claim_is_not_sent_is_matched_and_charged_and_the_job_waits_on(
    name: str, text: str
) -> None:
    """As on 25.14.1 and 23.9.6: the job is offered again in the next spin."""
    there = policy_slot("slot1@node1", SlotID=1, Cpus=1, TotalSlotCpus=1, Rank="0.0")
    away = {"SlotID": 2, "Cpus": 1, "TotalSlotCpus": 1, "Rank": "1.0", "NumClaims": 0}
    trace = run_cycle(
        given(
            there, policy_slot("slot2@node1", **away, **{name: text}), asks("ada", 2), jobs=queue(2)
        )
    )

    reason = "the slot is offline (Offline)"
    if name == "WantClaiming":
        reason = "the slot is not to be claimed (WantClaiming)"
    assert {(match.slot, match.job, match.refusal) for match in trace.matches} == {
        ("slot1@node1", "1.0", ""), ("slot2@node1", "", reason),
    }  # fmt: skip
    (ada,) = trace.submitters
    assert (ada.used_after, ada.standing) == (2, 1)


def test_a_list_after_the_first_one_begins_anew() -> None:
    """As on 25.14.1: jobs whose matches came to nothing are in the second list, those rejected are not."""
    away = policy_slot("slot1@node1", Cpus=3, TotalSlotCpus=3, Offline="true")
    jobs = [*queue(1, RequestCpus=4), *queue(2, cluster=2)]
    config = "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE = 2\n"
    trace = run_cycle(given(away, asks("ada", 3), jobs=jobs, config=config))

    assert [match.request for match in trace.matches[:3]] == ["2.0", "2.0", "2.0"]
    assert {each.job for each in trace.rejections} == {"1.0", "2.0"}


def test_a_full_schedd_gives_back_what_was_asked_for_one_at_a_time_before_it_was_full() -> None:
    """As on 25.14.1 and 23.9.6: the first request of each talk was sent when the turn began; no other is made."""
    config = "USE_RESOURCE_REQUEST_COUNTS = False\n"
    access = schedd(MaxJobsRunning=2)
    jobs = [*queue(4), *queue(3, "ben", 2)]
    pool = given(policy_slot(), access, asks("ada", 4), asks("ben", 3), jobs=jobs, config=config)
    trace = run_cycle(replace(pool, in_order=True))

    assert [match.job for match in trace.matches][:3] == ["1.0", "1.1", ""]
    assert [match.request for match in trace.matches][:3] == ["1.0", "1.1", "2.0"]
    assert len(trace.matches) == 3


def test_what_the_negotiator_asks_of_jobs_tells_them_apart() -> None:
    """Seen on 23.9.6: each job is offered alone, so that the schedd passes over those alone that are not wanted."""
    config = "NEGOTIATOR_JOB_CONSTRAINT = ProcId != 0 && ProcId != 2\n"
    trace = run_cycle(given(policy_slot(), asks("ada", 4), jobs=queue(4), config=config))

    assert [(match.request, match.job) for match in trace.matches] == [
        ("1.1", "1.1"),
        ("1.3", "1.3"),
    ]


@pytest.mark.parametrize(
    ("constraint", "requests"),
    [("", ["1.0", "1.0", "1.3"]), ("NEGOTIATOR_JOB_CONSTRAINT = RequestCpus < 3\n", ["1.0"] * 3)],
)
def test_jobs_that_their_schedd_keeps_back_part_the_jobs_around_them(
    constraint: str, requests: list[str]
) -> None:
    """Seen on 23.9.6: they are in the list of the schedd, unless the negotiator does not want to hear of them."""
    jobs = queue(4)
    jobs[2] = job("1.2", Owner='"ada"', User='"ada@site"', RequestCpus=3)
    config = f"START_VANILLA_UNIVERSE = JOB.RequestCpus < 3\n{constraint}"
    trace = run_cycle(given(policy_slot(), schedd(), asks("ada", 4), jobs=jobs, config=config))

    assert [match.job for match in trace.matches] == ["1.0", "1.1", "1.3"]
    assert [match.request for match in trace.matches] == requests


def test_usage_is_kept_with_six_decimals() -> None:
    """Seen on 23.9.6: what is left of the pool for ben is less than its lightest slot then, by the rounding alone.

    In the first spin that does not matter, in the second one he is passed over."""
    weighs = {"SlotWeight": "Cpus + Memory / 2048.0", "TotalSlotMemory": 4096}
    rest = slot(Cpus=0, Memory=1096, **weighs)
    held = dynamic_slot(customer="ben@site", Cpus=2, Memory=3000, **weighs)
    trace = run_cycle(given(rest, held, asks("ben", 1), jobs=queue(1, "ben")))

    assert [each.used_before for each in trace.submitters] == [3.464844]
    assert len(trace.rejections) == 1


@pytest.mark.parametrize(("version", "config", "matches"), [
    ("25.14.1", "", 20), ("25.10.1", "", 30), ("25.14.1", "MAX_CONCURRENT_UPLOADS_PER_USER = 7\n", 7),
    ("25.14.1", "SCHEDD_ENABLE_PER_USER_MATCH_LIMITS = False\n", 30), ("25.14.1", "MAX_CONCURRENT_UPLOADS = 4\n", 30),
])  # fmt: skip
def test_a_schedd_offers_only_so_many_jobs_of_one_submitter(
    version: str, config: str, matches: int
) -> None:
    slots = policy_slot(Cpus=40, NumClaims=40, Memory=65536)
    access = schedd("access1", CondorVersion=f'"{VERSION.replace("25.14.1", version)}"')
    trace = run_cycle(given(slots, access, asks("ada", 30), jobs=queue(30), config=config))

    assert len(trace.matches) == matches


def test_a_weight_that_is_no_number_ends_the_negotiator() -> None:
    bad = policy_slot("slot1@bad", SlotWeight="NoSuchThing", SlotID=1)
    trace = run_cycle(
        given(
            bad, *FOUR, asks("ada", 2), jobs=queue(2), config="SLOT_WEIGHT = floor(AlsoNothing)\n"
        )
    )

    assert trace.matches == ()
    assert trace.crash is not None
    assert (trace.crash.slot, trace.crash.job, trace.crash.message) == (
        "slot1@bad",
        "1.0",
        "Failed to evaluate SlotWeight",
    )


def test_such_a_slot_can_be_skipped() -> None:
    bad = policy_slot("slot1@bad", SlotWeight="NoSuchThing", SlotID=1)
    config = "SLOT_WEIGHT = floor(AlsoNothing)\n"
    trace = run_cycle(
        given(bad, *FOUR, asks("ada", 2), jobs=queue(2), config=config), skip_bad_slots=True
    )

    assert len(trace.matches) == 2
    assert (trace.crash, [each.slot for each in trace.skipped]) == (None, ["slot1@bad"])


def test_a_schedd_passes_over_jobs_like_one_that_the_negotiator_does_not_want() -> None:
    """It looks at the first job of a run alone (schedd.cpp:negotiate): 1.0 is wanted, 1.2 behind 2.0 is not."""
    jobs = [
        *queue(2, JobPrio=5),
        *queue(1, cluster=2, JobPrio=3, RequestMemory=200),
        job("1.2", Owner='"ada"', User='"ada@site"', JobPrio=1),
        job("1.3", Owner='"ada"', User='"ada@site"', JobPrio=2),
    ]
    config = "NEGOTIATOR_JOB_CONSTRAINT = JobPrio >= 3 || ProcId == 1\nREMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio, ProcId\n"
    trace = run_cycle(given(*FOUR, asks("ada", 5), jobs=jobs, config=config))

    assert [match.job for match in trace.matches] == ["1.0", "1.1", "2.0"]


def test_jobs_without_requests_are_matched_with_nothing_of_a_policy() -> None:
    """Where the policy wants a request that the job does not make."""
    jobs = queue(1, RequestCpus="undefined")
    trace = run_cycle(
        given(policy_slot(ConsumptionCpus="TARGET.RequestCpus"), asks("ada", 1), jobs=jobs)
    )

    assert [each.reason for each in trace.rejections] == ["no match found"]


def test_a_claim_that_the_startd_refuses_is_told() -> None:
    """The negotiator takes 1.5 cpus of the slot, and the startd can only give one."""
    trace = run_cycle(given(policy_slot(ConsumptionCpus="1.5"), asks("ada", 1), jobs=queue(1)))

    assert [(match.cost, match.standing, match.refusal) for match in trace.matches] == [
        (1.5, 0, "cpus: 1.5 is consumed, but the startd hands out whole units")
    ]


def test_an_empty_pool_matches_nothing() -> None:
    trace = run_cycle(given(asks("ada", 1), jobs=queue(1)))

    assert (trace.matches, trace.slots, trace.pool_weight, trace.crash) == ((), 0, 0, None)


def test_submitters_of_which_no_job_is_known_are_named() -> None:
    trace = run_cycle(given(policy_slot(), asks("ada", 1), asks("ben", 4), jobs=queue(1)))

    assert trace.unmodelled == ("of the idle jobs of ben@site none is known: it asks for nothing",)


def test_a_request_that_a_concurrency_limit_stops_leaves_its_submitter_where_the_last_one_left_it() -> (
    None
):
    """When the job before it was matched, one slot was too heavy for the limit of 5: that still counts (23.9, 25.14).

    So the submitter is not through, and is asked again in the next spin.
    """
    slots = [
        static_slot(f"slot{number}@node1", Cpus=cpus, TotalSlotCpus=cpus, SlotID=number, Rank="0.0")
        for number, cpus in enumerate((1, 3, 8))
    ]
    jobs = [
        *queue(1, cluster=1, **grouped("a.ann")),
        *queue(2, cluster=2, RequestCpus=2, ConcurrencyLimits='"one"', **grouped("a.ann")),
    ]
    config = (
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nONE_LIMIT = 1\n"
        "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    )
    trace = run_cycle(given(*slots, asks("a.ann", 3), jobs=jobs, config=config))

    assert [(match.job, match.cost) for match in trace.matches] == [("1.0", 1), ("2.0", 3)]
    assert [(each.job, each.reason) for each in trace.rejections] == [
        ("2.0", "concurrency limit one reached"),
        ("2.1", "concurrency limit one reached"),
    ]


def test_a_share_is_reached_where_the_negotiator_reaches_it() -> None:
    """750 / (500 * 2.5) of 15 are 9 and no binary digit more: after nine nothing unclaimed is looked at (25.14.1)."""
    ads = (
        accounting("ada@site", Priority="750.0", IsAccountingGroup="false"),
        accounting("ben@site", Priority="500.0", IsAccountingGroup="false"),
    )
    slots = policy_slot(Cpus=15, NumClaims=15, Memory=65536)
    jobs = [*queue(1), *queue(20, "ben", 2)]
    trace = run_cycle(given(slots, *ads, asks("ada", 1), asks("ben", 20), jobs=jobs))

    first = next(each for each in trace.rejections if each.submitter == "ben@site")
    assert (first.job, first.reason) == ("2.0", "no match found")


@pytest.mark.parametrize(
    ("version", "used_for"), [("23.9.6", ["1.0", "2.0"]), ("24.7.3", ["1.0", ""])]
)
def test_older_schedds_see_no_concurrency_limits_that_are_no_plain_string(
    version: str, used_for: list[str]
) -> None:
    """The second match, made for 1.0 again, is without limits; so is 2.0 to a schedd that does not evaluate its own."""
    free = policy_slot(Cpus=1, NumClaims=2, ConsumptionCpus="0")
    access = schedd("access1", CondorVersion=f'"{VERSION.replace("25.14.1", version)}"')
    jobs = [
        *queue(1, RequestCpus=2),
        *queue(1, cluster=2, ConcurrencyLimits='strcat("type", SlotTypeID)'),
    ]
    config = "NEGOTIATOR_DEPTH_FIRST = True\n"
    trace = run_cycle(given(free, access, asks("ada", 2), jobs=jobs, config=config))

    assert [match.job for match in trace.matches] == used_for


def test_a_job_that_gets_the_match_of_another_is_charged_for_itself() -> None:
    """The negotiator goes on with 1.0, of which too few fit; the startd has 2.0 from the schedd (seen on 23.9.6)."""
    slots = [policy_slot(f"slot{each}@node1", Cpus=4, NumClaims=4) for each in (1, 2)]
    jobs = [*queue(1, RequestCpus=3), *queue(1, cluster=2)]
    config = "NEGOTIATOR_DEPTH_FIRST = True\n"
    trace = run_cycle(given(*slots, asks("ada", 2), jobs=jobs, config=config))

    made = [(each.job, each.request, each.cost, each.standing) for each in trace.matches[:2]]
    assert made == [("1.0", "1.0", 3, 3), ("2.0", "1.0", 3, 1)]


@pytest.mark.parametrize(("claimer", "matches"), [("access1", 1), ("access2", 0)])
def test_a_partitionable_slot_that_a_schedd_has_claimed_is_for_its_jobs_alone(
    claimer: str, matches: int
) -> None:
    claimed = slot(State='"Claimed"', RemoteScheddName=f'"{claimer}"')

    assert len(run_cycle(given(claimed, asks("ada", 1), jobs=queue(1))).matches) == matches


def test_a_startd_that_is_short_of_a_request_as_it_changed_it_takes_it_as_it_came() -> None:
    """1000 MB are quantized to 1024, of which the slot has 1000 (Resource.cpp: retrying without edits)."""
    trace = run_cycle(
        given(
            slot(Memory=1000, SlotWeight="Memory"),
            asks("ada", 1),
            jobs=queue(1, RequestMemory=1000),
        )
    )

    assert [(match.cost, match.standing, match.refusal) for match in trace.matches] == [
        (1000, 1000, "")
    ]


def test_a_startd_gives_nothing_that_it_does_not_have() -> None:
    """A slot whose Requirements do not look at amounts: the job is matched, and the claim refused."""
    trace = run_cycle(
        given(
            slot(Cpus=8, Requirements="true"),
            asks("ada", 1),
            jobs=queue(1, RequestCpus=9, Requirements="true"),
        )
    )

    assert [match.refusal for match in trace.matches] == ["cpus: 9 needed, 8 left"]


@pytest.mark.parametrize(
    ("running", "matches"),
    [
        ({"TotalRunningJobs": 4}, 0),
        ({"TotalRunningJobs": 4, "TotalSchedulerJobsRunning": 3}, 1),
        ({"TotalRunningJobs": 4, "TotalSchedulerJobsRunning": 3, "TotalLocalJobsRunning": 1}, 2),
        ({"TotalRunningJobs": 4, "ShadowsRunning": 1}, 1),
    ],
)
def test_jobs_without_a_shadow_do_not_count_against_max_jobs_running(
    running: dict[str, int], matches: int
) -> None:
    """Seen on 25.14.1: four jobs of the scheduler universe ran, and MAX_JOBS_RUNNING 2 let two start."""
    access = schedd(MaxJobsRunning=2, **running)
    trace = run_cycle(given(policy_slot(), access, asks("ada", 4), jobs=queue(4)))

    assert len([each for each in trace.matches if each.job]) == matches


def test_submitters_whose_names_differ_in_case_are_several() -> None:
    """Seen on 23.9.6 and 25.14.1: the ceiling of ada is not Ada's."""
    accounts = [accounting("ada@site", Ceiling=0)]
    jobs = [*queue(1), *queue(1, "Ada", 2)]
    trace = run_cycle(given(policy_slot(), *accounts, asks("ada", 1), asks("Ada", 1), jobs=jobs))

    assert [match.submitter for match in trace.matches] == ["Ada@site"]
