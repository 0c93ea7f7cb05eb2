"""The file of a sweep: grids, items of their own, and everything that cannot be one."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from htcq.errors import InputError
from htcq.settings.sweep import MAX_ITEMS, Option, sweep_from

OPTIONS = (
    Option("set", repeatable=True),
    Option("demand", repeatable=True),
    Option("seed"),
    Option("run-time"),
    Option("skip-bad-slots", flag=True),
)


def arguments(**content: Any) -> dict[str, tuple[str, ...]]:
    return {item.name: item.arguments for item in sweep_from(content, OPTIONS, "f.toml").items}


def test_a_grid_is_the_product_of_its_lists_in_their_order() -> None:
    found = arguments(grid={"seed": [1, 2], "demand": ["a=2", "b=3"]})

    assert list(found.items()) == [
        ("seed=1,demand=a=2", ("--seed=1", "--demand=a=2")),
        ("seed=1,demand=b=3", ("--seed=1", "--demand=b=3")),
        ("seed=2,demand=a=2", ("--seed=2", "--demand=a=2")),
        ("seed=2,demand=b=3", ("--seed=2", "--demand=b=3")),
    ]


def test_a_list_within_a_list_is_given_together_and_an_empty_one_not_at_all() -> None:
    assert arguments(grid={"set": [[], "A=1", ["A=1", "B=2"]]}) == {
        "set=none": (),
        "set=A=1": ("--set=A=1",),
        "set=A=1+B=2": ("--set=A=1", "--set=B=2"),
    }


def test_what_is_common_comes_first_and_gives_way_where_an_option_is_given_once() -> None:
    found = arguments(
        base={"seed": 7, "set": ["X=1"], "skip-bad-slots": True},
        grid={"set": ["A=1"]},
        item=[{"name": "own", "seed": 8, "set": ["Y=2", "Z=3"], "skip-bad-slots": False}],
    )

    assert found == {
        "set=A=1": ("--seed=7", "--set=X=1", "--set=A=1", "--skip-bad-slots"),
        "own": ("--seed=8", "--set=X=1", "--set=Y=2", "--set=Z=3"),
    }


def test_a_flag_varies_too() -> None:
    assert arguments(grid={"skip-bad-slots": [True, False]}) == {
        "skip-bad-slots=yes": ("--skip-bad-slots",),
        "skip-bad-slots=none": (),
    }


def test_a_value_that_looks_like_an_option_is_a_value() -> None:
    assert arguments(grid={"run-time": ["--json"]}) == {"run-time=--json": ("--run-time=--json",)}


def test_the_name_of_an_item_is_that_of_a_file_and_its_own() -> None:
    values = [
        "A=x/y",
        "A=x y",
        "A=x\\y",
        "A=" + "long" * 99,
        "A=" + "long" * 99 + "er",
        "A=\N{LATIN SMALL LETTER E}\u0301",
    ]
    names = list(arguments(grid={"set": values}))

    assert len(set(names)) == len(values)
    assert all(
        "/" not in name and " " not in name and name.isascii() and len(name) <= 120
        for name in names
    )


def test_names_stay_when_the_grid_grows() -> None:
    few = arguments(grid={"seed": [1, 2], "set": ["A b=1"]})
    many = arguments(grid={"seed": [0, 1, 2], "set": ["A b=0", "A b=1"]})

    assert few.items() <= many.items()


def test_items_say_in_what_they_differ() -> None:
    given = sweep_from(
        {"base": {"seed": 1}, "grid": {"set": ["A=1", []], "demand": ["a=2"]}}, OPTIONS, "f.toml"
    )

    assert given.varying == ("set",)


def test_the_most_items_are_taken_and_one_more_is_not() -> None:
    grid = {
        "seed": list(range(MAX_ITEMS // 100)),
        "demand": [f"a={number}" for number in range(100)],
    }
    assert len(arguments(grid=grid)) == MAX_ITEMS == 10_000

    with pytest.raises(
        InputError, match=r"f.toml has 10,001 items \(100 x 100, and 1 of their own\)"
    ) as refused:
        arguments(grid=grid, item=[{"name": "one"}])
    assert "the maximum is 10,000" in refused.value.hint


def test_a_grid_beyond_all_measure_is_refused_at_once() -> None:
    letters = ("set", "demand", "seed", "run-time")
    grid = {name: list(range(10_000)) for name in letters}

    with pytest.raises(InputError, match=r"10,000,000,000,000,000 items"):
        arguments(grid=grid)


ITEM = {"name": "x"}


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        ({}, "f.toml has no items", "[grid]"),
        ({"base": {"seed": 1}}, "f.toml has no items", "[grid]"),
        ({"grdi": {}}, "f.toml: grdi is unknown", "did you mean grid?"),
        ({"grid": {"sed": [1]}}, "f.toml: grid.sed is unknown", "did you mean seed?"),
        ({"base": {"run_time": 1}}, "f.toml: base.run_time is unknown", "did you mean run-time?"),
        ({"item": [{**ITEM, "sede": 1}]}, "f.toml: item 1.sede is unknown", "did you mean seed?"),
        ({"grid": []}, "f.toml: grid is []", "it must be a table"),
        ({"grid": {"seed": 1}}, "f.toml: grid.seed is 1", "it must be a list"),
        ({"grid": {"seed": []}}, "f.toml: grid.seed is []", "it must be a list"),
        ({"grid": {"seed": [[1, 2]]}}, "f.toml: grid.seed is [1, 2]", "given once"),
        ({"grid": {"seed": [True]}}, "f.toml: grid.seed is True", "a text or a number"),
        ({"grid": {"seed": [{}]}}, "f.toml: grid.seed is {}", "a text or a number"),
        ({"grid": {"seed": [2**64]}}, "f.toml: grid.seed is 18446744073709551616", "64 bits"),
        ({"grid": {"seed": [16**5000]}}, "f.toml: grid.seed is a very long number", "64 bits"),
        ({"grid": {"seed": [1, 1]}}, "f.toml: two items are called seed=1", ""),
        ({"grid": {"set": ["A=1\nB=2"]}}, "f.toml: grid.set is 'A=1\\nB=2'", "one line"),
        (
            {"base": {"skip-bad-slots": "yes"}, "item": [ITEM]},
            "base.skip-bad-slots is 'yes'",
            "true or false",
        ),
        ({"item": {}}, "f.toml: item is not a list", "[[item]]"),
        ({"item": [1]}, "f.toml: item 1 is 1", "a table"),
        ({"item": [{}]}, "f.toml: item 1.name is 'missing'", "letters"),
        ({"item": [{"name": "../x"}]}, "f.toml: item 1.name is '../x'", "letters"),
        ({"item": [{"name": ".x"}]}, "f.toml: item 1.name is '.x'", "letters"),
        ({"item": [{"name": "x" * 121}]}, "f.toml: item 1.name is 'xxx", "letters"),
        ({"item": [ITEM, ITEM]}, "f.toml: two items are called x", ""),
        (
            {"item": [ITEM], "submit": {"rank": 1}},
            "f.toml: submit is gone",
            "contrib/sweep has a submit file",
        ),
    ],
)
def test_what_cannot_be_a_sweep_says_why(content: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        sweep_from(content, OPTIONS, "f.toml")

    assert message in str(refused.value)
    assert hint in refused.value.hint
    assert len(str(refused.value)) < 200


def test_every_mix_of_tables_is_read() -> None:
    parts = {"base": {"seed": 1}, "grid": {"demand": ["a=2"]}, "item": [ITEM]}
    for count in (1, 2, 3):
        for chosen in itertools.combinations(parts, count):
            if {"grid", "item"} & set(chosen):
                names = list(arguments(**{name: parts[name] for name in chosen}))
                assert names == [
                    name for part, name in (("grid", "demand=a=2"), ("item", "x")) if part in chosen
                ]
