"""Two looks at one pool, compared group by group."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from htcq.poolquota.comparison import AmountDifference, GroupDifference, compare
from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.poolquota.looks import BUSY, busy, look


def differences(more: str, config: str = PHYSICS) -> dict[str, GroupDifference]:
    return {each.name: each for each in compare(busy(), look(config + more, *BUSY))}


def test_a_look_does_not_differ_from_itself() -> None:
    rows = compare(busy(), busy())

    assert [row.name for row in rows] == ["<none>", "chem", "physics", "physics.hep", "physics.lep"]
    assert {row.changed for row in rows} == {False}
    assert {row.fate for row in rows} == {"stays"}
    assert astuple(rows[1].effective) == (10, 10, 0, False)


def test_quota_allocation_and_limit_of_a_group_and_of_the_root_that_pays_for_it() -> None:
    """Chemistry's quota grows from 10 to 14.9999, of which the negotiator works with 14; the root keeps 77 - 4.9999."""
    found = differences("GROUP_QUOTA_chem = 14.9999\n")
    chem, root = found["chem"], found["<none>"]

    assert (chem.effective.before, chem.effective.after) == (10, 14.9999)
    assert chem.effective.difference == pytest.approx(4.9999)
    assert chem.allocated.after == 14.9999
    assert astuple(chem.limit) == (10, 14, 4, True)
    assert root.effective.difference == pytest.approx(-4.9999)
    assert root.allocated.changed is False
    assert [name for name, row in found.items() if row.changed] == ["<none>", "chem"]


def test_groups_that_appear_and_vanish_stand_in_their_places() -> None:
    config = PHYSICS.replace("physics.lep,", "physics.new,")
    found = differences("GROUP_QUOTA_physics.new = 5\n", config)

    assert list(found) == ["<none>", "chem", "physics", "physics.hep", "physics.lep", "physics.new"]
    assert [row.fate for row in found.values()] == ["stays"] * 4 + ["vanishes", "appears"]
    assert found["physics.lep"].effective == AmountDifference(5, None, None, True)
    assert found["physics.new"].effective == AmountDifference(None, 5, None, True)
    assert (found["physics.lep"].status.group.parent, found["physics.lep"].status.depth) == (
        "physics",
        2,
    )


def test_a_vanished_group_takes_all_below_it_with_it() -> None:
    found = compare(look("GROUP_NAMES = a, a.b, c\n"), look("GROUP_NAMES = c\n"))

    assert [(row.name, row.fate) for row in found] == [
        ("<none>", "stays"),
        ("a", "vanishes"),
        ("a.b", "vanishes"),
        ("c", "stays"),
    ]


def test_another_spelling_is_the_same_group() -> None:
    found = compare(
        look("GROUP_NAMES = Chem\nGROUP_QUOTA_chem = 1\n"),
        look("GROUP_NAMES = CHEM\nGROUP_QUOTA_chem = 1\n"),
    )

    assert [(row.name, row.changed) for row in found] == [("<none>", False), ("CHEM", False)]


def test_a_turn_that_is_lost_is_a_change_without_a_difference() -> None:
    """With a quota of 0 and no surplus nothing is allocated to chemistry, and it is not negotiated."""
    chem = differences("GROUP_QUOTA_chem = 0\n")["chem"]

    assert chem.limit == AmountDifference(10, None, None, True)
    assert chem.changed


def test_limits_that_are_no_numbers_are_equal() -> None:
    still = look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7))
    hep = next(row for row in compare(still, still) if row.name == "physics.hep")

    assert str(hep.limit.before) == str(hep.limit.after) == "nan"
    assert hep.changed is False


def test_a_limit_that_becomes_a_number_is_a_change() -> None:
    still = look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7))
    moving = look(PHYSICS, wants("physics.hep", 30, 3), *uses("physics.hep", 7))
    hep = next(row for row in compare(still, moving) if row.name == "physics.hep")

    assert (hep.limit.after, hep.limit.changed) == (20, True)


def test_without_groups_before_and_after_there_is_the_root() -> None:
    (root,) = compare(look(""), look(""))

    assert (root.name, root.changed) == ("<none>", False)
