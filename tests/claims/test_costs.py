"""The match-cost audit of small pools; every number is reckoned by hand from the policy's text."""

from __future__ import annotations

import pytest

from htcq.claims.costs import Charge, Conservation, Costs, costs, tidy
from htcq.claims.matching import Mismatch
from htcq.pool.autocluster import autoclusters_of, made_up
from htcq.pool.slot_class import slot_classes
from htcq.pool.weights import Weights
from tests.audit.sites import accounting, dynamic_slot, job, policy_slot, pool, slot, static_slot

MULTI = "min({Cpus, floor(Memory / 2048), floor(Disk / 100000)})"


def look(*texts: str, jobs: tuple[str, ...] = ()) -> Costs:
    found = pool(*texts, jobs=jobs)
    return costs(
        found, slot_classes(found.slots or ()), autoclusters_of(found.jobs or ()), Weights()
    )


def charge(text: str, **asks: int) -> Charge:
    (one,) = look(
        text, jobs=(job(**{f"Request{name}": amount for name, amount in asks.items()}),)
    ).charges
    return one


def conservation(*texts: str) -> Conservation:
    (one,) = look(*texts).conservation
    return one


def test_a_published_policy_charges_the_memory_at_the_match_and_the_cpu_afterwards() -> None:
    """8 cpus, 16384 MB; 1 cpu, 8192 MB: 8 - min(7, 4, 198) = 4, then min(1, 4, 2) = 1."""
    one = charge(policy_slot(SlotWeight=MULTI), Cpus=1, Memory=8192, Disk=200000)

    assert (one.match_cost, one.standing_charge, one.gap) == (4, 1, -3)
    assert one.consumption == {"cpus": 1, "memory": 8192, "disk": 200000, "gpus": 0}


def test_a_weight_split_by_kind_of_slot_has_no_gap() -> None:
    split = f"ifThenElse(DynamicSlot =?= true, max({{Cpus, ceiling(Memory / 2048.0)}}), {MULTI})"

    assert charge(policy_slot(SlotWeight=split), Cpus=1, Memory=8192, Disk=200000).gap == 0


def test_a_plain_slot_is_charged_whole_and_then_by_what_was_carved() -> None:
    """Rounded as the startd rounds: 1000 MB -> 1024, 5000 KiB -> 5120."""
    one = charge(slot(), Cpus=3, Memory=1000, Disk=5000)

    assert (one.match_cost, one.standing_charge, one.gap) == (8, 3, -5)
    assert one.consumption == {"cpus": 3, "memory": 1024, "disk": 5120, "gpus": 0}


def test_a_static_slot_costs_its_weight_before_and_after() -> None:
    one = charge(static_slot(SlotWeight="Memory / 1024"), Cpus=1, Memory=100, Disk=100)

    assert (one.match_cost, one.standing_charge, one.gap) == (2, 2, 0)


def test_a_claim_that_takes_no_cpu_still_holds_one() -> None:
    """The startd carves 1 cpu and 1 MB at least (measured: 12 tokens, d-slots of 1 cpu and 1 MB)."""
    tokens = {
        "MachineResources": '"Cpus Memory Disk Swap Tokens"',
        "Tokens": 12,
        "TotalSlotTokens": 12,
    }
    free = {
        "ConsumptionCpus": 0,
        "ConsumptionMemory": 0,
        "ConsumptionDisk": 0,
        "ConsumptionTokens": 1,
    }
    one = charge(policy_slot(SlotWeight="Cpus + Memory", **tokens, **free), Cpus=1, Memory=100)

    assert (one.match_cost, one.standing_charge) == (0, 2)


def test_what_cannot_match_costs_nothing_and_says_why() -> None:
    one = charge(policy_slot(), Cpus=9)

    assert (one.wall, one.asset) == (Mismatch.ASSETS, "cpus")
    assert (one.match_cost, one.standing_charge, one.gap) == (None, None, None)


def test_a_huge_request_is_a_number_like_any_other() -> None:
    assert (
        charge(slot(TotalSlotMemory="1e300", Memory="1e300"), Memory=10**18).wall is Mismatch.NONE
    )


def test_the_slots_weight_is_what_is_left_and_what_is_charged() -> None:
    """The measured leak: 8 full, 4 left, 1 charged."""
    child = dynamic_slot(SlotWeight=MULTI, Memory=8192, Disk=200000)
    one = conservation(policy_slot(SlotWeight=MULTI, Cpus=7, Memory=8192, Disk=19800000), child)

    assert (one.full, one.left, one.charged, one.gap) == (8, 4, 1, -3)
    assert (one.broken, one.worst, one.examples) == (1, -3, ("slot1@node1",))


def test_cpus_are_conserved() -> None:
    children = [dynamic_slot(f"slot1_{number}@node1", Cpus=2) for number in (1, 2)]
    one = conservation(slot(Cpus=4), *children)

    assert (one.full, one.left, one.charged, one.gap, one.broken, one.worst) == (8, 4, 4, 0, 0, 0)


def test_a_gap_may_be_above_0() -> None:
    assert conservation(slot(Cpus=7), dynamic_slot(Cpus=3)).gap == 2


def test_gaps_of_many_slots_are_counted_and_the_worst_are_named() -> None:
    parents = [slot(f"slot1@n{number}", Cpus=8 - number) for number in range(5)]
    one = conservation(*parents)

    assert (one.broken, one.worst) == (4, -4)
    assert one.examples == ("slot1@n4", "slot1@n3", "slot1@n2")
    assert one.gap == -(1 + 2 + 3 + 4)


def test_a_static_slot_has_no_conservation() -> None:
    assert look(static_slot()).conservation == ()


@pytest.mark.parametrize(
    ("child", "parent"),
    [
        ("slot1_1@node1", "slot1@node1"),
        ("slot2_13@node1.site", "slot2@node1.site"),
        ("gpu_slot_3@node1", "gpu_slot@node1"),
        ("slot1_2@pilot_77_3@node1", "slot1@pilot_77_3@node1"),
    ],
)
def test_the_parent_of_a_dynamic_slot_is_told_by_its_name(child: str, parent: str) -> None:
    """Startds of pilot jobs have names of their own, with numbers in them."""
    (one,) = pool(dynamic_slot(child)).slots or ()

    assert one.parent == parent


def test_what_jobs_hold_is_counted_by_class() -> None:
    found = look(
        slot(Cpus=5),
        dynamic_slot(),
        dynamic_slot("slot1_2@node1", Cpus=2),
        jobs=(
            job(JobStatus=2, RemoteHost='"slot1_1@node1"'),
            job("2.0", RequestCpus=2, JobStatus=2, RemoteHost='"slot1_2@node1"'),
            job("3.0", RequestCpus=3),
        ),
    )

    assert [(one.jobs.name, one.claims, one.held) for one in found.charges] == [
        ("1.0", 1, 1),
        ("2.0", 1, 2),
        ("3.0", 0, None),
    ]


def test_weights_are_shared_out_among_expressions() -> None:
    found = look(
        slot(),
        static_slot("slot2@node1", SlotWeight="Memory / 1024"),
        static_slot("slot3@node1", SlotWeight=None),
    )

    assert [(one.expression, one.slots, one.weight) for one in found.shares] == [
        ("Cpus", 1, 8),
        ("Memory / 1024", 1, 2),
        ("", 1, 1),
    ]
    assert sum(one.share for one in found.shares) == pytest.approx(1)


def test_submitters_are_compared_with_their_claimed_slots() -> None:
    found = look(
        slot(Cpus=7),
        dynamic_slot(customer="hep.ada@site"),
        accounting("hep.ada@site", WeightedResourcesUsed="4.0"),
        accounting("ben@site", WeightedResourcesUsed="2.0"),
        accounting("idle@site"),
        accounting("hep", IsAccountingGroup="true", WeightedResourcesUsed="4.0"),
    )

    assert [(one.name, one.published, one.claimed) for one in found.customers] == [
        ("ben@site", 2, 0),
        ("hep.ada@site", 4, 1),
    ]


def test_a_made_up_job_is_charged_like_any_other() -> None:
    found = pool(policy_slot(SlotWeight=MULTI))
    one = costs(
        found,
        slot_classes(found.slots or ()),
        [made_up("big", {"cpus": 1, "memory": 8192, "disk": 200000})],
        Weights(),
    )

    assert [(each.match_cost, each.standing_charge) for each in one.charges] == [(4, 1)]


def test_whole_numbers_are_whole() -> None:
    assert (repr(tidy(4.0)), repr(tidy(4.5)), repr(tidy(4))) == ("4", "4.5", "4")
