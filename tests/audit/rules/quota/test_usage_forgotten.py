"""A half-life of a minute and a factor near 0."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("config", "knob"),
    [
        ("GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nGROUP_PRIO_FACTOR_a = 0.01\n", "GROUP_PRIO_FACTOR_a"),
        ("ACCOUNTANT_LOCAL_DOMAIN = site\nREMOTE_PRIO_FACTOR = 0\n", "REMOTE_PRIO_FACTOR"),
    ],
)
def test_factors_of_groups_and_of_other_domains_count_as_well(config: str, knob: str) -> None:
    (finding,) = found(RULE, pool(config=config))
    assert finding.message.startswith(f"{knob} = ")


@pytest.mark.parametrize(
    "config",
    [
        # 0 is no factor of a group, and without a domain of its own the accountant knows no other.
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nGROUP_PRIO_FACTOR_a = 0\n",
        "REMOTE_PRIO_FACTOR = 0\n",
    ],
)
def test_factors_that_nobody_reads_are_not(config: str) -> None:
    assert not found(RULE, pool(config=config))
