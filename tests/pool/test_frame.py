"""What ads have in common: looked up in any case, covered and uncovered, and never evaluated forever."""

from __future__ import annotations

import time

import pytest

from htcq.classads import ERROR, UNDEFINED, Value
from htcq.pool.shared_attributes import Expressions, SharedAttributes


def frame(**texts: object) -> SharedAttributes:
    lines = tuple((name.encode(), str(text).encode()) for name, text in texts.items())
    return SharedAttributes(lines, Expressions())


def test_names_are_looked_up_in_any_case() -> None:
    one = frame(SlotWeight="Cpus * 2", Arch='"X86_64"')

    assert "SLOTWEIGHT" in one
    assert (one.text("slotweight"), one.value("ARCH")) == ("Cpus * 2", "X86_64")
    assert (one.text("Missing"), one.value("Missing"), one.expression("Missing")) == (
        "",
        UNDEFINED,
        None,
    )


def test_expressions_are_evaluated_with_what_is_an_ads_own() -> None:
    one = frame(SlotWeight="Cpus * 2")

    assert one.ad([("Cpus", 8)]).value("SlotWeight") == 16
    assert one.ad([("Cpus", 3)]).value("slotweight") == 6


def test_what_one_ad_has_does_not_leak_into_the_next() -> None:
    one = frame(SlotWeight="GPUs ?: -1")

    assert one.ad([("GPUs", 4)]).value("SlotWeight") == 4
    assert one.ad([("Cpus", 1)]).value("SlotWeight") == -1
    assert one.ad([]).value("Cpus") is UNDEFINED


def test_what_covers_a_shared_attribute_uncovers_it_again() -> None:
    one = frame(RequestMemory="Base * 2", Base=100)

    assert one.ad([("RequestMemory", 7)]).value("RequestMemory") == 7
    assert one.ad([]).value("RequestMemory") == 200
    assert one.ad([("Base", 5)]).value("RequestMemory") == 10
    assert one.ad([]).value("RequestMemory") == 200


def test_it_is_covered_and_uncovered_in_any_case() -> None:
    one = frame(RequestMemory=100)
    one.ad([("RequestMemory", 7)])

    assert one.ad([("REQUESTMEMORY", 8)]).value("RequestMemory") == 8
    assert one.ad([("requestmemory", 9)]).value("RequestMemory") == 9
    assert one.ad([]).value("RequestMemory") == 100


@pytest.mark.parametrize(
    ("value", "found"), [(UNDEFINED, UNDEFINED), (ERROR, ERROR), (True, True), (1.5, 1.5)]
)
def test_every_value_of_an_own_attribute_can_be_set(value: Value, found: Value) -> None:
    assert frame().ad([("Cpus", value)]).value("Cpus") == found


def test_one_is_not_true_and_not_one_point_nought() -> None:
    one = frame(Half="Cpus / 2")

    assert [one.ad([("Cpus", cpus)]).value("Half") for cpus in (1, 1.0, 1)] == [0, 0.5, 0]


def test_a_number_of_more_than_64_bits_is_a_real() -> None:
    assert frame(Twice="Memory * 2").ad([("Memory", 10**300)]).value("Twice") == pytest.approx(
        2e300
    )


def test_what_is_no_expression_is_an_error_and_told() -> None:
    expressions = Expressions()
    one = SharedAttributes(((b"Start", b"((("), (b"Rank", b"Start")), expressions)

    assert one.ad([]).value("Rank") is ERROR
    assert list(expressions.broken) == ["((("]


def doubling(levels: int) -> SharedAttributes:
    texts = {f"A{level}": f"A{level - 1} + A{level - 1}" for level in range(1, levels + 1)}
    return frame(A0=1, **texts, Sound="A3 + 1")


def test_an_attribute_that_takes_for_ever_is_an_error_at_once_and_is_told() -> None:
    """2 to the power of 40 look-ups; 8 + 1 is still 9."""
    began = time.monotonic()
    one = doubling(40)

    assert one.ad([]).value("A40") is ERROR
    assert one.ad([]).value("Sound") == 9
    assert time.monotonic() - began < 5
    assert "A40" in one.endless
    assert not {"A3", "Sound"} & set(one.endless)


def test_what_takes_long_but_ends_is_evaluated() -> None:
    one = doubling(12)

    assert one.ad([]).value("A12") == 4096
    assert one.endless == ()


@pytest.mark.parametrize(
    "texts",
    [
        {"A": "A"},
        {"A": "A + A"},
        {"A": "B + B + B", "B": "A + A + A"},
        {f"A{one}": " + ".join(f"A{other}" for other in range(12)) for one in range(12)},
    ],
)
def test_a_circle_ends(texts: dict[str, str]) -> None:
    """HTCondor's own answer to a circle is undefined or an error."""
    began = time.monotonic()

    assert frame(**texts).ad([]).value(next(iter(texts))) in (UNDEFINED, ERROR)
    assert time.monotonic() - began < 5


def test_a_chain_as_long_as_an_ad_ends() -> None:
    texts = {f"A{link}": f"A{link + 1}" for link in range(20_000)}
    one = frame(**texts, A20000=7)

    assert one.ad([]).value("A19990") == 7
    assert one.ad([]).value("A0") is ERROR


def test_functions_deep_in_functions_do_not_overflow_the_stack() -> None:
    """100 in each other is what the library parses; through 1,000 attributes its recursion would end the process."""
    texts = {f"A{link}": "floor(" * 100 + f"A{link + 1}" + ")" * 100 for link in range(1000)}
    one = frame(**texts, A1000=7)

    assert one.ad([]).value("A0") is ERROR
    assert one.ad([]).value("A990") == 7
    assert "A0" in one.endless


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000 + "1" + ")" * 20_000,
        "1 + " * 40_000 + "1",
        "{" * 5000,
        "- " * 16_000 + "1",
        '"' + "x" * 200_000 + '" =!= 1',
    ],
)
def test_an_expression_too_deep_or_too_long_is_an_error(text: str) -> None:
    one = frame(Start=text, Cpus=8)

    assert one.ad([]).value("Start") is ERROR
    assert one.ad([]).value("Cpus") == 8


def test_a_long_text_is_just_a_text() -> None:
    """200 KB of it: a value that stands alone is never parsed."""
    assert frame(Notes='"' + "x" * 200_000 + '"').value("Notes") == "x" * 200_000


def test_references_are_those_of_all_expressions() -> None:
    found = frame(
        Start="TARGET.Owner == Pal && Cpus > 1", Requirements="START && MY.Limit", Cpus=8
    ).references()

    assert found.target == {"owner"}
    assert found.own == {"pal", "cpus", "start", "limit"}
