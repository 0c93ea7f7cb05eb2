"""Amounts in HTCondor's units."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.errors import InputError
from htcq.units import (
    attribute,
    first_named,
    parse_amount,
    parse_weight,
    shortened,
    show_amount,
    show_number,
    show_spans,
    whole_number,
)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (72000, 144000, ("20 h", "40 h")),
        (45, 90000, ("45 s", "1 d")),
        (-600, 5400, ("-10 min", "90 min")),
        (0, 86400, ("0 s", "1 d")),
    ],
)
def test_two_lengths_of_time_are_in_one_unit(one: float, other: float, told: object) -> None:
    assert show_spans(one, other) == told


@pytest.mark.parametrize(
    ("asset", "text", "expected"),
    [
        ("memory", "2GiB", 2048),
        ("memory", "2GB", 2048),
        ("memory", "1.5g", 1536),
        ("memory", "512 MiB", 512),
        ("memory", ".5GiB", 512),
        ("memory", "100KiB", Fraction(100, 1024)),
        ("disk", "1GiB", 1024 * 1024),
        ("disk", "100000KiB", 100_000),
        ("disk", "1TiB", 1024**3),
        ("cpus", "0.5", Fraction(1, 2)),
        ("cpus", "2.", 2),
        ("gpus", "3", 3),
        ("actuators", "0", 0),
    ],
)
def test_amounts_are_read_in_htcondors_units(asset: str, text: str, expected: Fraction) -> None:
    """Memory in MB (2**20 bytes), disk in KiB, the rest as counts; units are binary as in submit descriptions."""
    assert expected == parse_amount(asset, text)


@pytest.mark.parametrize(
    ("asset", "text", "message", "hint"),
    [
        ("memory", "2048", "memory: '2048' has no unit", "memory=2GiB"),
        ("disk", "5", "disk: '5' has no unit", "disk=2GiB"),
        ("memory", "2XB", "memory: '2XB' has an unknown unit", "memory=512MiB"),
        ("cpus", "2GiB", "cpus: '2GiB' has a unit, but cpus is a count", "cpus=1"),
        ("cpus", "two", "cpus: 'two' is not an amount", "cpus=1"),
        ("cpus", "-1", "cpus: '-1' is not an amount", "cpus=1"),
        ("memory", "", "memory: '' is not an amount", "memory=2GiB"),
    ],
)
def test_what_is_no_amount_is_refused_with_an_example(
    asset: str, text: str, message: str, hint: str
) -> None:
    with pytest.raises(InputError) as refused:
        parse_amount(asset, text)

    assert message == str(refused.value)
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    ("asset", "amount", "expected"),
    [
        ("memory", 2048, "2 GiB"),
        ("memory", 2500, "2500 MiB"),
        ("memory", 1920, "1.875 GiB"),
        ("memory", 2500.123, "2.44 GiB"),
        ("memory", 1, "1 MiB"),
        ("memory", 0, "0 B"),
        ("memory", 0.5, "512 KiB"),
        ("disk", 1, "1 KiB"),
        ("disk", 1024**3, "1 TiB"),
        ("disk", -2048, "-2 MiB"),
        ("cpus", 0.5, "0.5"),
        ("gpus", 8, "8"),
    ],
)
def test_amounts_are_shown_as_people_read_them(asset: str, amount: float, expected: str) -> None:
    assert expected == show_amount(asset, amount)


@pytest.mark.parametrize(
    ("asset", "expected"),
    [
        ("cpus", "Cpus"),
        ("memory", "Memory"),
        ("disk", "Disk"),
        ("gpus", "GPUs"),
        ("actuators", "Actuators"),
    ],
)
def test_attributes_are_spelled_as_in_slot_ads(asset: str, expected: str) -> None:
    assert expected == attribute(asset)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (15.0, "15"),
        (14.9999, "14.9999"),
        (2 / 3, "0.6667"),
        (-3.5, "-3.5"),
        (1234567.25, "1,234,567.25"),
        (1e14, "100,000,000,000,000"),
        (3.4e38, "3.4e+38"),
        (0.00001, "1e-05"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_a_number_is_shown_with_four_decimals_at_most(number: float, text: str) -> None:
    assert show_number(number) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("12", 12),
        ("9" * 18, 10**18 - 1),
        ("9" * 19, None),
        ("\u00b2", None),
        ("\u0661", None),
        ("-1", None),
        ("", None),
    ],
)
def test_a_whole_number_has_a_few_ascii_digits(text: str, number: int | None) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["9" * 5000, "0." + "3" * 5000, "1" + "0" * 400])
def test_a_number_without_end_is_no_amount(text: str) -> None:
    with pytest.raises(InputError, match="is not an amount"):
        parse_amount("cpus", text)
    with pytest.raises(InputError, match="is not a weight"):
        parse_weight("cpus", text)


@pytest.mark.parametrize(
    ("names", "most", "number", "text"),
    [
        (("a",), 3, 0, "a"),
        (("a", "b", "c"), 3, 0, "a, b, c"),
        (("a", "b", "c", "d"), 3, 0, "a, b, c and 1 more"),
        (("a", "b"), 1, 0, "a and 1 more"),
        (("a", "b", "c"), 3, 9, "a, b, c and 6 more"),
    ],
)
def test_the_first_of_many_names(names: tuple[str, ...], most: int, number: int, text: str) -> None:
    assert first_named(names, most, number) == text


def test_a_cut_sentence_ends_with_a_clause_or_a_word() -> None:
    assert shortened("a short one", 20) == "a short one"
    text = "START refuses it: ConsumptionCpus of the slot is undefined; Cpus is 1"
    assert shortened(text, 66) == "START refuses it: ConsumptionCpus of the slot is undefined..."
    assert shortened("one twenty three four five", 16) == "one twenty..."
    assert shortened("x" * 30, 16) == "x" * 13 + "..."
