from __future__ import annotations

from htcq.elastic.observation import observe
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.quota_targets import targets
from htcq.pool.pool import Pool
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.quota.elastic.runtime import compute
from tests.audit.sites import job, policy_slot, pool
from tests.elastic.quotas import claimed, group, node, quotas


def planned(given: Pool, declared: ElasticQuotas) -> dict[str, QuotaTarget]:
    seen = observe(given, declared)
    return {each.group: each for each in targets(compute(declared, seen.demand), seen)}


def nodes(count: int, **more: object) -> list[str]:
    return [node(f"node{number}", **more) for number in range(count)]


def waiting(number: int, group_name: str, count: int, **more: object) -> str:
    return job(f"{number}.0", AccountingGroup=f'"{group_name}.ada"', MaxHosts=count, **more)


def test_a_quota_is_the_weight_of_the_claims_that_the_runtime_suffices_for() -> None:
    """16 cpus and 32 GiB, two groups that want all: each half. Jobs of 3 GiB fit into 16 GiB 5 times, of 1 GiB 8."""
    declared = quotas(
        group("large", {"cpus": 8, "memory": 16384}, {"cpus": 12, "memory": 32768}),
        group("small", {"cpus": 8, "memory": 16384}, {"cpus": 12, "memory": 32768}),
    )
    jobs = [waiting(1, "large", 50, RequestMemory=3072), waiting(2, "small", 50)]
    found = planned(pool(*nodes(2), jobs=jobs), declared)

    assert {name: (each.quota, each.binding) for name, each in found.items()} == {
        "large": (5.0, "memory"),
        "small": (8.0, "cpus"),
    }


def test_weights_are_what_the_slots_say() -> None:
    """A claim weighs its cpus and 2 for each GPU: 4 claims of a cpu and a GPU weigh 12."""
    declared = quotas(group("gpu", {"gpus": 4}, {"gpus": 4}))
    slots = nodes(1, GPUs=8, TotalSlotGPUs=8, SlotWeight="Cpus + 2 * GPUs")
    found = planned(pool(*slots, jobs=[waiting(1, "gpu", 50, RequestGPUs=1)]), declared)

    assert found["gpu"].quota == 12.0


def test_consumption_policies_charge_what_they_take() -> None:
    """The policy takes 4 cpus at least: 3 claims fit into 14 cpus, and weigh 4 each."""
    declared = quotas(group("physics", {"cpus": 14}, {"cpus": 14}))
    slots = [
        policy_slot(f"slot1@node{each}", ConsumptionCpus="quantize(TARGET.RequestCpus, {4})")
        for each in (1, 2)
    ]
    found = planned(pool(*slots, jobs=[waiting(1, "physics", 9)]), declared)

    assert (found["physics"].quota, found["physics"].binding) == (12.0, "cpus")


def test_what_is_above_is_the_sum_of_what_is_below_and_of_its_own_jobs() -> None:
    declared = quotas(
        group("physics", {"cpus": 12}, {"cpus": 12}),
        group("physics.hep", {"cpus": 4}, {"cpus": 12}),
        group("physics.lep", {"cpus": 4}, {"cpus": 12}),
    )
    jobs = [waiting(1, "physics", 2), waiting(2, "physics.hep", 3), waiting(3, "physics.lep", 4)]
    found = planned(pool(*nodes(2), jobs=jobs), declared)

    assert {name: (each.runtime, each.quota) for name, each in found.items()} == {
        # The mins: HTCondor itself lends what nobody asks for.
        "physics": (2 + 3 + 4, 12),
        "physics.hep": (3, 4),
        "physics.lep": (4, 4),
    }
    assert [(each.parent, each.leaf) for each in found.values()] == [
        ("", False),
        ("physics", True),
        ("physics", True),
    ]


def test_runtimes_never_exceed_the_pool_less_what_jobs_of_no_group_hold() -> None:
    """Only cpus are managed, and claims weigh twice their cpus: those of 8 cpus would weigh 16 in a pool of 8."""
    declared = quotas(group("a", {"cpus": 4}, {"cpus": 4}), group("b", {"cpus": 4}, {"cpus": 4}))
    weight = "ifThenElse(DynamicSlot =?= true, 2 * Cpus, Cpus)"
    given = pool(
        *nodes(1, SlotWeight=weight),
        jobs=[waiting(1, "a", 8), waiting(2, "b", 8)],
    )
    found = planned(given, declared)
    assert {name: each.quota for name, each in found.items()} == {"a": 4.0, "b": 4.0}

    shared = pool(
        node(cpus_left=6),
        claimed(1, "eve@site", cpus=2),
        jobs=[waiting(1, "a", 8), waiting(2, "b", 8)],
    )
    found = planned(shared, declared)
    assert [each.runtime for each in found.values()] == [3, 3]
    # Jobs of no group cut no min: a quota is a limit, and what they leave is there first.
    assert [each.quota for each in found.values()] == [4, 4]


def test_what_nobody_asks_for_is_lent_by_htcondor_up_to_a_max_that_it_cannot_hold() -> None:
    """16 cpus are free, 11 of them nobody's min: who could pass its max at once has a part of these as its quota."""
    declared = quotas(
        group("small", {"cpus": 1}, {"cpus": 4}),
        group("large", {"cpus": 1}, {"cpus": 15}),
        group("half", {"cpus": 1}, {"cpus": 16, "memory": 1024}),
        group("open", {"cpus": 1}, {"cpus": 16}),
        group("above", {"cpus": 1}, {"cpus": 6}),
        group("above.open", {"cpus": 1}, {"cpus": 16}),
    )
    found = planned(pool(*nodes(2), jobs=[]), declared)

    assert {name: (each.quota, each.most, each.held) for name, each in found.items()} == {
        "small": (4, 4, "max"),
        # 14 of it are below its max, 1 beyond: it borrows.
        "large": (1, 15, ""),
        # 1 GiB is usual for half a cpu, and its min of 1 is declared.
        "half": (1, 1, "max"),
        "open": (1, None, ""),
        "above": (6, 6, "max"),
        "above.open": (1, None, ""),
    }


def test_jobs_of_a_group_above_others_need_no_step_either() -> None:
    declared = quotas(
        group("above", {"cpus": 4}, {"cpus": 8}), group("above.below", {"cpus": 1}, {"cpus": 8})
    )
    found = planned(pool(*nodes(2), jobs=[waiting(1, "above", 3)]), declared)

    # It can have its max of 8 and no more, and with it all that is below.
    assert (found["above"].runtime, found["above"].quota, found["above"].held) == (3.0, 8.0, "max")
    assert found["above"].in_need
    assert (found["above.below"].quota, found["above.below"].held) == (1.0, "")


def test_in_a_shortage_quotas_are_the_mins_of_the_higher_priorities_first() -> None:
    """Two of three nodes are away: 8 cpus for mins of 6, 4 and 4."""
    declared = quotas(
        group("a", {"cpus": 6}, {"cpus": 24}, priority=1),
        group("b", {"cpus": 4}, {"cpus": 24}),
        group("c", {"cpus": 4}, {"cpus": 24}),
    )
    ads = [*nodes(1)]
    found = planned(
        pool(*ads, jobs=[waiting(1, "a", 9), waiting(2, "b", 9), waiting(3, "c", 9)]), declared
    )

    assert {name: each.least for name, each in found.items()} == {"a": 6, "b": 1, "c": 1}
    assert {name: each.quota for name, each in found.items()} == {"a": 6, "b": 1, "c": 1}
    assert {name: each.guaranteed for name, each in found.items()} == {"a": 6, "b": 4, "c": 4}
    assert [each.priority for each in found.values()] == [1, 0, 0]


def test_fault_3_a_claim_in_motion_does_not_make_the_pool_smaller() -> None:
    """The ad of the slot has 7 cpus, and that of the claim is not there yet."""
    declared = quotas(group("a", {"cpus": 4}, {"cpus": 8}), group("b", {"cpus": 4}, {"cpus": 8}))
    jobs = [waiting(1, "a", 8), waiting(2, "b", 8)]
    still = planned(pool(node(), jobs=jobs), declared)
    moving = pool(node(cpus_left=7), jobs=jobs)

    assert observe(moving, declared).pool_weight == 8
    assert {each.group: each.quota for each in planned(moving, declared).values()} == {
        name: each.quota for name, each in still.items()
    }


def test_fractions_of_weight_stay_where_slots_have_them() -> None:
    declared = quotas(group("physics", {"cpus": 3}, {"cpus": 3}))
    found = planned(
        pool(*nodes(1, SlotWeight="Cpus / 2.0"), jobs=[waiting(1, "physics", 9)]), declared
    )

    assert found["physics"].quota == 1.5


def test_among_groups_without_a_min_who_comes_has_as_much_as_who_is_there() -> None:
    """A min of 4 for p alone; p.a runs 2 jobs. With quotas of 2 and 0 p.b would have none of the 4 when it comes."""
    most = {"cpus": 8}
    declared = quotas(
        group("p", {"cpus": 4}, most), group("q", {"cpus": 4}, most),
        group("p.a", {"cpus": 0}, most), group("p.b", {"cpus": 0}, most),
    )  # fmt: skip
    slots = [*nodes(1), claimed(1, "p.a.ann@x"), claimed(2, "p.a.ann@x")]
    found = planned(pool(*slots), declared)

    assert {name: each.quota for name, each in found.items()} == {
        "p": 4.0, "q": 4.0, "p.a": 0.0, "p.b": 0.0,
    }  # fmt: skip


def test_beside_a_min_that_is_not_lent_no_group_accepts_surplus() -> None:
    """Of 16 cpus 6 are kept for who asks for nothing; the other has its min of 4 and what is nobody's."""
    keeps = group("keeps", {"cpus": 6}, {"cpus": 16}, lend=False)
    lends = group("keeps", {"cpus": 6}, {"cpus": 16})
    other = group("other", {"cpus": 4}, {"cpus": 16})
    given = pool(*nodes(2), jobs=[waiting(1, "other", 50)])
    held = planned(given, quotas(keeps, other))
    free = planned(given, quotas(lends, other))

    assert (held["other"].quota, held["other"].accept_surplus, held["other"].held) == (
        10, False, "unlent",
    )  # fmt: skip
    assert (free["other"].accept_surplus, free["other"].held) == (True, "")


def test_htcondor_lends_to_a_group_of_weight_0_nevertheless() -> None:
    zero = group("zero", {"cpus": 4}, {"cpus": 16}, weight={"cpus": 0})
    other = group("other", {"cpus": 12}, {"cpus": 16})
    found = planned(pool(*nodes(2), jobs=[waiting(1, "zero", 50)]), quotas(zero, other))["zero"]

    assert (found.runtime, found.quota, found.accept_surplus) == (4, 4, True)
