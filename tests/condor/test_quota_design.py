"""HTCondor's design of group quotas and what real daemons make of it, where the two differ or surprise."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from broken import SMALL_JOB, before, break_it, cycles, policy
from claims import COUNTS_OFTEN, accounted, claims, come_to, log_from_now, queued
from conftest import Site
from testpool import Pool

pytestmark = pytest.mark.condor

#: Jobs that no machine runs ask for their share all the same.
NOWHERE = {"requirements": "False"}
#: Slots of 1 cpu and without weights: the whole pool is so many slots.
UNWEIGHTED = {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False", **COUNTS_OFTEN}


def slots(number: int) -> dict[str, str]:
    """Return the knobs of a machine with so many static slots of 1 cpu."""
    return {
        "NUM_CPUS": str(number),
        "SLOT_TYPE_1": "cpus=1",
        "NUM_SLOTS_TYPE_1": str(number),
        "SLOT_TYPE_1_PARTITIONABLE": "False",
    }


def halves(*names: str, **knobs: str) -> dict[str, str]:
    """Return the knobs of groups that have half of their parent each and accept surplus."""
    quotas = {f"GROUP_QUOTA_DYNAMIC_{name}": "0.5" for name in names}
    return {"GROUP_NAMES": ", ".join(names), **quotas, "GROUP_ACCEPT_SURPLUS": "True", **knobs}


def first_round(log: str) -> dict[str, float]:
    """Return what the first round in a negotiator's log allocates to each group."""
    one = log[log.index("allocation round 1\n") : log.index("group quotas: groups=")]
    return {name: float(got) for name, got in re.findall(r"group= (\S+) .* allocated= (\S+) ", one)}


def test_groups_are_allocated_more_than_the_pool_has(site: Site) -> None:
    knobs = {
        "NUM_CPUS": "100",
        "GROUP_NAMES": "a, b, b.x, b.y, c",
        "GROUP_QUOTA_a": "10",
        "GROUP_QUOTA_b": "30",
        "GROUP_QUOTA_b.x": "10",
        "GROUP_QUOTA_DYNAMIC_b.y": "0.25",
        "GROUP_QUOTA_DYNAMIC_c": "0.1",
        "GROUP_ACCEPT_SURPLUS": "True",
    }
    pool = break_it(site, {**COUNTS_OFTEN, **knobs})
    with before(pool):
        queued(pool, {"a.ann": 50, "b.x.ben": 5, "b.y.cyd": 50, "c.dan": 7}, **NOWHERE)
        log = log_from_now(pool)
    pool.wait(lambda: "Round 1 totals" in log(), 30, "a round", ("NegotiatorLog",))
    print(log())
    assert first_round(log()) == {"<none>": 0, "a": 50, "b": 0, "b.x": 5, "b.y": 50, "c": 7}
    assert "allocated= 112  surplus= 3 " in log()
