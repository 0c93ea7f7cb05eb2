"""What the pool weighs for quotas: sumSlotWeights, count_effective_slots and GetSlotWeight of HTCondor 25.14."""

from __future__ import annotations

import pytest

from htcq.audit.evidence import Evidence
from htcq.poolquota.supply import Supply
from tests.audit.sites import VERSION, dynamic_slot, negotiator, pool, slot, static_slot

#: Two partitionable slots of 8 and 6 cpus, one dynamic of 2 and one static of 1.
ADS = (
    slot(Rack='"a"'),
    slot("slot1@b", Cpus=6, Rack='"b"'),
    dynamic_slot(Cpus=2, Rack='"a"'),
    static_slot("slot1@c"),
)


def supply(config: str | None, *ads: str) -> Supply:
    return Evidence(pool(*(ads or ADS), config=config)).quotas.supply


def test_every_slot_s_weight_counts_whether_it_is_claimed_or_not() -> None:
    assert supply(None).pool_weight == 8 + 6 + 2 + 1


def test_with_slot_weights_off_it_is_cpus_of_partitionable_slots_and_1_for_any_other() -> None:
    one = supply("NEGOTIATOR_USE_SLOT_WEIGHTS = False\n")
    assert one.pool_weight == 8 + 6 + 1 + 1
    assert one.charged == {"ada@site": 1}


def test_a_pool_constraint_only_says_what_counts() -> None:
    one = supply('NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = Rack == "a"\n')
    assert one.pool_weight == 8 + 2
    assert len(one.slots) == 4


def test_the_older_name_counts_where_the_newer_one_is_not_set() -> None:
    assert supply("GROUP_DYNAMIC_MACH_CONSTRAINT = Cpus == 6\n").pool_weight == 6
    both = (
        "GROUP_DYNAMIC_MACH_CONSTRAINT = Cpus == 6\n"
        "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = Cpus == 8\n"
    )
    assert supply(both).pool_weight == 8


def test_a_pool_constraint_that_matches_nothing_leaves_nothing_and_one_that_does_not_parse_is_ignored() -> (
    None
):
    assert supply("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = false\n").pool_weight == 0
    assert supply("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = Cpus ==\n").pool_weight == 17


@pytest.mark.parametrize(
    ("constraint", "weight"),
    [('Rack == "a"', 8), ("Cpus == 2", 2), ('Rack =!= "b" && Cpus < 8', 2 + 1)],
)
def test_without_preemption_the_pool_constraint_sees_what_the_collector_returns_of_claimed_slots(
    constraint: str, weight: int
) -> None:
    """Of a claimed dynamic slot: what SlotWeight or Requirements name, as Cpus, but no Rack.

    Seen on 23.9.6 and 25.14.1 (tests/condor/test_claimed_projection.py)."""
    never = "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    one = supply(f"{never}NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = {constraint}\n")
    assert (one.pool_weight, one.charged) == (weight, {"ada@site": 2})


def test_without_preemption_a_forced_weight_that_is_not_returned_is_1_for_a_claimed_slot() -> None:
    """Of a claimed slot no Rack is returned: the weight is not defined, and an undefined one is 1."""
    forced = "SLOT_WEIGHT = size(Rack) * 5\nFORCE_NEGOTIATOR_SLOT_WEIGHT = True\n"
    ads = ADS[:3]
    assert supply(forced, *ads).pool_weight == 5 + 5 + 5
    assert (
        supply(f"NEGOTIATOR_CONSIDER_PREEMPTION = False\n{forced}", *ads).pool_weight == 5 + 5 + 1
    )


def test_slots_outside_the_slot_constraint_do_not_exist() -> None:
    one = supply('NEGOTIATOR_SLOT_CONSTRAINT = Rack == "b"\n')
    assert one.pool_weight == 6
    assert one.charged == {}


@pytest.mark.parametrize(
    ("weight", "expected"), [('"eight"', 3), ("-4", 1), ("NoSuchThing", 3), ("2.5", 2.5)]
)
def test_a_weight_that_is_no_number_gives_way_to_the_central_one_and_a_negative_one_to_1(
    weight: str, expected: float
) -> None:
    assert (
        supply("SLOT_WEIGHT = Memory/1024 - 13\n", slot(SlotWeight=weight)).pool_weight == expected
    )


def test_the_central_weight_can_be_forced_on_all() -> None:
    assert supply("SLOT_WEIGHT = 5\nFORCE_NEGOTIATOR_SLOT_WEIGHT = True\n").pool_weight == 20


@pytest.mark.parametrize(("written", "weight"), [("25.5.1", 20), ("25.4.0", 17), ("23.9.6", 17)])
def test_an_older_negotiator_forces_no_weight(written: str, weight: int) -> None:
    """The knob is new in 25.5.1."""
    old = negotiator(CondorVersion=f'"{VERSION.replace("25.14.1", written)}"')
    assert (
        supply("SLOT_WEIGHT = 5\nFORCE_NEGOTIATOR_SLOT_WEIGHT = True\n", *ADS, old).pool_weight
        == weight
    )


def test_an_offline_slot_stands_for_as_many_as_it_says() -> None:
    assert supply(None, slot(GhostMultiplier=10)).pool_weight == 80


def test_claims_are_charged_to_whom_the_slots_name() -> None:
    ads = (
        dynamic_slot("slot1_1@a", "ada@site", Cpus=2),
        dynamic_slot("slot1_2@a", "ada@site"),
        dynamic_slot("slot1_3@a", "bob@site"),
    )
    one = supply(None, *ads)
    assert (one.charged, one.claims) == (
        {"ada@site": 3, "bob@site": 1},
        {"ada@site": 2, "bob@site": 1},
    )


def test_the_lightest_slot_is_any_that_the_negotiator_sees() -> None:
    assert supply(None).min_weight == 1
    assert supply("NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 1\n").min_weight == 2


def test_expressions_are_those_of_the_counted_slots_by_their_weight() -> None:
    """A hundred for one slot, 8 + 6 + 2 + 1 for four, and the central manager's own where a slot has none."""
    ads = (*ADS, slot("slot1@d", SlotWeight="100"), slot("slot1@e", SlotWeight=None, Cpus=1))

    assert supply(None, *ads).expressions == ("100", "Cpus")
    assert supply("SLOT_WEIGHT = Memory\n", *ads).expressions == ("Memory", "100", "Cpus")
    assert supply(
        "FORCE_NEGOTIATOR_SLOT_WEIGHT = True\nSLOT_WEIGHT = Memory\n", *ads
    ).expressions == ("Memory",)
    assert supply("NEGOTIATOR_USE_SLOT_WEIGHTS = False\n", *ads).expressions == ()
