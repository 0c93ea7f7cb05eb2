"""Group quotas that do not hold: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from broken import before, break_it, cycles, errors, policy
from claims import claims, comes_to, submitted_as, usage
from conftest import NEWEST, PACE, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]


def groups(names: str, **knobs: str) -> dict[str, str]:
    """Return the knobs of some groups besides a sound consumption policy."""
    return {"GROUP_NAMES": names, **policy(), **knobs}


def test_a_quota_below_one_starves_its_group(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, groups("half, whole", GROUP_QUOTA_half="0.9", GROUP_QUOTA_whole="1"))
    with before(pool):
        submitted_as(pool, "half.ann", 2)
        submitted_as(pool, "whole.ben", 2)
        assert "cannot-afford-cheapest-slot" in errors(pool, tmp_path)
    comes_to(pool, {"whole.ben": 1})
    cycles(pool)
    assert claims(pool) == {"whole.ben": 1}


def test_a_ceiling_below_every_slot_starves_its_submitter(site: Site, tmp_path: Path) -> None:
    halves = {"SLOT_TYPE_1": "50%", "NUM_SLOTS_TYPE_1": "2", "SLOT_TYPE_1_PARTITIONABLE": "False"}
    pool = break_it(site, halves)
    pool.tool("condor_userprio", "-setceil", "low@test", "3")
    submitted_as(pool, "low")
    pool.wait(lambda: ceilings(pool).get("low@test") == 3, 30, "the ceiling in an ad")
    assert "cannot-afford-cheapest-slot" in errors(pool, tmp_path)
    submitted_as(pool, "free")
    comes_to(pool, {"free": 1})
    cycles(pool)
    assert claims(pool) == {"free": 1}


def ceilings(pool: Pool) -> dict[str, int]:
    return {ad["Name"]: ad.get("Ceiling", -1) for ad in pool.ads("accounting", ["Name", "Ceiling"])}


def test_the_first_of_two_siblings_takes_what_their_parent_has(site: Site, tmp_path: Path) -> None:
    family = groups(
        "phys, phys.hep, phys.lep",
        GROUP_QUOTA_phys="4",
        GROUP_QUOTA_DYNAMIC_phys_x="",
    )
    family["GROUP_QUOTA_DYNAMIC_phys.hep"] = "0.75"
    family["GROUP_QUOTA_DYNAMIC_phys.lep"] = "0.25"
    family["GROUP_ACCEPT_SURPLUS_phys.hep"] = family["GROUP_ACCEPT_SURPLUS_phys.lep"] = "True"
    pool = break_it(site, family)
    with before(pool):
        submitted_as(pool, "phys.hep.ann", 4)
        submitted_as(pool, "phys.lep.ben", 4)
        found = errors(pool, tmp_path)
        print(found)
        assert "siblings-under-refusing-parent" in found
    comes_to(pool, {"phys.hep.ann": 4})
    cycles(pool)
    assert claims(pool) == {"phys.hep.ann": 4}
    print(usage(pool))
