"""Weights and demand that lead a pool astray: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from broken import before, break_it, cycles, errors, policy
from claims import (
    accounted,
    charged,
    claims,
    come_to,
    demand,
    errors_before_the_end,
    log_from_now,
    queued,
    written,
)
from conftest import NEWEST, Site

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

GROUP = {"GROUP_NAMES": "hep", "GROUP_QUOTA_hep": "2"}


def test_jobs_that_weigh_less_than_one_starve(site: Site, tmp_path: Path) -> None:
    """The weight of many published policies, with nothing said to the schedd."""
    knobs = policy(
        SLOT_WEIGHT="min({Cpus, floor(Memory/2048), floor(Disk/100000)})", SCHEDD_SLOT_WEIGHT=""
    )
    quotas = {"GROUP_NAMES": "small, large", "GROUP_QUOTA_small": "4", "GROUP_QUOTA_large": "4"}
    pool = break_it(site, {**knobs, **quotas})
    log = log_from_now(pool)
    with before(pool):
        queued(pool, {"small.ann": 14}, weight=0, request_memory=100)
        queued(pool, {"large.ben": 1}, request_memory=2048, request_disk=100000)
        assert "demand-truncated-to-zero" in errors(pool, tmp_path)
    come_to(pool, {"large.ben": 1})
    cycles(pool)
    assert claims(pool) == {"large.ben": 1}
    assert demand(pool, ["small.ann"]) == {"small.ann": (14, 0)}
    assert "Group small - skipping, zero slots allocated" in log()


@pytest.mark.parametrize("grouped", [GROUP, {}], ids=("groups", "no groups"))
@pytest.mark.parametrize(
    "knob", ["NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "NEGOTIATOR_SLOT_CONSTRAINT"]
)
def test_a_constraint_that_no_slot_fulfils_stops_the_pool(
    site: Site, tmp_path: Path, knob: str, grouped: Mapping[str, str]
) -> None:
    sound = {**policy(), **grouped}
    pool = break_it(site, {**sound, knob: "NoSuchAttribute"})
    with before(pool):
        queued(pool, {"hep.ann": 1, "ben": 1})
        assert "pool-constraint-matches-nothing" in errors(pool, tmp_path)
    cycles(pool, 2)
    assert not claims(pool)
    if grouped:
        assert 0.0 == accounted(pool, "EffectiveQuota")["hep"]
    pool.configure(written(sound))
    pool.reconfig()
    come_to(pool, {"hep.ann": 1, "ben": 1})


def test_a_constraint_that_hides_claims_ends_all_quotas(site: Site, tmp_path: Path) -> None:
    hides = {"NEGOTIATOR_SLOT_CONSTRAINT": 'State == "Unclaimed"'}
    pool = break_it(site, {**policy(), **GROUP, **hides})
    queued(pool, {"hep.ann": 1})
    come_to(pool, {"hep.ann": 1})
    with before(pool):
        queued(pool, {"hep.ann": 5})
        assert "slot-constraint-hides-claims" in errors(pool, tmp_path)
    come_to(pool, {"hep.ann": 6})
    charged(pool, "hep", 0.0)


def test_a_slot_constraint_that_does_not_parse_ends_the_negotiator(
    site: Site, tmp_path: Path
) -> None:
    pool = break_it(site, policy())
    bad, line = (
        {"NEGOTIATOR_SLOT_CONSTRAINT": "Cpus > ("},
        "Error parsing NEGOTIATOR_SLOT_CONSTRAINT",
    )
    assert "pool-constraint-unparsable" in errors_before_the_end(pool, tmp_path, bad, line)
