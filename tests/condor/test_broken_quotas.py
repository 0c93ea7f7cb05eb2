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
    return {ad["Name"]: ad.get("Ceiling", -1) for ad in pool.ads("any", ["Name", "Ceiling"], constraint='MyType == "Accounting"')}


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


def test_children_take_twice_what_their_parent_has(site: Site, tmp_path: Path) -> None:
    knobs = {"GROUP_QUOTA_phys": "3", "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "False"}
    for child in ("phys.hep", "phys.lep"):
        knobs |= {f"GROUP_QUOTA_DYNAMIC_{child}": "0.5", f"GROUP_ACCEPT_SURPLUS_{child}": "True"}
    pool = break_it(site, groups("phys, phys.hep, phys.lep", **knobs))
    with before(pool):
        submitted_as(pool, "phys.hep.ann", 4)
        submitted_as(pool, "phys.lep.ben", 4)
        assert "strict-quota-off" in errors(pool, tmp_path)
    pool.wait(lambda: sum(claims(pool).values()) >= 6, 40, "six claims")
    cycles(pool)
    print(claims(pool), usage(pool))


def test_a_group_that_regroups_has_no_quota(site: Site, tmp_path: Path) -> None:
    pool = break_it(
        site, groups("re, un", GROUP_QUOTA_re="1", GROUP_QUOTA_un="1", GROUP_AUTOREGROUP_re="True")
    )
    with before(pool):
        submitted_as(pool, "re.ann", 4)
        submitted_as(pool, "un.ben", 4)
        assert "autoregroup" in errors(pool, tmp_path)
    comes_to(pool, {"re.ann": 4, "un.ben": 1})
    cycles(pool)
    assert claims(pool) == {"re.ann": 4, "un.ben": 1}
    print(usage(pool))
    print(pool.tool("condor_userprio", "-allusers", "-grouporder", "-quotas"))


def test_demand_in_jobs_starves_a_group_of_large_jobs(site: Site, tmp_path: Path) -> None:
    knobs = groups("hep", GROUP_QUOTA_hep="8", GROUP_ACCEPT_SURPLUS="True", NEGOTIATOR_USE_WEIGHTED_DEMAND="False")
    pool = break_it(site, knobs)
    submitted_as(pool, "hep.ann", weighted=4, request_cpus=4)
    comes_to(pool, {"hep.ann": 1})
    with before(pool):
        submitted_as(pool, "hep.ann", weighted=4, request_cpus=4)
        found = errors(pool, tmp_path)
        print(found)
        assert "unweighted-demand" in found
    cycles(pool)
    print(claims(pool))
    print([l for l in pool.log("NegotiatorLog").splitlines() if "hep" in l][-20:])
    pool.configure(PACE + "".join(f"{name} = {text}\n" for name, text in knobs.items() if "DEMAND" not in name))
    pool.reconfig()
    comes_to(pool, {"hep.ann": 2})


def test_a_plain_slot_is_larger_than_the_quota(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {"GROUP_NAMES": "hep", "GROUP_QUOTA_hep": "2"})
    with before(pool):
        submitted_as(pool, "hep.ann", 10)
        assert "slot-exceeds-quota" in errors(pool, tmp_path)
    comes_to(pool, {"hep.ann": 8})
    pool.wait(lambda: usage(pool).get("hep") == 8.0, 30, "a usage of 8")


def test_a_sort_expression_that_does_not_parse(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, groups("hep", GROUP_QUOTA_hep="4"))
    with before(pool):
        submitted_as(pool, "hep.ann", 1)
        pool.configure(PACE + "".join(f"{name} = {text}\n" for name, text in groups("hep", GROUP_QUOTA_hep="4", GROUP_SORT_EXPR="GroupQuota * (").items()))
        pool.reconfig()
        assert "sort-expression-broken" in errors(pool, tmp_path)
    pool.wait(lambda: pool.log("NegotiatorLog").count("ERROR") >= 2, 30, "two ends of the negotiator", ("NegotiatorLog",))
    print([l for l in pool.log("NegotiatorLog").splitlines() if "ERROR" in l])
    assert claims(pool) == {}
    pool.configure(PACE)
    comes_to(pool, {"hep.ann": 1})


def test_a_quota_below_zero(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, groups("hep", GROUP_QUOTA_hep="4"))
    with before(pool):
        submitted_as(pool, "hep.ann", 1)
        pool.configure(PACE + "".join(f"{name} = {text}\n" for name, text in groups("hep", GROUP_QUOTA_hep="-1").items()))
        pool.reconfig()
        assert "quota-out-of-range" in errors(pool, tmp_path)
    pool.wait(lambda: pool.log("NegotiatorLog").count("ERROR") >= 2, 30, "two ends of the negotiator", ("NegotiatorLog",))
    print([l for l in pool.log("NegotiatorLog").splitlines() if "ERROR" in l])
    assert claims(pool) == {}
    pool.configure(PACE)
    comes_to(pool, {"hep.ann": 1})
