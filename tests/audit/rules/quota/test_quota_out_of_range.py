"""param_double and param_boolean end the daemon on a value out of range, no number or no truth value."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool

RULE = "quota-out-of-range"


@pytest.mark.parametrize(
    ("knob", "value", "allowed"),
    [
        ("GROUP_QUOTA_a", "-1", "from 0 to 2147483647"),
        ("GROUP_QUOTA_a", "lots", "from 0 to 2147483647"),
        ("GROUP_QUOTA_DYNAMIC_a", "1.5", "from 0 to 1"),
        ("GROUP_ACCEPT_SURPLUS_a", "maybe", "true or false"),
        ("NEGOTIATOR_STRICT_ENFORCE_QUOTA", "perhaps", "true or false"),
        ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "0", "at least 1"),
        ("GROUP_QUOTA_ROUND_ROBIN_RATE", "0.5", "at least 1"),
    ],
)
def test_a_value_on_which_the_negotiator_exits_is_found(
    knob: str, value: str, allowed: str
) -> None:
    (finding,) = found(RULE, pool(config=f"GROUP_NAMES = a\n{knob} = {value}\n"))
    assert finding.subject == f"knob {knob}"
    assert finding.evidence[0].value == value
    assert allowed in finding.message


def test_the_ends_of_the_ranges_and_expressions_are_not() -> None:
    config = (
        "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 2147483647\nGROUP_QUOTA_DYNAMIC_b = 1/4.0\n"
        "GROUP_ACCEPT_SURPLUS_a = 1\n"
    )
    assert not found(RULE, pool(config=config))
