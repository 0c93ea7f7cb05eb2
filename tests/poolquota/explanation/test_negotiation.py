"""When a group has its turn, how far it may go, and what later rounds change; numbers by hand."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.audit.sites import accounting, slot
from tests.poolquota.explanation.told import told
from tests.poolquota.looks import busy, look

BEYOND = "the first match of each submitter can exceed the limit by its match cost"


def test_the_least_used_goes_first() -> None:
    assert told(busy(), "physics.hep", "turn") == [
        (
            "it has turn 3 of 4: it uses 7 of its quota of 15, a share of 0.4667; the lowest "
            "share is first"
        ),
        "negotiated before it: chem (0) and physics.lep (0)",
    ]
    assert told(busy(), "chem", "turn") == [
        "it has turn 1 of 4: it uses 0 of its quota of 10, a share of 0; the lowest share is first"
    ]
    assert told(busy(), "<none>", "turn")[0] == "it has turn 4 of 4: the root is last"


def test_a_group_without_a_quota_goes_after_those_that_have_one() -> None:
    """Only what is left over gives it something, and with that a turn."""
    config = f"{PHYSICS}GROUP_NAMES = chem, e\nGROUP_ACCEPT_SURPLUS = True\n"

    assert told(look(config, wants("e", 3)), "e", "turn") == [
        "it has turn 1 of 1: groups without a quota come after the groups with one"
    ]


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        (
            "10 - GroupQuota",
            "it has turn 1 of 1: its GROUP_SORT_EXPR is 0; the lowest value is first",
        ),
        (
            "undefined",
            "it has turn 1 of 1: GROUP_SORT_EXPR is not a number for it, so it is among the last",
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
        ("e", "its allocation is 0"),
        (
            "chem",
            ("it uses 10, its whole allocation of 10, and NEGOTIATOR_CONSIDER_PREEMPTION is false"),
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
        "GROUP_AUTOREGROUP is true for it: its submitters are negotiated again after all groups, "
        "with the root, without a quota; what they get there is usage of this group"
    )
    assert told(given, "<none>", "turn")[:2] == [
        "GROUP_AUTOREGROUP: it is negotiated last, with the submitters of chem too, and is "
        "allocated the whole pool for that: 107",
        "it has turn 4 of 4: the root is negotiated last if a group has GROUP_AUTOREGROUP",
    ]


def test_a_limit_is_the_greater_of_quota_and_allocation() -> None:
    given = look(
        "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 30\nGROUP_QUOTA_b = 20\nGROUP_ACCEPT_SURPLUS = True\n",
        wants("a", 50),
        wants("b", 3),
    )

    assert told(given, "a", "limit") == [
        "its limit is its allocation, 50: the greater of quota and allocation counts",
        f"it uses 0, so it can get 50 more; {BEYOND}",
    ]
    assert told(given, "b", "limit") == [
        "its limit is its quota, 20: the greater of quota and allocation counts",
        f"it uses 0, so it can get 20 more; {BEYOND}",
    ]


def test_who_cuts_a_limit_is_told() -> None:
    assert told(busy(), "physics.hep", "limit") == [
        "its limit is its allocation, 38: the greater of quota and allocation counts",
        (
            "strict enforcement reduces that to 20: physics accepts no surplus and uses 7 of its "
            "20, including its descendants"
        ),
        f"it uses 7, so it can get 13 more; {BEYOND}",
    ]


def test_a_group_may_cut_its_own_limit() -> None:
    """Without oversubscription a keeps 5 of its 20 for itself; what x uses counts for both."""
    config = "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 20\nGROUP_QUOTA_a.x = 15\n"
    given = look(config, wants("a", 50), wants("a.x", 20), *uses("a.x", 15))

    assert told(given, "a", "limit")[1] == (
        "strict enforcement reduces that to 5: a itself accepts no surplus and uses 15 of its "
        "20, including its descendants"
    )


def test_without_strict_enforcement_nobody_cuts_it() -> None:
    assert told(busy("NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"), "physics.hep", "limit")[1] == (
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA is false: the remaining quota of physics does not "
        "reduce that"
    )


def test_a_limit_that_is_cut_to_a_whole_number_is_told() -> None:
    given = look("GROUP_NAMES = chem\nGROUP_QUOTA_chem = 14.9999\n", wants("chem", 60), weight=20)

    assert (
        told(given, "chem", "limit")[1]
        == "the negotiator uses a whole number of 32 bits: 14 (14.9999)"
    )


def test_a_limit_that_is_no_number_is_told() -> None:
    given = look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7))

    assert told(given, "physics.hep", "limit") == [
        "its limit is NaN: no group can grow in this round, but its quota is above its usage, so "
        "the negotiator divides 0 by 0; it uses -2,147,483,648 instead and matches nothing for "
        "physics.hep"
    ]


def test_a_group_that_has_come_to_its_limit_is_told_so() -> None:
    given = look(PHYSICS, wants("chem", 50, 10), *uses("chem", 10))

    assert told(given, "chem", "limit")[-1] == "it already uses 10: it gets no more"


def test_passes_of_a_round_robin_are_told() -> None:
    """38 - 7 is the most that a group is to grow: 10 of 31 in the first pass, and 10 / 31 of its 10 for chemistry."""
    given = busy("GROUP_QUOTA_ROUND_ROBIN_RATE = 10\n")

    assert told(given, "chem", "limit")[1:3] == [
        (
            "GROUP_QUOTA_ROUND_ROBIN_RATE is 10: limits grow in passes; its limit in the first "
            "pass is 3"
        ),
        (
            "it accepts no surplus: what it gets in one pass counts twice in the next, so it "
            "gets only half of the rest"
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
        "shares of 10 for its submitters with idle jobs, by priority: chem.ada@site 66.7% "
        "(6.6667 more) and chem.bob@site 33.3% (1.3333 more, 1 by its ceiling)"
    ]


def test_a_floor_and_ignored_priorities_are_told() -> None:
    config = f"{PHYSICS}NEGOTIATOR_IGNORE_USER_PRIORITIES = True\n"
    given = look(config, wants("chem", 50), accounting("chem.ada@site", Priority="500.0", Floor=4))

    assert told(given, "chem", "shares") == [
        "shares of 10 for its submitters with idle jobs, by priority: chem.ada@site 100% (no "
        "limit, 4 of it first, by its floor)"
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
        "up to 3 rounds: if it matches nothing in a round, only its usage of 0 counts as its "
        "request in the next, and other groups can get the rest"
    ]
    assert told(given, "a", "rounds") == [
        "up to 3 rounds: in a later round it can get what other groups cannot match"
    ]


def test_with_one_round_what_cannot_be_matched_goes_to_nobody() -> None:
    assert told(busy("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 1\n"), "chem", "rounds") == [
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS is 1: no other group gets what it cannot match"
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
        "the negotiator uses a whole number of 32 bits: -2,147,483,648 (1,000,000,000,090)",
        "it already uses 0: it gets no more",
    ]
