"""Time limits of the negotiator of 0, short ones, and the defaults."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, lines, pool

RULE = "negotiation-time-limit"
DEFAULTS = {"CYCLE": 1200, "SUBMITTER": 60, "SCHEDD": 120, "PIESPIN": 120}


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_limit_of_0_is_an_error(name: str) -> None:
    knob = f"NEGOTIATOR_MAX_TIME_PER_{name}"
    (finding,) = found(RULE, pool(config=f"{knob} = 0\n"))
    assert (finding.severity, finding.message) == (
        Severity.ERROR, f"{knob} = 0: nothing is matched"
    )  # fmt: skip
    assert lines(finding) == [f"{knob} = {DEFAULTS[name]}"]


def test_a_short_one_is_a_warning_and_the_defaults_are_nothing() -> None:
    (finding,) = found(RULE, pool(config="NEGOTIATOR_MAX_TIME_PER_SCHEDD = 2\n"))
    assert finding.severity is Severity.WARNING
    sound = "".join(f"NEGOTIATOR_MAX_TIME_PER_{name} = {n}\n" for name, n in DEFAULTS.items())
    assert not found(RULE, pool(config=sound))
