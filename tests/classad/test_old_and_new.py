"""Random texts, read as HTCondor's own parser reads them: old ClassAds and new ones.

The oracle is the ClassAd library: ``classad2.parseOne`` with ParserType.Old is what daemons read
the lines of ads with, ParserType.New and ExprTree what the Python bindings read.
"""

from __future__ import annotations

import math
from functools import partial
from random import Random
from typing import Any

import pytest

from htcq.classad.dialect import from_library
from htcq.classad.parser import NotAnExpressionError, parse, parsed_up_to
from htcq.classad.tokens import NEW
from htcq.classad.tree import Foreign, written
from htcq.classad.values import spelled
from htcq.classads import ERROR, UNDEFINED, Ad, Expr
from htcq.errors import PolicyError
from tests.classad.drawn_texts import PIECES, expression

_PARTS = 4
_MY = {"A": 'x"y\\z', "B": 3, "C": 2.5, "odd name": True}


def _library() -> Any:
    import classad2

    return classad2


def _bare(evaluate: Any) -> object:
    """Return a value of the library as htcq has it; NaN as a word, as it equals nothing."""
    classad2 = _library()
    try:
        value = evaluate()
    except UnicodeDecodeError as error:
        return ("str", error.object.decode("utf-8", "surrogateescape"))
    except (SystemError, classad2.ClassAdException, ValueError):
        return ERROR
    if isinstance(value, classad2.Value):
        return UNDEFINED if value == classad2.Value.Undefined else ERROR
    return _told_apart(value)


def _told_apart(value: object) -> object:
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, (bool, int, float, str)):
        return (type(value).__name__, value)
    return value if value in (UNDEFINED, ERROR) else ERROR


def _as_daemons_do(text: str) -> object:
    """Return the value of the attribute R whose line is ``text``; None where there is none."""
    classad2 = _library()
    from classad2.classad2_impl import _classad_parse_next  # parseOne, which takes bytes

    raw = f"R = {text}\n".encode("utf-8", "surrogateescape")
    try:
        ad, _ = _classad_parse_next(raw, int(classad2.ParserType.Old))
    except (classad2.ClassAdException, ValueError):
        return None
    if ad is None or not len(ad):
        return None
    for name, value in _MY.items():
        ad[name] = value
    return _bare(lambda: ad.eval("R"))


def _ours(text: str) -> object:
    """Return what htcq makes of the line of an ad; None where it is no expression."""
    try:
        found = Expr(text, whole=False)
    except PolicyError:
        return None
    return _told_apart(found.evaluate(Ad({**_MY, "R": found})))


def _drawn(pytestconfig: pytest.Config, part: int, what: str) -> list[str]:
    draw = Random(f"{pytestconfig.option.old_seed}-{part}-{what}")
    cases: int = pytestconfig.option.old_cases
    return [expression(draw) for _ in range(cases // _PARTS)]


@pytest.mark.parametrize("part", range(_PARTS))
def test_the_lines_of_ads_mean_what_they_mean_to_daemons(
    part: int, pytestconfig: pytest.Config
) -> None:
    for text in _drawn(pytestconfig, part, "old"):
        # A line break outside of a string ends the line.
        line = text.replace("\n", " ")
        assert _ours(line) == _as_daemons_do(line), line


@pytest.mark.parametrize("part", range(_PARTS))
def test_what_htcq_parses_is_what_the_library_parses(
    part: int, pytestconfig: pytest.Config
) -> None:
    """The tree, written again, has the value of the text; and no text is read that is none."""
    for text in _drawn(pytestconfig, part, "tree"):
        line = text.replace("\n", " ")
        expected = _as_daemons_do(line)
        try:
            tree, _ = parsed_up_to(line, whole=False)
        except NotAnExpressionError:
            assert expected is None, line
            continue
        again = Expr(written(tree))
        assert _told_apart(again.evaluate(Ad({**_MY, "R": again}))) == expected, line


@pytest.mark.parametrize("part", range(_PARTS))
def test_new_classads_are_read_as_the_bindings_read_them(
    part: int, pytestconfig: pytest.Config
) -> None:
    classad2 = _library()
    my = Ad(_MY).native
    for drawn in _drawn(pytestconfig, part, "new"):
        # The bindings take UTF-8 alone, and put brackets around it that a comment would hide.
        text = drawn.encode("utf-8", "replace").decode().replace("/* open", "/* c */")
        whole = f"({text}\n)"
        inner = parse(whole, NEW)
        try:
            tree = classad2.ExprTree(whole)
        except (classad2.ClassAdException, ValueError):
            assert isinstance(inner, Foreign), text
            continue
        if isinstance(inner, Foreign):
            # What ends their brackets ends the expression to them.
            assert whole[inner.broken_at] in ";]", text
            continue
        expected = _bare(partial(tree.eval, my))
        assert _told_apart(Expr(written(inner)).evaluate(Ad(_MY))) == expected, text
        assert _told_apart(Expr(from_library(whole)).evaluate(Ad(_MY))) == expected, text


@pytest.mark.parametrize("text", ["A ? B : 1)", "A ? 1 : 2 3", "A ? 1 : 2 ,", "(A) ? B : (2))"])
def test_what_follows_a_choice_makes_a_new_classad_no_expression(text: str) -> None:
    """The lines of ads may go on after a choice; ExprTree of 25.14.1 refuses it."""
    classad2 = _library()
    with pytest.raises(classad2.ClassAdException):
        classad2.ExprTree(text)

    assert isinstance(parse(text, NEW), Foreign)
    assert _ours(text) == _as_daemons_do(text)


@pytest.mark.parametrize("text", ["0 .a", "(0).a", "1.5 .a", "-1 .a.b", "1e3 .a", "isError(7 .B)"])
def test_an_attribute_of_a_number_is_written_as_it_was_read(text: str) -> None:
    again = Expr(written(parse(text)))

    assert _told_apart(again.evaluate(Ad({**_MY, "R": again}))) == _as_daemons_do(text)


@pytest.mark.parametrize(
    "text",
    [
        *("0x0.5", "0X1.8", "-0x1F0.1e-5 - 1", "0x1.1e", "0xE.5e3", "0xE.5e", "0x5.", "-0x5."),
        *("-0x5.a", "0x.5", "0x1.8p1", "-0x1.5.a", "0x1.5e3e4", f"0x{'F' * 300}.5", "-0x1e5"),
    ],
)
def test_hexadecimal_digits_with_a_point_are_a_real_number(text: str) -> None:
    assert _ours(text) == _as_daemons_do(text)


def test_every_string_comes_back_as_it_went(pytestconfig: pytest.Config) -> None:
    draw = Random(f"{pytestconfig.option.old_seed}-strings")
    for _ in range(pytestconfig.option.old_cases):
        value = "".join(draw.choice(PIECES) for _ in range(draw.randrange(8)))
        text = spelled(value)

        assert "\n" not in text
        for whole in (text, f"strcat({text}, {text})"):
            expected = value if whole == text else value * 2
            assert Expr(whole).evaluate() == expected, value
            assert _as_daemons_do(whole) == ("str", expected), value
        assert Ad({"R": value}).value("R") == value
