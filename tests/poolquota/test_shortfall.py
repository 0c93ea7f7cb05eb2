"""Who has less than the lesser of quota and demand, who has it, and what a full pool can still give.

The first pool is one that was made on a real one: a group holds 216 of 368 (quota 90), and another
with quota 100 and a demand of 300 has nothing, while HEAD-ROOM said that 105 could still be had.
"""

from __future__ import annotations

import pytest

from htcq.poolquota.report import PoolQuotaReport
from htcq.report.views.quota_sentences import short_of
from tests.audit.rules.quota.groups import machine, uses, wants
from tests.audit.sites import slot
from tests.poolquota.looks import look, standing

CONFIG = """
GROUP_NAMES = hep, bio, chem
GROUP_QUOTA_hep = 90
GROUP_QUOTA_bio = 100
GROUP_QUOTA_chem = 150
GROUP_ACCEPT_SURPLUS_hep = True
"""
FULL = (*uses("hep", 216), wants("hep", 50, 216), wants("bio", 300), *uses("chem", 152))


def full(more: str = "", *ads: str, left: int = 0) -> PoolQuotaReport:
    """Return the full pool, whose one machine has so many cores left."""
    return look(CONFIG + more, *FULL, *ads, weight=left)


def test_a_group_below_its_due_is_named_with_who_has_it() -> None:
    bio = standing(full(), "bio")

    assert (bio.below, bio.due) == (100, 100)
    (holder, other) = bio.held_by
    assert (holder.name, holder.is_group, holder.amount) == ("hep", True, 126)
    assert holder.returns == "as its 216 claims end, for jobs that fit there"
    assert (other.name, other.amount) == ("chem", 2)


def test_head_room_on_a_full_pool_promises_nothing() -> None:
    bio = standing(full(), "bio")

    assert (bio.headroom, bio.obtainable) == (100, 0)
    assert standing(full(left=30), "bio").obtainable == 30


def test_where_claims_may_be_preempted_a_full_pool_gives_as_well() -> None:
    knob = "PREEMPTION_REQUIREMENTS = MY.RemoteUserPrio > 2\n"

    assert standing(full(knob), "bio").obtainable == 100
    off = f"{knob}NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    assert standing(full(off), "bio").obtainable == 0


def test_a_group_that_has_its_due_or_asks_for_no_more_is_not_below() -> None:
    given = full()

    assert [each.name for each in given.standings if each.below] == ["bio"]
    assert standing(look(CONFIG, wants("bio", 1)), "bio").below == 0


DRAINED = {"State": '"Drained"', "EnteredCurrentState": 1730700000}


@pytest.mark.parametrize(
    ("changes", "cause"),
    [(DRAINED, "drained"), ({"Offline": True}, "offline"), ({"Start": "false"}, "start-false")],
)
def test_what_is_closed_holds_it_too_and_is_not_free(
    changes: dict[str, str | int | bool], cause: str
) -> None:
    closed = machine(64, "slot1@node2", **changes)
    bio = standing(full("", closed), "bio")

    assert [(each.name, each.amount) for each in bio.held_by if not each.is_group] == [(cause, 64)]
    assert bio.obtainable == 0


def test_what_is_free_is_named_last_and_pieces_without_a_core_are_not_free() -> None:
    piece = slot("slot1@node2", Cpus=0, SlotWeight="7")

    assert standing(full("", piece), "bio").held_by[-1].name == "chem"
    free = standing(full(left=30), "bio").held_by[-1]
    assert (free.name, free.is_group, free.amount) == ("free", False, 30)


def test_the_sentence_has_all_of_it() -> None:
    (told,) = short_of(full())

    assert told == (
        "group bio uses 0 of the 100 that it is due; held by hep 126, as its 216 claims end, for jobs that "
        "fit there; chem 2, as its 152 claims end, for jobs that fit there"
    )


def test_of_many_groups_the_worst_are_named() -> None:
    names = [f"g{number}" for number in range(11)]
    config = f"GROUP_NAMES = {', '.join(names)}\n"
    config += "".join(f"GROUP_QUOTA_{name} = {10 + place}\n" for place, name in enumerate(names))
    told = list(short_of(look(config, *(wants(name) for name in names))))

    assert told[0].startswith("group g10 uses 0 of the 20 ")
    assert told[8:] == ["3 more groups below the lesser of quota and demand"]
