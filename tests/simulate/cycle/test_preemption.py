"""Claims that a cycle preempts, rule by rule, on pools of a few ads; the rules are those of 25.14."""

from __future__ import annotations

from collections import Counter

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
from tests.audit.sites import (
    VERSION,
    accounting,
    job,
    negotiator,
    pool,
    schedd,
    static_slot,
    submitter,
)

ALWAYS = "PREEMPTION_REQUIREMENTS = True\n"
GROUPS = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 2\nGROUP_QUOTA_b = 2\n"


def held(number: int, who: str = "ben@site", **changes: str | int | float) -> str:
    own = {"State": '"Claimed"', "Activity": '"Busy"', "CurrentRank": 0.0, "Rank": 0.0}
    names = dict.fromkeys(("AccountingGroup", "RemoteUser", "RemoteOwner"), f'"{who}"')
    return free(number, **{**own, **names, **changes})


def free(number: int, **changes: str | int | float) -> str:
    own = {"Cpus": 1, "TotalSlotCpus": 1, "SlotWeight": 1, "SlotID": number, "Rank": 0.0}
    own["Requirements"] = "true"
    return static_slot(f"slot{number}@node1", **{**own, **changes})


def asks(who: str = "ada@site", idle: int = 4) -> str:
    return submitter(who, IdleJobs=idle, WeightedIdleJobs=idle)


def jobs(count: int = 4, who: str = "ada@site", **changes: str | int) -> list[str]:
    own = {"Owner": '"ada"', "User": f'"{who}"', "AccountingGroup": f'"{who.partition("@")[0]}"'}
    return [job(f"1.{proc}", **{**own, **changes}) for proc in range(count)]


def account(who: str, priority: float) -> str:
    return accounting(who, Priority=priority, PriorityFactor=1.0)


def cycle(*ads: str, config: str = "", idle: list[str] | None = None) -> Trace:
    return run_cycle(pool(*ads, jobs=jobs() if idle is None else idle, config=config))


def taken(trace: Trace) -> list[tuple[str, str, str]]:
    return [(each.slot.partition("@")[0], each.preempts, each.by) for each in trace.matches]


def reasons(trace: Trace) -> set[str]:
    return {each.reason for each in trace.rejections}


# --------------------------------------------------------------------------------------------------
# Whom a job preempts
# --------------------------------------------------------------------------------------------------


def test_nobody_is_preempted_unless_it_is_configured() -> None:
    trace = cycle(held(1), asks())

    assert taken(trace) == []
    assert reasons(trace) == {"PREEMPTION_REQUIREMENTS == False"}


def test_a_slot_that_ranks_the_job_higher_is_preempted_whatever_is_configured() -> None:
    trace = cycle(held(1, Rank='TARGET.Owner == "ada"'), held(2), asks(idle=2), idle=jobs(2))

    assert taken(trace) == [("slot1", "ben@site", "rank")]


@pytest.mark.parametrize("who", ["ada@site", "ben@site"])
def test_without_rank_a_claim_of_a_negative_rank_is_preempted_by_anybody(who: str) -> None:
    """CurrentRank is the job's Rank then, and 0 is more, even for jobs of the same submitter."""
    assert taken(cycle(held(1, who, CurrentRank=-5.0), asks())) == [("slot1", who, "rank")]


@pytest.mark.parametrize(
    ("rank", "refusal"),
    [("-4.0", ""), ("SlotID * -7", "the startd ranks it lower than the running job")],
)
def test_a_startd_without_rank_refuses_a_job_of_a_lower_rank(rank: str, refusal: str) -> None:
    """As on 23.9.6 and 25.14.1: the negotiator matches it, by the Rank of the slot's ad, which is 0 then."""
    trace = cycle(held(1, CurrentRank=-5.0), asks(), idle=jobs(Rank=rank))

    assert taken(trace) == [("slot1", "ben@site", "rank")]
    assert [each.refusal for each in trace.matches] == [refusal]


def test_claims_of_the_same_submitter_are_not_preempted_by_priority() -> None:
    assert taken(cycle(held(1, "ada@site"), asks(), config=ALWAYS)) == []


def test_a_job_that_the_slot_ranks_lower_preempts_nobody() -> None:
    assert taken(cycle(held(1, CurrentRank=3.0), asks(), config=ALWAYS)) == []


@pytest.mark.parametrize("text", ["1", "undefined", '"true"', "error"])
def test_what_is_no_boolean_preempts_nobody(text: str) -> None:
    """matchmakingAlgorithm looks at a boolean value, while Requirements may be a number."""
    assert taken(cycle(held(1), asks(), config=f"PREEMPTION_REQUIREMENTS = {text}\n")) == []


def test_without_preemption_no_claimed_slot_is_offered() -> None:
    trace = cycle(
        held(1, Rank=1.0), asks(), config=f"{ALWAYS}NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    )

    assert taken(trace) == []
    assert reasons(trace) <= {"no match found"}


@pytest.mark.parametrize(
    ("remaining", "early", "count"), [(9, False, 0), (0, False, 1), (9, True, 1)]
)
def test_a_claim_keeps_its_retirement_time(remaining: int, early: bool, count: int) -> None:
    knobs = f"{ALWAYS}NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = {early}\n"

    assert len(cycle(held(1, RetirementTimeRemaining=remaining), asks(), config=knobs).matches) == (
        count
    )


def test_free_slots_come_first() -> None:
    found = taken(cycle(held(1), free(2), asks(idle=2), idle=jobs(2), config=ALWAYS))

    assert found == [("slot2", "", ""), ("slot1", "ben@site", "priority")]


def test_who_is_to_have_the_claim_next_is_preempted() -> None:
    """The rank that counts is that of the job that waits for the claim."""
    waits = {"PreemptingUser": '"cyd@site"', "PreemptingRank": 2.0}

    assert taken(cycle(held(1, **waits), asks(), config=ALWAYS)) == []
    assert taken(cycle(held(1, **waits, Rank=2.0), asks(), config=ALWAYS)) == [
        ("slot1", "ben@site", "priority")
    ]
    assert taken(cycle(held(1, PreemptingUser='"ada@site"'), asks(), config=ALWAYS)) == []


# --------------------------------------------------------------------------------------------------
# In which order
# --------------------------------------------------------------------------------------------------


def test_the_worst_priority_is_preempted_first_and_then_the_shortest_run() -> None:
    """By default PREEMPTION_RANK is the priority, less the time that the job has run."""
    claims = [
        held(1, "ben@site", TotalJobRunTime=5000),
        held(2, "cyd@site", TotalJobRunTime=5000),
        held(3, "ben@site", TotalJobRunTime=100),
    ]
    accounts = [account("ben@site", 600.0), account("cyd@site", 700.0)]
    found = cycle(*claims, *accounts, asks(idle=3), idle=jobs(3), config=ALWAYS)

    assert [slot for slot, _, _ in taken(found)] == ["slot2", "slot3", "slot1"]


def test_a_slot_that_prefers_the_job_comes_before_one_that_does_not() -> None:
    ranks = "NEGOTIATOR_PRE_JOB_RANK = 0\nNEGOTIATOR_POST_JOB_RANK = 0\n"
    found = cycle(held(1), held(2, Rank=1.0), asks(idle=2), idle=jobs(2), config=ALWAYS + ranks)

    assert taken(found) == [("slot2", "ben@site", "rank"), ("slot1", "ben@site", "priority")]


# --------------------------------------------------------------------------------------------------
# Limits
# --------------------------------------------------------------------------------------------------


def test_by_priority_a_submitter_gets_no_more_than_its_share() -> None:
    claims = [held(number, "ben@site") for number in (1, 2, 3, 4)]
    others = [job(f"2.{number}", Owner='"cyd"', User='"cyd@site"') for number in range(4)]
    trace = cycle(*claims, asks(), asks("cyd@site"), idle=[*jobs(), *others], config=ALWAYS)

    assert Counter(each.submitter for each in trace.matches) == {"ada@site": 2, "cyd@site": 2}


def test_by_rank_a_submitter_gets_what_prefers_it() -> None:
    claims = [held(number, "ben@site", Rank=1.0) for number in (1, 2, 3, 4)]

    assert len(cycle(*claims, asks(), asks("cyd@site")).matches) == 4


def test_a_group_takes_what_another_has_beyond_its_quota() -> None:
    by_quota = (
        "PREEMPTION_REQUIREMENTS = (SubmitterGroupResourcesInUse < SubmitterGroupQuota) && "
        "(RemoteGroupResourcesInUse > RemoteGroupQuota)\n"
    )
    claims = [held(number, "a.ben@site") for number in (1, 2, 3, 4)]
    idle = jobs(who="b.ada@site")
    trace = cycle(*claims, asks("b.ada@site"), idle=idle, config=GROUPS + by_quota)

    assert {preempted for _, preempted, _ in taken(trace)} == {"a.ben@site"}
    assert len(trace.matches) == 2


@pytest.mark.parametrize(("quota", "count"), [(0, 0), (1, 1), (3, 2)])
def test_where_the_requirements_say_so_a_group_preempts_its_own_claims_alone_within_its_quota(
    quota: int, count: int
) -> None:
    config = (
        f"GROUP_NAMES = a, b\nGROUP_QUOTA_a = {quota}\nGROUP_QUOTA_b = 1\n"
        "PREEMPTION_REQUIREMENTS = RemoteGroup is SubmitterGroup\n"
    )
    claims = [
        held(1, "a.ben@site"),
        held(2, "a.ben@site"),
        held(3, "b.cyd@site"),
        held(4, "b.cyd@site"),
    ]
    accounts = [
        account("a.ben@site", 900.0),
        account("b.cyd@site", 900.0),
        account("a.ada@site", 500.0),
    ]
    trace = cycle(
        *claims, *accounts, asks("a.ada@site"), idle=jobs(who="a.ada@site"), config=config
    )

    assert [preempted for _, preempted, _ in taken(trace)] == ["a.ben@site"] * count


@pytest.mark.parametrize(("version", "left"), [("25.14.1", 1.0), ("25.8.2", 0.0), ("23.9.6", 0.0)])
def test_an_old_accountant_charges_the_preempted_one_no_more(version: str, left: float) -> None:
    ad = negotiator(CondorVersion=f'"$CondorVersion: {version} 2026-10-16 BuildID: 1 $"')
    trace = cycle(held(1), asks(), ad, config=ALWAYS)
    used = {each.name: each.used_after for each in trace.submitters}

    assert used["ada@site"] == 1.0
    assert used["ben@site"] == left


def test_when_the_ads_are_new_the_claim_is_charged_to_one_alone() -> None:
    trace = cycle(held(1), asks(), config=ALWAYS)
    used = {each.name: each.standing for each in trace.submitters}

    assert (used["ada@site"], used["ben@site"]) == (1.0, 0.0)


# --------------------------------------------------------------------------------------------------
# What the negotiator writes into ads
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("priority", "count"), [(590.0, 0), (610.0, 1)])
def test_the_manual_s_condition_compares_priorities(priority: float, count: int) -> None:
    config = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n"
    accounts = [account("ada@site", 500.0), account("ben@site", priority)]

    assert len(cycle(held(1), *accounts, asks(), config=config).matches) == count


_SEEN = (
    "RemoteUserPrio == 600.0 && RemoteUserResourcesInUse == 1.0 && RemoteUserFloor == 0 && "
    'RemoteGroup == "a" && RemoteGroupResourcesInUse == 1.0 && RemoteGroupQuota == 2.0'
)


@pytest.mark.parametrize(
    "knobs",
    [
        f"PREEMPTION_REQUIREMENTS = {_SEEN}\n",
        f"{ALWAYS}NEGOTIATOR_PRE_JOB_RANK = ifThenElse({_SEEN}, 2, 0)\n",
        f"{ALWAYS}NEGOTIATOR_POST_JOB_RANK = ifThenElse({_SEEN}, 2, 0)\n",
        f"{ALWAYS}PREEMPTION_RANK = ifThenElse({_SEEN}, 2, 0)\n",
    ],
)
def test_every_expression_of_the_negotiator_sees_whose_claim_it_is(knobs: str) -> None:
    ranks = "NEGOTIATOR_PRE_JOB_RANK = 1\nNEGOTIATOR_POST_JOB_RANK = 1\n"
    claims = [held(2, "b.cyd@site"), held(1, "a.ben@site")]
    accounts = [account("a.ben@site", 600.0), account("b.cyd@site", 800.0)]
    idle = jobs(1, "b.ada@site")
    trace = cycle(
        *claims, *accounts, asks("b.ada@site", 1), idle=idle, config=GROUPS + ranks + knobs
    )

    assert taken(trace) == [("slot1", "a.ben@site", "priority")]


@pytest.mark.parametrize(("regroups", "quota"), [("False", 1.0), ("True", 5.0)])
def test_the_quota_of_a_root_that_regroups_is_the_whole_pool(regroups: str, quota: float) -> None:
    """As on 23.9.6 (hgq_negotiate_with_all_groups): expressions about requests and claims see it so."""
    config = (
        f"{GROUPS}GROUP_AUTOREGROUP = {regroups}\nPREEMPTION_REQUIREMENTS = "
        f'RemoteGroup == "<none>" && RemoteGroupQuota == {quota}\n'
        f"NEGOTIATOR_PRE_JOB_RANK = ifThenElse(SubmitterGroupQuota == {quota}, SlotID, -SlotID)\n"
    )
    claims = [held(number, "ben@site") for number in (1, 2, 3, 4, 5)]
    trace = cycle(*claims, asks(idle=1), idle=jobs(1), config=config)

    assert [match.slot for match in trace.matches] == ["slot5@node1"]


@pytest.mark.parametrize(("start", "count"), [(_SEEN, 1), ("RemoteUserPrio < 600", 0)])
def test_slots_see_it_as_well(start: str, count: int) -> None:
    accounts = [account("a.ben@site", 600.0)]
    trace = cycle(
        held(1, "a.ben@site", Requirements=start),
        *accounts,
        asks("b.ada@site"),
        idle=jobs(who="b.ada@site"),
        config=GROUPS + ALWAYS,
    )

    assert len(trace.matches) == count


def test_jobs_see_it_as_well() -> None:
    idle = jobs(1, Requirements="TARGET.RemoteUserPrio == 600.0")
    found = cycle(held(1), account("ben@site", 600.0), asks(idle=1), idle=idle, config=ALWAYS)

    assert taken(found) == [("slot1", "ben@site", "priority")]


def test_a_negotiator_before_25_8_2_writes_no_floor() -> None:
    ad = negotiator(CondorVersion='"$CondorVersion: 25.8.1 2026-10-16 BuildID: 1 $"')
    config = "PREEMPTION_REQUIREMENTS = RemoteUserFloor =?= undefined\n"

    assert len(cycle(held(1), asks(), ad, config=config).matches) == 1
    assert len(cycle(held(1), asks(), config=config).matches) == 0


@pytest.mark.parametrize(("stable", "count"), [(True, 4), (False, 2)])
def test_an_expression_that_is_not_stable_is_asked_before_each_match(
    stable: bool, count: int
) -> None:
    config = (
        "PREEMPTION_REQUIREMENTS = SubmitterUserResourcesInUse < 2\n"
        f"PREEMPTION_REQUIREMENTS_STABLE = {stable}\n"
    )
    claims = [held(number) for number in (1, 2, 3, 4)]

    assert len(cycle(*claims, asks(), config=config).matches) == count


def test_a_rank_that_is_not_stable_orders_the_rest_anew() -> None:
    """Once the first submitter has lost a claim, the accountant of 23.9 charges it less than the other."""
    config = f"{ALWAYS}PREEMPTION_RANK = RemoteUserResourcesInUse\nPREEMPTION_RANK_STABLE = False\n"
    claims = [held(number, "ben@site" if number < 3 else "cyd@site") for number in (1, 2, 3, 4)]
    ad = negotiator(CondorVersion='"$CondorVersion: 23.9.6 2024-08-08 BuildID: 1 $"')
    found = taken(cycle(*claims, asks(idle=2), ad, idle=jobs(2), config=config))

    assert [who for _, who, _ in found] == ["ben@site", "cyd@site"]


@pytest.mark.parametrize(
    ("config", "own", "first"),
    [
        ("PREEMPTION_REQUIREMENTS = TARGET.JobPrio < 5\n", {}, 1),
        ("PREEMPTION_REQUIREMENTS = TARGET.ProcId >= 2\n", {}, 2),
        (ALWAYS, {"Requirements": "ProcId >= 1"}, 1),
    ],
)
def test_what_the_negotiator_looks_at_tells_jobs_apart(
    config: str, own: dict[str, str], first: int
) -> None:
    """Each is an autocluster of its own then: one that is rejected does not stop the others."""
    queue = [jobs(4, JobPrio=5 - proc, **own)[proc] for proc in range(4)]
    trace = cycle(held(1), asks(), config=config, idle=queue)

    assert [each.request for each in trace.matches] == [f"1.{first}"]


@pytest.mark.parametrize(
    ("version", "used_for"), [("23.9.6", ["1.0", ""]), ("25.14.1", ["1.0", "1.1"])]
)
def test_a_match_by_preemption_has_the_limits_of_the_claim_where_the_job_has_none(
    version: str, used_for: list[str]
) -> None:
    """MatchedConcurrencyLimits; to a schedd before 24.9.2 the next job, which has none, does not suit (seen on 23.9.6)."""
    claims = [held(number, ConcurrencyLimits='"Licence"', CurrentRank=-1.0) for number in (1, 2)]
    text = VERSION.replace("25.14.1", version)
    access = schedd("access1", CondorVersion=f'"{text}"')
    limited = jobs(1, "cyd@site", ClusterId=2, ConcurrencyLimits='"licence"')
    trace = cycle(
        *claims, access, asks(idle=2), asks("cyd@site", 1), account("cyd@site", 900.0),
        config="LICENCE_LIMIT = 3\n", idle=[*jobs(2), *limited],
    )  # fmt: skip

    assert [each.job for each in trace.matches] == used_for
    # Both claims count twice until the next cycle: 4 of 3.
    assert reasons(trace) == {"concurrency limit licence reached"}
