"""Healthy = min({STARTD_HEALTH_EXPRS, 1}) is a clause of Requirements (ResMgr.cpp, Reqexp.cpp, 25.14)."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import Text, dynamic_slot, found, pool, slot

RULE = "unhealthy-nodes"


def checked(name: str, checks: str, **changes: Text) -> str:
    """Return a slot of a machine with these health checks."""
    health: dict[str, Text] = {
        "HealthExprs": f"{{{checks}}}",
        "HealthFactor": f"sum(HealthExprs) / {checks.count(',') + 1}.0",
        "Healthy": f"min({{{checks},1}})",
        "Requirements": "Healthy && Start && WithinResourceLimits",
    }
    return slot(name, **{**health, **changes})


def healthy(many: int) -> list[str]:
    return [checked(f"slot1@node{number}", "true,true") for number in range(many)]


def test_a_machine_that_fails_a_check_is_found() -> None:
    (finding,) = found(RULE, pool(*healthy(20), checked("slot1@sick", "true,false")))
    assert "1 machine is unhealthy: no job starts there" in finding.message
    assert finding.subject == "slot slot1@sick"
    assert finding.severity is Severity.WARNING
    assert "{true,false}" in finding.evidence[0].value


def test_a_tenth_of_the_machines_is_an_outage() -> None:
    sick = [checked(f"slot1@sick{number}", "false") for number in range(2)]
    (finding,) = found(RULE, pool(*healthy(18), *sick))
    assert finding.severity is Severity.ERROR
    assert finding.count == 2


def test_an_attribute_that_the_check_names_counts() -> None:
    checks = "ScratchIsThere,NodeIsMounted"
    (finding,) = found(
        RULE, pool(checked("slot1@a", checks, ScratchIsThere="true", NodeIsMounted="false"))
    )
    assert "unhealthy" in finding.message
    assert not found(
        RULE, pool(checked("slot1@a", checks, ScratchIsThere="true", NodeIsMounted="true"))
    )


def test_health_in_part_is_worth_knowing() -> None:
    """Weights of checks below 1 make a machine that still takes jobs."""
    (finding,) = found(RULE, pool(*healthy(9), checked("slot1@half", "1,0.5")))
    assert finding.severity is Severity.INFO
    assert "1 machine is only partly healthy (HealthFactor down to 0.75)" in finding.message


def test_a_check_that_nobody_defines_shuts_no_machine() -> None:
    """min() passes over what is undefined, and sum() counts it as 0."""
    (finding,) = found(RULE, pool(checked("slot1@a", "NoSuchProbe")))
    assert finding.severity is Severity.INFO
    assert "jobs still start there" in finding.message


@pytest.mark.parametrize("name", ["slot1@a", "slot1_1@a"])
def test_machines_without_checks_are_not(name: str) -> None:
    assert not found(
        RULE, pool(slot("slot1@a"), dynamic_slot(name) if "_" in name else slot("slot1@b"))
    )
