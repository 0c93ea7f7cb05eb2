"""When a group has its turn, how far it may go, and what later rounds change; numbers by hand."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.audit.sites import accounting, slot
from tests.poolquota.explanation.told import told
from tests.poolquota.looks import busy, look

BEYOND = "the first match of each submitter may exceed that by its match cost"


def test_the_least_used_goes_first() -> None:
    assert told(busy(), "physics.hep", "turn") == [
        (
            "it is negotiated at position 3 of 4: it uses 7 of its quota of 15, a share of 0.4667; "
            "the lowest share is first"
        ),
        "negotiated before it: chem (0) and physics.lep (0)",
    ]
    assert told(busy(), "chem", "turn") == [
        "it is negotiated at position 1 of 4: it uses 0 of its quota of 10, a share of 0; the "
        "lowest share is first"
    ]
    assert told(busy(), "<none>", "turn")[0] == (
        "it is negotiated at position 4 of 4: the root is negotiated last"
    )


def test_a_group_without_a_quota_goes_after_those_that_have_one() -> None:
    """Only what is left over gives it something, and with that a turn."""
    config = f"{PHYSICS}GROUP_NAMES = chem, e\nGROUP_ACCEPT_SURPLUS = True\n"

    assert told(look(config, wants("e", 3)), "e", "turn") == [
        "it is negotiated at position 1 of 1: groups without a quota are negotiated after those "
        "that have one"
    ]


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        (
            "10 - GroupQuota",
            "it is negotiated at position 1 of 1: GROUP_SORT_EXPR is 0 for it; the lowest value is first",
        ),
        (
            "undefined",
            "it is negotiated at position 1 of 1: GROUP_SORT_EXPR is not a number for it, so it is negotiated with the last",
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
        "GROUP_AUTOREGROUP is true for it: after all groups its submitters are negotiated again "
        "with the root, where no quota limits them; what they get there counts as usage of this "
        "group"
    )
    assert told(given, "<none>", "turn")[:2] == [
        "GROUP_AUTOREGROUP: it is negotiated last, together with the submitters of chem, and is "
        "allocated the whole pool, 107, for that",
        "it is negotiated at position 4 of 4: the root is negotiated last where groups regroup",
    ]


def test_a_limit_is_the_greater_of_quota_and_allocation() -> None:
    given = look(
        "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 30\nGROUP_QUOTA_b = 20\nGROUP_ACCEPT_SURPLUS = True\n",
        wants("a", 50),
        wants("b", 3),
    )

    assert told(given, "a", "limit") == [
        "it may use up to 50, its allocation: the greater of quota and allocation counts",
        f"it uses 0 and can get 50 more; {BEYOND}",
    ]
    assert told(given, "b", "limit") == [
        "it may use up to 20, its quota: the greater of quota and allocation counts",
        f"it uses 0 and can get 20 more; {BEYOND}",
    ]


def test_who_cuts_a_limit_is_told() -> None:
    assert told(busy(), "physics.hep", "limit") == [
        "it may use up to 38, its allocation: the greater of quota and allocation counts",
        (
            "strict enforcement lowers that to 20: physics accepts no surplus and, with all groups "
            "below it, uses 7 of its 20"
        ),
        f"it uses 7 and can get 13 more; {BEYOND}",
    ]


def test_a_group_may_cut_its_own_limit() -> None:
    """Without oversubscription a keeps 5 of its 20 for itself; what x uses counts for both."""
    config = "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 20\nGROUP_QUOTA_a.x = 15\n"
    given = look(config, wants("a", 50), wants("a.x", 20), *uses("a.x", 15))

    assert told(given, "a", "limit")[1] == (
        "strict enforcement lowers that to 5: a accepts no surplus and, with all groups below it, "
        "uses 15 of its 20"
    )


def test_without_strict_enforcement_nobody_cuts_it() -> None:
    assert told(busy("NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"), "physics.hep", "limit")[1] == (
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA is false: the quota that is left of physics does not "
        "lower that"
    )


def test_a_limit_that_is_cut_to_a_whole_number_is_told() -> None:
    given = look("GROUP_NAMES = chem\nGROUP_QUOTA_chem = 14.9999\n", wants("chem", 60), weight=20)

    assert (
        told(given, "chem", "limit")[1]
        == "the negotiator takes the limit as a 32-bit integer: 14 (14.9999)"
    )


def test_a_limit_that_is_no_number_is_told() -> None:
    given = look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7))

    assert told(given, "physics.hep", "limit") == [
        "its limit is NaN: no group gets more in this round although the quota of this one is "
        "above its usage, so the negotiator divides 0 by 0; it takes -2,147,483,648 for the limit "
        "and matches nothing for physics.hep"
    ]


def test_a_group_that_has_come_to_its_limit_is_told_so() -> None:
    given = look(PHYSICS, wants("chem", 50, 10), *uses("chem", 10))

    assert told(given, "chem", "limit")[-1] == "it already uses 10 and cannot get more"


def test_passes_of_a_round_robin_are_told() -> None:
    """38 - 7 is the most that a group is to grow: 10 of 31 in the first pass, and 10 / 31 of its 10 for chemistry."""
    given = busy("GROUP_QUOTA_ROUND_ROBIN_RATE = 10\n")

    assert told(given, "chem", "limit")[1:3] == [
        (
            "GROUP_QUOTA_ROUND_ROBIN_RATE is 10: limits grow in passes, and in the first it may "
            "use up to 3"
        ),
        (
            "it accepts no surplus: what it gets in one pass counts twice in the next, so in each "
            "round it gets only half of the amount up to its limit"
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
        "its submitters with idle jobs share 10 by priority: chem.ada@site 66.7% (6.6667 more) and "
        "chem.bob@site 33.3% (1.3333 more, at most 1 more by its ceiling)"
    ]


def test_a_floor_and_ignored_priorities_are_told() -> None:
    config = f"{PHYSICS}NEGOTIATOR_IGNORE_USER_PRIORITIES = True\n"
    given = look(config, wants("chem", 50), accounting("chem.ada@site", Priority="500.0", Floor=4))

    assert told(given, "chem", "shares") == [
        "its submitters with idle jobs share 10 by priority: chem.ada@site 100% (no limit, 4 of it "
        "first, by its floor)"
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
        "up to 3 rounds: what it cannot match in one round it does not request in the next; unless "
        "it matched some, only the 0 that it uses counts there, and other groups can get the rest"
    ]
    assert told(given, "a", "rounds") == [
        "up to 3 rounds: in a later round it can get what other groups could not match"
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
        "the negotiator takes the limit as a 32-bit integer: -2,147,483,648 (1,000,000,000,090)",
        "it already uses 0 and cannot get more",
    ]
