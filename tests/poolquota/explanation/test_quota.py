"""How a group came to its quota, what it wants, and what of that its quota covers; numbers by hand."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.poolquota.explanation.told import told
from tests.poolquota.looks import busy, look

#: c has 10 of 100; a and b share the other 90 by 0.6 and 0.6, which is half each.
SHARES = """
GROUP_NAMES = a, a.x, b, c, d
GROUP_QUOTA_DYNAMIC_a = 0.6
GROUP_QUOTA_DYNAMIC_b = 0.6
GROUP_QUOTA_c = 10
GROUP_QUOTA_DYNAMIC_a.x = 0.25
"""
STRICT = "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False\n"


def test_an_amount_is_handed_down_in_full_where_there_is_enough() -> None:
    assert told(busy(), "physics.hep", "quota") == [
        "GROUP_QUOTA_physics.hep is 15, an amount in slot weight",
        "it gets that in full: physics has 20, and the amounts of its children add up to 20",
        "its quota is 15",
    ]


def test_with_oversubscription_amounts_are_handed_down_in_full_where_there_is_not_enough() -> None:
    config = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 80\nGROUP_QUOTA_b = 40\n"
    full, cut = look(config), look(config + STRICT)

    assert told(full, "a", "quota")[1:] == [
        "<none> has 100, and the amounts of its children add up to 120, which is more; each gets "
        "its amount in full because NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true",
        "its quota is 80",
    ]
    assert told(cut, "a", "quota")[1:] == [
        "<none> has 100, and the amounts of its children add up to 120: all are reduced in "
        "proportion, and it gets 66.6667",
        "its quota is 66.6667",
    ]


def test_shares_are_of_what_amounts_leave_and_are_made_to_add_up_to_the_whole() -> None:
    assert told(look(SHARES), "b", "quota") == [
        "GROUP_QUOTA_DYNAMIC_b is 0.6: 60% of what the amounts leave of the quota of <none>",
        "<none> has 100; amounts come first and take 10, which leaves 90 for shares",
        "the shares of the children of <none> add up to 1.2, so each is divided by that",
        "it gets 45 of 90",
        "its quota is 45",
    ]


def test_a_group_with_subgroups_keeps_all_or_what_it_does_not_hand_on() -> None:
    """a.x has a quarter of the 45 of a."""
    assert told(look(SHARES), "a", "quota")[-1] == (
        "its quota is 45, although it passes 11.25 of that on to its children: "
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true"
    )
    assert (
        told(look(SHARES + STRICT), "a", "quota")[-1]
        == "it passes 11.25 of its 45 on to its children: its own quota is 33.75"
    )
    assert told(look(SHARES), "a.x", "quota")[1:] == ["it gets 11.25 of 45", "its quota is 11.25"]


def test_a_group_without_a_quota_has_a_share_of_nothing() -> None:
    assert told(look(SHARES), "d", "quota") == [
        "neither GROUP_QUOTA_d nor GROUP_QUOTA_DYNAMIC_d is set: its share is 0",
        "its quota is 0",
    ]


def test_a_parent_that_was_handed_down_nothing_hands_nothing_on() -> None:
    config = "GROUP_NAMES = a, a.b\nGROUP_QUOTA_a = 0\nGROUP_QUOTA_a.b = 5\n"

    assert told(look(config), "a.b", "quota") == [
        "GROUP_QUOTA_a.b is 5, an amount in slot weight",
        "a has no quota that it could give to it",
        "its quota is 0",
    ]


def test_the_root_has_what_its_groups_leave() -> None:
    assert told(busy(), "<none>", "quota") == [
        "<none> is the root, for all submitters without a group: it passes on 30 of the pool's "
        "107 (slot weight), and its quota is the remaining 77"
    ]


def test_without_groups_there_are_no_quotas() -> None:
    given = look("", wants("", 5))

    assert told(given, "<none>", "quota") == [
        "there are no groups and no quotas: submitters share the pool's 100 (slot weight) by "
        "priority"
    ]
    assert told(given, "<none>", "demand") == [
        "1 submitter has 5 idle and 0 running (schedd slot weight): it requests 5",
        "it uses 0",
    ]
    assert (
        told(given, "<none>", "allocation")
        == told(given, "<none>", "turn")
        == told(given, "<none>", "rounds")
        == []
    )


def test_demand_is_what_its_submitters_have() -> None:
    given = look(PHYSICS, wants("chem", 60), wants("chem", 5, 2, "bob"), *uses("physics.hep", 7))

    assert told(given, "chem", "demand") == [
        "2 submitters have 65 idle and 2 running (schedd slot weight): it requests 67",
        "it uses 0",
    ]
    assert told(given, "physics", "demand") == [
        "it itself has no submitters: it requests nothing",
        "it uses 0, 7 including its descendants",
    ]


def test_who_asks_for_a_group_that_does_not_exist_is_named() -> None:
    given = look(PHYSICS, wants("chem.ghost", 5, user="eve"), wants("chem", 1))

    assert told(given, "chem", "demand")[1] == (
        "submitters of groups that do not exist count here, in the nearest existing ancestor: "
        "chem.ghost.eve@site"
    )


def test_only_a_few_names_stand_in_a_sentence() -> None:
    given = look(PHYSICS, *(wants("chem.ghost", 5, user=f"user{number}") for number in range(6)))

    assert "chem.ghost.user3@site and 2 more" in told(given, "chem", "demand")[1]


def test_jobs_without_weight_are_told() -> None:
    """Weights of a quarter each, cut to a whole number before they are added up."""
    given = look(PHYSICS, wants("chem", 4, WeightedIdleJobs=0))

    assert told(given, "chem", "demand")[:2] == [
        "1 submitter has 0 idle and 0 running (schedd slot weight): it requests 0",
        "the weight of its 4 idle jobs is 0: a schedd truncates the weight of each job to a "
        "whole number, and jobs without weight are allocated nothing",
    ]


def test_demand_that_is_counted_once_for_each_job_priority_is_told() -> None:
    three = wants("chem", 5, JobPrioArray='"0, 5, 10"')

    assert told(look(f"{PHYSICS}USE_GLOBAL_JOB_PRIOS = True\n", three), "chem", "demand")[0] == (
        "1 submitter has 5 idle and 0 running (schedd slot weight): it requests 15, because "
        "USE_GLOBAL_JOB_PRIOS "
        "counts a submitter once for each of its job priorities"
    )


@pytest.mark.parametrize(
    ("group", "sentences"),
    [
        (
            "physics.hep",
            [
                (
                    "its quota covers 15 of the 67 that it requests; the other 52 can only come "
                    "from surplus"
                ),
                "it is allocated 38, 23 of it borrowed beyond its quota",
            ],
        ),
        (
            "physics.lep",
            [
                "its quota of 5 covers the 2 that it requests and leaves 3 to other groups",
                "it is allocated 2; other groups are allocated 3 of its quota",
            ],
        ),
        (
            "physics",
            [
                "it leaves its whole quota of 20 to other groups",
                "it is allocated 0; other groups are allocated 20 of its quota",
            ],
        ),
    ],
)
def test_what_the_quota_covers_and_what_comes_beside(group: str, sentences: list[str]) -> None:
    assert told(busy(), group, "allocation") == sentences


def test_a_quota_that_is_just_enough_leaves_nothing() -> None:
    assert told(look(PHYSICS, wants("chem", 10)), "chem", "allocation") == [
        "its quota of 10 covers the 10 that it requests",
        "it is allocated 10",
    ]
