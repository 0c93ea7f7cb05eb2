"""When a group has its turn, how far it may go, and what later rounds change; numbers by hand."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.audit.sites import accounting, slot
from tests.poolquota.explanation.told import told
from tests.poolquota.looks import busy, look

BEYOND = "and the first match of each submitter may go beyond that by what it costs"


def test_the_least_used_goes_first() -> None:
    assert told(busy(), "physics.hep", "turn") == [
        (
            "it has turn 3 of 4: it uses 7 of its quota of 15, a share of 0.4667, and the least goes "
            "first"
        ),
        "before it goes chem (0) and physics.lep (0)",
    ]
    assert told(busy(), "chem", "turn") == [
        "it has turn 1 of 4: it uses 0 of its quota of 10, a share of 0, and the least goes first"
    ]
    assert told(busy(), "<none>", "turn")[0] == "it has turn 4 of 4: the root goes last"


def test_a_group_without_a_quota_goes_after_those_that_have_one() -> None:
    """Only what is left over gives it something, and with that a turn."""
    config = f"{PHYSICS}GROUP_NAMES = chem, e\nGROUP_ACCEPT_SURPLUS = True\n"

    assert told(look(config, wants("e", 3)), "e", "turn") == [
        "it has turn 1 of 1: groups without a quota go after those that have one"
    ]


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        (
            "10 - GroupQuota",
            "it has turn 1 of 1: GROUP_SORT_EXPR is 0 for it, and the least goes first",
        ),
        (
            "undefined",
            "it has turn 1 of 1: GROUP_SORT_EXPR is no number for it, which puts it with the last",
        ),
    ],
)
def test_the_site_s_own_order_is_told(expression: str, sentence: str) -> None:
    given = look(f"{PHYSICS}GROUP_SORT_EXPR = {expression}\n", wants("chem", 5))

    assert told(given, "chem", "turn") == [sentence]


@pytest.mark.parametrize(
    ("group", "reason"),
    [
        ("physics", "it has no submitters"),
        ("e", "it is allocated nothing"),
        (
            "chem",
            (
                "it uses 10, all of the 10 that it is allocated, and NEGOTIATOR_CONSIDER_PREEMPTION "
                "is false"
            ),
        ),
    ],
)
def test_why_there_is_no_turn(group: str, reason: str) -> None:
    config = PHYSICS.replace("chem\n", "chem, e\n") + "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    given = look(config, wants("e", 5), wants("chem", 50, 10), *uses("chem", 10))

    assert told(given, group, "turn") == [f"not negotiated in this cycle: {reason}"]
    assert told(given, group, "limit") == []


def test_regrouping_is_told_of_the_group_and_of_the_root() -> None:
    given = busy("GROUP_AUTOREGROUP_chem = True\n")

    assert told(given, "chem", "turn")[0] == (
        "GROUP_AUTOREGROUP is true for it: its submitters have another turn after all groups, "
        "with the root, where no "
        "quota holds them; what they get there is usage of this group"
    )
    assert told(given, "<none>", "turn")[:2] == [
        "GROUP_AUTOREGROUP: it goes last, also with the submitters of chem, and is allocated the "
        "whole pool, 107, for "
        "that",
        "it has turn 4 of 4: the root goes last where groups regroup",
    ]


def test_a_limit_is_the_greater_of_quota_and_allocation() -> None:
    given = look(
        "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 30\nGROUP_QUOTA_b = 20\nGROUP_ACCEPT_SURPLUS = True\n",
        wants("a", 50),
        wants("b", 3),
    )

    assert told(given, "a", "limit") == [
        "it may come to use 50, its allocation: the greater of quota and allocation counts",
        f"it uses 0: 50 more is open to it, {BEYOND}",
    ]
    assert told(given, "b", "limit") == [
        "it may come to use 20, its quota: the greater of quota and allocation counts",
        f"it uses 0: 20 more is open to it, {BEYOND}",
    ]


def test_who_cuts_a_limit_is_told() -> None:
    assert told(busy(), "physics.hep", "limit") == [
        "it may come to use 38, its allocation: the greater of quota and allocation counts",
        (
            "strict enforcement cuts that to 20: physics accepts no surplus, and of its 20 it uses 7 "
            "with all below it"
        ),
        f"it uses 7: 13 more is open to it, {BEYOND}",
    ]


def test_a_group_may_cut_its_own_limit() -> None:
    """Without oversubscription a keeps 5 of its 20 for itself; what x uses counts for both."""
    config = "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 20\nGROUP_QUOTA_a.x = 15\n"
    given = look(config, wants("a", 50), wants("a.x", 20), *uses("a.x", 15))

    assert told(given, "a", "limit")[1] == (
        "strict enforcement cuts that to 5: a itself accepts no surplus, and of its 20 it uses "
        "15 with all below it"
    )


def test_without_strict_enforcement_nobody_cuts_it() -> None:
    assert told(busy("NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"), "physics.hep", "limit")[1] == (
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA is false: physics does not cut that to what it has left"
    )


def test_a_limit_that_is_cut_to_a_whole_number_is_told() -> None:
    given = look("GROUP_NAMES = chem\nGROUP_QUOTA_chem = 14.9999\n", wants("chem", 60), weight=20)

    assert (
        told(given, "chem", "limit")[1]
        == "the negotiator works with a whole number of 32 bits: 14 (14.9999)"
    )


def test_a_limit_that_is_no_number_is_told() -> None:
    given = look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7))

    assert told(given, "physics.hep", "limit") == [
        "its limit is NaN: no group is to grow in this round, yet its quota is above its usage, "
        "and the negotiator "
        "divides 0 by 0; it works with -2,147,483,648 and matches nothing for physics.hep"
    ]


def test_a_group_that_has_come_to_its_limit_is_told_so() -> None:
    given = look(PHYSICS, wants("chem", 50, 10), *uses("chem", 10))

    assert told(given, "chem", "limit")[-1] == "it uses 10 already: nothing more is open to it"


def test_passes_of_a_round_robin_are_told() -> None:
    """38 - 7 is the most that a group is to grow: 10 of 31 in the first pass, and 10 / 31 of its 10 for chemistry."""
    given = busy("GROUP_QUOTA_ROUND_ROBIN_RATE = 10\n")

    assert told(given, "chem", "limit")[1:3] == [
        (
            "GROUP_QUOTA_ROUND_ROBIN_RATE is 10: limits grow in passes, and in the first it may come "
            "to 3"
        ),
        (
            "it accepts no surplus: what it is given in one pass counts twice in the next, so it "
            "comes half way"
        ),
    ]
    assert told(busy("GROUP_QUOTA_ROUND_ROBIN_RATE = 31\n"), "chem", "limit") == told(
        busy(), "chem", "limit"
    )


def test_submitters_share_by_priority_within_ceilings() -> None:
    """Priorities of 500 and 1000 make two thirds and one; bob uses 2 of his ceiling of 3."""
    given = look(
        PHYSICS,
        wants("chem", 50),
        wants("chem", 50, user="bob"),
        accounting("chem.ada@site", Priority="500.0"),
        accounting("chem.bob@site", Priority="1000.0", Ceiling=3, WeightedResourcesUsed="2.0"),
    )

    assert told(given, "chem", "shares") == [
        "by their priority its waiting submitters may come to parts of 10: chem.ada@site 66.7% "
        "(6.6667 more) and "
        "chem.bob@site 33.3% (1.3333 more, 1 by its ceiling)"
    ]


def test_a_floor_and_ignored_priorities_are_told() -> None:
    config = f"{PHYSICS}NEGOTIATOR_IGNORE_USER_PRIORITIES = True\n"
    given = look(config, wants("chem", 50), accounting("chem.ada@site", Priority="500.0", Floor=4))

    assert told(given, "chem", "shares") == [
        "by their priority its waiting submitters may come to parts of 10: chem.ada@site 100% (as "
        "much as there is, 4 "
        "of it first, by its floor)"
    ]


def test_later_rounds_take_from_who_cannot_match_and_give_to_who_can() -> None:
    given = look(
        (
            "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 30\nGROUP_QUOTA_b = 20\n"
            "GROUP_ACCEPT_SURPLUS_a = True\n"
        ),
        wants("a", 50, 50),
        *uses("a", 50),
        wants("b", 30),
        wants("", 70),
        weight=20,
    )

    assert told(given, "b", "rounds") == [
        "up to 3 rounds: what it cannot match in one it does not ask for in the next, where only "
        "the 0 that it uses "
        "counts unless it matched some, and others may have the rest"
    ]
    assert told(given, "a", "rounds") == [
        "up to 3 rounds: what others cannot match of theirs may come to it in a later one"
    ]


def test_with_one_round_what_cannot_be_matched_goes_to_nobody() -> None:
    assert told(busy("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 1\n"), "chem", "rounds") == [
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS is 1: what it cannot match goes to nobody"
    ]


def test_rounds_do_not_matter_to_who_wants_no_more_or_may_have_no_more() -> None:
    given = look(
        PHYSICS,
        wants("physics.hep", 0, 7),
        *uses("physics.hep", 7),
        wants("chem", 5, 10),
        *uses("chem", 10),
    )

    assert told(given, "physics.hep", "rounds") == told(given, "chem", "rounds") == []


def test_a_limit_beyond_32_bits_is_told() -> None:
    given = look(
        "GROUP_NAMES = p\nGROUP_QUOTA_p = 10\n",
        wants("", 5),
        slot("slot2@big", SlotWeight="1.0e12"),
    )

    assert told(given, "<none>", "limit")[1:] == [
        "the negotiator works with a whole number of 32 bits: -2,147,483,648 (1,000,000,000,090)",
        "it uses 0 already: nothing more is open to it",
    ]
