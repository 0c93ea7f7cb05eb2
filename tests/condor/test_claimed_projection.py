"""A negotiator that never preempts knows little of claimed slots, and quotas shrink with each claim."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken import break_it, cycles, policy, snapshot
from claims import accounted, charged, come_to, queued
from conftest import Site

from htcq.operations.pool_source import pool_of
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor

#: Three claims of a pool of 8 cpus, of which the group has a half.
CLAIMS, RUNNING = {"hep.ann": 3}, 3.0


@pytest.mark.parametrize(
    ("considers", "constraint", "quota"),
    [
        ("False", 'Rack == "a"', 2.5),
        ("False", 'Rack == "a" || Cpus == 1', 4.0),
        ("True", 'Rack == "a"', 4.0),
    ],
    ids=("not returned", "returned, since Requirements names it", "preemption"),
)
def test_the_pool_size_constraint_sees_only_what_the_collector_returns(
    site: Site, considers: str, constraint: str, quota: float, tmp_path: Path
) -> None:
    knobs = policy(
        NEGOTIATOR_CONSIDER_PREEMPTION=considers,
        NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT=constraint,
        GROUP_NAMES="hep",
        GROUP_QUOTA_DYNAMIC_hep="0.5",
        Rack='"a"',
        STARTD_ATTRS="$(STARTD_ATTRS) Rack",
    )
    pool = break_it(site, knobs)
    queued(pool, CLAIMS)
    come_to(pool, CLAIMS)
    charged(pool, "hep", RUNNING)
    cycles(pool, 1)

    assert accounted(pool, "EffectiveQuota")["hep"] == quota
    captured = snapshot(pool, tmp_path)
    quotas = PoolQuotas(pool_of(open_snapshot(captured), str(captured)), Weights())
    assert quotas.quota("hep").quota == quota
