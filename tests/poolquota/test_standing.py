"""Where groups stand; every number is worked out by hand from the negotiator's rules."""

from __future__ import annotations

import math

import pytest

from htcq.poolquota.group_status import shown_limit
from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.audit.sites import slot
from tests.poolquota.looks import busy, group_ad, look, standing

#: p has 20 and below it x and y 10 each, q has 30; all accept surplus, and the root keeps 50 of
#: 100.
SHARING = """
GROUP_NAMES = p, p.x, p.y, q
GROUP_QUOTA_p = 20
GROUP_QUOTA_p.x = 10
GROUP_QUOTA_p.y = 10
GROUP_QUOTA_q = 30
GROUP_ACCEPT_SURPLUS = True
"""


def test_groups_are_written_down_as_a_tree() -> None:
    assert [(each.name, each.group.parent, each.depth) for each in busy().standings] == [
        ("<none>", None, 0),
        ("chem", "<none>", 1),
        ("physics", "<none>", 1),
        ("physics.hep", "physics", 2),
        ("physics.lep", "physics", 2),
    ]


def test_quotas_demand_and_usage_of_a_group_and_of_those_below_it() -> None:
    given = busy()
    root, physics, hep = (standing(given, name) for name in ("<none>", "physics", "physics.hep"))

    assert (root.quota, root.subtree_quota, root.usage, root.subtree_usage) == (77, 107, 0, 7)
    assert (physics.quota, physics.subtree_quota, physics.usage, physics.subtree_usage) == (
        20,
        20,
        0,
        7,
    )
    assert (hep.idle, hep.running, hep.requested, hep.submitters) == (60, 7, 67, 1)
    assert (root.group.configured, physics.group.configured, physics.group.static) == (
        False,
        True,
        True,
    )


def test_what_a_group_borrows_another_lent() -> None:
    """hep has its 15 and the 23 that physics (20) and lep (3 of 5) leave; what others want is not for them."""
    given = busy()

    assert {each.name: (each.allocated, each.borrowed, each.lent) for each in given.standings} == {
        "<none>": (5, 0, 0),
        "chem": (10, 0, 0),
        "physics": (0, 0, 20),
        "physics.hep": (38, 23, 0),
        "physics.lep": (2, 0, 3),
    }


def test_all_who_left_something_lend_the_same_part_of_it_on_every_level() -> None:
    """At p y takes 5 of the 30 left there, a sixth; of the 25 that go up and the root's 50 q takes 70, 14 of 15."""
    given = look(SHARING, wants("p.y", 15), wants("q", 100))
    lent = {each.name: each.lent for each in given.standings}

    assert lent["p"] == pytest.approx(20 * (1 - 5 / 6 * 1 / 15))
    assert lent["p.x"] == pytest.approx(10 * (1 - 5 / 6 * 1 / 15))
    assert lent["<none>"] == pytest.approx(50 * 14 / 15)
    assert sum(lent.values()) == pytest.approx(75)
    assert [(each.name, each.borrowed) for each in given.standings if each.borrowed] == [
        ("p.y", 5),
        ("q", 70),
    ]


def test_strict_enforcement_bounds_limit_and_head_room() -> None:
    """physics refuses surplus: its 20 less the 7 that hep uses are open, whatever hep is allocated."""
    hep = standing(busy(), "physics.hep")
    loose = standing(busy("NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"), "physics.hep")

    assert (hep.allocated, hep.limit, hep.headroom) == (38, 20, 13)
    assert (loose.limit, loose.headroom) == (38, 31)


def test_a_limit_is_cut_to_a_whole_number() -> None:
    chem = standing(
        look("GROUP_NAMES = chem\nGROUP_QUOTA_chem = 14.9999\n", wants("chem", 60), weight=20),
        "chem",
    )

    assert (chem.limit, chem.working_limit, chem.headroom) == (14.9999, 14, 14)


def test_turns_go_by_the_share_of_the_quota_that_is_used_and_the_root_is_last() -> None:
    given = busy()

    assert {each.name: (each.turn, each.sort_key) for each in given.standings if each.turn} == {
        "chem": (1, 0),
        "physics.lep": (2, 0),
        "physics.hep": (3, 7 / 15),
        "<none>": (4, 3.4e38),
    }


def test_without_a_turn_there_is_no_limit_and_head_room_is_what_is_left_of_the_quota() -> None:
    """Nobody submits to physics itself; chemistry uses all that it has, and without preemption that is that."""
    more = "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    given = look(PHYSICS + more, wants("chem", 50, 10), *uses("chem", 10), wants("physics.hep", 3))
    physics, chem = standing(given, "physics"), standing(given, "chem")

    assert (physics.turn, physics.limit, physics.working_limit, physics.headroom) == (
        None,
        None,
        None,
        20,
    )
    assert (chem.turn, chem.limit, chem.headroom) == (None, None, 0)


def test_where_nobody_is_to_grow_a_limit_is_no_number_and_there_is_no_head_room() -> None:
    """The jobs of hep weigh 3 and its slots 7: it is allocated less than it uses, and its quota of 15 is more."""
    hep = standing(
        look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7)), "physics.hep"
    )

    assert (hep.allocated, hep.headroom) == (3, 0)
    assert hep.limit is not None
    assert hep.working_limit is not None
    assert math.isnan(hep.limit)
    assert math.isnan(hep.working_limit)


def test_a_root_that_regroups_is_allocated_the_pool_but_has_borrowed_nothing() -> None:
    """Of the pool of 107 the slots of hep take 7, so 100 are open to everybody's second turn."""
    given = busy("GROUP_AUTOREGROUP_chem = True\n")
    root = standing(given, "<none>")

    assert (root.allocated, root.own_allocated, root.borrowed, root.quota) == (107, 5, 0, 77)
    assert (root.limit, root.headroom, root.turn) == (107, 100, 4)
    assert given.allocated == 5 + 10 + 38 + 2


def test_a_root_that_regroups_borrows_what_it_is_allocated_beyond_its_quota() -> None:
    """The root keeps 10 of 40, p leaves 20 of 30 to the 50 that the root's own users want."""
    config = "GROUP_NAMES = p\nGROUP_QUOTA_p = 30\nGROUP_AUTOREGROUP_p = True\n"
    given = look(config, wants("p", 10), wants("", 50), weight=40)
    root = standing(given, "<none>")

    assert (root.own_allocated, root.borrowed, root.allocated) == (30, 20, 40)
    assert standing(given, "p").lent == 20


def test_without_weights_a_root_that_regroups_has_whole_slots_of_its_own() -> None:
    """p is promised a third of 10 and leaves it: the root's users get all 10; a fraction is no slot."""
    config = (
        "GROUP_NAMES = p\nGROUP_QUOTA_DYNAMIC_p = 0.3333\nGROUP_AUTOREGROUP_p = True\n"
        "NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"
    )
    root = standing(look(config, wants("p", 2), wants("", 50), weight=10), "<none>")

    assert (root.allocated, root.own_allocated) == (10, 8)


def test_without_groups_the_root_stands_alone() -> None:
    given = look("", wants("", 5), *uses("", 3, "ada"))
    (root,) = given.standings

    assert (root.name, root.quota, root.usage, root.requested) == ("<none>", 103, 3, 5)
    assert (root.turn, root.limit, root.allocated, root.borrowed, root.lent) == (
        None,
        None,
        0,
        0,
        0,
    )
    assert root.headroom == 100


def test_names_of_any_case_are_the_group_s() -> None:
    config = "GROUP_NAMES = Chem\nGROUP_QUOTA_CHEM = 10\n"
    given = look(config, wants("CHEM", 5), group_ad("chem", WeightedResourcesUsed="4.0"))
    chem = standing(given, "cHEM")

    assert (chem.name, chem.quota, chem.requested, chem.usage) == ("Chem", 10, 5, 4)


def test_demand_is_in_jobs_where_it_is_not_weighted() -> None:
    four_cpus = wants("chem", 5, WeightedIdleJobs=20)
    weighted = standing(look(PHYSICS, four_cpus), "chem")
    counted = standing(
        look(f"{PHYSICS}NEGOTIATOR_USE_WEIGHTED_DEMAND = False\n", four_cpus), "chem"
    )

    assert (weighted.idle, weighted.requested) == (20, 20)
    assert (counted.idle, counted.requested) == (5, 5)


@pytest.mark.parametrize(
    ("limit", "shown"),
    [
        (None, "-"),
        (math.nan, "nan"),
        (15.0, "15"),
        (14.9999, "14 (14.9999)"),
        (0.5, "0 (0.5)"),
        (100 * 0.29, "28 (28.999999999999996)"),
        (28.000000000000014, "28"),
        (1e12, "-2,147,483,648 (1,000,000,000,000)"),
    ],
)
def test_a_limit_is_shown_as_the_negotiator_works_with_it(limit: float | None, shown: str) -> None:
    assert shown_limit(limit) == shown


def test_a_limit_beyond_32_bits_is_no_head_room() -> None:
    """The negotiator takes a limit of a million million for the least number that it knows."""
    given = look(
        "GROUP_NAMES = p\nGROUP_QUOTA_p = 10\n",
        wants("", 5),
        slot("slot2@big", SlotWeight="1.0e12"),
    )

    assert (standing(given, "<none>").working_limit, standing(given, "<none>").headroom) == (
        -(2**31),
        0,
    )
