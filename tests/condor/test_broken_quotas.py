"""Group quotas that do not hold: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest
from broken import before, break_it, cycles, errors, policy
from claims import COUNTS_OFTEN, charged, claims, come_to, queued
from conftest import NEWEST, PACE, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]


def groups(names: str, quotas: Mapping[str, str], **knobs: str) -> dict[str, str]:
    """Return the knobs of groups with these quotas (those below 1 are dynamic) besides a sound consumption policy."""
    kinds = {name: "GROUP_QUOTA" if float(quota) >= 1 else "GROUP_QUOTA_DYNAMIC" for name, quota in quotas.items()}
    promised = {f"{kinds[name]}_{name}": quota for name, quota in quotas.items()}
    return {**policy(), **COUNTS_OFTEN, "GROUP_NAMES": names, **promised, **knobs}


def written(knobs: Mapping[str, str]) -> str:
    """Return the text of a configuration."""
    return PACE + "".join(f"{name} = {text}\n" for name, text in knobs.items())


def test_a_quota_below_one_starves_its_group(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, groups("half, whole", {"whole": "1"}, GROUP_QUOTA_half="0.9"))
    with before(pool):
        queued(pool, {"half.ann": 2, "whole.ben": 2})
        assert "cannot-afford-cheapest-slot" in errors(pool, tmp_path)
    come_to(pool, {"whole.ben": 1})
    cycles(pool)
    assert claims(pool) == {"whole.ben": 1}


def test_a_ceiling_below_every_slot_starves_its_submitter(site: Site, tmp_path: Path) -> None:
    halves = {"SLOT_TYPE_1": "50%", "NUM_SLOTS_TYPE_1": "2", "SLOT_TYPE_1_PARTITIONABLE": "False"}
    pool = break_it(site, {**halves, **COUNTS_OFTEN})
    pool.tool("condor_userprio", "-setceil", "low@test", "3")
    # The negotiator publishes the ceilings of those alone that have jobs.
    queued(pool, {"low": 1})
    pool.wait(lambda: _ceiling(pool, "low@test") == 3, 30, "the ceiling in an ad", ("NegotiatorLog",))
    assert "cannot-afford-cheapest-slot" in errors(pool, tmp_path)
    queued(pool, {"free": 1})
    come_to(pool, {"free": 1})
    cycles(pool)
    assert claims(pool) == {"free": 1}


def _ceiling(pool: Pool, customer: str) -> int | None:
    ads = pool.ads("any", ["Name", "Ceiling"], constraint=f'MyType == "Accounting" && Name == "{customer}"')
    return ads[0].get("Ceiling") if ads else None


def test_a_group_whose_name_no_knob_may_have(site: Site, tmp_path: Path) -> None:
    """Without a quota it gets nothing; with one the negotiator exits and cannot start again."""
    knobs = groups("ok, nice-user", {"ok": "4"})
    pool = break_it(site, knobs)
    with before(pool):
        queued(pool, {"nice-user.ann": 1, "ok.ben": 1})
        assert "group-name-illegal" in errors(pool, tmp_path)
    come_to(pool, {"ok.ben": 1})
    cycles(pool)
    assert claims(pool) == {"ok.ben": 1}

    pid = pool.daemon_pids()["negotiator"]
    ended = pool.log("MasterLog").count("exited with status 1")
    try:
        pool.configure(written({**knobs, "GROUP_QUOTA_nice-user": "4"}))
        refused = pool.run(["condor_config_val", "GROUP_NAMES"], capture_output=True, text=True)
        assert refused.returncode and "Illegal Identifier: <GROUP_QUOTA_nice-user>" in refused.stderr
        os.kill(pid, signal.SIGHUP)
        pool.wait(lambda: pool.log("MasterLog").count("exited with status 1") >= ended + 2, 30, "two ends", ("MasterLog",))
    finally:
        pool.configure(written(knobs))
    negotiates_again(pool)


def negotiates_again(pool: Pool) -> None:
    """Wait for the negotiator that the master starts with a mended configuration."""
    began = pool.log("NegotiatorLog").count("Started Negotiation Cycle")
    pool.wait(lambda: pool.log("NegotiatorLog").count("Started Negotiation Cycle") > began, 30, "a cycle", ("MasterLog",))


@pytest.mark.parametrize(
    ("rule", "bad", "line"),
    [
        ("quota-out-of-range", {"GROUP_QUOTA_hep": "-1"}, "GROUP_QUOTA_hep in the condor configuration is too low (-1)"),
        ("quota-out-of-range", {"GROUP_QUOTA_hep": "many"}, "GROUP_QUOTA_hep in the condor configuration"),
        ("quota-out-of-range", {"GROUP_ACCEPT_SURPLUS_hep": "maybe"}, "GROUP_ACCEPT_SURPLUS_hep"),
        ("sort-expression-broken", {"GROUP_SORT_EXPR": "GroupQuota * ("}, "Failed to parse GROUP_SORT_EXPR"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_knob_on_which_the_negotiator_exits(
    site: Site, tmp_path: Path, rule: str, bad: Mapping[str, str], line: str
) -> None:
    sound = groups("hep", {"hep": "4"})
    pool = break_it(site, sound)
    logged = len(pool.log("NegotiatorLog"))
    with before(pool):
        queued(pool, {"hep.ann": 1})
        pool.configure(written({**sound, **bad}))
        pool.reconfig()
        assert rule in errors(pool, tmp_path)
    try:
        told = f'ERROR "'
        pool.wait(lambda: pool.log("NegotiatorLog")[logged:].count(told) >= 2, 30, "two ends", ("NegotiatorLog",))
        print([each for each in pool.log("NegotiatorLog")[logged:].splitlines() if told in each])
        assert claims(pool) == {}
    finally:
        pool.configure(written(sound))
    come_to(pool, {"hep.ann": 1})


def test_the_first_of_two_siblings_takes_what_their_parent_has(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, family())
    with before(pool):
        queued(pool, {"phys.hep.ann": 4, "phys.lep.ben": 4})
        assert "siblings-under-refusing-parent" in errors(pool, tmp_path)
    come_to(pool, {"phys.hep.ann": 4})
    cycles(pool)
    assert claims(pool) == {"phys.hep.ann": 4}


def test_without_oversubscription_the_siblings_get_their_quotas(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, family(NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION="False"))
    with before(pool):
        queued(pool, {"phys.hep.ann": 4, "phys.lep.ben": 4})
        assert "siblings-under-refusing-parent" not in errors(pool, tmp_path)
    come_to(pool, {"phys.hep.ann": 3, "phys.lep.ben": 1})
    cycles(pool)
    assert claims(pool) == {"phys.hep.ann": 3, "phys.lep.ben": 1}


def test_children_take_twice_what_their_parent_has(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, family(NEGOTIATOR_STRICT_ENFORCE_QUOTA="False"))
    with before(pool):
        queued(pool, {"phys.hep.ann": 9, "phys.lep.ben": 9})
        assert "strict-quota-off" in errors(pool, tmp_path)
    pool.wait(lambda: sum(claims(pool).values()) == 8, 40, "eight claims", ("NegotiatorLog",))
    print(claims(pool))


def family(**knobs: str) -> dict[str, str]:
    """Return the knobs of a parent with 4 that accepts no surplus, and of two children that do."""
    quotas = {"phys": "4", "phys.hep": "0.75", "phys.lep": "0.25"}
    accept = {f"GROUP_ACCEPT_SURPLUS_{child}": "True" for child in ("phys.hep", "phys.lep")}
    return groups("phys, phys.hep, phys.lep", quotas, **accept, NUM_CPUS="12", NUM_CLAIMS="12", **knobs)


def test_a_group_that_regroups_has_no_quota(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, groups("re, un", {"re": "1", "un": "1"}, GROUP_AUTOREGROUP_re="True"))
    with before(pool):
        queued(pool, {"re.ann": 4, "un.ben": 4})
        assert "autoregroup" in errors(pool, tmp_path)
    come_to(pool, {"re.ann": 4, "un.ben": 1})
    cycles(pool)
    assert claims(pool) == {"re.ann": 4, "un.ben": 1}
    quotas = pool.tool("condor_userprio", "-allusers", "-af", "Name", "EffectiveQuota").split()
    assert "8.0" == dict(zip(quotas[::2], quotas[1::2]))["<none>"]


def test_demand_in_jobs_starves_a_group_of_large_jobs(site: Site, tmp_path: Path) -> None:
    """It uses 4 of 8 and seems to want 2: its limit is no number, until demand is weighed again."""
    quotas = {"hep": "8"}
    pool = break_it(
        site, groups("hep", quotas, GROUP_ACCEPT_SURPLUS="True", NEGOTIATOR_USE_WEIGHTED_DEMAND="False")
    )
    queued(pool, {"hep.ann": 1}, weight=4, request_cpus=4)
    come_to(pool, {"hep.ann": 1})
    with before(pool):
        queued(pool, {"hep.ann": 1}, weight=4, request_cpus=4)
        assert "unweighted-demand" in errors(pool, tmp_path)
    cycles(pool)
    assert claims(pool) == {"hep.ann": 1}
    assert "Group hep - BEGIN NEGOTIATION with a quota limit of -nan" in pool.log("NegotiatorLog")
    pool.configure(written(groups("hep", quotas, GROUP_ACCEPT_SURPLUS="True")))
    pool.reconfig()
    come_to(pool, {"hep.ann": 2})


def test_a_plain_slot_is_larger_than_the_quota(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {"GROUP_NAMES": "hep", "GROUP_QUOTA_hep": "2", **COUNTS_OFTEN})
    with before(pool):
        queued(pool, {"hep.ann": 10})
        assert "slot-exceeds-quota" in errors(pool, tmp_path)
    come_to(pool, {"hep.ann": 8})
    charged(pool, "hep", 8.0)


#: A pool of 16 units of 2 GiB, for jobs of 4 units each.
MEMORY_WEIGHTS = {"SLOT_WEIGHT": "Memory/2048.0", "MEMORY": "32768", "NUM_CPUS": "20"}


@pytest.mark.parametrize(
    ("schedd_weight", "seems", "gets"),
    [("RequestCpus", 1, {"hep.ann": 1, "lep.ben": 3}), ("RequestMemory/2048.0", 4, {"hep.ann": 2, "lep.ben": 2})],
    ids=("cpus", "memory"),
)
def test_demand_in_cpus_gets_less_of_a_surplus_in_memory(
    site: Site, tmp_path: Path, schedd_weight: str, seems: int, gets: Mapping[str, int]
) -> None:
    knobs = groups("hep, lep", {"hep": "1", "lep": "1"}, GROUP_ACCEPT_SURPLUS="True", SCHEDD_SLOT_WEIGHT=schedd_weight)
    pool = break_it(site, {**knobs, **MEMORY_WEIGHTS})
    with before(pool):
        queued(pool, {"hep.ann": 4}, weight=seems, request_memory=8192)
        queued(pool, {"lep.ben": 4}, weight=4, request_memory=8192, request_cpus=4)
        assert (seems == 1) == ("demand-in-other-units" in errors(pool, tmp_path))
    come_to(pool, gets)
    cycles(pool)
    assert claims(pool) == gets


def test_a_schedd_without_weights_starves_a_group(site: Site, tmp_path: Path) -> None:
    """It uses 4 of 16 and seems to use 1 and to want 2."""
    knobs = {**groups("hep", {"hep": "16"}, GROUP_ACCEPT_SURPLUS="True"), **MEMORY_WEIGHTS}
    knobs["SCHEDD_SLOT_WEIGHT"] = "RequestMemory/2048.0"
    pool = break_it(site, {**knobs, "SCHEDD_USE_SLOT_WEIGHT": "False"})
    queued(pool, {"hep.ann": 1}, request_memory=8192)
    come_to(pool, {"hep.ann": 1})
    with before(pool):
        queued(pool, {"hep.ann": 1}, request_memory=8192)
        assert "demand-in-other-units" in errors(pool, tmp_path)
    cycles(pool)
    assert claims(pool) == {"hep.ann": 1}
    pool.configure(written(knobs))
    pool.reconfig()
    come_to(pool, {"hep.ann": 2})
