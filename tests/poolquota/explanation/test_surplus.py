"""What was left over around a group, who took it, and why a group got none; numbers by hand."""

from __future__ import annotations

from tests.audit.rules.quota.groups import wants
from tests.poolquota.explanation.told import told
from tests.poolquota.looks import busy, look

#: Of 100 a has 30, b 20, c 10 and e nothing; the root keeps 40. All accept surplus, but for c.
FOUR = """
GROUP_NAMES = a, b, c, e
GROUP_QUOTA_a = 30
GROUP_QUOTA_b = 20
GROUP_QUOTA_c = 10
GROUP_ACCEPT_SURPLUS = True
GROUP_ACCEPT_SURPLUS_c = False
"""
#: a has 40 with x (10) and y (20) below it, b 60; a takes what b leaves, for itself and its own.
DEEP = """
GROUP_NAMES = a, a.x, a.y, b
GROUP_QUOTA_a = 40
GROUP_QUOTA_a.x = 10
GROUP_QUOTA_a.y = 20
GROUP_QUOTA_b = 60
GROUP_ACCEPT_SURPLUS = True
NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False
"""


def test_where_there_is_enough_everybody_gets_what_is_wanted() -> None:
    """The root leaves its 40 and b its 20; a wants 15 more."""
    given = look(FOUR, wants("a", 45))

    assert told(given, "a", "surplus") == [
        "<none>: a surplus of 70 (left by <none> 40, b 20 and c 10), enough for the 15 that is "
        "still requested",
        "it gets 15 of that",
    ]


def test_where_there_is_not_enough_it_goes_by_quota() -> None:
    """40 and 10 are left for a and b, which want 170 and 180: three and two parts of it."""
    given = look(FOUR, wants("a", 200), wants("b", 200))

    assert told(given, "a", "surplus") == [
        "<none>: a surplus of 50 (left by <none> 40 and c 10); 350 is still requested: divided "
        "in proportion to quotas, then evenly: a 30 and b 20",
        "it gets 30 of that",
        "140 of its request is not allocated; groups that borrow: b 20",
    ]


def test_a_group_that_refuses_surplus_is_told_what_it_misses() -> None:
    given = look(FOUR, wants("c", 50), wants("a", 45))

    assert told(given, "c", "surplus") == [
        ("GROUP_ACCEPT_SURPLUS of c is false: it gets nothing of the surplus of 60 of <none>"),
        "40 of its request is not allocated; groups that borrow: a 15",
    ]


def test_below_a_group_that_refuses_surplus_nothing_comes_in() -> None:
    assert told(busy(), "physics.hep", "surplus") == [
        "physics: a surplus of 23 (left by physics 20 and physics.lep 3); 52 is still requested: "
        "physics.hep gets all of it",
        "it gets 23 of that",
        "GROUP_ACCEPT_SURPLUS of physics is false: physics with its descendants, physics.hep "
        "among them, gets nothing of the surplus of 72 of <none>",
    ]


def test_below_the_second_level_there_is_more_above() -> None:
    config = (
        "GROUP_NAMES = a, a.b, a.b.c\nGROUP_QUOTA_a = 9\nGROUP_QUOTA_a.b = 6\n"
        "GROUP_QUOTA_a.b.c = 3\n"
    )
    config += "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False\n"

    assert told(look(config, wants("a.b.c", 5)), "a.b.c", "surplus") == [
        "GROUP_ACCEPT_SURPLUS of a.b.c is false: it gets nothing of the surplus of 3 of a.b, and "
        "nothing from its ancestors"
    ]


def test_where_nobody_leaves_anything_there_is_nothing() -> None:
    config = (
        "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 40\nGROUP_QUOTA_b = 60\nGROUP_ACCEPT_SURPLUS = True\n"
    )
    given = look(config, wants("a", 50), wants("b", 90))

    assert told(given, "a", "surplus") == ["<none>: no surplus"]


def test_a_group_without_a_quota_comes_after_those_with_one() -> None:
    """e wants 5 of the 50 that are left, but a and b want more than there is, and have quotas."""
    given = look(FOUR, wants("a", 200), wants("b", 200), wants("e", 5))

    assert told(given, "e", "surplus")[1:] == [
        "it gets nothing of that: its quota is 0, and groups with a quota take all",
        "5 of its request is not allocated; groups that borrow: a 30 and b 20",
    ]


def test_what_comes_from_above_is_shared_once_more_below() -> None:
    """a keeps 10 of 40. Of the 30 that b leaves a's own 20, x 30 and y 20 get as their 10, 10 and 20 of quota."""
    given = look(DEEP, wants("a", 30), wants("a.x", 40), wants("a.y", 40), wants("b", 30))

    assert told(given, "a.x", "surplus") == [
        "a: no surplus",
        "<none>: a surplus of 30 (left by b 30); 70 is still requested: a gets all of it",
        "a with its descendants gets 30 of that, a.x itself 7.5",
        "22.5 of its request is not allocated; groups that borrow: a.y 15 and a 7.5",
    ]
    assert told(given, "a", "surplus") == [
        "the group and its descendants: no surplus",
        "<none>: a surplus of 30 (left by b 30); 70 is still requested: a gets all of it",
        "a with its descendants gets 30 of that, a itself 7.5",
        "12.5 of its request is not allocated; groups that borrow: a.y 15 and a.x 7.5",
    ]


def test_what_is_left_within_a_group_goes_to_those_within_it_first() -> None:
    """y leaves its 20 to x, which wants 10; the other 10 and nothing of b go up."""
    given = look(DEEP, wants("a", 10), wants("a.x", 20), wants("b", 90))

    assert told(given, "a.x", "surplus")[:2] == [
        "a: a surplus of 20 (left by a.y 20), enough for the 10 that is still requested",
        "it gets 10 of that",
    ]
    assert told(given, "a.y", "surplus") == [
        "with what other groups leave, a has a surplus of 20; it goes to: a.x 10",
        "with what other groups leave, <none> has a surplus of 10; it goes to: b 10",
    ]


def test_what_nobody_takes_is_told() -> None:
    assert told(busy(), "<none>", "surplus") == [
        "no other group takes any of the 72 that it leaves"
    ]


def test_a_quota_that_is_just_enough_has_no_surplus_to_tell_of() -> None:
    assert told(look(FOUR, wants("c", 10), wants("a", 45)), "c", "surplus") == []


def test_without_weights_fractions_make_whole_slots() -> None:
    """A third of 10 each: 3.3333, 3.3333 and 3.3334; what is cut off makes one slot, for the greatest quota."""
    config = "GROUP_NAMES = a, b, c\nNEGOTIATOR_USE_SLOT_WEIGHTS = False\n"
    config += "".join(
        f"GROUP_QUOTA_DYNAMIC_{name} = {part}\n"
        for name, part in (("a", 0.33), ("b", 0.33), ("c", 0.34))
    )
    config += "GROUP_ACCEPT_SURPLUS = True\n"
    given = look(config, wants("a", 9), wants("b", 9), wants("c", 9), weight=10)

    assert told(given, "c", "surplus")[1] == (
        "slot weights are off, so its 3.4 is truncated to whole slots; the fractions of all "
        "groups add up to whole slots, which go to the largest quotas first: it has 4"
    )
    assert told(given, "a", "surplus")[1].endswith(
        "its 3.3 is truncated to whole slots; the fractions of all groups add up to whole slots, "
        "which go to the largest quotas first: it has 3"
    )
