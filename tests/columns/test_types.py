"""Columns of one type each, which are evaluated as bare arrays: every operator beside the ClassAd library."""

from __future__ import annotations

import itertools

import pytest

from htcq.classads import Expr, as_number, holds
from htcq.columns.column import Cell
from htcq.columns.engine import Engine
from tests.columns.ads import Ads, bits, by_engine, by_library
from tests.columns.test_operators import OPERATORS

TYPES: dict[str, tuple[Cell, ...]] = {
    "T": (True, False),
    "I": (0, 1, -1, 3, -7, 64, 2**53 + 1, 2**63 - 1, -(2**63) + 1),
    "R": (0.0, -0.0, 1.0, 2.5, -2.5, 2.0**53, 2.0**63, 1e308, float("inf"), float("nan")),
    "S": ("", "a", "A", "b", "x86_64", "X86_64", "é", "12"),
    # Some rows lack the attribute, and integers stand beside reals.
    "N": (None, 1, 0, -3, None),
    "M": (1, 2.5, -1, 0.0, 7, 1e308),
}
CONSTANTS = (
    "true", "false", "0", "1", "-1", "3", "4096.0", "0.0", "-2.5", "1e308", "1.0e-300",
    "9223372036854775807", '"a"', '"X86_64"', "undefined", "error",
)  # fmt: skip
_PAIRS = list(itertools.product(TYPES, TYPES))
FUNCTIONS = (
    "floor({})", "ceiling({})", "round({})", "int({})", "real({})", "isUndefined({})", "isInteger({})",
    "isReal({})", "isString({})", "isBoolean({})", "isError({})", "-({})", "+({})", "!({})", "~({})",
    "floor(({}) / 2.0)", "round(({}) * 0.5)", "({}) ?: 5", "({}) ?: 2.5", "isUndefined({}) ? 1 : 2",
    "quantize({}, {{128}})", "quantize({}, 128)", "quantize({}, {{1}})", "quantize({}, {{2.5}})",
    "quantize({}, {{0}})", "quantize({}, {{4, 8}})", "quantize({}, -3)", "quantize(({}) * 2, {{3}})",
    "max({{1, ceiling(({}) ?: 0)}})", "min({{({}), 4}})", "max({{({}), 4.5}})", "max({{({})}})",
    "max({{({}), undefined}})", "min({{({}), true}})", "({}) / 4096.0 / 1e-200", "({}) * 1e200 * 1e200",
    "ifThenElse(isUndefined({0}), 1000, {0})", "({0}) - ({0}) * 1.0", "({0}) && ({0}) || ({0}) > 1",
    "({}) =?= undefined", "({}) =!= undefined", "undefined =?= ({})", "({}) % 7", "({}) / 7", "({}) / -7",
    "stringListMember(string({}), \"1,2.5\") && ({}) > 0", "({0}) > 0 ? strcat(\"x\", {0}) : ({0})",
    "({0}) > 0 && regexp(\"1\", string({0}))", "({0}) =!= undefined || regexp(\"1\", string({0}))",
)  # fmt: skip


def _differences(engine: Engine, text: str, my: Ads, target: Ads) -> list[object]:
    pairs = zip(by_engine(engine, text, my, target), by_library(text, my, target))
    return [(text, row, *pair) for row, pair in enumerate(pairs) if bits(pair[0]) != bits(pair[1])]


def _crossed(one: str, other: str, single: bool) -> tuple[Ads, list[Ads]]:
    """Return an ad for each value of one type, and ads with each value of the other type."""
    if not single:
        pairs = list(itertools.product(TYPES[one], TYPES[other]))
        my = Ads({}, {"A": tuple(pair[0] for pair in pairs)})
        return my, [Ads({}, {"B": tuple(pair[1] for pair in pairs)})]
    return Ads({}, {"A": TYPES[one]}), [Ads({}, {"B": (value,)}) for value in TYPES[other]]


@pytest.mark.parametrize("single", [False, True], ids=["many rows on both sides", "one row"])
@pytest.mark.parametrize(("one", "other"), _PAIRS, ids=lambda pair: pair)
def test_each_operator_on_two_types(one: str, other: str, single: bool) -> None:
    engine = Engine()
    my, targets = _crossed(one, other, single)
    found = []
    for operator in OPERATORS:
        for target in targets:
            found += _differences(engine, f"A {operator} TARGET.B", my, target)
            found += _differences(engine, f"(TARGET.B {operator} A) ?: A", my, target)

    assert found == []


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_of_a_type_with_constants(operator: str, kind: str) -> None:
    engine = Engine()
    ads = Ads({}, {"A": TYPES[kind]})
    found = []
    for value in CONSTANTS:
        for text in (f"A {operator} {value}", f"{value} {operator} A"):
            found += _differences(engine, text, ads, Ads({}, {"Other": (1,)}))

    assert found == []


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("form", FUNCTIONS)
def test_functions_of_a_type(form: str, kind: str) -> None:
    engine = Engine()
    text = form.format("A", "A")
    ads = Ads({}, {"A": TYPES[kind]})

    assert _differences(engine, text, ads, Ads({}, {"Other": (1,)})) == []
    assert _differences(engine, text.replace("A", "TARGET.A"), Ads({}, {"X": (1,)}), ads) == []


@pytest.mark.parametrize("condition", ["T", "I > 0", "N > 0", "N =?= undefined", "true", "S"])
@pytest.mark.parametrize(("one", "other"), _PAIRS, ids=lambda pair: pair)
def test_choices_between_types(condition: str, one: str, other: str) -> None:
    rows = 12
    own = {
        name: tuple(cells[row % len(cells)] for row in range(rows)) for name, cells in TYPES.items()
    }
    ads = Ads({}, own)
    text = f"{condition} ? TARGET.{one} : {other}"

    assert _differences(Engine(), text, ads, Ads({}, own)) == []


@pytest.mark.parametrize("single", [False, True], ids=["many rows", "one row"])
@pytest.mark.parametrize("kind", TYPES)
def test_values_of_a_type_are_read_as_the_negotiator_reads_them(kind: str, single: bool) -> None:
    engine = Engine()
    for cells in zip(TYPES[kind]) if single else (TYPES[kind],):
        found = engine.evaluate(Expr("A"), Ads({}, {"A": cells}).table(engine))
        values = found.listed()
        numbers = [as_number(value) for value in values]
        amounts = [engine.value(found.amounts(), row) for row in range(len(cells))]

        assert [*map(bits, amounts)] == [*map(bits, numbers)]  # type: ignore[arg-type]
        assert found.hold().tolist() == [holds(value) for value in values]
        expected = [-5.0 if number is None else float(number) for number in numbers]
        assert found.numbers(-5).tolist() == expected
