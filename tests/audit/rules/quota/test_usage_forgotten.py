"""A half-life of a minute and a factor near 0."""

from __future__ import annotations

from tests.audit.sites import found, lines, pool

RULE = "usage-forgotten"


def test_a_half_life_of_a_minute_is_found() -> None:
    (finding,) = found(RULE, pool(config="PRIORITY_HALFLIFE = 60\n"))
    assert "usage counts half after 60 s" in finding.message
    assert lines(finding) == ["PRIORITY_HALFLIFE = 86400"]


def test_so_is_a_factor_near_0() -> None:
    (finding,) = found(RULE, pool(config="DEFAULT_PRIO_FACTOR = 0.001\n"))
    assert "DEFAULT_PRIO_FACTOR = 0.001" in finding.message


def test_an_hour_and_factors_of_1_are_not() -> None:
    assert not found(RULE, pool(config="PRIORITY_HALFLIFE = 3600\nDEFAULT_PRIO_FACTOR = 1\n"))
