"""Expressions of the configuration that look at the clock: they see the time of the capture, whenever it is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
from tests.audit.sites import job, pool, static_slot, submitter

TAKEN = 1750000000
CLAIMED = {
    "State": '"Claimed"',
    "Activity": '"Busy"',
    "AccountingGroup": '"ben@site"',
    "RemoteUser": '"ben@site"',
    "CurrentRank": 0.0,
    "Rank": 0.0,
}


@pytest.mark.parametrize("clock", ["time()", "CurrentTime", "$(NOW)"])
@pytest.mark.parametrize(("seconds", "matches"), [(1000, 0), (5000, 1)])
def test_preemption_after_an_hour(clock: str, seconds: int, matches: int) -> None:
    """The example of HTCondor's manual."""
    one = static_slot(
        "slot1@node1", Requirements="true", EnteredCurrentState=TAKEN - seconds, **CLAIMED
    )
    config = (
        f"NOW = CurrentTime\nPREEMPTION_REQUIREMENTS = ({clock} - EnteredCurrentState) > 3600\n"
    )
    given = pool(one, submitter(IdleJobs=1, WeightedIdleJobs=1), jobs=[job("1.0")], config=config)

    assert len(_cycle(given).matches) == matches


@pytest.mark.parametrize(
    "knob", ["NEGOTIATOR_SLOT_CONSTRAINT", "NEGOTIATOR_JOB_CONSTRAINT", "NEGOTIATOR_PRE_JOB_RANK"]
)
@pytest.mark.parametrize("later", [False, True])
def test_the_negotiators_expressions_see_the_time_of_the_capture(knob: str, later: bool) -> None:
    moment = TAKEN + 10 if later else TAKEN - 10
    text = f"time() < {moment}"
    if knob.endswith("RANK"):
        text = f"SlotID * (time() < {moment} ? 1 : -1)"
    slots = [
        static_slot(f"slot{number}@node1", Requirements="true", SlotID=number) for number in (1, 2)
    ]
    given = pool(
        *slots,
        submitter(IdleJobs=1, WeightedIdleJobs=1),
        jobs=[job("1.0")],
        config=f"{knob} = {text}\n",
    )
    found = [match.slot for match in _cycle(given).matches]

    if knob.endswith("RANK"):
        assert found == ["slot2@node1" if later else "slot1@node1"]
    else:
        assert len(found) == later


def _cycle(given: Pool) -> Trace:
    taken = datetime.fromtimestamp(TAKEN, timezone.utc).isoformat()
    return run_cycle(replace(given, taken_at=taken))
