"""Weights and demand that lead a pool astray: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from broken import before, break_it, cycles, errors, policy
from claims import COUNTS_OFTEN, charged, claims, come_to, demand, queued
from conftest import NEWEST, PACE, Site

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]


def written(knobs: Mapping[str, str]) -> str:
    """Return the text of a configuration."""
    return "".join(f"{name} = {text}\n" for name, text in {**COUNTS_OFTEN, **knobs}.items())


def test_jobs_that_weigh_less_than_one_starve(site: Site, tmp_path: Path) -> None:
    knobs = policy(SLOT_WEIGHT="min({Cpus, floor(Memory/2048), floor(Disk/100000)})", SCHEDD_SLOT_WEIGHT="")
    quotas = {"GROUP_NAMES": "small, large", "GROUP_QUOTA_small": "4", "GROUP_QUOTA_large": "4"}
    pool = break_it(site, written({**knobs, **quotas}))
    logged = len(pool.log("NegotiatorLog"))
    with before(pool):
        queued(pool, {"small.ann": 14}, weight=0, request_memory=100)
        queued(pool, {"large.ben": 1}, request_memory=2048, request_disk=100000)
        assert "demand-truncated-to-zero" in errors(pool, tmp_path)
    come_to(pool, {"large.ben": 1})
    cycles(pool)
    assert claims(pool) == {"large.ben": 1}
    assert demand(pool, {"small.ann": 14}) == {"small.ann": (14, 0)}
    print([l for l in pool.log("NegotiatorLog")[logged:].splitlines() if "zero" in l][:5])


@pytest.mark.parametrize("groups", [{}, {"GROUP_NAMES": "hep", "GROUP_QUOTA_hep": "4"}], ids=("no groups", "groups"))
@pytest.mark.parametrize("knob", ["NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "NEGOTIATOR_SLOT_CONSTRAINT"])
def test_a_constraint_that_no_slot_fulfils_stops_the_pool(
    site: Site, tmp_path: Path, knob: str, groups: Mapping[str, str]
) -> None:
    sound = {**policy(), **groups}
    pool = break_it(site, written({**sound, knob: "NoSuchAttribute"}))
    with before(pool):
        queued(pool, {"hep.ann": 1, "ben": 1})
        assert "pool-constraint-matches-nothing" in errors(pool, tmp_path)
    cycles(pool)
    assert claims(pool) == {}
    pool.configure(PACE + written(sound))
    pool.reconfig()
    come_to(pool, {"hep.ann": 1, "ben": 1})


def test_a_constraint_that_hides_claims_ends_all_quotas(site: Site, tmp_path: Path) -> None:
    knobs = {"GROUP_NAMES": "hep", "GROUP_QUOTA_hep": "2", "NEGOTIATOR_SLOT_CONSTRAINT": 'State == "Unclaimed"'}
    pool = break_it(site, written({**policy(), **knobs}))
    queued(pool, {"hep.ann": 1})
    come_to(pool, {"hep.ann": 1})
    with before(pool):
        queued(pool, {"hep.ann": 5})
        assert "slot-constraint-hides-claims" in errors(pool, tmp_path)
    come_to(pool, {"hep.ann": 6})
    charged(pool, "hep", 0.0)


def test_a_slot_constraint_that_does_not_parse_ends_the_negotiator(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, written(policy()))
    logged = len(pool.log("NegotiatorLog"))
    with before(pool):
        queued(pool, {"ann": 1})
        pool.configure(PACE + written(policy(NEGOTIATOR_SLOT_CONSTRAINT="Cpus > (")))
        pool.reconfig()
        assert "pool-constraint-unparsable" in errors(pool, tmp_path)
    try:
        pool.wait(lambda: pool.log("NegotiatorLog")[logged:].count('ERROR "') >= 2, 30, "two ends", ("NegotiatorLog",))
        print([each for each in pool.log("NegotiatorLog")[logged:].splitlines() if 'ERROR "' in each])
        assert claims(pool) == {}
    finally:
        pool.configure(PACE + written(policy()))
    come_to(pool, {"ann": 1})
