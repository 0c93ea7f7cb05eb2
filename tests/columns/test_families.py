"""Families that no generator draws: the engine says what the ClassAd library says."""

from __future__ import annotations

import pytest

from htcq.columns.engine import Engine
from tests.columns.ads import differences
from tests.columns.families import FAMILIES, Family


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_engine_says_what_the_library_says(family: Family) -> None:
    engine = Engine()
    found = {
        text: differences(engine, text, family.my, family.target) for text in family.expressions
    }

    assert {text: rows for text, rows in found.items() if rows} == {}
    assert family.may_fall_back is None or engine.fell_back <= family.may_fall_back
