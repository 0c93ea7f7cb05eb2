from __future__ import annotations

from dataclasses import replace

from htcq.elastic.observation import observe
from htcq.quota.elastic.declaration import DEFAULT, SYSTEM
from tests.audit.sites import (
    accounting,
    job,
    negotiator,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
)
from tests.elastic.quotas import claimed, group, node, quotas, running

CPUS = {"cpus": 8, "memory": 8192}
TWO = quotas(group("physics", CPUS, CPUS), group("chem", CPUS, CPUS, users=("bob",)))


def test_use_is_what_claimed_slots_hold_and_request_what_idle_jobs_want_besides() -> None:
    given = pool(
        node(cpus_left=4, memory_left=9216),
        claimed(1, "physics.ada@site", cpus=3, memory=6144, JobId='"1.0"', RemoteScheddName='"ap"'),
        claimed(2, "chem.bob@site", JobId='"2.0"', RemoteScheddName='"ap"'),
        submitter("physics.ada@site"),
        jobs=[
            running(
                "1.0",
                "slot1_1@node1",
                ScheddName='"ap"',
                AccountingGroup='"physics.ada"',
                RequestCpus=3,
                RequestMemory=6144,
            ),
            job(
                "1.1",
                AccountingGroup='"physics.ada"',
                RequestCpus=2,
                RequestMemory=2048,
                MaxHosts=5,
            ),
            running("2.0", "slot1_2@node1", AccountingGroup='"chem.bob"', ScheddName='"ap"'),
        ],
    )
    seen = observe(given, TWO)

    assert seen.demand.total == {"cpus": 8, "memory": 16384}
    assert seen.demand.used == {
        "physics": {"cpus": 3, "memory": 6144},
        "chem": {"cpus": 1, "memory": 1024},
    }
    assert seen.demand.request["physics"] == {"cpus": 3 + 5 * 2, "memory": 6144 + 5 * 2048}
    assert seen.demand.request["chem"] == seen.demand.used["chem"]
    assert seen.weights == {"physics": 3, "chem": 1}
    assert seen.problems == ()


def test_idle_jobs_that_no_schedd_offers_ask_for_nothing() -> None:
    """START_VANILLA_UNIVERSE is false for one of two jobs (schedd.cpp: jobCanNegotiate, 25.14)."""
    jobs = [
        job("1.0", AccountingGroup='"physics.ada"'),
        job("1.1", AccountingGroup='"physics.ada"', RequestCpus=2),
    ]
    given = pool(
        node(),
        schedd("access1"),
        jobs=jobs,
        config="START_VANILLA_UNIVERSE = JOB.RequestCpus < 2\n",
    )
    seen = observe(given, TWO)

    assert seen.demand.request["physics"]["cpus"] == 1
    assert any("1 idle job is not offered" in problem for problem in seen.problems)


def test_a_request_counts_as_what_the_startd_would_hand_out() -> None:
    """RequestMemory of 1000 MB becomes a slot of 1024 MB: by the request alone no claim would ever fit its runtime."""
    given = pool(node(), jobs=[job(AccountingGroup='"physics.ada"', RequestMemory=1000)])

    assert observe(given, TWO).demand.request["physics"]["memory"] == 1024


def test_who_names_no_group_belongs_to_the_group_that_lists_him_and_everybody_else_to_the_default_group() -> (
    None
):
    given = pool(
        node(cpus_left=5, memory_left=13312),
        claimed(1, "bob@site"),
        claimed(2, "eve@site"),
        claimed(3, "biology.eve@site"),
        jobs=[],
    )
    seen = observe(given, TWO)

    assert [claim.group for claim in seen.claims] == ["chem", DEFAULT, DEFAULT]
    assert seen.demand.used == {"chem": {"cpus": 1, "memory": 1024}}
    assert seen.demand.default_used == {"cpus": 2, "memory": 2048}
    assert seen.demand.effective_total["cpus"] == 6
    assert seen.problems[:2] == (
        (
            "1 submitters (biology.eve@site) name groups that do not exist: their jobs count for "
            "<default>"
        ),
        (
            "1 submitters (bob@site) name no group and count for chem: the negotiator charges them "
            "to the root"
        ),
    )


def test_a_subgroup_that_is_not_declared_is_charged_to_the_one_above_as_the_negotiator_does() -> (
    None
):
    seen = observe(pool(node(cpus_left=7), claimed(1, "physics.new.ada@site"), jobs=[]), TWO)

    assert [claim.group for claim in seen.claims] == ["physics"]


def test_a_claim_of_nobody_is_the_systems() -> None:
    seen = observe(
        pool(node(cpus_left=7), claimed(1, "", AccountingGroup=None, RemoteUser=None), jobs=[]), TWO
    )

    assert [claim.group for claim in seen.claims] == [SYSTEM]
    assert seen.demand.system_used["cpus"] == 1


def test_jobs_that_no_negotiator_ever_sees_ask_for_nothing() -> None:
    jobs = [
        job(f"1.{universe}", AccountingGroup='"physics.ada"', JobUniverse=universe)
        for universe in (7, 9, 12)
    ]

    assert observe(pool(node(), jobs=jobs), TWO).demand.request == {}


def test_slots_outside_of_the_negotiators_are_nobodys() -> None:
    config = 'NEGOTIATOR_SLOT_CONSTRAINT = Machine == "node1"\n'
    given = pool(
        node("node1"),
        node("node2", cpus_left=7),
        claimed(1, "physics.ada@site", node="node2"),
        jobs=[job(AccountingGroup='"physics.ada"', Requirements='TARGET.Machine == "node2"')],
        config=config,
    )
    seen = observe(given, TWO)

    assert seen.demand.total["cpus"] == 8
    assert seen.demand.used == seen.demand.request == {}
    assert (
        seen.problems[0]
        == "1 idle jobs match no slot that this negotiator sees: they are not counted"
    )


def test_jobs_that_no_slot_could_run_ask_for_nothing_and_are_told_of() -> None:
    """200 of them would otherwise take what others wait for, for ever."""
    never = [
        job("1.0", AccountingGroup='"physics.ada"', RequestCpus=9),
        job("1.1", AccountingGroup='"physics.ada"', Requirements='TARGET.Machine == "nowhere"'),
        job("1.2", AccountingGroup='"physics.ada"', ConcurrencyLimits='"tape:3"'),
    ]
    within = job("1.3", AccountingGroup='"physics.ada"', ConcurrencyLimits='"tape:2"')
    seen = observe(pool(node(), jobs=[*never, within], config="TAPE_LIMIT = 2\n"), TWO)

    assert seen.demand.request["physics"]["cpus"] == 1
    told = "3 idle jobs of physics could run in no slot of this pool: they are not counted"
    assert told in seen.problems
    assert observe(pool(node(), jobs=never, config="TAPE_LIMIT = 2\n"), TWO).demand.request == {}


def test_without_queues_the_weight_of_idle_jobs_is_what_schedds_say() -> None:
    weighed = quotas(group("physics", {"weight": 8000}, {"weight": 8000, "cpus": 8}))
    ad = submitter("physics.ada@site", IdleJobs=4, WeightedIdleJobs=12, ScheddName='"access1"')
    seen = observe(pool(node(cpus_left=7), claimed(1, "physics.ada@site"), ad), weighed)

    assert seen.demand.request["physics"] == {"weight": 1000 + 12000, "cpus": 1}
    assert any("the job queues are not known" in problem for problem in seen.problems)


def test_fault_10_idle_jobs_of_a_schedd_that_does_not_answer_count_as_its_claims() -> None:
    """It has 3 idle jobs by its submitter's ad and claims of 2 cpus; bob has none there, and asks for nothing."""
    weighed = quotas(
        group("physics", {}, {"cpus": 8, "weight": 8000}), group("chem", {}, {"weight": 8000})
    )
    given = pool(
        node(cpus_left=6),
        claimed(1, "physics.ada@site", cpus=2, RemoteScheddName='"hung"', ScheddName='"hung"'),
        submitter("physics.ada@site", IdleJobs=3, WeightedIdleJobs=6, ScheddName='"hung"'),
        submitter("chem.bob@site", IdleJobs=2, WeightedIdleJobs=4, ScheddName='"hung"'),
        submitter("chem.eve@site", IdleJobs=7, WeightedIdleJobs=7, ScheddName='"fine"'),
        jobs=[],
    )
    hung = replace(given, failed=(("jobs of hung", "no answer within 60 s"),))

    assert observe(given, weighed).demand.request == {"physics": {"cpus": 2, "weight": 2000}}
    seen = observe(hung, weighed)
    assert seen.demand.request == {"physics": {"cpus": 2 + 3 * 2, "weight": 2000 + 3 * 2000}}
    assert {
        "3 idle jobs of schedds that do not answer count as their submitters' claims",
        "1 submitters of schedds that do not answer have no claims: their idle jobs are not counted",
    } <= set(seen.problems)


def test_slots_that_match_nobody_count_and_are_told_apart() -> None:
    given = pool(
        node("open"),
        node("shut", START="false"),
        slot("slot1@gone", Offline="true"),
        slot("slot1@drained", State='"Drained"'),
        slot("slot1@draining", Draining="true", Cpus=7, Memory=15360),
        claimed(1, "physics.ada@site", node="draining"),
        static_slot("slot1@owned", State='"Owner"'),
        jobs=[],
    )
    seen = observe(given, TWO)

    assert seen.demand.total["cpus"] == 5 * 8 + 1
    assert seen.unmatchable["cpus"] == 8 + 8 + 8 + 7 + 1
    assert seen.unmatchable["memory"] == 3 * 16384 + 15360 + 2048
    assert seen.demand.used["physics"]["cpus"] == 1


def test_a_slot_that_only_lacks_room_is_no_closed_one() -> None:
    assert observe(pool(node(cpus_left=0, memory_left=0), jobs=[]), TWO).unmatchable == {}


def test_quotas_of_today_are_in_slot_weight_whether_amounts_or_shares() -> None:
    config = (
        "GROUP_NAMES = Physics, chem, other\nGROUP_QUOTA_Physics = 3\n"
        "GROUP_QUOTA_DYNAMIC_chem = 0.5\n"
    )
    seen = observe(pool(node("a"), node("b"), jobs=[], config=config), TWO)

    # 16 is the pool, 3 of it is physics' own: a share is one of the rest.
    assert seen.configured == {"physics": 3.0, "chem": (16 - 3) * 0.5}
    assert seen.pool_weight == 16


def test_of_several_negotiators_one_is_looked_at_and_the_others_are_named() -> None:
    records = [
        accounting("<none>", IsAccountingGroup="true", NegotiatorName=f'"{name}"')
        for name in ("first", "second")
    ]
    given = pool(node(), *records, negotiator("first"), negotiator("second"), jobs=[])

    seen = observe(given, TWO, "second")
    assert seen.negotiator == "second"
    assert any("second is shown, first is not" in problem for problem in seen.problems)


def test_dimensions_that_no_group_names_are_not_in_the_demand_but_in_the_capacity() -> None:
    seen = observe(pool(node(), jobs=[]), quotas(group("physics", {"cpus": 1}, {"cpus": 1})))

    assert set(seen.demand.total) == {"cpus"}
    assert seen.capacity == {"cpus": 8, "memory": 16384, "disk": 20000000, "weight": 8000}


def test_groups_that_regroup_are_told_of() -> None:
    """Their submitters negotiate once more after all groups, with no quota."""
    config = (
        "GROUP_NAMES = physics, chem\nGROUP_QUOTA_physics = 4\nGROUP_QUOTA_chem = 4\n"
        "GROUP_AUTOREGROUP_chem = True\n"
    )
    seen = observe(pool(node(), jobs=[], config=config), TWO)

    assert seen.problems == (
        "GROUP_AUTOREGROUP is on for chem: no quota limits their use of the rest of the pool",
    )
