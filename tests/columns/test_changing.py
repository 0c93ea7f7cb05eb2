"""The same expressions about tables of other kinds, and about tables that change."""

from __future__ import annotations

import pytest

from htcq.classads import Expr
from htcq.columns.engine import Engine
from tests.columns.ads import Ads, by_library
from tests.columns.changing import Changing, Story

#: Evaluations of one story, of which the drawn number is made.
_OF_A_STORY = 24
_PARTS = 8
_JOB = Ads({}, {"Wanted": (2,)})


@pytest.mark.parametrize("part", range(_PARTS))
def test_every_evaluation_of_a_story_is_the_librarys(
    part: int, pytestconfig: pytest.Config
) -> None:
    for number in range(pytestconfig.option.engine_cases // _OF_A_STORY // _PARTS):
        seed = f"{pytestconfig.option.engine_seed}-{part}-{number}"
        assert list(Story(seed).differences()) == [], seed


@pytest.mark.parametrize(
    "text", ["Cpus > 1", "Big", "TARGET.Wanted < Cpus && Big", "Cpus + 1", "isUndefined(Cpus)"]
)
@pytest.mark.parametrize("value", [7, 2.5, "a", None, True])
def test_what_is_kept_with_a_table_goes_when_it_changes(value: object, text: str) -> None:
    """An engine keeps what an expression finds in one table alone, and which states it has."""
    engine = Engine()
    slots = Changing(engine, Ads({"Big": "Cpus > 3"}, {"Cpus": (1, 2, 1)}))
    job = Changing(engine, _JOB)
    for cell in (value, 5, 1):
        slots.fill([0, 2], {"Cpus": cell})  # type: ignore[dict-item]
        found = engine.evaluate(Expr(text), slots.table, job.table).listed()
        assert found == by_library(text, slots.ads, job.ads)


def test_values_stay_when_the_table_changes() -> None:
    engine = Engine()
    slots = Changing(engine, Ads({}, {"Cpus": (1, 2), "Load": (0.5, 1.5), "Fine": (True, True)}))
    numbers = [engine.evaluate(Expr(name), slots.table).numbers(0) for name in ("Cpus", "Load")]
    amounts = engine.evaluate(Expr("Cpus"), slots.table).amounts()
    fine = engine.evaluate(Expr("Fine"), slots.table).hold()

    slots.fill([0], {"Cpus": 8, "Load": 9.5, "Fine": False})

    assert [each.tolist() for each in numbers] == [[1, 2], [0.5, 1.5]]
    assert amounts.whole.tolist() == [1, 2]
    assert fine.tolist() == [True, True]


@pytest.mark.parametrize("text", ["A > B", "A", "B", "1", "strcat(A, B)", "TARGET.B ?: A"])
def test_tables_without_rows_have_no_values(text: str) -> None:
    engine = Engine()
    none, one = Ads({}, {"A": ()}), Ads({}, {"B": (1,)})
    for my, target in ((none, one), (one, none), (none, None), (none, none)):
        other = None if target is None else target.table(engine)
        found = engine.evaluate(Expr(text), my.table(engine), other)
        assert (len(found), found.listed()) == (0, [])
        assert (len(found.hold()), len(found.numbers(0))) == (0, 0)


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("max({1, ceiling(TARGET.Wanted ?: 0)})", True),
        ("quantize(TARGET.Wanted, {4})", True),
        ("Weight", True),
        ("strcat(TARGET.Wanted, 1)", True),
        ("max({Cpus, TARGET.Wanted})", False),
        ("Cpus", False),
    ],
)
def test_what_looks_at_the_job_alone_has_one_element(text: str, constant: bool) -> None:
    engine = Engine()
    slots = Ads({"Weight": "2.0 * 3"}, {"Cpus": (1, 2, 4)})

    found = engine.evaluate(Expr(text), slots.table(engine), _JOB.table(engine))

    assert found.is_constant == constant
    assert found.listed() == by_library(text, slots, _JOB)
    assert engine.fell_back == 0
