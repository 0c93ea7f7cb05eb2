"""One look at a pool: every number from where it is said to come."""

from __future__ import annotations

import pytest

from htcq.audit.evidence import Evidence
from htcq.drift.compare import differences
from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSetting, WeightUse
from htcq.drift.observe import observe
from htcq.pool.pool import Pool
from htcq.settings.groups import DeclaredGroup, GroupSettings
from tests.audit.rules.quota.groups import PHYSICS, groups, uses, wants
from tests.audit.sites import Text, accounting, collector, pool, slot

NOTHING = GroupSettings()


def look(given: Pool, *declared: DeclaredGroup, **knobs: str) -> DriftObservation:
    return observe(Evidence(given).quotas, given, GroupSettings(declared, knobs), 1794000000)


def told(name: str, **attributes: Text) -> str:
    """Return the accounting ad of a group."""
    return accounting(name, IsAccountingGroup="true", **attributes)


def of(observation: DriftObservation, name: str) -> GroupObservation:
    return next(group for group in observation.groups if group.name == name)


def test_every_group_is_there_and_the_root() -> None:
    found = look(groups(PHYSICS))

    assert {group.name for group in found.groups} == {
        "<none>",
        "physics",
        "physics.hep",
        "physics.lep",
        "chem",
    }
    assert (found.time, found.unit) == (1794000000, "slot weight")


def test_what_is_configured_is_read_as_the_negotiator_reads_it() -> None:
    found = look(
        groups(
            f"{PHYSICS}GROUP_QUOTA_DYNAMIC_bio = 0.25\nGROUP_NAMES = chem, bio\n"
            "GROUP_AUTOREGROUP = True\n"
        )
    )

    assert of(found, "chem").configured == QuotaSetting(10.0, True, False, True)
    assert of(found, "bio").configured == QuotaSetting(0.25, False, False, True)


def test_what_is_published_is_taken_as_it_is() -> None:
    found = look(
        groups(
            PHYSICS,
            told("chem", EffectiveQuota="9.5", SubtreeQuota="9.5", WeightedResourcesUsed="7.0"),
        )
    )
    chem = of(found, "chem")

    assert (chem.effective, chem.effective_subtree, chem.usage) == (9.5, 9.5, 7.0)
    assert (of(found, "physics").effective, of(found, "physics").effective_subtree) == (None, None)


@pytest.mark.parametrize("number", ['real("NaN")', '"many"', "undefined"])
def test_what_is_no_number_is_not_published(number: str) -> None:
    assert of(look(groups(PHYSICS, told("chem", EffectiveQuota=number))), "chem").effective is None


def test_demand_usage_and_allocation_are_those_of_the_next_cycle() -> None:
    """Chemistry has 3 running, wants 50 more, and is allocated its 10."""
    chem = of(look(groups(PHYSICS, wants("chem", 50, 3), *uses("chem", 3))), "chem")

    assert (chem.usage, chem.idle, chem.running, chem.requested, chem.allocated) == (
        3,
        50,
        3,
        53,
        10,
    )


def test_quotas_are_computed_over_the_weight_that_the_negotiator_counted() -> None:
    """It counted 200; two quotas are amounts, bio's half is one of what is left: (200 - 30) / 2."""
    config = f"{PHYSICS}GROUP_NAMES = physics, chem, bio\nGROUP_QUOTA_DYNAMIC_bio = 0.5\n"
    root = told("<none>", EffectiveQuota="85.0", SubtreeQuota="200.0")
    then = look(
        groups(config, root, told("bio", EffectiveQuota="85.0", SubtreeQuota="85.0"), weight=100)
    )
    bio = of(then, "bio")

    assert (then.pool_weight, bio.effective, bio.computed) == (200, 85, 85)
    assert [each.group for each in differences(then) if each.what == "effective"] == []


def test_where_no_weight_is_published_that_of_the_slots_counts() -> None:
    found = look(groups(PHYSICS, *uses("chem", 3), weight=100))

    assert (found.pool_weight, of(found, "chem").computed, of(found, "<none>").computed) == (
        103,
        10,
        73,
    )


def test_declared_groups_that_are_not_configured_are_there_as_declared() -> None:
    found = look(groups(PHYSICS), DeclaredGroup("chem", quota=12), DeclaredGroup("bio", share=0.5))

    assert of(found, "chem").declared == QuotaSetting(12, True, False, False)
    assert of(found, "bio") == GroupObservation(
        "bio", declared=QuotaSetting(0.5, False, False, False)
    )
    assert of(found, "physics").declared is None


def test_a_declared_group_is_the_configured_one_whatever_its_case() -> None:
    found = look(groups(PHYSICS), DeclaredGroup("CHEM", quota=10))

    assert [group.name for group in found.groups if group.declared] == ["chem"]


@pytest.mark.parametrize(
    ("own", "site", "configured", "expected"),
    [
        (None, {}, "", False),
        (None, {}, "GROUP_ACCEPT_SURPLUS = True\n", True),
        (None, {"GROUP_ACCEPT_SURPLUS": "False"}, "GROUP_ACCEPT_SURPLUS = True\n", False),
        (True, {"GROUP_ACCEPT_SURPLUS": "False"}, "", True),
    ],
)
def test_what_a_declaration_leaves_open_is_what_holds_for_all_groups(
    own: bool | None, site: dict[str, str], configured: str, expected: bool
) -> None:
    found = look(
        groups(PHYSICS + configured), DeclaredGroup("chem", quota=10, accept_surplus=own), **site
    )
    declared = of(found, "chem").declared

    assert declared is not None
    assert declared.accept_surplus is expected


def test_the_weight_expressions_are_those_of_the_slots() -> None:
    given = pool(
        slot("slot1@a"), slot("slot1@b"), slot("slot1@c", SlotWeight="2 * Cpus"), config=PHYSICS
    )

    assert look(given).weights == (WeightUse("2 * Cpus", 1, 16.0), WeightUse("Cpus", 2, 16.0))


def test_settings_are_those_that_are_set() -> None:
    config = (
        f"{PHYSICS}negotiator_slot_constraint = Cpus > 0\nSLOT_WEIGHT = Memory\nGROUP_SORT_EXPR =\n"
    )

    assert look(groups(config)).settings == {
        "NEGOTIATOR_SLOT_CONSTRAINT": "Cpus > 0",
        "SLOT_WEIGHT": "Memory",
    }


def test_without_weights_the_unit_is_the_slot() -> None:
    assert look(groups(f"{PHYSICS}NEGOTIATOR_USE_SLOT_WEIGHTS = False\n")).unit == "slots"


def test_doubts_tell_what_cannot_be_taken_as_it_is() -> None:
    silent = look(groups(PHYSICS))
    negative = look(groups(PHYSICS, told("chem", WeightedResourcesUsed="-3.0"), *uses("chem", 2)))

    assert silent.doubts == (
        (
            "the negotiator publishes nothing of its groups: what their claimed slots weigh is their "
            "usage"
        ),
    )
    assert negative.doubts == (
        "the published usage of chem is -3: what its claimed slots weigh counts instead",
    )
    assert of(negative, "chem").usage == 2


def test_what_could_not_be_read_is_a_doubt() -> None:
    damaged = pool(slot(), "MyType = Machine =\nrubbish\n", config=PHYSICS)

    assert set(damaged.incomplete) <= set(look(damaged).doubts)
    assert damaged.incomplete


def test_a_pool_is_called_after_the_machine_of_its_collector() -> None:
    assert look(pool(slot(), collector("cm.example.net"), config=PHYSICS)).pool == "cm.example.net"
    assert look(pool(slot(), collector("one"), collector("two"), config=PHYSICS)).pool == "test"
    assert look(pool(slot(), config=PHYSICS)).pool == "test"


def test_a_pool_without_groups_has_the_root_and_nothing_to_compare() -> None:
    found = look(pool(slot(), told("<none>", EffectiveQuota="3.0", SubtreeQuota="4.0"), config=""))

    assert [(group.name, group.computed) for group in found.groups] == [("<none>", None)]
    assert differences(found) == ()
