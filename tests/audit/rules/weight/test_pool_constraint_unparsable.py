"""matchmaker.cpp ignores a pool-size constraint that does not parse, and exits at such a slot constraint."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, pool, slot

RULE = "pool-constraint-unparsable"
BROKEN = 'State == "Claimed'


@pytest.mark.parametrize(
    ("knob", "severity"),
    [
        ("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", Severity.WARNING),
        ("GROUP_DYNAMIC_MACH_CONSTRAINT", Severity.WARNING),
        ("NEGOTIATOR_SLOT_CONSTRAINT", Severity.ERROR),
    ],
)
def test_a_constraint_that_does_not_parse_is_found(knob: str, severity: Severity) -> None:
    (finding,) = found(RULE, pool(slot(), config=f"{knob} = {BROKEN}\n"))
    assert (finding.subject, finding.severity) == (f"knob {knob}", severity)


@pytest.mark.parametrize(
    "text", ["UID_DOMAIN = site\n", 'NEGOTIATOR_SLOT_CONSTRAINT = State == "Claimed"\n']
)
def test_one_that_parses_is_not(text: str) -> None:
    assert not found(RULE, pool(slot(), config=text))
