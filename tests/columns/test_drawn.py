"""Random expressions about random ads: every value is the ClassAd library's, to the last bit."""

from __future__ import annotations

import pytest

from htcq.columns.engine import Engine
from tests.columns.ads import differences
from tests.columns.drawn import case

#: Expressions that one seed draws; each is evaluated for some six pairs of ads.
_OF_A_SEED = 5
_PARTS = 8


@pytest.mark.parametrize("part", range(_PARTS))
def test_the_engine_says_what_the_library_says(part: int, pytestconfig: pytest.Config) -> None:
    engine = Engine()
    cases: int = pytestconfig.option.engine_cases
    for number in range(cases // _OF_A_SEED // _PARTS):
        seed = f"{pytestconfig.option.engine_seed}-{part}-{number}"
        drawn = case(seed, _OF_A_SEED)
        for text in drawn.expressions:
            found = differences(engine, text, drawn.my, drawn.target)
            assert found == [], (seed, text)
