"""Large jobs behind small ones for days: no accident, and nothing that ends by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.pool.pool import Pool
from tests.audit.sites import dynamic_slot, job, negotiator, pool, schedd, slot, submitter
from tests.balance.pools import balanced

NOW = 1_800_000_000


def fragmented(came: int, claims_since: int) -> Pool:
    """Return a pool of one machine in pieces, and a job for all eight cores that came then."""
    small = [
        dynamic_slot(f"slot1_{number}@node1", "bob@site", EnteredCurrentState=claims_since)
        for number in range(1, 7)
    ] + [
        dynamic_slot(f"slot1_{number}@node2", "bob@site", EnteredCurrentState=claims_since)
        for number in range(1, 7)
    ]
    machines = [
        slot(f"slot1@node{number}", Cpus=2, Memory=10240, NumDynamicSlots=6) for number in (1, 2)
    ]
    large = job("1.0", RequestCpus=8, QDate=came, EnteredCurrentStatus=came)
    ads = (*machines, *small, schedd(), negotiator(), submitter(IdleJobs=1))
    return replace(pool(*ads, jobs=[large]), taken_at="2027-01-15T08:00:00+00:00")


@pytest.mark.parametrize(
    ("came", "claims_since", "told"),
    [
        (NOW - 200_000, NOW - 3600, True),
        # It came an hour ago; the claims are older than the job.
        (NOW - 3600, NOW - 600, False),
        (NOW - 200_000, NOW - 300_000, False),
    ],
)
def test_a_large_job_that_small_ones_have_overtaken_for_a_day(
    came: int, claims_since: int, told: bool
) -> None:
    found = balanced(fragmented(came, claims_since))

    assert [each.id for each in found.unmet] == (["machines-fragmented"] if told else [])
    assert found.is_sound is not told
