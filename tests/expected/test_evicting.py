"""Machines whose PREEMPT is true: by ResState.cpp of 25.13 no job lasts there without time to retire."""

from __future__ import annotations

import pytest

from htcq.expected.unmet import LASTS
from tests.audit.sites import Text, found
from tests.balance.pools import balanced
from tests.expected.pools import cycles, free, observed, only, site, waiting


def test_preempt_that_is_true_is_no_sound_pool() -> None:
    """The next cycle starts the job, and the startd evicts it."""
    execute = {"node1": "PREEMPT = True\nKILL = True\n"}
    given = site(free(), cycles(), jobs=[waiting()], execute=execute)
    finding = only(LASTS, given)
    assert "PREEMPT is true on 1 machine (node1)" in finding.message
    assert (finding.severity.word, observed(finding)["PREEMPT"]) == ("error", "True")
    assert not balanced(given).is_sound


@pytest.mark.parametrize(
    ("knobs", "own"),
    [
        ("PREEMPT = KeyboardIdle < 60", {}),
        ("PREEMPT = False", {}),
        ("PREEMPT = True\nWANT_SUSPEND = True", {}),
        ("PREEMPT = True\nMAXJOBRETIREMENTTIME = 3600", {}),
        ("PREEMPT = True", {"MaxJobRetirementTime": 3600}),
        ("PREEMPT = True\nSLOT_TYPE_1_PREEMPT = False", {}),
        ("PREEMPT = True", {"Start": "false", "State": '"Owner"'}),
    ],
)
def test_what_lets_jobs_last_or_takes_none_is_no_finding(
    knobs: str, own: dict[str, Text | None]
) -> None:
    execute = {"node1": f"{knobs}\n"}
    assert not found(LASTS, site(free(**own), cycles(), jobs=[waiting()], execute=execute))
