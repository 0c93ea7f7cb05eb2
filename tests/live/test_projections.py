"""A capture asks for all that a pool is read for."""

from __future__ import annotations

import pytest

from htcq.live import projections
from htcq.pool import job, slot


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        (projections.SLOT, (*slot.OWN, *slot.SHARED)),
        # The capture writes the name of the schedd itself.
        ((*projections.JOB, job.SCHEDD), (*job.OWN, *job.SHARED)),
    ],
    ids=["slot", "job"],
)
def test_what_a_pool_has_of_a_slot_and_a_job_is_asked_for(
    asked: tuple[str, ...], read: tuple[str, ...]
) -> None:
    """But for names of a pattern: a capture asks for those that expressions and assets name."""
    wanted = {name.lower() for name in read if "*" not in name}

    assert wanted - {name.lower() for name in asked} == set()
