"""What the engine offers besides values: counters, arrays of conditions and numbers, tables that change."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from htcq import columns
from htcq.classads import ERROR, UNDEFINED, Ad, Expr, as_number, holds, parsed
from htcq.columns.engine import Engine
from htcq.columns.row_engine import RowEngine
from tests.columns.ads import Ads, by_library
from tests.columns.families import FAMILIES, Family
from tests.columns.test_operators import SINGLE, VALUES

ROOT = Path(__file__).resolve().parents[2]
SLOTS = Ads(
    {"Start": "Cpus > 1", "Weight": "Cpus + Memory / 1024"},
    {"Cpus": (1, 2, 4), "Memory": (1024, 2048, 4096)},
)


def test_rows_are_counted_and_those_that_the_library_evaluated() -> None:
    engine = Engine()
    table = SLOTS.table(engine)

    assert engine.evaluate(Expr("Start"), table).listed() == [False, True, True]
    assert (engine.evaluated, engine.fell_back) == (3, 0)

    assert engine.evaluate(Expr("countMatches(Cpus > 1, {1}) ?: Cpus"), table)[0] == 0
    assert (engine.evaluated, engine.fell_back) == (6, 3)


def test_only_rows_that_need_it_are_left_to_the_library() -> None:
    engine = Engine()

    engine.evaluate(Expr("Cpus > 2 && isError(unparse(Cpus) > 1)"), SLOTS.table(engine))

    assert engine.fell_back == 1


def test_rows_that_look_the_same_are_evaluated_once() -> None:
    engine, asked = Engine(), []
    ads = Ads({}, {"Cpus": (1, 2, 1, 2, 1), "Name": ("a", "b", "c", "d", "e")})

    def ad(row: int) -> Ad:
        asked.append(row)
        return ads.ad(row)

    table = engine.table(engine.schema({}), ads.own, ad)

    assert engine.evaluate(Expr("unparse(Cpus) == 1"), table).listed() == by_library(
        "unparse(Cpus) == 1", ads
    )
    asked.clear()
    engine.evaluate(Expr("envV1ToV2(Cpus)"), table)
    assert len(asked) == 2


@pytest.mark.parametrize(
    "text", ["isError(unparse('a b') + 1) ?: 'a b'", "envV1ToV2('of a b')", "'of a b' ?: error(1)"]
)
def test_rows_that_differ_in_a_quoted_name_are_not_the_same(text: str) -> None:
    ads = Ads({"of a b": "envV1ToV2('a b') ?: Cpus"}, {"a b": ("x", "y", "x"), "Cpus": (1, 1, 2)})
    engine = Engine()
    if parsed(text) is not None:
        assert engine.evaluate(Expr(text), ads.table(engine)).listed() == by_library(text, ads)


def test_an_ad_is_no_target_of_its_own() -> None:
    engine = Engine()
    table = SLOTS.table(engine)

    assert engine.evaluate(Expr("TARGET.Cpus"), table, table).listed() == [UNDEFINED] * 3
    assert by_library("TARGET.Cpus", SLOTS, SLOTS) == [UNDEFINED] * 3


def test_conditions_and_numbers_are_those_of_the_negotiator() -> None:
    engine = Engine()
    found = engine.evaluate(Expr("A"), SINGLE.table(engine))
    numbers = [as_number(value) for value in by_library("A", SINGLE)]

    assert found.hold().tolist() == [holds(value) for value in by_library("A", SINGLE)]
    assert found.numbers(-5).tolist() == [-5 if each is None else float(each) for each in numbers]
    assert len(found) == len(VALUES)


def test_a_value_for_all_rows_is_kept_once() -> None:
    engine = Engine()
    found = engine.evaluate(Expr("1 + 1"), SLOTS.table(engine))

    assert found.column.rows == 1
    assert found.listed() == [2, 2, 2]
    assert found.hold().tolist() == [True] * 3


@pytest.mark.parametrize("value", [9, 2.5, "a", True, UNDEFINED, ERROR, None, 2**70])
def test_one_row_of_a_table_changes(value: object) -> None:
    engine = Engine()
    table = SLOTS.table(engine)
    engine.evaluate(Expr("Start && Weight > 1"), table)
    cells = (1, value, 4)
    changed = Ads(SLOTS.texts, {**SLOTS.own, "Cpus": cells})  # type: ignore[dict-item]

    table.fill([1], {"cpus": engine.column([value])})  # type: ignore[list-item]

    for text in ("Start", "Weight", "Cpus", "Cpus =?= 2 ?: 5"):
        assert engine.evaluate(Expr(text), table).listed() == by_library(text, changed)


def test_an_attribute_that_no_row_had_comes() -> None:
    engine = Engine()
    table = SLOTS.table(engine)

    table.fill([2], {"gpus": engine.column([1])})

    assert engine.evaluate(Expr("GPUs"), table).listed() == [UNDEFINED, UNDEFINED, 1]


def test_a_column_is_replaced() -> None:
    engine = Engine()
    table = SLOTS.table(engine).replaced({"cpus": engine.column([8, 9, 1])})

    assert engine.evaluate(Expr("Start"), table).listed() == [True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "TARGET.Limit > Cpus", "Limit > Cpus", "TARGET.Twice > Cpus", "member(Cpus, TARGET.Items)",
        "member(Cpus, Items)", "Deep", "Limit ?: 1", "ifThenElse(Cpus > 1, TARGET.Limit, 0)",
    ],
)  # fmt: skip
def test_what_was_found_for_one_job_is_not_taken_for_another(text: str) -> None:
    """A table keeps what looks at no other ad, and nothing else."""
    engine = Engine()
    slots = Ads({"Expr": text, "Deep": "1 + Limit", "Outer": "Expr"}, {"Cpus": (1, 2, 4)})
    table = slots.table(engine)
    for limit, items in ((3, "{1, 2}"), (1, "{4}"), (UNDEFINED, "{}"), (None, "undefined")):
        job = Ads({"Items": items, "Twice": "Limit * 2"}, {"Limit": (limit,), "Other": (1,)})
        for name in ("Outer", "Expr"):
            found = engine.evaluate(Expr(name), table, job.table(engine)).listed()
            assert found == by_library(name, slots, job), (limit, name)


@pytest.mark.parametrize("rows", [[0, 2], [1], [], [2, 2, 0]])
@pytest.mark.parametrize("text", ["Start", "Weight * 2", "unparse(Cpus)", "3", "strcat(Cpus, 1)"])
def test_some_rows_are_evaluated_alone(rows: list[int], text: str) -> None:
    engine = Engine()
    job = Ads({}, {"X": (1,)}).table(engine)
    table = SLOTS.table(engine)
    whole = engine.evaluate(Expr(text), table, job).listed()

    assert engine.evaluate(Expr(text), table.at(rows), job).listed() == [whole[row] for row in rows]


@pytest.mark.parametrize(
    "text", ["(" * 9000 + "1", "-" * 30_000 + "1", "{" * 16_000, "[a=" * 9000, "a?:" * 10_000 + "a"]
)
def test_hostile_depth_is_a_foreign_tree(text: str) -> None:
    from htcq.classad.parser import parse
    from htcq.classad.tree import Foreign

    assert isinstance(parse(text), Foreign)


@pytest.mark.parametrize("family", FAMILIES[:4], ids=lambda family: family.name)
def test_without_numpy_the_values_are_the_same(family: Family) -> None:
    engine = RowEngine()
    my, target = family.my, replace(family.target or family.my)
    tables = [engine.table(engine.schema(ads.texts), ads.own, ads.ad) for ads in (my, target)]
    for text in family.expressions:
        found = engine.evaluate(Expr(text), *tables)
        assert found.listed() == by_library(text, my, target)
        assert found.hold() == [holds(value) for value in found.listed()]
    assert engine.fell_back == engine.evaluated > 0


def test_the_kind_of_engine_depends_on_numpy() -> None:
    assert isinstance(columns.new_engine(), Engine)
    with mock.patch.object(columns, "available", return_value=False):
        assert isinstance(columns.new_engine(), RowEngine)


def test_the_room_is_imported_without_numpy() -> None:
    program = "import sys, htcq.columns, htcq.columns.row_engine; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )

    assert done.stdout == "False\n"


def test_what_was_found_before_makes_no_way_shorter() -> None:
    """The library gives up where attributes lie too deep in each other, known ones too."""
    engine, count = Engine(), 300
    texts = {f"A{number}": f"N + A{number + 1}" for number in range(count)}
    ads = Ads({**texts, f"A{count}": "N"}, {"N": (1, 2)})
    table = ads.table(engine)
    for number in range(count, -1, -20):
        text = f"A{number}"
        assert engine.evaluate(Expr(text), table).listed() == by_library(text, ads), text


def test_attributes_in_each_other_are_as_deep_as_all_of_them() -> None:
    """The library gives up, although each of them was met where it was not too deep."""
    engine, count, chains = Engine(), 30, 8
    texts = {"D0_0": "N"}
    for chain in range(1, chains):
        for number in range(count):
            texts[f"D{chain}_{number}"] = f"N + D{chain}_{number + 1}"
        texts[f"D{chain}_{count}"] = f"D{chain - 1}_0"
    ads = Ads(texts, {"N": (1, 2)})
    text = " + ".join(f"D{chain}_0" for chain in range(chains))

    assert engine.evaluate(Expr(text), ads.table(engine)).listed() == by_library(text, ads)
