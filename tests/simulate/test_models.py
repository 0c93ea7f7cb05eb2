"""Pools whose machines have a site file's capacity models; what startds publish of them is tested on real ones."""

from __future__ import annotations

import pytest

from htcq.errors import InputError
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.settings import settings_from
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.models import MachineModel, with_models
from tests.audit.sites import (
    accounting,
    dynamic_slot,
    job,
    policy_slot,
    pool,
    slot,
    static_slot,
    submitter,
)

#: What site files say: one claim takes a core and 2 GiB; half a core; tokens; access points split;
#: two slot types.
CHARGES = {"capacity": {"charge": {"cpus": 1, "memory": "2GiB"}}}
HALVES = {"capacity": {"charge": {"cpus": 0.5}}}
TOKENS = {"capacity": {"model": "fixed", "claims": 4, "share": "request"}}
SPLIT = {"capacity": {"charge": {"cpus": 1, "memory": "2GiB"}, "splitting": "scheduler"}}
COUNTED = {
    "capacity": {"model": "fixed", "claims": 4, "share": "request", "splitting": "scheduler"}
}
TWO_TYPES = {
    "slot_types": {"1": {"part": "50%", "charge": {"cpus": 1}}, "2": {"part": "50%", "claims": 4}}
}
ONE_HALF = {"slot_types": {"1": {"part": "50%"}}}
_HALF = {
    "Cpus": 4, "Memory": 8192, "Disk": 10000000, "TotalSlotCpus": 4, "TotalCpus": "8.0", "TotalSlotMemory": 8192,
    "TotalSlotDisk": "10000000.0",
}  # fmt: skip
HALVES_OF_NEW = tuple(slot(f"slot{number}@new", SlotTypeID=number, **_HALF) for number in (1, 2))
SMALL = tuple(slot(f"slot1@{name}", TotalSlotMemory=1024) for name in ("old", "ill"))


def model(content: object, machines: str = "") -> MachineModel:
    settings = settings_from(content)  # type: ignore[arg-type]
    return MachineModel(
        "site.toml", settings.slot_types, machines, settings.literal, settings.kinds
    )


def site(*ads: str, jobs: int = 20) -> Pool:
    queue = [job(f"1.{proc}") for proc in range(jobs)]
    return pool(*ads, submitter(IdleJobs=jobs, WeightedIdleJobs=jobs), jobs=queue, config="")


def by_name(given: Pool) -> dict[str, Slot]:
    return {str(each.name): each for each in given.slots or ()}


def matches(given: Pool) -> int:
    return len(run_cycle(given).matches)


def test_one_match_of_a_plain_slot_becomes_one_for_each_claim() -> None:
    """8 cpus, 16 GiB: 8 claims of 1 cpu and at least 2 GiB fit; a plain slot is matched once."""
    plain = site(slot())

    assert (matches(plain), matches(with_models(plain, [model(CHARGES)]))) == (1, 8)


def test_and_back_again_where_access_points_split() -> None:
    split = with_models(with_models(site(slot()), [model(CHARGES)]), [model(SPLIT)])
    (one,) = split.slots or ()

    assert matches(split) == 1
    assert "NumClaims" not in one.frame
    assert not [name for name in one.frame.texts if name.startswith("consumption")]


def test_a_resource_that_one_slot_of_a_machine_lists_without_an_amount_is_not_part_of_the_model() -> (
    None
):
    damaged = dynamic_slot(
        "slot1_1@node1", "cyd@site", MachineResources='"Cpus Memo2y Memory Disk"'
    )
    by_slot = by_name(with_models(site(slot(NumDynamicSlots=1), damaged), [model(CHARGES)]))
    one = by_slot["slot1_1@node1"]

    assert one.frame.value("MachineResources") == "Cpus Memory Disk"
    assert "ConsumptionMemo2y" not in one.frame


def test_what_is_claimed_stays_and_is_charged_by_the_model() -> None:
    """Of 8 cpus 3 are left and 2 GiB of memory: one claim. The claim of 5 cpus and 9 GiB weighs 5 charges."""
    claimed = dynamic_slot("slot1_1@node1", "cyd@site", Cpus=5, Memory=9216)
    given = with_models(
        site(slot(Cpus=3, Memory=2048, NumDynamicSlots=1), claimed), [model(CHARGES)]
    )
    found = by_name(given)

    assert (found["slot1@node1"].cpus, found["slot1_1@node1"].cpus) == (3, 5)
    assert "NumClaims" not in found["slot1_1@node1"].frame
    trace = run_cycle(given)
    assert len(trace.matches) == 1
    assert {each.name: each.used_before for each in trace.submitters}["cyd@site"] == 5


def test_shares_of_cores_count_on_what_is_left_and_what_is_claimed() -> None:
    claimed = dynamic_slot("slot1_1@node1", "cyd@site", Cpus=2)
    given = with_models(site(slot(Cpus=6, NumDynamicSlots=1), claimed), [model(HALVES)])
    again = with_models(given, [model(CHARGES)])

    for pool_, cpus in ((given, (12, 16, 4)), (again, (6, 8, 2))):
        found = by_name(pool_)
        one, dynamic = found["slot1@node1"], found["slot1_1@node1"]
        assert (one.cpus, one.total_slot_cpus, dynamic.cpus) == cpus
        assert one.frame.value("TotalCpus") == cpus[1]
    # Jobs of half a core: two of them fit on each that is left.
    halves = pool(
        slot(),
        submitter(IdleJobs=20),
        jobs=[job(f"1.{n}", RequestCpus="0.5") for n in range(20)],
        config="",
    )
    assert matches(with_models(halves, [model(HALVES)])) == 16


def test_tokens_count_the_claims_that_are_there() -> None:
    given = with_models(site(slot(Cpus=7, NumDynamicSlots=1), dynamic_slot()), [model(TOKENS)])
    one, claimed = (by_name(given)[name] for name in ("slot1@node1", "slot1_1@node1"))

    assert (one.left()["htcqclaims"], one.total()["htcqclaims"], claimed.left()["htcqclaims"]) == (
        3,
        4,
        1,
    )
    assert matches(given) == 3
    without = by_name(with_models(given, [model(CHARGES)]))["slot1@node1"]
    assert "htcqclaims" not in without.assets


def test_where_the_startd_counts_claims_start_says_so_until_another_model_comes() -> None:
    counted = with_models(site(slot()), [model(COUNTED)])
    (one,) = counted.slots or ()
    (later,) = with_models(counted, [model(CHARGES)]).slots or ()

    assert one.frame.text("Start").endswith("< 4)")
    assert later.frame.text("Start") == "true"
    full = site(slot(NumDynamicSlots=4))
    assert (matches(full), matches(with_models(full, [model(COUNTED)]))) == (1, 0)


def test_a_model_that_is_there_already_changes_nothing() -> None:
    once = with_models(site(slot(Cpus=7, NumDynamicSlots=1), dynamic_slot()), [model(HALVES)])
    twice = with_models(once, [model(HALVES)])

    for one, other in zip(once.slots or (), twice.slots or ()):
        assert one.frame.texts == other.frame.texts
        assert one[1:] == other[1:]
    assert run_cycle(once) == run_cycle(twice)


def test_the_last_model_that_is_meant_for_a_machine_counts() -> None:
    given = site(slot("slot1@node1"), slot("slot1@node2"), slot("slot1@gpu1"))
    found = by_name(with_models(given, [model(TOKENS, "node*"), model(CHARGES, "node2")]))

    assert [found[f"slot1@{name}"].frame.value("NumClaims") for name in ("node1", "node2")] == [
        4,
        8,
    ]
    assert found["slot1@gpu1"] == by_name(given)["slot1@gpu1"]


def test_static_slots_and_those_for_backfill_stay() -> None:
    given = site(slot(), static_slot("slot2@node1"), slot("slot3@node1", BackfillSlot="true"))
    found, before = by_name(with_models(given, [model(CHARGES)])), by_name(given)

    assert found["slot2@node1"] == before["slot2@node1"]
    assert found["slot3@node1"] == before["slot3@node1"]
    assert found["slot1@node1"].frame.value("NumClaims") == 8


def test_slot_types_have_their_models_if_they_are_those_of_the_machine() -> None:
    found = by_name(with_models(site(*HALVES_OF_NEW), [model(TWO_TYPES)]))

    assert found["slot1@new"].frame.text("SlotWeight") != found["slot2@new"].frame.text(
        "SlotWeight"
    )
    assert found["slot2@new"].frame.value("NumClaims") == 4
    one_for_both = by_name(with_models(site(*HALVES_OF_NEW), [model(CHARGES)]))
    assert [each.frame.value("NumClaims") for each in one_for_both.values()] == [4, 4]


@pytest.mark.parametrize(
    ("content", "fits", "ads", "why"),
    [
        (
            TWO_TYPES,
            HALVES_OF_NEW,
            (slot("slot1@old"),),
            "old stays as it is: it has 0 slots of type 2, there 1",
        ),
        (
            ONE_HALF,
            HALVES_OF_NEW[:1],
            (slot("slot1@old"),),
            "old stays as it is: slot type 1 would have 4 cpus, not 8",
        ),
        (
            CHARGES,
            (slot("slot1@new"),),
            SMALL[:1],
            "old stays as it is: --charge memory: 2 GiB is more than",
        ),
        (
            CHARGES,
            (slot("slot1@new"),),
            (slot("slot1@old", TotalSlotDisk=0),),
            "old stays as it is: node: disk_kb is",
        ),
        (
            CHARGES,
            (slot("slot1@new"),),
            SMALL,
            "2 machines, such as ill, stay as they are: --charge memory",
        ),
    ],
)
def test_a_machine_that_cannot_carry_its_model_stays_and_that_is_told(
    content: object, fits: tuple[str, ...], ads: tuple[str, ...], why: str
) -> None:
    given = site(*fits, *ads)
    changed = with_models(given, [model(content)])

    (told,) = changed.damage
    assert told.startswith(f"--model site.toml: {why}")
    for name, before in by_name(given).items():
        assert (by_name(changed)[name] == before) is not name.endswith("@new")


@pytest.mark.parametrize(
    ("given", "ads", "message"),
    [
        (model(CHARGES, "node9"), (slot(),), "--model node9=site.toml: no machine of that name"),
        (model(CHARGES), (static_slot(),), "--model site.toml: no partitionable slot there"),
        (
            model({"capacity": {"charge": {"gpus": 1}}}),
            (slot(),),
            "it fits no machine: --charge gpus",
        ),
    ],
)
def test_a_model_for_nothing_is_an_error(
    given: MachineModel, ads: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        with_models(site(*ads), [given])


def test_idle_jobs_are_weighed_by_the_model_if_all_machines_have_it() -> None:
    """20 jobs of 1 cpu and 3 GiB are two charges of memory each; those that run weigh 2 instead of 1 as well."""
    queue = [job(f"1.{proc}", RequestMemory=3072) for proc in range(20)]
    asking = submitter(IdleJobs=20, WeightedIdleJobs=20, RunningJobs=1, WeightedRunningJobs="1.0")
    given = pool(
        slot(Cpus=7, NumDynamicSlots=1), dynamic_slot(Memory=3072), asking, jobs=queue, config=""
    )

    def demand(pool_: Pool) -> tuple[object, ...]:
        (record,) = pool_.submitters
        return (
            record.number("IdleJobs"),
            record.number("WeightedIdleJobs"),
            record.number("WeightedRunningJobs"),
        )

    # Access points keep their weight where a model is for some machines only; what runs there
    # weighs anew.
    assert demand(with_models(given, [model(CHARGES, "node*")])) == (20, 20, 2)
    assert demand(with_models(given, [model(CHARGES)])) == (20, 40, 2)


def test_published_usage_is_that_of_the_claims_as_they_weigh_now() -> None:
    """A claim of 1 cpu and 3 GiB weighs 2 charges; ceilings are measured against that, not against what was 1."""
    published = [
        accounting(
            name,
            IsAccountingGroup=group,
            WeightedResourcesUsed="1.0",
            HierWeightedResourcesUsed="1.0",
        )
        for name, group in (
            ("<none>", "true"),
            ("hep", "true"),
            ("hep.ada@site", "false"),
            ("gone@site", "false"),
        )
    ]
    claimed = dynamic_slot(customer="hep.ada@site", Memory=3072)
    config = "GROUP_NAMES = hep\nGROUP_QUOTA_hep = 4\n"
    given = pool(slot(Cpus=7, NumDynamicSlots=1), claimed, *published, jobs=[], config=config)
    after = PoolQuotas(with_models(given, [model(CHARGES)]), Weights())

    assert (after.usage["hep"], after.used_by("hep.ada@site"), after.used_by("gone@site")) == (
        2,
        2,
        1,
    )
    (hep,) = [record for record in after.pool.accounting if record.name == "hep"]
    assert hep.number("HierWeightedResourcesUsed") == 2


def test_nodes_have_the_model_of_their_kind() -> None:
    kinds = {**CHARGES, "nodes": {"big": {"match": "TotalCpus > 8", "charge": {"cpus": 2}}}}
    large = dict.fromkeys(("Cpus", "TotalSlotCpus", "TotalCpus"), 16)
    given = site(slot("slot1@small"), slot("slot1@big", **large))
    found = by_name(with_models(given, [model(kinds)]))

    alone = by_name(
        with_models(
            given, [model(CHARGES, "small"), model({"capacity": {"charge": {"cpus": 2}}}, "big")]
        )
    )
    assert {name: each.frame.text("SlotWeight") for name, each in found.items()} == {
        name: each.frame.text("SlotWeight") for name, each in alone.items()
    }


def test_startds_leave_requests_as_they_are_where_the_negotiator_splits() -> None:
    """100 MB are 100 MB then, not 128 as a startd makes of them by itself."""
    queue = [job("1.0", RequestMemory=100)]
    given = pool(
        policy_slot(ConsumptionMemory="TARGET.RequestMemory"), submitter(), jobs=queue, config=""
    )
    (match,) = run_cycle(
        with_models(given, [model({"capacity": {"preset": "memory-centric"}})])
    ).matches

    assert match.refusal == ""
    changed = with_models(given, [model({"capacity": {"preset": "simple"}})])
    assert (
        changed.execute["node1"].value("SLOT_TYPE_1_MODIFY_REQUEST_EXPR_REQUESTMEMORY")
        == "UNDEFINED"
    )


def test_other_resources_have_their_consumption_too() -> None:
    more = {
        "MachineResources": '"Cpus Memory Disk Swap GPUs licence"',
        "licence": 3,
        "TotalSlotlicence": 3,
    }
    given = pool(slot(**more), submitter(), jobs=[job("1.0", Requestlicence=2)], config="")
    (one,) = with_models(given, [model(CHARGES)]).slots or ()

    assert "ConsumptionSwap" not in one.frame
    assert "TARGET.Requestlicence" in one.frame.text("WithinResourceLimits")
    assert len(run_cycle(with_models(given, [model(CHARGES)])).matches) == 1
