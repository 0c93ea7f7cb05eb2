"""Slots as their startds advertise them."""

from __future__ import annotations

import pytest

from htcq.classads import ERROR, UNDEFINED
from htcq.pool.slot import Slot, number_or
from tests.audit.sites import dynamic_slot, pool, slot, static_slot


def only(text: str) -> Slot:
    (one,) = pool(text).slots or ()
    return one


def test_attributes_are_looked_up_whether_shared_or_its_own() -> None:
    one = only(slot())

    assert (one.value("CPUS"), one.value("memory"), one.value("SlotTypeID")) == (8, 16384, 1)
    assert one.value("NoSuchThing") is UNDEFINED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (slot(), "Partitionable"),
        (dynamic_slot(), "Dynamic"),
        (static_slot(), "Static"),
        (slot(SlotType=None), "Partitionable"),
        (dynamic_slot(SlotType=None), "Dynamic"),
        (static_slot(SlotType=None), "Static"),
    ],
)
def test_the_type_of_a_slot_is_said_or_shown(text: str, expected: str) -> None:
    assert only(text).type == expected


@pytest.mark.parametrize(
    ("state", "claimed"),
    [("Claimed", True), ("Preempting", True), ("Unclaimed", False), ("Owner", False)],
)
def test_which_slots_somebody_is_charged_for(state: str, claimed: bool) -> None:
    """Accountant.cpp:IsClaimed, 25.14."""
    assert only(slot(State=f'"{state}"')).claimed is claimed


def test_the_accounting_group_is_charged_before_the_user() -> None:
    assert (
        only(dynamic_slot(AccountingGroup='"hep.ada@site"', RemoteUser='"ada@site"')).customer
        == "hep.ada@site"
    )
    assert only(dynamic_slot(AccountingGroup=None, RemoteUser='"ada@site"')).customer == "ada@site"
    assert only(slot()).customer == ""


def test_assets_are_those_that_the_slot_lists_but_swap() -> None:
    one = only(slot(MachineResources='"Cpus, Memory Disk Swap GPUs tokens CPUS"', Tokens=5))

    assert one.assets == ("cpus", "memory", "disk", "gpus", "tokens")
    assert one.left() == {"cpus": 8, "memory": 16384, "disk": 20000000, "gpus": 0, "tokens": 5}
    assert only(slot(MachineResources=None)).assets == ("cpus", "memory", "disk")


def test_what_it_had_at_birth_is_said_or_is_what_it_has() -> None:
    one = only(slot(Cpus=3, Memory=100, TotalSlotCpus=8, TotalSlotMemory=None, TotalMemory=999))

    assert one.total()["cpus"] == 8
    assert one.total()["memory"] == 100
    assert one.left()["cpus"] == 3


def test_an_asset_without_a_number_is_none() -> None:
    assert only(slot(Cpus="NoSuchThing", TotalSlotCpus=None)).left()["cpus"] is None


def test_amounts_change_for_one_question_only() -> None:
    one = only(slot(SlotWeight="Cpus + GPUs"))

    assert one.ad({"cpus": 2, "gpus": 1}).value("SlotWeight") == 3
    assert one.ad().value("SlotWeight") == 8


def test_odd_assets_do_no_harm() -> None:
    one = only(slot(MachineResources='"Cpus ( a+b \'x é"'))

    assert set(one.left()) == {"cpus"}
    assert one.ad({"(": 1, "a+b": 2, "é": 3}).value("SlotWeight") == 8


@pytest.mark.parametrize(
    ("value", "number"), [(3, 3), (2.5, 2.5), (True, 1), (UNDEFINED, 7), (ERROR, 7), ("3", 7)]
)
def test_what_is_no_number_is_replaced(value: object, number: float) -> None:
    assert number_or(value, 7) == number  # type: ignore[arg-type]
