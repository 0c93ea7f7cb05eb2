"""The record of a look: units, totals, doubts, and what was not captured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.live.configuration import read_dump
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from tests.audit.rules.quota.groups import PHYSICS, groups, wants
from tests.audit.sites import slot
from tests.poolquota.looks import busy, group_ad, look, looked, standing


def test_units_are_weights_unless_they_are_off() -> None:
    weights, off = look(PHYSICS), look(f"{PHYSICS}NEGOTIATOR_USE_SLOT_WEIGHTS = False\n")
    jobs = look(f"{PHYSICS}NEGOTIATOR_USE_WEIGHTED_DEMAND = False\n")

    assert (weights.unit, weights.demand_unit) == ("slot weight", "schedd slot weight")
    assert (off.unit, off.demand_unit) == ("slots", "schedd slot weight")
    assert (jobs.unit, jobs.demand_unit) == ("slot weight", "jobs")


@pytest.mark.parametrize(
    ("weight", "more", "cores"),
    [
        ("Cpus", "", True),
        ("CPUS", "", True),
        ("Memory / 4096", "", False),
        ("Memory / 4096", "FORCE_NEGOTIATOR_SLOT_WEIGHT = True\n", True),
        ("Cpus", "FORCE_NEGOTIATOR_SLOT_WEIGHT = True\nSLOT_WEIGHT = Memory / 4096\n", False),
        ("Cpus", "NEGOTIATOR_USE_SLOT_WEIGHTS = False\n", False),
    ],
)
def test_weights_are_cores_where_every_slot_says_cpus(weight: str, more: str, cores: bool) -> None:
    assert look(PHYSICS + more, slot("slot1@other", SlotWeight=weight)).cores is cores


def test_weight_expressions_stand_with_the_heaviest_first() -> None:
    given = look(PHYSICS, slot("slot1@a", SlotWeight="1000"), slot("slot1@b", SlotWeight="2.5"))

    assert given.weights == ("1000", "Cpus", "2.5")


def test_a_slot_outside_the_pool_size_has_no_say_in_the_unit() -> None:
    config = f"{PHYSICS}NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = Cpus < 100\n"

    assert look(config, slot("slot1@a", SlotWeight="7")).weights == ("7",)


def test_totals_are_sums_over_the_groups() -> None:
    """Oversubscribed: 77 + 10 + 20 + 15 + 5 are promised of 107."""
    given = busy()

    assert (given.pool_weight, given.promised, given.used, given.allocated) == (107, 127, 7, 55)
    assert given.grouped


def test_a_group_is_found_whatever_the_case_of_its_name() -> None:
    given = busy()

    assert standing(given, "PHYSICS.Hep").name == "physics.hep"
    assert given.find("physics.ghost") is None


def test_limits_are_those_at_the_end_of_a_round_with_who_held_them() -> None:
    limits = {limit.group: limit for limit in busy("GROUP_QUOTA_ROUND_ROBIN_RATE = 1\n").limits}

    assert (limits["physics.hep"].proposed, limits["physics.hep"].limit) == (38, 20)
    assert limits["physics.hep"].held_by == "physics"
    assert (limits["chem"].limit, limits["chem"].held_by) == (10, "")


def test_what_was_not_captured_is_in_doubt() -> None:
    given = looked(Pool("nothing"))

    assert given.doubts == (
        "the central manager's configuration is not known: no group is",
        "there are no slot ads: the pool has no weight",
        "the collector has no submitter ads: no group has demand",
    )
    assert (given.grouped, given.pool_weight) == (False, 0)


def test_what_could_not_be_read_is_told() -> None:
    pool = replace(groups(PHYSICS), failed=(("jobs of access2", "no answer within 60 s"),))

    assert looked(pool).incomplete == ("jobs of access2: no answer within 60 s",)


def test_what_was_published_is_not_held_against_a_configuration_that_is_only_supposed() -> None:
    ads = "\n".join(
        (
            slot(Cpus=100),
            group_ad("<none>", SubtreeQuota="100.0"),
            group_ad("chem", EffectiveQuota="10.0"),
        )
    )
    texts = Texts(
        "test", lambda: [ads.encode()], central=PHYSICS, changes=(("GROUP_QUOTA_chem", "30"),)
    )
    pool = read_pool(texts, read_dump)
    changed = looked(replace(pool, central=pool.changed))

    assert standing(looked(pool), "chem").marks == ()
    assert (standing(changed, "chem").quota, standing(changed, "chem").marks) == (30, ())


def test_a_tree_of_a_thousand_groups_keeps_its_sums() -> None:
    """A tree of three levels; what is wanted of all groups is what all submitters want."""
    names = [f"g{one}" for one in range(10)]
    names += [f"g{one}.s{two}" for one in range(10) for two in range(10)]
    names += [
        f"g{one}.s{two}.t{three}" for one in range(10) for two in range(10) for three in range(9)
    ]
    config = f"GROUP_NAMES = {','.join(names)}\nGROUP_ACCEPT_SURPLUS = True\n"
    config += "".join(f"GROUP_QUOTA_{name} = 1\n" for name in names)
    given = look(config, *(wants(name, 2) for name in names[-900:]))

    assert len(given.standings) == 1011
    assert sum(each.requested for each in given.standings) == 1800
    assert sum(each.lent for each in given.standings) == pytest.approx(
        sum(each.borrowed for each in given.standings)
    )


def test_a_busy_pool_has_its_submitters() -> None:
    assert {each.name: each.group for each in busy().submitters} == {
        "physics.hep.ada@site": "physics.hep",
        "physics.lep.ada@site": "physics.lep",
        "chem.ada@site": "chem",
        "ada@site": "<none>",
    }
