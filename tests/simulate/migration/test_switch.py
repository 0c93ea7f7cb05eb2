"""What a new unit of slot weight makes of a pool; that it comes true is tested on real daemons."""

from __future__ import annotations

import math

import pytest

from htcq.errors import InputError
from htcq.settings import settings_from
from htcq.simulate.migration.records import Amount, Migration
from htcq.simulate.models import MachineModel, with_models
from tests.audit.sites import negotiator, pool, slot, static_slot
from tests.simulate.migration.pools import (
    FLAT,
    LINEAR,
    claim,
    group_of,
    machine,
    migrated,
    site,
    submitter_of,
    used,
    wants,
)  # fmt: skip

NESTED = (
    "GROUP_NAMES = phys, phys.hep, phys.lep, chem\nGROUP_QUOTA_phys = 4\nGROUP_QUOTA_phys.hep = 1\n"
    "GROUP_QUOTA_phys.lep = 3\nGROUP_QUOTA_DYNAMIC_chem = 0.25\n"
)


def quotas(found: Migration) -> dict[str, Amount | None]:
    return {group.name: group.config_quota for group in found.groups if group.parent}


def test_an_idle_pool_keeps_the_shares_of_its_groups() -> None:
    found = migrated(site(machine()))

    assert (found.empty_weight, found.pool_weight, found.factor) == (
        Amount(8, 16),
        Amount(8, 16),
        2,
    )
    assert quotas(found) == {"bio": Amount(3, 6), "chem": Amount(5, 10)}
    assert [group_of(found, name).share for name in ("bio", "chem")] == [
        Amount(3 / 8, 3 / 8),
        Amount(5 / 8, 5 / 8),
    ]
    assert (found.nodes, found.plain_nodes, found.stay) == (("node1",), ("node1",), ())


def test_shares_are_of_what_the_machines_weigh_without_claims() -> None:
    """A weight that is not additive: the claim of a core weighs 4, so that the busy pool weighs 11."""
    leaky = "ifThenElse(DynamicSlot =?= true, 4 * Cpus, Cpus)"
    ads = machine(Cpus=7, NumDynamicSlots=1, SlotWeight=leaky), claim(1, SlotWeight=leaky)
    found = migrated(site(*ads))

    assert (found.pool_weight.before, found.empty_weight.before) == (11, 8)
    assert group_of(found, "bio").share == Amount(3 / 8, 3 / 8)


def test_static_quotas_scale_and_dynamic_ones_stay() -> None:
    found = migrated(site(machine(), config=NESTED))

    assert quotas(found) == {
        "phys": Amount(4, 8), "phys.hep": Amount(1, 2), "phys.lep": Amount(3, 6), "chem": Amount(0.25, 0.25),
    }  # fmt: skip
    assert group_of(found, "chem").quota == Amount(1, 2)


def test_claims_run_on_and_weigh_anew_in_usage_and_demand() -> None:
    """Three claims of a core and 8 GiB: 3 of 3 before, 9 of 6 after."""
    asking, jobs = wants("bio.ann@site", idle=2, running=3)
    claims = [claim(number) for number in (1, 2, 3)]
    told = (
        used("bio", 3, group=True),
        used("bio.ann@site", 3, Priority="3000.0", PriorityFactor="1000.0"),
    )
    given = site(machine(Cpus=5, Memory=8192, NumDynamicSlots=3), *claims, asking, *told, jobs=jobs)
    bio = group_of(migrated(given), "bio")

    assert (bio.usage, bio.running, bio.idle, bio.idle_jobs) == (
        Amount(3, 9),
        Amount(3, 9),
        Amount(2, 6),
        2,
    )
    assert (bio.quota, bio.over, bio.cheapest) == (Amount(3, 6), 3, 3)
    ann = submitter_of(migrated(given), "bio.ann@site")
    assert (ann.usage, ann.priority) == (Amount(3, 9), Amount(3, 8))
    # Of the stored 3 a tenth of what is missing to 8 may be left: 3 * left + 9 * (1 - left) is 10 %
    # off where left is 0.9 / (5 - 0.8 + 0.9).
    left = 0.9 / 5.1
    stored, real = (amount * left + 9 * (1 - left) for amount in (3, 8))
    assert stored == pytest.approx(0.9 * real)
    assert ann.until_seconds == pytest.approx(-86400 * math.log2(left))


def test_a_group_without_a_turn_is_named_and_gets_one_when_running_jobs_are_reported_anew() -> None:
    """Two claims weigh 6 then, and the schedd still says 2: with an idle job of 3 the group seems to want 5."""
    asking, jobs = wants("chem.bob@site", idle=1, running=2)
    claims = [claim(number, "chem.bob@site") for number in (1, 2)]
    other, more = wants("bio.ann@site", idle=2)
    given = [machine(Cpus=6, Memory=16384, NumDynamicSlots=2), *claims, asking, other]
    strict = FLAT + "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    chem = group_of(migrated(site(*given, jobs=[*jobs, *more], config=strict)), "chem")

    assert chem.starves == "its demand of 5 is below its usage of 6"
    assert chem.starves_later == ""
    assert migrated(site(*given, jobs=[*jobs, *more])).starving == ()


def test_an_older_negotiator_charges_running_claims_as_before_until_they_end() -> None:
    """Measured on 23.9.6: the ads of the slots say 9, accountant and schedd say 3."""
    asking, jobs = wants("bio.ann@site", idle=2, running=3)
    claims = [claim(number) for number in (1, 2, 3)]
    published = used("bio", 3, group=True), used("bio.ann@site", 3)
    ads = machine(Cpus=5, Memory=8192, NumDynamicSlots=3), *claims, asking, *published
    old = negotiator(CondorVersion='"$CondorVersion: 23.9.6 2024-08-08 $"')
    found = migrated(pool(*ads, old, jobs=jobs, config=FLAT))
    bio = group_of(found, "bio")

    assert (found.reweighs, bio.charged, bio.usage.after, bio.over) == (False, 3, 9, 0)
    assert group_of(migrated(site(*ads, jobs=jobs)), "bio").charged == 9


def test_ceilings_and_floors_are_amounts_of_weight() -> None:
    ads = used("bio.ann@site", 0, Ceiling=3, Floor=1), used("bio.eve@site", 0, Ceiling=-1, Floor=0)
    found = migrated(site(machine(), *ads))

    ann, eve = submitter_of(found, "bio.ann@site"), submitter_of(found, "bio.eve@site")
    assert (ann.ceiling, ann.floor) == (Amount(3, 6), Amount(1, 2))
    assert (eve.ceiling, eve.floor) == (None, None)


def test_a_small_round_robin_rate_is_an_amount_of_weight_too() -> None:
    found = migrated(site(machine(), config=f"{FLAT}GROUP_QUOTA_ROUND_ROBIN_RATE = 2\n"))

    assert found.round_robin_rate == Amount(2, 4)
    assert migrated(site(machine())).round_robin_rate is None


def test_machines_that_cannot_carry_the_model_keep_their_weight_and_are_named() -> None:
    found = migrated(site(machine(), slot("slot1@ill", Memory=0, TotalSlotMemory=0, TotalMemory=0)))

    assert found.nodes == ("node1",)
    (told,) = found.stay
    assert told.startswith("--model new.toml: ill stays as it is: ")


def test_machines_of_static_slots_are_named_too() -> None:
    found = migrated(site(machine(), static_slot("slot1@old1"), static_slot("slot1@old2")))

    assert found.stay == (
        "old1 and 1 more machines: no partitionable slot, so that a model changes nothing there",
    )


def test_a_weight_that_the_central_manager_forces_is_a_part_of_the_switch() -> None:
    forced = FLAT + "FORCE_NEGOTIATOR_SLOT_WEIGHT = True\nSLOT_WEIGHT = Cpus\n"
    found = migrated(site(machine(), config=forced))

    assert (found.weights, found.new_weights, found.factor) == (
        ("Cpus",),
        ("Cpus + Memory / 4096.0",),
        2,
    )


def test_where_slot_weights_are_off_nothing_weighs_anew() -> None:
    found = migrated(site(machine(), config=f"{FLAT}NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"))

    assert found.factor == 1
    assert found.missing[0].startswith("slot weights are off")


def test_a_pool_without_machines_for_the_model_is_an_error() -> None:
    with pytest.raises(InputError, match="no partitionable slot there"):
        migrated(site(static_slot()))


def test_a_pool_that_weighs_nothing_has_no_shares() -> None:
    with pytest.raises(InputError, match="weighs nothing"):
        migrated(site(machine(SlotWeight="0")))


def test_what_was_not_captured_is_told() -> None:
    found = migrated(site(machine()))

    assert [sentence.partition(":")[0] for sentence in found.missing] == [
        "no accounting ads",
        "no submitter ads",
    ]
    assert found.submitters == ()


def test_a_pool_that_has_the_model_already_stays_what_it_is() -> None:
    settings = settings_from(LINEAR)
    there = with_models(
        site(machine(), claim(1), config=FLAT), [MachineModel("new.toml", settings.slot_types)]
    )
    found = migrated(there)

    assert (found.factor, found.plain_nodes, found.done) == (1, (), True)
    assert quotas(found) == {"bio": Amount(3, 3), "chem": Amount(5, 5)}
