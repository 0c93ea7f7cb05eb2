"""The pool's weight is a sum over all ads (matchmaker.cpp:sumSlotWeights); the parts were added up by hand."""

from __future__ import annotations

import pytest

from tests.audit.sites import dynamic_slot, found, pool, slot, static_slot

RULE = "idle-hardware-in-pool"
DYNAMIC = "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.5\n"


@pytest.mark.parametrize(
    "changes",
    [
        {"State": '"Owner"'},
        {"State": '"Drained"'},
        {"Offline": "true"},
        {"Draining": "true"},
        {"BackfillSlot": "true"},
        {"SlotBrokenCode": 4},
        {"IsDirectAttach": '"access2"'},
    ],
)
def test_slots_that_nobody_is_given_are_found(changes: dict[str, str]) -> None:
    (finding,) = found(RULE, pool(slot(), slot("slot1@b", **changes), config=DYNAMIC))
    assert "8 of the pool's weight of 16" in finding.message
    assert finding.count == 1


def test_an_offline_slot_counts_for_all_that_it_stands_for() -> None:
    (finding,) = found(
        RULE, pool(slot(), slot("slot1@b", Offline="true", GhostMultiplier=4), config=DYNAMIC)
    )
    assert "32 of the pool's weight of 40" in finding.message


def test_a_constraint_that_leaves_them_out_is_enough() -> None:
    text = DYNAMIC + 'NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = State != "Owner"\n'
    assert not found(RULE, pool(slot(), slot("slot1@b", State='"Owner"'), config=text))


def test_static_quotas_do_not_depend_on_the_pool() -> None:
    text = "GROUP_NAMES = a\nGROUP_QUOTA_a = 4\n"
    assert not found(RULE, pool(slot(), slot("slot1@b", State='"Owner"'), config=text))


def test_one_machine_of_many_is_not_worth_a_word() -> None:
    many = [slot(f"slot1@node{number}") for number in range(30)]
    assert not found(RULE, pool(*many, slot("slot1@b", State='"Owner"'), config=DYNAMIC))


def test_claimed_and_free_slots_are_not() -> None:
    slots = [slot(), dynamic_slot(Draining="true"), static_slot("slot1@b")]
    assert not found(RULE, pool(*slots, config=DYNAMIC))


@pytest.mark.parametrize("name", ["IsDataSlot", "OCU"])
def test_claims_that_run_no_job_of_a_group_are_found(name: str) -> None:
    kept = dynamic_slot(Cpus=4, **{name: "true"})
    (finding,) = found(RULE, pool(slot(Cpus=4), kept, config=DYNAMIC))
    assert "4 of the pool's weight of 8" in finding.message
    assert not found(
        RULE, pool(slot(Cpus=4), dynamic_slot(Cpus=4, **{name: "false"}), config=DYNAMIC)
    )


def test_the_setting_leaves_out_what_was_found_and_keeps_what_was_set() -> None:
    text = DYNAMIC + "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = Cpus > 0\n"
    given = pool(
        slot(), slot("slot1@b", State='"Owner"'), slot("slot1@c", BackfillSlot="true"), config=text
    )
    (finding,) = found(RULE, given)
    assert [each.line for each in finding.settings] == [
        (
            'NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = (Cpus > 0) && State != "Owner" && BackfillSlot '
            "=!= true"
        )
    ]
