"""Every operator and function on every pair of states, each time beside the ClassAd library."""

from __future__ import annotations

import itertools

import pytest

from htcq.classads import ERROR, UNDEFINED
from htcq.columns.column import Cell
from htcq.columns.engine import Engine
from tests.columns.ads import Ads, differences

OPERATORS = (
    "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "=?=", "=!=", "is", "isnt", "&&", "||",
    "&", "|", "^", "<<", ">>", ">>>", "?:",
)  # fmt: skip
FUNCTIONS = (
    "isUndefined", "isError", "isString", "isInteger", "isReal", "isBoolean", "isList", "isClassAd", "int",
    "real", "string", "bool", "floor", "ceil", "ceiling", "round", "toLower", "toUpper", "size", "min", "sum",
)  # fmt: skip
VALUES: tuple[Cell, ...] = (
    UNDEFINED, ERROR, None, True, False, 0, 1, -1, 3, -7, 64, 2**53 + 1, 2**63 - 1, -(2**63) + 1, 0.0, -0.0,
    1.0, 2.5, -2.5, 2.0**53, 2.0**63, 1e308, float("inf"), float("-inf"), float("nan"),
    "", "a", "A", "b", "Z", "_", "12", "2.5x", "true", "é", "É",
)  # fmt: skip
_PAIRS = tuple(itertools.product(VALUES, VALUES))
ALL = Ads({}, {"A": tuple(one for one, _ in _PAIRS), "B": tuple(other for _, other in _PAIRS)})
SINGLE = Ads({}, {"A": VALUES})
#: Few values, so that all operators can stand beside each other.
FEW: tuple[Cell, ...] = (True, 0, 3, -2.5, "a", UNDEFINED)
_TRIPLES = tuple(itertools.product(FEW, (2, 1.5, False), FEW))
TRIPLES = Ads({}, dict(zip("ABC", zip(*_TRIPLES))))


@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_on_each_pair_of_values(operator: str) -> None:
    engine = Engine()

    assert differences(engine, f"A {operator} B", ALL) == []
    # Only shifts whose distance the processor decides on.
    assert engine.fell_back == 0 or operator in ("<<", ">>", ">>>")


@pytest.mark.parametrize("value", ["undefined", "error", "true", "3", "-2.5", '"a"', "nowhere"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_with_a_constant(operator: str, value: str) -> None:
    engine = Engine()

    assert differences(engine, f"A {operator} ({value})", SINGLE) == []
    assert differences(engine, f"({value}) {operator} A", SINGLE) == []


@pytest.mark.parametrize("operator", ["-", "+", "!", "~", "!!", "- -", "~-", "(", "((("])
def test_each_unary_operator(operator: str) -> None:
    engine = Engine()

    assert differences(engine, f"{operator}A{')' * operator.count('(')}", SINGLE) == []
    assert engine.fell_back == 0


@pytest.mark.parametrize("condition", ["A", "A > 1", "A =?= undefined", "!A"])
@pytest.mark.parametrize(
    "form", ["{} ? B : 7", "{} ? 7 : B", "ifThenElse({}, B, 7)", "{} ? error : B"]
)
def test_choices(condition: str, form: str) -> None:
    engine = Engine()

    assert differences(engine, form.format(condition), ALL) == []
    assert engine.fell_back == 0


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_of_one_value(function: str) -> None:
    engine = Engine()

    assert differences(engine, f"{function}(A)", SINGLE) == []
    if function not in ("toLower", "toUpper", "size", "string", "bool"):
        # Letters that are not ASCII, and numbers beyond 64 bits.
        assert engine.fell_back <= 7


@pytest.mark.parametrize(
    "function", ["min", "max", "sum", "avg", "quantize", "pow", "strcmp", "member"]
)
def test_functions_of_several_values(function: str) -> None:
    items = "{A, B}" if function in ("min", "max", "sum", "avg") else "A, B"

    assert differences(Engine(), f"{function}({items})", ALL) == []


@pytest.mark.parametrize("function", ["min", "max"])
def test_bounds_of_three(function: str) -> None:
    engine = Engine()

    assert differences(engine, f"{function}({{A, B, C}})", TRIPLES) == []
    assert engine.fell_back == 0


@pytest.mark.parametrize("first", OPERATORS)
def test_each_operator_binds_as_the_library_has_it(first: str) -> None:
    """Two operators beside each other, without brackets; and a unary one and a choice before them."""
    engine = Engine()
    found = []
    for second in OPERATORS:
        for text in (f"A {first} B {second} C", f"-A {first} B {second} C ? A : B {first} C"):
            found += [(text, *each) for each in differences(engine, text, TRIPLES)]

    assert found == []
