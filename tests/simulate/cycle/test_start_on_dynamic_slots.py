"""START is asked again by the dynamic slot that was made for a job: it may refuse what its parent accepted."""

from __future__ import annotations

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import job, policy_slot, pool, slot, submitter


@pytest.mark.parametrize("make", [slot, policy_slot])
@pytest.mark.parametrize(
    ("start", "is_refused"),
    [
        ("Cpus > 1", True),
        ("MY.Cpus > 1", True),
        ("Cpus > 0", False),
        # A dynamic slot does not have it.
        ("NumDynamicSlots < 3", True),
        ("NumDynamicSlots < 3 || DynamicSlot", False),
        ("TARGET.RequestCpus <= Cpus", False),
    ],
)
def test_a_dynamic_slot_may_refuse_its_job(make: object, start: str, is_refused: bool) -> None:
    assert callable(make)
    ad = make(Cpus=4, Start=start, Requirements="Start && WithinResourceLimits",
              WithinResourceLimits="MY.Cpus >= TARGET.RequestCpus")  # fmt: skip
    trace = run_cycle(pool(ad, submitter(), jobs=[job(Requirements="true", RequestMemory=128)]))

    assert [bool(match.refusal) for match in trace.matches] == [is_refused]
