"""Concurrency limits that are an empty string: the audit and the simulator say so, then the negotiator rejects."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken import before, break_it, cycles, policy, snapshot
from claims import claims, come_to, queued
from conftest import Site
from test_broken_preemption import told

from htcq.operations.pool_source import pool_of
from htcq.simulate.cycle.cycle import run_cycle
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
_RULE = "concurrency-limits-empty"
_IN_SLOT = 'ifThenElse(TARGET.Cpus > 100, "licence", "")'


@pytest.mark.parametrize("limits", ['""', _IN_SLOT])
def test_empty_limits_keep_a_job_from_every_slot(site: Site, tmp_path: Path, limits: str) -> None:
    pool = break_it(site, policy())
    with before(pool):
        queued(pool, {"ann": 1}, **{"+ConcurrencyLimits": limits})
        assert _RULE in told(pool, tmp_path)
        where = snapshot(pool, tmp_path)
        (job,) = pool.ads("jobs", ["ClusterId"])
    simulated = run_cycle(pool_of(open_snapshot(where), str(where)))
    assert [each.reason for each in simulated.rejections] == ["no match found"]
    pool.wait(
        lambda: f"Rejected {job['ClusterId']}.0 ann@test" in pool.log("NegotiatorLog"),
        60,
        "a rejection",
        ("NegotiatorLog",),
    )
    cycles(pool, 2)
    assert "no match found" in pool.log("NegotiatorLog")
    assert claims(pool) == {}


def test_undefined_limits_do_not(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, policy())
    limits = 'ifThenElse(TARGET.Cpus > 100, "licence", undefined)'
    with before(pool):
        queued(pool, {"ann": 1}, **{"+ConcurrencyLimits": limits})
        assert _RULE not in told(pool, tmp_path)
    come_to(pool, {"ann": 1})


def test_limits_that_depend_on_the_slot_may_end_the_negotiator(site: Site, tmp_path: Path) -> None:
    """It kept a list without the slot whose limit was reached, and is to name that limit when the list is empty."""
    slots = {"SLOT_TYPE_1": "cpus=1", "NUM_SLOTS_TYPE_1": "2", "SLOT_TYPE_1_PARTITIONABLE": "False"}
    knobs = {**slots, "NUM_CPUS": "2", "LICENCE_LIMIT": "1", "TAPE_LIMIT": "0"}
    pool = break_it(site, {**knobs, "SCHEDD_SLOT_WEIGHT": "RequestCpus"})
    limits = 'ifThenElse(TARGET.SlotID == 1, "licence", "tape")'
    with before(pool):
        queued(pool, {"ann": 3}, **{"+ConcurrencyLimits": limits})
        where = snapshot(pool, tmp_path)
    crash = run_cycle(pool_of(open_snapshot(where), str(where))).crash

    assert crash is not None
    assert "concurrency limits" in crash.message
    pool.wait(
        lambda: "Stack dump for process" in pool.log("NegotiatorLog"),
        60,
        "the end of the negotiator",
        ("NegotiatorLog",),
    )
