from __future__ import annotations

from htcq.elastic.enforcement import How
from htcq.elastic.status import Status, status_of
from htcq.quota.elastic.declaration import ElasticQuotas
from tests.audit.sites import job, policy_slot, pool
from tests.elastic.quotas import A100, group, node, quotas
from tests.elastic.test_projection import waiting

DIMENSIONS = {"cpus": 4, "memory": 8192}
TWO = quotas(
    group("a", DIMENSIONS, {"cpus": 6, "memory": 12288}),
    group("b", DIMENSIONS, {"cpus": 6, "memory": 12288}),
)
#: A match is one claim.
ALONE = "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"
BUSY = (waiting(1, "a", 20), waiting(2, "b", 20))


def look(
    weight: str, *jobs: str, declared: ElasticQuotas = TWO, config: str = ALONE, **slot: object
) -> Status:
    return status_of(
        pool(node(SlotWeight=weight, **slot), jobs=jobs or BUSY, config=config or None), declared
    )


def how(status: Status) -> dict[str, How]:
    return {each.dimension: each.how for each in status.enforcement}


def test_who_may_pass_its_max_by_surplus_is_named() -> None:
    """6 of 8 cpus: HTCondor hands out surplus without a limit, so the max holds only in the next cycle."""
    why = {each.dimension: each.why for each in look("Cpus").enforcement}["cpus"]
    assert "a accepts surplus until it has its max" in why


def test_what_slot_weight_counts_is_approximated_and_what_it_does_not_know_only_reported() -> None:
    """Jobs of a cpu and 1 GiB; mins of 4 are all of the pool, so that both may pass their max of 6."""
    assert how(look("Cpus")) == {"cpus": How.APPROXIMATED, "memory": How.REPORTED}
    assert how(look("Memory / 1024.0"))["memory"] is How.APPROXIMATED


def test_a_max_is_enforced_where_what_is_nobodys_min_suffices_for_it() -> None:
    """Mins of 1 and maxes of 4 in a pool of 8: each has its max as its quota, and no surplus."""
    small = {"cpus": 4, "memory": 8192}
    least = {"cpus": 1, "memory": 2048}
    declared = quotas(group("a", least, small), group("b", least, small))
    status = look("Memory / 1024.0", declared=declared)

    assert how(status)["memory"] is How.ENFORCED
    assert [each.accept_surplus for each in status.targets] == [False, False]


def test_a_dimension_that_limits_a_quota_is_approximated() -> None:
    """3 GiB a job: of 4 cpus only 2 can be used, and the quota is 2, whatever the jobs will be tomorrow."""
    both = (waiting(1, "a", 20, RequestMemory=3072), waiting(2, "b", 20, RequestMemory=2048))
    status = look("Cpus", *both)

    assert how(status) == {"cpus": How.APPROXIMATED, "memory": How.APPROXIMATED}
    assert (
        "it determines the quota of a: correct"
        in {each.dimension: each.why for each in status.enforcement}["memory"]
    )


def test_a_weight_of_both_approximates_what_claims_could_have_more_of() -> None:
    """Claims of a cpu and 1 GiB weigh 2, and 4 of them 8: so would 7 cpus with little memory, but never 8 GiB."""
    least, most = {"cpus": 1, "memory": 1024}, {"cpus": 4, "memory": 8192}
    declared = quotas(group("a", least, most), group("b", least, most))
    assert how(look("Cpus + Memory / 1024.0", declared=declared)) == {
        "cpus": How.APPROXIMATED,
        "memory": How.ENFORCED,
    }


def test_a_weight_of_the_dominant_asset_enforces_what_no_claims_within_the_quotas_exceed() -> None:
    """max(cpus, memory / 2 GiB), jobs of 2 GiB a cpu: a quota of 4 is never more than 4 cpus nor 8 GiB."""
    jobs = (waiting(1, "a", 20, RequestMemory=2048), waiting(2, "b", 20, RequestMemory=2048))
    status = look("max({Cpus, Memory / 2048.0})", *jobs)

    assert {each.group: each.quota for each in status.targets} == {"a": 4.0, "b": 4.0}
    assert how(status) == {"cpus": How.APPROXIMATED, "memory": How.APPROXIMATED}


def test_where_weights_are_off_claims_of_any_size_are_alike() -> None:
    config = f"{ALONE}NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"

    assert how(look("Cpus", config=config))["cpus"] is not How.ENFORCED


def test_slot_weight_itself_is_what_quotas_count() -> None:
    declared = quotas(group("a", {"weight": 1000}, {"weight": 5000}))

    assert how(look("Cpus", declared=declared)) == {"weight": How.ENFORCED}


def test_gpus_are_reported_unless_weighed_or_limited() -> None:
    declared = quotas(group("a", {"gpus": 2}, {"gpus": 3}), group("b", {"gpus": 2}, {"gpus": 3}))
    gpus = {"GPUs": 4, "TotalSlotGPUs": 4}

    def asks(number: int, name: str, limit: str = "") -> str:
        limits = {"ConcurrencyLimits": f'"{limit}"'} if limit else {}
        return waiting(number, name, 1, RequestGPUs=1, **limits)

    assert how(look("Cpus", asks(1, "a"), asks(2, "b"), declared=declared, **gpus)) == {
        "gpus": How.REPORTED
    }
    assert how(look("Cpus + 4 * GPUs", asks(1, "a"), declared=declared, **gpus)) == {
        "gpus": How.APPROXIMATED
    }
    limited = look(
        "Cpus",
        asks(1, "a", "gpus_a"),
        asks(2, "b", "gpus_b"),
        declared=declared,
        config="GPUS_A_LIMIT = 2\nGPUS_B_LIMIT = 2\n",
        **gpus,
    )
    assert how(limited) == {"gpus": How.ENFORCED}
    assert limited.enforcement[0].why.endswith(
        "a concurrency limit of its group: gpus_a, gpus_b; none is above the group's max"
    )


def test_what_the_negotiators_slots_have_not_is_reported() -> None:
    declared = quotas(group("a", {}, {"cpus": 8, "gpus": 2, "gpus:v100": 2}))
    status = look("GPUs", declared=declared, GPUs=2, TotalSlotGPUs=2, GPUs_DeviceName=f'"{A100}"')

    assert how(status)["gpus:v100"] is How.REPORTED
    assert {each.dimension: each.why for each in status.enforcement}["gpus:v100"] == (
        "no slot of this negotiator has it"
    )


def test_one_model_among_several_is_not_what_a_weight_of_gpus_counts() -> None:
    declared = quotas(group("a", {}, {"gpus": 4, "gpus:a100": 2}))
    nodes = [
        node("a", SlotWeight="GPUs", GPUs=2, TotalSlotGPUs=2, GPUs_DeviceName=f'"{A100}"'),
        node("b", SlotWeight="GPUs", GPUs=2, TotalSlotGPUs=2, GPUs_DeviceName='"V100"'),
    ]
    waits = job(AccountingGroup='"a.ada"', RequestGPUs=1, MaxHosts=9)
    given = pool(*nodes, jobs=[waits], config=ALONE)

    assert how(status_of(given, declared)) == {"gpus": How.ENFORCED, "gpus:a100": How.APPROXIMATED}


def test_fault_11_leftovers_let_a_group_use_more_than_its_quota() -> None:
    """By default access points fill a matched slot by themselves; a consumption policy leaves nothing over."""
    for config in ("", "CLAIM_PARTITIONABLE_LEFTOVERS = True\n"):
        status = look("Cpus", config=config)
        assert how(status) == {"cpus": How.APPROXIMATED, "memory": How.REPORTED}
        why = {each.dimension: each.why for each in status.enforcement}["cpus"]
        assert why.endswith("beyond the quota (CLAIM_PARTITIONABLE_LEFTOVERS)")
    policies = status_of(pool(policy_slot(SlotWeight="Cpus"), jobs=BUSY), TWO)
    assert how(policies)["cpus"] is How.APPROXIMATED
