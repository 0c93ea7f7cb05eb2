"""The cause for which a slot stands and the first reason of the jobs that it would take tell one story."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest

from htcq.pool.pool import Pool
from htcq.report.views.cycle_text import wrong
from htcq.report.views.status import headline
from htcq.report.views.status_text import show_status
from htcq.simulate.cycle.trace import ENDING, GONE, OWNED, SILENT
from htcq.why.choice import all_idle
from htcq.why.match_failure import MatchFailure
from htcq.why.verdict import Verdicts
from tests.audit.sites import (
    Text,
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
)
from tests.balance.pools import balanced, check
from tests.expected.pools import cycles, free, site, waiting

NOW = 1_800_000_000
REQUIREMENTS = (
    "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory && TARGET.Disk >= RequestDisk"
)


def beside_a_full_machine(
    number: int = 2, config: str = "", asks: dict[str, Text] | None = None, **own: Text | None
) -> Pool:
    """Return a pool of a full machine and one with ``own`` attributes, where jobs wait."""
    full = slot("slot1@full", Cpus=0, Memory=0, NumDynamicSlots=8, LastHeardFrom=NOW)
    claims = [
        dynamic_slot(f"slot1_{each}@full", Cpus=1, Memory=2048, LastHeardFrom=NOW)
        for each in range(1, 9)
    ]
    asked: dict[str, Text] = {"Requirements": REQUIREMENTS, "RequestDisk": 1024, **(asks or {})}
    return pool(
        full, *claims, slot(LastHeardFrom=own.pop("LastHeardFrom", NOW), **own),
        submitter(IdleJobs=number, WeightedIdleJobs=number), schedd(), negotiator(),
        jobs=[job(f"{each}.0", ScheddName='"access1"', **asked) for each in range(1, number + 1)],
        config=config,
    )  # fmt: skip


def first_of(given: Pool) -> MatchFailure:
    """Return the first reason of all idle jobs, which is one."""
    (verdict,) = Verdicts(given).on(all_idle(given.jobs or ()))
    return verdict.walls[0]


def story(given: Pool) -> tuple[str, str]:
    """Return the one cause that jobs stand behind, and their one first reason."""
    found = check(given)
    assert found.demand is not None
    (reason,) = found.demand.by
    (cause,) = [each.cause for each in found.by if each.behind]
    assert first_of(given).id == reason.reason
    return cause, reason.reason


def test_a_machine_where_nothing_starts_is_no_free_machine() -> None:
    """What the simulated cycle starts there waits all the same, matched or in what is left."""
    failed: dict[str, Text] = {
        "NumJobMatches": 9, "NumShadowStarts": 9, "NumJobStarts": 0,
        "LastRemoteHost": '"slot1_1@node1"',
    }  # fmt: skip
    here = free(RecentJobStarts=0, RecentActivationRequests=9, RecentClaimRequests=9)
    found = check(site(here, cycles(), jobs=[waiting(**failed), waiting("1.1", **failed)]))
    cores = {each.cause: each.amounts.cpus for each in found.by}
    assert cores == {"starts-nothing": 8}
    assert found.demand is not None
    assert {each.reason: each.jobs for each in found.demand.by} == {"starts-nothing": 2}
    assert (found.demand.starting, found.waiting) == (0, 2)
    idle = check(site(here, cycles(), jobs=[]))
    assert {each.cause for each in idle.by} == {"unwanted"}


@pytest.mark.parametrize(
    ("own", "cause", "reason"),
    [
        ({"Start": "Healthy && TARGET.RequestCpus >= 1", "Healthy": "false"}, "start-refuses", "start"),
        ({"Start": "TARGET.RequestCpus >= 4"}, "start-refuses", "start"),
        ({"Start": "false", "State": '"Owner"'}, "start-false", "start"),
        (
            {"SlotBrokenCode": 1, "SlotBrokenReason": '"no cgroup"', "Cpus": 0, "Memory": 0},
            "broken",
            "broken",
        ),
        ({"State": '"Drained"', "Draining": "true", "Start": "false"}, "drained", "drained"),
        ({"LastHeardFrom": NOW - 4000}, "stale", "stale"),
        ({"Offline": "true"}, "offline", "offline"),
        ({"Disk": 500}, "asset-missing", "asset-missing"),
        ({"Disk": None}, "asset-missing", "asset-missing"),
        ({"Disk": 'real("INF")'}, "asset-missing", "asset-missing"),
        ({"Requirements": '"Start"'}, "start-refuses", "start"),
        ({"WithinResourceLimits": "false"}, "start-refuses", "start"),
        ({"WithinResourceLimits": "MY.ConsumptionCpus <= MY.Cpus"}, "start-refuses", "start"),
    ],
)  # fmt: skip
def test_what_somebody_must_lift_is_the_first_reason_too(
    own: dict[str, Text | None], cause: str, reason: str
) -> None:
    """All are idle beside a machine whose running jobs end some day: that is no reason to wait for."""
    assert story(beside_a_full_machine(**own)) == (cause, reason)


def test_an_ad_without_disk_is_told_from_a_disk_that_files_fill() -> None:
    full, none = (first_of(beside_a_full_machine(Disk=disk)) for disk in (500, None))
    assert full.text.endswith("other files fill the disk")
    assert full.lifted_by.startswith("the files on the disk of EXECUTE")
    assert none.text.endswith("has no number of it in the ad")
    assert none.lifted_by.startswith("a number as Disk in the ad")


def test_a_pool_without_slots_has_no_share_that_keeps_jobs() -> None:
    given = pool(submitter(), schedd(), negotiator(), jobs=[job(ScheddName='"access1"')])
    assert (first_of(given).id, first_of(given).text) == (
        "no-such-machine",
        "the collector has no slot",
    )
    assert first_of(given).lifted_by == "the startds: condor_status lists no slot of theirs"


def test_a_job_that_retires_runs() -> None:
    claims = [dynamic_slot(Activity='"Retiring"'), dynamic_slot("slot1_2@node1")]
    given = pool(slot(Cpus=6), *claims, submitter(IdleJobs=0), schedd(), negotiator(), jobs=[])
    assert headline(balanced(given)).startswith("2 of 8 cores run jobs (1 of them retiring)")


def test_a_limit_of_all_that_the_pool_has_is_none() -> None:
    """Jobs without a group may use what the quotas of the groups leave, and that is all of it here."""
    given = pool(
        slot(Cpus=0), *(dynamic_slot(f"slot1_{each}@node1") for each in range(1, 9)),
        submitter(RunningJobs=8, WeightedRunningJobs="8.0"), schedd(), negotiator(),
        jobs=[job("9.0", ScheddName='"access1"')],
        config="GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 1.0\n",
    )  # fmt: skip
    assert first_of(given).id == "no-room"


def test_jobs_without_a_group_have_no_quota_to_raise() -> None:
    claims = [dynamic_slot(f"slot1_{each}@node1") for each in range(1, 5)]
    mine = {"AccountingGroup": '"a.ada"', "ScheddName": '"access1"'}
    given = pool(
        policy_slot(Cpus=4), *claims, submitter(RunningJobs=4, WeightedRunningJobs="4.0"),
        submitter("a.ada@site", IdleJobs=4, WeightedIdleJobs=4), schedd(), negotiator(),
        jobs=[job("9.0", ScheddName='"access1"'), *(job(f"8.{proc}", **mine) for proc in range(4))],
        config="GROUP_NAMES = a\nGROUP_QUOTA_a = 4\nNEGOTIATOR_CONSIDER_PREEMPTION = False\n",
    )  # fmt: skip
    (verdict,) = Verdicts(given).on([each for each in given.jobs or () if each.id == "9.0"])
    assert verdict.walls[0].id == "group-quota"
    assert (
        verdict.walls[0].lifted_by
        == "the end of a job without a group; smaller quotas of the groups"
    )


def test_a_group_above_that_uses_its_quota_is_named() -> None:
    """Jobs of a alone use what a passes on to a.b: neither a job of a.b nor its quota is the reason."""
    claims = [dynamic_slot(f"slot1_{each}@node1", "a.eve@site") for each in range(1, 5)]
    given = pool(
        slot(Cpus=4), *claims, submitter("a.eve@site", RunningJobs=4, WeightedRunningJobs="4.0", IdleJobs=0),
        submitter("a.b.bob@site"), schedd(), negotiator(),
        jobs=[job("9.0", ScheddName='"access1"', AccountingGroup='"a.b.bob"')],
        config="GROUP_NAMES = a, a.b\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_a.b = 2\n",
    )  # fmt: skip
    first = first_of(given)
    assert (first.id, first.amounts["held_by"], first.amounts["used"]) == ("group-quota", "a", 0)
    assert "group a, which accepts no surplus, and the groups below it use 4" in first.text
    assert first.lifted_by == "the end of jobs of a and of groups below it; a higher quota of a"


def test_a_ceiling_below_what_a_match_costs_says_so() -> None:
    given = pool(
        slot(), submitter(), schedd(), negotiator(), accounting("ada@site", Ceiling=2),
        jobs=[job(ScheddName='"access1"')],
    )  # fmt: skip
    expected = "ada@site uses 0 of its ceiling of 2, and no match costs as little as the 2 left"
    assert first_of(given).text == expected


def test_a_deferred_start_has_a_date() -> None:
    """condor_submit writes this clause for deferral_time."""
    deferred = f"{REQUIREMENTS} && (time() + 60) >= (DeferralTime - DeferralPrepTime)"
    when: dict[str, Text] = {"DeferralTime": NOW + 86400, "DeferralPrepTime": 300}
    asking = waiting(Requirements=deferred, **when)
    text = first_of(site(free(), cycles(), schedd(), jobs=[asking])).text
    assert text.startswith("it requests a later start: (time() + 60) >= ")
    assert text.endswith("DeferralTime - DeferralPrepTime of the job is 2027-01-16 07:55:00 UTC")


def test_an_ad_of_no_time_is_stale_since_nobody_knows_when() -> None:
    given = beside_a_full_machine(LastHeardFrom=-5)
    stale = check(given).of("stale")
    assert (first_of(given).text, stale and stale.since) == ("node1 is silent", None)


def test_an_amount_of_memory_that_no_machine_has_keeps_the_width_of_the_table() -> None:
    given, out = (
        pool(slot(Memory="1.0E300"), submitter(IdleJobs=0), schedd(), negotiator()),
        StringIO(),
    )
    show_status(balanced(given), given, (), out)
    assert max(map(len, out.getvalue().splitlines())) < 160


def test_a_device_that_no_job_requires_waits_for_none() -> None:
    """The next cycle gives away the one large device; the small one stays, whatever the amounts say."""
    cards = {
        f"GPU_{name}": f'[ Id = "GPU_{name}"; GlobalMemoryMb = {size}; ]'
        for name, size in (("a", 4864), ("b", 19968))
    }
    card = slot(GPUs=2, TotalSlotGPUs=2, AvailableGPUs="{ GPU_a, GPU_b }", **cards)
    asked: dict[str, Text] = {
        "RequestGPUs": 1, "RequireGPUs": "GlobalMemoryMb > 10000", "ScheddName": '"access1"',
        "Requirements": "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs",
    }  # fmt: skip
    jobs = [job(f"1.{proc}", **asked) for proc in range(2)]
    found = check(pool(card, submitter(IdleJobs=2), schedd(), negotiator(), jobs=jobs))
    assert found.demand is not None
    assert [each.reason for each in found.demand.by] == ["starting", "outranked"]
    assert found.of("later-cycle") is None


def test_where_a_group_lacks_its_due_there_is_something_to_do() -> None:
    """A match takes the whole slot, which is more than the quota of a leaves: b has nothing."""
    mine, others = (
        {"AccountingGroup": f'"{name}.ada"', "ScheddName": '"access1"'} for name in "ab"
    )
    given = pool(
        slot(), schedd(), negotiator(), submitter("a.ada@site", IdleJobs=4, WeightedIdleJobs=4),
        submitter("b.ada@site", IdleJobs=4, WeightedIdleJobs=4),
        jobs=[job(f"{one}.{proc}", **own) for one, own in ((1, mine), (2, others)) for proc in range(4)],
        config="GROUP_NAMES = a, b\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_b = 4\nGROUP_SORT_EXPR = "
        'ifThenElse(AccountingGroup == "a", 1, 2)\n',
    )  # fmt: skip
    found, out = balanced(given), StringIO()
    show_status(found, given, (), out)
    assert [each.name for each in found.below] == ["b"]
    assert "nothing to do" not in out.getvalue()
    assert "to do for b: 'htcq why b' says what keeps it from its quota" in out.getvalue()


def test_hidden_slots_come_before_those_that_are_in_use() -> None:
    constraint = 'NEGOTIATOR_SLOT_CONSTRAINT = Machine != "node1"\n'
    given = beside_a_full_machine(config=constraint)
    assert story(given) == ("slot-constraint", "slot-constraint")


def test_slots_for_other_jobs_keep_nobody_waiting() -> None:
    """START takes other jobs of the pool: then those that wait wait for the end of running ones."""
    given = beside_a_full_machine(Start='TARGET.Owner == "eve"')
    others = job("9.0", Owner='"eve"', User='"eve@site"', JobStatus=2, ScheddName='"access1"')
    assert first_of(given).id == "start"
    again = pool(
        slot("slot1@full", Cpus=0, Memory=0, NumDynamicSlots=8),
        slot(Start='TARGET.Owner == "eve"'),
        submitter(), schedd(), negotiator(), jobs=[others, job("1.0", ScheddName='"access1"')],
    )  # fmt: skip
    found = balanced(again)
    assert found.demand is not None
    assert not found.faults
    assert [each.reason for each in found.demand.by] == ["no-room"]


@pytest.mark.parametrize(
    ("start", "gpus", "cause", "reason"),
    [
        ("TARGET.RequestGPUs > 0", 4, "specialised", "no-room"),
        # Nobody has what it asks for, and a job without GPUs would do as well.
        ("TARGET.RequestGPUs > 0", 0, "start-refuses", "start"),
        ("TARGET.RequestCpus > 9 || TARGET.RequestGPUs > 0", 4, "specialised", "no-room"),
        ("TARGET.RequestMemory < 2", 4, "start-refuses", "start"),
    ],
)
def test_machines_with_gpus_may_be_kept_for_jobs_that_ask_for_them(
    start: str, gpus: int, cause: str, reason: str
) -> None:
    """No such job need be in the queue."""
    given = beside_a_full_machine(Start=start, GPUs=gpus, TotalSlotGPUs=gpus)
    found = check(given)
    assert found.demand is not None
    assert cause in [each.cause for each in found.by]
    assert [each.reason for each in found.demand.by] == [reason]
    assert bool(found.faults) == (cause == "start-refuses")


# Machines that do not answer
# ---------------------------------------------------------------------------------------


def test_a_match_with_a_silent_machine_is_no_start() -> None:
    given = beside_a_full_machine(LastHeardFrom=NOW - 4000)
    verdicts = Verdicts(given)
    assert [each.refusal for each in verdicts.trace.matches] == [SILENT]
    wall = first_of(given)
    assert wall.text == "node1 is silent: its last ad came 2027-01-15 06:53 UTC"
    assert "starting" not in [each.cause for each in balanced(given).by]


def test_a_startd_in_the_state_owner_refuses_the_claim_of_a_match() -> None:
    """As seen on 25.14.1 with IS_OWNER = True: the match is made again in each cycle."""
    given = beside_a_full_machine(State='"Owner"')
    trace = Verdicts(given).trace
    assert [each.refusal for each in trace.matches] == [OWNED]
    told = f"refused by the startd: 1 match, such as 1.0 on slot1@node1: {OWNED}"
    assert told in [text for text, _ in wrong(trace)]
    found = check(given)
    assert "starting" not in [each.cause for each in found.by]
    assert [(each.cause, each.jobs) for each in found.faults] == [("owner", 2)]
    assert found.demand is not None
    assert [each.reason for each in found.demand.by] == ["owner"]
    wall = first_of(given)
    assert (wall.id, wall.text) == ("owner", "node1 is in the state Owner")
    assert "IS_OWNER" in wall.lifted_by


def test_a_false_start_tells_more_than_the_state_owner_that_follows_from_it() -> None:
    given = beside_a_full_machine(State='"Owner"', Start="Opened == 1", Opened=0)
    assert not Verdicts(given).trace.matches
    assert first_of(given).id == "start"
    assert [each.cause for each in check(given).faults] == ["owner"]
    # Without the state START would refuse the job all the same.
    given = beside_a_full_machine(State='"Owner"', Start='TARGET.Project =?= "foo"')
    assert first_of(given).id == "start"
    assert not check(given).faults


@pytest.mark.parametrize("state", ["Shutdown", "Delete"])
def test_a_slot_that_ends_grants_no_claim(state: str) -> None:
    given = beside_a_full_machine(State=f'"{state}"')
    assert [each.refusal for each in Verdicts(given).trace.matches] == [GONE]
    assert first_of(given).id == "offline"
    assert [each.cause for each in check(given).faults] == ["offline"]


def test_a_backfill_job_leaves_a_slot_for_the_claim_of_a_match() -> None:
    given = beside_a_full_machine(State='"Backfill"')
    assert [each.refusal for each in Verdicts(given).trace.matches] == [""]
    assert check(given).of("starting") is not None


def test_a_claim_that_ends_is_preempted_once() -> None:
    """Its startd refuses the claim of another match until it is gone."""
    ending = static_slot(
        "slot1@node1", State='"Preempting"', Activity='"Vacating"', CurrentRank=0, Rank="TARGET.Good",
        AccountingGroup='"bob@site"', RemoteUser='"bob@site"', RemoteOwner='"bob@site"',
    )  # fmt: skip
    asks: dict[str, Text] = {"Requirements": REQUIREMENTS, "ScheddName": '"access1"', "Good": 1}
    given = pool(ending, submitter(), schedd(), negotiator(), jobs=[job(**asks)])
    assert [each.refusal for each in Verdicts(given).trace.matches] == [ENDING]
    wall = first_of(given)
    assert (wall.id, wall.lifted_by) == ("preemption", "the end of the claim")


def test_condor_rooster_wakes_sleeping_machines() -> None:
    rooster = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, ROOSTER\n"
    found = check(beside_a_full_machine(config=rooster, Offline="true"))
    assert found.is_sound
    assert "hibernating" in [each.cause for each in found.by]
    wall = first_of(beside_a_full_machine(config=rooster, Offline="true"))
    assert (wall.id, wall.text) == ("offline", "node1 is asleep")
    assert "condor_rooster" in wall.lifted_by


@pytest.mark.parametrize("own", [{}, {"Unhibernate": "false"}])
def test_nobody_wakes_machines_without_condor_rooster(own: dict[str, Text]) -> None:
    config = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\n"
    if own:
        config = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, ROOSTER\n"
    found = check(beside_a_full_machine(config=config, Offline="true", **own))
    assert not found.is_sound
    assert [each.cause for each in found.faults] == ["offline"]


# Jobs that the negotiator does not hear of
# ---------------------------------------------------------------------------------------


def parallel(nodes: int, **own: Text) -> Pool:
    """Return a pool of 8 cores, two of them in use, that a parallel job is to have."""
    dedicated = '"DedicatedScheduler@access1"'
    return pool(
        slot(Cpus=6, DedicatedScheduler=dedicated, **own),
        dynamic_slot("slot1_1@node1", Cpus=2, DedicatedScheduler=dedicated),
        submitter("DedicatedScheduler@access1", IdleJobs=nodes, ScheddName='"access1"'),
        schedd("access1"), negotiator(),
        jobs=[
            job(
                "1.0", JobUniverse=11, MinHosts=nodes, MaxHosts=nodes, Scheduler=dedicated,
                ScheddName='"access1"', Requirements=REQUIREMENTS,
            )
        ],
    )  # fmt: skip


@pytest.mark.parametrize(("nodes", "fits"), [(7, True), (9, False)])
def test_the_dedicated_scheduler_asks_for_all_slots_of_a_job_or_none(
    nodes: int, fits: bool
) -> None:
    """dedicated_scheduler.cpp (computeSchedule): each free core of a partitionable slot counts once."""
    given = parallel(nodes)
    assert not Verdicts(given).trace.matches
    found = check(given)
    assert found.demand is not None
    assert [each.reason for each in found.demand.by] == ["dedicated-scheduler"]
    assert (found.demand.nowhere is None) is fits
    assert "dedicated-scheduler" in [each.cause for each in found.by]
    assert "starting" not in [each.cause for each in found.by]
    text = first_of(given).text
    assert text.startswith(f"it requests {nodes} slots at once; of those that are dedicated")
    if not fits:
        assert "there are 8 in all" in headline(found)


def test_as_many_slots_as_it_can_get_are_asked_for() -> None:
    assert Verdicts(parallel(6)).trace.matches


def test_capacity_stands_for_what_keeps_jobs_that_are_not_offered() -> None:
    """The tables of slots have to know the words of their Requirements as well."""
    given = pool(
        slot(), submitter(), schedd(), negotiator(LastHeardFrom=NOW),
        jobs=[
            job(
                "1.0", ScheddName='"access1"', JobCoolDownExpiration=NOW + 900,
                Requirements=REQUIREMENTS,
            )
        ],
    )  # fmt: skip
    cause = check(given).of("cool-down")
    assert cause is not None
    assert cause.amounts.cpus == 1


# Jobs that cannot be looked at
# ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cpus", "unknown"), [(8, True), (0, False)])
def test_jobs_that_flock_from_another_pool_may_want_what_is_free(cpus: int, unknown: bool) -> None:
    flocking = submitter(
        "eve@far", ScheddName='"far"', SubmitterTag='"cm"', IdleJobs=20, WeightedIdleJobs=20
    )
    found = balanced(pool(slot(Cpus=cpus), flocking, schedd("far"), negotiator(), jobs=[]))
    said = "20 idle jobs of far, which flock from other pools, cannot be looked at: whether they"
    assert any(each.startswith(said) for each in found.unknown) == unknown


def test_a_schedd_that_the_collector_does_not_know_is_one_cause() -> None:
    jobs = [job("1.0", ScheddName='"access9"', Requirements=REQUIREMENTS)]
    given = pool(slot(), submitter(), schedd(), negotiator(), jobs=jobs, config="\n")
    assert story(given) == ("not-advertised", "not-advertised")
    wall = first_of(given)
    assert wall.text.endswith("and none of the schedd access9 itself: it may be down")
    (todo,) = balanced(given).todo
    assert todo.cure == "starting the schedd, or repairing its connection to the collector"


def test_a_failure_that_tells_why_jobs_wait_is_one_thing_to_do() -> None:
    jobs = [waiting(f"6.{proc}", Requirements=REQUIREMENTS) for proc in range(5)]
    refuses = 'COLLECTOR_REQUIREMENTS = MyType =!= "Submitter"\n'
    given = replace(
        pool(free(), schedd(), cycles(considered=0), jobs=jobs, config=refuses),
        taken_at="2027-01-15T08:00:00+00:00",
    )
    (todo,) = balanced(given).todo
    assert (todo.cause, todo.gain.started) == ("not-advertised", 5)
    assert "COLLECTOR_REQUIREMENTS" in todo.cure
    refusing = free(State='"Owner"', RecentClaimRequests=30, RecentActivationRequests=0)
    given = site(refusing, schedd(), cycles(), jobs=jobs, execute={"node1": "IS_OWNER = True\n"})
    (todo,) = balanced(given).todo
    assert (todo.cause, todo.cure) == ("owner", "IS_OWNER of node1, which is false by default")


# Slots that gave more than they have
# ---------------------------------------------------------------------------------------


def test_a_slot_that_gave_more_than_it_has_has_nothing_left() -> None:
    """As seen on 25.14.1 where a policy takes no cpus: each dynamic slot has one all the same."""
    claims = [dynamic_slot(f"slot1_{each}@node1") for each in range(10)]
    given = pool(
        slot(Cpus=-2, Memory=6144, NumDynamicSlots=10), *claims, submitter(), schedd(),
        negotiator(), jobs=[job(ScheddName='"access1"', Requirements=REQUIREMENTS)], config="\n",
    )  # fmt: skip
    found = balanced(given)
    assert found.total.cpus == 10
    assert all(min(each.amounts[1:]) >= 0 for each in found.by)
    assert "slot1@node1 gave 2 cores more to dynamic slots than there is" in found.unknown[0]
    text = first_of(given).text
    assert "the 1 slot large enough has no cores free" in text
    out = StringIO()
    show_status(found, given, (), out)
    assert "-2" not in out.getvalue()
