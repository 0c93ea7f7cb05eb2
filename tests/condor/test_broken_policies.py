"""Consumption policies that break a pool: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from broken import (
    SMALL_JOB,
    audited,
    before,
    break_it,
    cycles,
    errors,
    policy,
    running,
    said_from_now,
    submitted,
)
from claims import charged, claims, come_to, queued
from conftest import NEWEST, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

#: A group that may have two of the pool's eight cpus.
QUOTA = {"GROUP_NAMES": "a", "GROUP_QUOTA_a": "2"}
TWO_GPUS = {"STARTD_DETECT_GPUS": "-properties -simulate:0,2"}


def test_a_sound_policy_holds_its_quota(site: Site, tmp_path: Path) -> None:
    """What all others differ from: nothing to say against it, and two jobs run on a quota of two."""
    pool = break_it(site, policy(**QUOTA))
    with before(pool):
        queued(pool, {"a.ann": 8})
        assert not errors(pool, tmp_path)
    come_to(pool, {"a.ann": 2})
    cycles(pool)
    assert claims(pool) == {"a.ann": 2}
    charged(pool, "a", 2)


# --- the weight
# ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "knobs", "last_words"),
    [
        (
            "weight-not-a-number",
            {"SLOT_WEIGHT": "floor(NoSuchThing/2)"},
            "Failed to evaluate SlotWeight",
        ),
        (
            "weight-not-a-number",
            {"SLOT_WEIGHT": "64 / (Cpus - 7)"},
            "Failed to evaluate SlotWeight",
        ),
        (
            "asset-without-amount",
            {"MACHINE_RESOURCE_Tokens": "4", "STARTD_ATTRS": "Tokens", "Tokens": '"none"'},
            "Missing Tokens resource asset",
        ),
    ],
    ids=["weight-undefined", "weight-after-a-match", "asset"],
)
def test_the_negotiator_exits_again_and_again(
    site: Site, tmp_path: Path, rule: str, knobs: dict[str, str], last_words: str
) -> None:
    pool = break_it(site, policy(**knobs))
    with before(pool):
        submitted(pool, {})
        assert rule in errors(pool, tmp_path)
        said = said_from_now(pool, "NegotiatorLog")
    pool.wait(
        lambda: said(last_words) >= 2, 30, "the second end of the negotiator", ("NegotiatorLog",)
    )
    assert running(pool) == 0


def test_a_sound_weight_of_the_central_manager_takes_the_place_of_a_broken_one(
    site: Site, tmp_path: Path
) -> None:
    """The startd's weight is no number, the negotiator's own is: a warning, and the job runs."""
    broken = {"SLOT_WEIGHT": "floor(NoSuchThing/2)", "NEGOTIATOR.SLOT_WEIGHT": "Cpus"}
    pool = break_it(site, policy(**broken))
    # The negotiator is on: only it knows its own weight.
    found = {each["rule"]: each["severity"] for each in audited(pool, tmp_path)}
    assert found["weight-not-a-number"] == "warning"
    pool.submit(SMALL_JOB)
    pool.wait(lambda: running(pool) == 1, 30, "the job", ("NegotiatorLog",))


@pytest.mark.parametrize(
    ("rule", "weight", "cost"),
    [
        ("free-match", "TotalSlotCpus", "0"),
        ("weight-grows-as-slot-empties", "1 + TotalSlotCpus - Cpus", "-1"),
    ],
)
def test_matches_that_cost_nothing_break_the_quota(
    site: Site, tmp_path: Path, rule: str, weight: str, cost: str
) -> None:
    """Eight jobs run on a quota of two, matched in one cycle."""
    pool = break_it(site, policy(SLOT_WEIGHT=weight, **QUOTA))
    with before(pool):
        queued(pool, {"a.ann": 8})
        assert errors(pool, tmp_path) == {rule, "quotas-do-not-hold"}
        said = said_from_now(pool, "NegotiatorLog")
    come_to(pool, {"a.ann": 8})
    assert said(f"Match completed, match cost= {cost}\n") >= 8


def test_a_claim_is_charged_a_quarter_of_its_match_cost(site: Site, tmp_path: Path) -> None:
    """Half of the memory costs half of the slot at the match, and one cpu for as long as the claim stands."""
    pool = break_it(
        site,
        policy(
            SLOT_WEIGHT="min({Cpus, floor(Memory/2048)})",
            SCHEDD_SLOT_WEIGHT="max({RequestCpus, ceiling(RequestMemory/2048.0)})",
        ),
    )
    with before(pool):
        submitted(pool, {"request_memory": 8192})
        assert errors(pool, tmp_path) == {"weight-not-additive"}
        said = said_from_now(pool, "NegotiatorLog")
    pool.wait(lambda: said("Match completed, match cost= 4\n"), 30, "the match", ("NegotiatorLog",))
    charged(pool, "tester", 1)
    weights = pool.tool("condor_status", "-af", "SlotWeight").split()
    assert sorted(map(float, weights)) == [1, 4], "the pool weighs 5, not 8"


# --- what a claim takes
# -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "knobs", "asked", "charge"),
    [
        ("fractional-cpus", {"CONSUMPTION_CPUS": "1.5 * TARGET.RequestCpus"}, {}, 1.5),
        ("fractional-memory", {"CONSUMPTION_MEMORY": "1.1 * TARGET.RequestMemory"}, {}, 1),
        (
            "fractional-custom-asset",
            {**TWO_GPUS, "CONSUMPTION_GPUS": "0.5 * (TARGET.RequestGPUs ?: 0)"},
            {"request_gpus": 1},
            1,
        ),
    ],
    ids=["cpus", "memory", "gpus"],
)
def test_a_fraction_is_matched_and_refused_for_ever(
    site: Site,
    tmp_path: Path,
    rule: str,
    knobs: dict[str, str],
    asked: dict[str, int],
    charge: float,
) -> None:
    """And its user is charged for what never runs."""
    pool = break_it(site, policy(**knobs))
    with before(pool):
        submitted(pool, asked)
        assert rule in errors(pool, tmp_path)
        said = said_from_now(pool, "StartLog")
    pool.wait(
        lambda: said("Request to create dslot resource refused") >= 3, 30, "refusals", ("StartLog",)
    )
    charged(pool, "tester", charge)
    assert running(pool) == 0


def test_half_a_cpu_is_a_whole_one(site: Site, tmp_path: Path) -> None:
    """Sixteen halves are matched, eight whole cpus run, each charged as two."""
    pool = break_it(
        site, policy(CONSUMPTION_CPUS="0.5", SLOT_WEIGHT="floor(Cpus/0.5)", NUM_CLAIMS="16")
    )
    with before(pool):
        submitted(pool, {}, 16)
        assert errors(pool, tmp_path) == {"fractional-cpus"}
        said = said_from_now(pool, "NegotiatorLog")
    pool.wait(lambda: running(pool) == 8, 60, "eight claims", ("StartLog",))
    cycles(pool)
    assert running(pool) == 8
    assert said("Match completed, match cost= 1\n") >= 16
    charged(pool, "tester", 16)


def test_claims_without_cpus_get_one_all_the_same(site: Site, tmp_path: Path) -> None:
    """Ten jobs of one cpu run on eight, and less than none is left."""
    pool = break_it(site, policy(CONSUMPTION_CPUS="0", SLOT_WEIGHT="Memory/128", NUM_CLAIMS="12"))
    with before(pool):
        submitted(pool, {}, 12)
        assert "consumes-no-cpu-or-memory" in errors(pool, tmp_path)
    pool.wait(lambda: running(pool) == 10, 60, "ten claims", ("StartLog",))
    pool.wait(lambda: left(pool)["Cpus"] == -1, 30, "less than no cpu", ("StartLog",))
    assert {ad["Cpus"] for ad in carved(pool)} == {1}


def test_claims_without_memory_get_a_megabyte(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, policy(CONSUMPTION_MEMORY="0"))
    with before(pool):
        submitted(pool, {}, 2)
        assert errors(pool, tmp_path) == {"consumes-no-cpu-or-memory"}
    pool.wait(lambda: running(pool) == 2, 60, "two claims", ("StartLog",))
    assert [ad["Memory"] for ad in carved(pool)] == [1, 1], "the jobs asked for 128"
    pool.wait(lambda: left(pool)["Memory"] == 16384 - 2, 30, "what is left", ("StartLog",))


@pytest.mark.parametrize(
    ("rule", "knobs", "complaint"),
    [
        (
            "consumes-nothing",
            {"CONSUMPTION_CPUS": "0", "CONSUMPTION_MEMORY": "0", "CONSUMPTION_DISK": "0"},
            "Consumption for all assets on resource slot1@node.test was zero",
        ),
        (
            "consumption-undefined",
            {"CONSUMPTION_MEMORY": "TARGET.RequestMemroy"},
            "Consumption for asset Memory on resource slot1@node.test was negative: -999",
        ),
        ("consumption-undefined", {"CONSUMPTION_DISK": "-1"}, "was negative: -1"),
        ("no-claims", {"NUM_CLAIMS": "0"}, "slot1@node.test has no claim id"),
    ],
    ids=["nothing", "undefined", "negative", "no-claims"],
)
def test_jobs_that_never_run(
    site: Site, tmp_path: Path, rule: str, knobs: dict[str, str], complaint: str
) -> None:
    """The negotiator complains in each cycle, and goes on."""
    pool = break_it(site, policy(**knobs))
    with before(pool):
        submitted(pool, {})
        assert errors(pool, tmp_path) == {rule}
        said = said_from_now(pool, "NegotiatorLog")
    pool.wait(lambda: said(complaint) >= 3, 30, "three complaints", ("NegotiatorLog",))
    assert running(pool) == 0


# --- assets that not all jobs ask for
# -----------------------------------------------------------------------------


def test_jobs_without_gpus_never_match_where_their_request_is_undefined(
    site: Site, tmp_path: Path
) -> None:
    pool = break_it(site, policy(**TWO_GPUS, CONSUMPTION_GPUS="TARGET.RequestGPUs"))
    with before(pool):
        queued(pool, {"plain": 1})
        queued(pool, {"gpu": 1}, request_gpus=1)
        assert errors(pool, tmp_path) == {"optional-asset-unsafe"}
    come_to(pool, {"gpu": 1})
    cycles(pool)
    assert claims(pool) == {"gpu": 1}


def test_jobs_without_gpus_take_them_all_where_a_list_rounds_them_up(
    site: Site, tmp_path: Path
) -> None:
    pool = break_it(
        site, policy(**TWO_GPUS, CONSUMPTION_GPUS="quantize(TARGET.RequestGPUs ?: 0, {1})")
    )
    with before(pool):
        queued(pool, {"plain": 8})
        assert errors(pool, tmp_path) == {"optional-asset-charged"}
    come_to(pool, {"plain": 2})
    queued(pool, {"gpu": 1}, request_gpus=1)
    cycles(pool)
    assert claims(pool) == {"plain": 2}, "six cpus are free, and no gpu"
    assert [ad["GPUs"] for ad in carved(pool)] == [1, 1]


def test_a_job_gets_a_gpu_that_it_cannot_use(site: Site, tmp_path: Path) -> None:
    """Two devices of capability 2.0 and one of 7.5, in this order: with a policy the first one is bound."""
    pool = break_it(site, policy(STARTD_DETECT_GPUS="-properties -simulate:1,2,3,1"))
    with before(pool):
        submitted(pool, {"request_gpus": 1, "require_gpus": "Capability > 7"})
        assert errors(pool, tmp_path) == {"heterogeneous-gpus-with-policy"}
    pool.wait(lambda: running(pool) == 1, 60, "the claim", ("StartLog",))
    device = carved(pool)[0]["AssignedGPUs"].replace("-", "_")
    assert left(pool)[f"GPUs_{device}"]["Capability"] == 2.0


# --- claims that others make
# --------------------------------------------------------------------------------------


def test_an_access_point_fills_the_slot_behind_the_negotiator(site: Site, tmp_path: Path) -> None:
    """One match on a quota of two, and eight jobs run, whatever the execution point says of leftovers."""
    leftovers = {
        "CLAIM_PARTITIONABLE_LEFTOVERS": "True",
        "STARTD.CLAIM_PARTITIONABLE_LEFTOVERS": "False",
    }
    pool = break_it(site, policy(NUM_CLAIMS="1", **leftovers, **QUOTA))
    with before(pool):
        queued(pool, {"a.ann": 8})
        assert errors(pool, tmp_path) == {"leftovers-with-policy"}
        said = said_from_now(pool, "NegotiatorLog")
    come_to(pool, {"a.ann": 8})
    assert said("Successfully matched with slot1@node.test") == 1


def test_a_slot_with_a_policy_cannot_be_claimed_as_a_whole(site: Site, tmp_path: Path) -> None:
    """And the user is charged for what never runs."""
    pool = break_it(site, policy(ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS="True"))
    with before(pool):
        submitted(pool, {})
        assert errors(pool, tmp_path) == {"claimable-partitionable-with-policy"}
        said = said_from_now(pool, "SchedLog")
    pool.wait(
        lambda: said("Request was NOT accepted for claim slot1@node.test") >= 3,
        30,
        "refusals",
        ("SchedLog",),
    )
    charged(pool, "tester", 1)
    assert running(pool) == 0


@pytest.mark.parametrize(
    ("limits", "jobs", "memory_mb"), [("", 6, 1792), ("True", 7, -640)], ids=["sound", "none"]
)
def test_limits_keep_the_startd_from_carving_what_it_does_not_have(
    site: Site, tmp_path: Path, limits: str, jobs: int, memory_mb: int
) -> None:
    """The negotiator takes 2340 MB seven times of 16384; the startd rounds them to 2432, and has enough for six."""
    pool = break_it(site, policy(WithinResourceLimits=limits, MODIFY_REQUEST_EXPR_REQUESTMEMORY=""))
    with before(pool):
        submitted(pool, {"request_memory": 2340}, 7)
        assert errors(pool, tmp_path) == ({"no-resource-limits"} if limits else set())
    pool.wait(lambda: running(pool) == jobs, 60, f"{jobs} claims", ("StartLog",))
    pool.wait(lambda: left(pool)["Memory"] == memory_mb, 30, "what is left", ("StartLog",))
    cycles(pool)
    assert running(pool) == jobs


def carved(pool: Pool) -> list[dict[str, Any]]:
    """Return the ads of the dynamic slots."""
    return [ad for ad in pool.ads("slots") if ad.get("DynamicSlot")]


def left(pool: Pool) -> dict[str, Any]:
    """Return the ad of the partitionable slot."""
    return next(ad for ad in pool.ads("slots") if not ad.get("DynamicSlot"))
