"""Consumption policies that break a pool: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken import before, break_it, errors, policy, running, submitted
from conftest import NEWEST, Site

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]


def test_a_weight_that_is_no_number_ends_the_negotiator(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, policy(SLOT_WEIGHT="floor(NoSuchThing/2)"))
    with before(pool):
        submitted(pool, {})
        assert "weight-not-a-number" in errors(pool, tmp_path)
    pool.wait(lambda: "Failed to evaluate SlotWeight" in pool.log("NegotiatorLog"), 30, "the end of the negotiator")
    assert running(pool) == 0
