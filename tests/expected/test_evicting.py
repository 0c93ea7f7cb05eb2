"""Machines whose PREEMPT is true: by ResState.cpp of 25.13 no job lasts there without time to retire."""

from __future__ import annotations

import pytest

from htcq.expected import machines
from htcq.expected.unmet import HELD_BY_FAULTS, LASTS
from tests.audit.sites import Text, found, job
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


def test_starts_that_fail_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several looks ask for them, and each is at all jobs of the pool."""
    looks = []
    real = machines._failing_starts
    monkeypatch.setattr(machines, "_failing_starts", lambda *all_: looks.append(1) or real(*all_))
    execute = {"node1": "PREEMPT = True\nKILL = True\n"}
    balanced(site(free(), cycles(), jobs=[waiting()], execute=execute))
    assert looks == [1]


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


def test_jobs_that_such_a_machine_puts_on_hold_are_of_the_same_fault() -> None:
    """WANT_HOLD beside PREEMPT: the machine is named once, with what there is to do about the jobs."""
    execute = {"node1": "PREEMPT = True\nWANT_HOLD = True\n"}
    own: dict[str, Text] = {
        "JobStatus": 5, "HoldReasonCode": 21, "HoldReasonSubCode": 0,
        "LastRemoteHost": '"slot1_1@node1"', "NumShadowStarts": 1, "NumJobStarts": 1,
    }  # fmt: skip
    jobs = [waiting(), *(job(f"7.{proc}", ScheddName='"access1"', **own) for proc in range(3))]
    given = site(free(), cycles(), jobs=jobs, execute=execute)
    assert HELD_BY_FAULTS not in {each.id for each in balanced(given).unmet}
    finding = only(LASTS, given)
    assert "3 jobs, such as 7.0, went on hold there" in finding.message
