"""Distances counted by hand: a letter added, left out, replaced, or swapped with its neighbour is one slip."""

from __future__ import annotations

import pytest

from htcq.spelling import nearest, slips


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("quota", "quota", 0),
        ("qouta", "quota", 1),
        ("quot", "quota", 1),
        ("quotaa", "quota", 1),
        ("quote", "quota", 1),
        ("uqoat", "quota", 2),
        ("", "ab", 2),
    ],
)
def test_slips_are_counted(one: str, other: str, count: int) -> None:
    assert slips(one, other) == count
    assert slips(other, one) == count


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert nearest("slot_wieght", ["SLOT_WEIGHT", "SLOT_HEIGHT"]) == "SLOT_WEIGHT"


def test_short_names_must_be_nearer() -> None:
    assert nearest("gpsu", ["gpus"]) == "gpus"
    assert nearest("mips", ["gpus"]) == ""


def test_nothing_is_near_to_a_name_of_its_own() -> None:
    assert nearest("OUR_OWN_MACRO", ["SLOT_WEIGHT", "NUM_CLAIMS"]) == ""


def test_each_word_of_a_name_must_be_near() -> None:
    assert nearest("NEGOTIATOR_LOCK", ["NEGOTIATOR_LOG"]) == ""
    assert nearest("NEGOTIATOR_LOGS", ["NEGOTIATOR_LOG"]) == "NEGOTIATOR_LOG"


def test_an_underscore_too_few_is_one_slip() -> None:
    assert nearest("SlotWeight", ["SLOT_WEIGHT"]) == "SLOT_WEIGHT"
