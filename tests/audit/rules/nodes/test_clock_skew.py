"""Clocks of machines beside that of the collector."""

from __future__ import annotations

from tests.audit.sites import found, pool, schedd, slot

RULE = "clock-skew"


def test_a_clock_that_is_ahead_and_one_that_is_behind_are_found() -> None:
    ahead, behind = found(
        RULE,
        pool(
            slot(MyCurrentTime=10_300, LastHeardFrom=10_000),
            schedd(MyCurrentTime=9_000, LastHeardFrom=10_000),
        ),
    )
    assert ahead.message == "the clocks of 1 machine are ahead of the collector's by up to 5 min"
    assert behind.message == "the clocks of 1 machine are behind the collector's by up to 16.7 min"


def test_seconds_on_the_way_are_not() -> None:
    assert not found(RULE, pool(slot(MyCurrentTime=10_000, LastHeardFrom=10_030)))
