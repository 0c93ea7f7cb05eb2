"""Group quotas that do not hold: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest
from broken import UNHURRIED, audited, before, break_it, cycles, errors, every
from claims import (
    accounted,
    charged,
    claims,
    come_to,
    errors_before_the_end,
    groups,
    log_from_now,
    queued,
    written,
)
from conftest import NEWEST, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]


def family(**knobs: str) -> dict[str, str]:
    """Return the knobs of a group with 2 that accepts no surplus, and of two groups below it that do."""
    children = ("GROUP_ACCEPT_SURPLUS_phys.hep", "GROUP_ACCEPT_SURPLUS_phys.lep")
    return {
        **groups(phys="2", hep_of_phys="0.5", lep_of_phys="0.5"),
        **dict.fromkeys(children, "True"),
        **knobs,
    }


def test_a_quota_below_one_starves_its_group(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {**groups(half="1", whole="1"), "GROUP_QUOTA_half": "0.9"})
    with before(pool):
        queued(pool, {"half.ann": 2, "whole.ben": 2})
        assert "cannot-afford-cheapest-slot" in errors(pool, tmp_path)
    come_to(pool, {"whole.ben": 1})
    cycles(pool, 2)
    assert claims(pool) == {"whole.ben": 1}


def test_a_ceiling_below_every_slot_starves_its_submitter(site: Site, tmp_path: Path) -> None:
    halves = {"SLOT_TYPE_1": "50%", "NUM_SLOTS_TYPE_1": "2", "SLOT_TYPE_1_PARTITIONABLE": "False"}
    pool = break_it(site, halves)
    pool.tool("condor_userprio", "-setceil", "low@test", "3")
    # The negotiator publishes the ceilings of those alone that have jobs.
    queued(pool, {"low": 1})
    pool.wait(
        lambda: _published_ceiling(pool, "low@test") == 3,
        30,
        "the ceiling in an ad",
        ("NegotiatorLog",),
    )
    assert "cannot-afford-cheapest-slot" in errors(pool, tmp_path)
    queued(pool, {"free": 1})
    come_to(pool, {"free": 1})
    cycles(pool, 2)
    assert claims(pool) == {"free": 1}
    pool.tool("condor_userprio", "-setceil", "low@test", "4")
    come_to(pool, {"free": 1, "low": 1})


def _published_ceiling(pool: Pool, name: str) -> int | None:
    ads = pool.ads(
        "any", ["Name", "Ceiling"], constraint=f'MyType == "Accounting" && Name == "{name}"'
    )
    return ads[0].get("Ceiling") if ads else None


def test_a_group_whose_name_no_knob_may_have(site: Site, tmp_path: Path) -> None:
    """Without a quota it gets nothing; with one no tool works, and the negotiator crashes and cannot start again."""
    knobs = groups(ok="4")
    knobs["GROUP_NAMES"] += ", nice-user"
    pool = break_it(site, knobs)
    with before(pool):
        queued(pool, {"nice-user.ann": 1, "ok.ben": 1})
        assert "group-name-illegal" in errors(pool, tmp_path)
    come_to(pool, {"ok.ben": 1})
    cycles(pool, 2)
    assert claims(pool) == {"ok.ben": 1}

    log = log_from_now(pool, "MasterLog")
    negotiator = pool.daemon_pids()["negotiator"]
    try:
        pool.configure(written({**knobs, "GROUP_QUOTA_nice-user": "4"}))
        refused = pool.run(["condor_config_val", "GROUP_NAMES"], capture_output=True, text=True)
        assert "Illegal Identifier: <GROUP_QUOTA_nice-user>" in refused.stderr
        os.kill(negotiator, signal.SIGHUP)
        pool.wait(
            lambda: log().count("exited with status 1") >= 2,
            30,
            "two ends of the negotiator",
            ("MasterLog",),
        )
    finally:
        pool.configure(written(knobs))
    queued(pool, {"ok.cyd": 1})
    come_to(pool, {"ok.ben": 1, "ok.cyd": 1})


@pytest.mark.parametrize(
    ("rule", "knob", "value", "line"),
    [
        (
            "quota-out-of-range",
            "GROUP_QUOTA_hep",
            "-1",
            "GROUP_QUOTA_hep in the condor configuration is too low (-1)",
        ),
        (
            "quota-out-of-range",
            "GROUP_QUOTA_DYNAMIC_hep",
            "1.5",
            "GROUP_QUOTA_DYNAMIC_hep in the condor configuration",
        ),
        (
            "quota-out-of-range",
            "GROUP_ACCEPT_SURPLUS_hep",
            "maybe",
            "GROUP_ACCEPT_SURPLUS_hep in the condor",
        ),
        (
            "sort-expression-broken",
            "GROUP_SORT_EXPR",
            "GroupQuota * (",
            "Failed to parse GROUP_SORT_EXPR",
        ),
    ],
    ids=("static", "dynamic", "surplus", "order"),
)
def test_a_knob_on_which_the_negotiator_ends(
    site: Site, tmp_path: Path, rule: str, knob: str, value: str, line: str
) -> None:
    pool = break_it(site, groups(hep="0.5"))
    assert rule in errors_before_the_end(pool, tmp_path, {knob: value}, line)


@pytest.mark.parametrize(
    ("broken", "gets"),
    [({"GROUP_SORT_EXPR": "NoSuchAttribute"}, {"a.ann": 2}), ({}, {"a.ann": 1, "b.ben": 1})],
    ids=("no number", "default"),
)
def test_a_sort_expression_that_is_no_number_orders_nothing(
    site: Site, tmp_path: Path, broken: Mapping[str, str], gets: Mapping[str, int]
) -> None:
    """Two groups want the one cpu that is left, and one of them has nothing yet."""
    pool = break_it(site, {**groups(a="2", b="2"), "NUM_CPUS": "2", **broken})
    queued(pool, {"a.ann": 1})
    come_to(pool, {"a.ann": 1})
    with before(pool):
        queued(pool, {"a.ann": 1, "b.ben": 1})
        assert bool(broken) == ("sort-expression-broken" in errors(pool, tmp_path))
    come_to(pool, gets)


def test_the_first_of_two_siblings_takes_what_their_parent_has(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, family())
    with before(pool):
        queued(pool, {"phys.hep.ann": 3, "phys.lep.ben": 3})
        assert "siblings-under-refusing-parent" in errors(pool, tmp_path)
    come_to(pool, {"phys.hep.ann": 2})
    cycles(pool, 2)
    assert claims(pool) == {"phys.hep.ann": 2}


def test_without_oversubscription_the_siblings_get_their_quotas(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, family(NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION="False"))
    with before(pool):
        queued(pool, {"phys.hep.ann": 3, "phys.lep.ben": 3})
        assert "siblings-under-refusing-parent" not in errors(pool, tmp_path)
    come_to(pool, {"phys.hep.ann": 1, "phys.lep.ben": 1})
    cycles(pool, 2)
    assert claims(pool) == {"phys.hep.ann": 1, "phys.lep.ben": 1}


def test_children_take_twice_what_their_parent_has(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, family(NEGOTIATOR_STRICT_ENFORCE_QUOTA="False"))
    with before(pool):
        queued(pool, {"phys.hep.ann": 3, "phys.lep.ben": 3})
        assert "strict-quota-off" in errors(pool, tmp_path)
    come_to(pool, {"phys.hep.ann": 2, "phys.lep.ben": 2})
    charged(pool, "phys.hep", 2.0)
    charged(pool, "phys.lep", 2.0)


def test_a_group_that_regroups_has_no_quota(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {**groups(re="1", un="1"), "GROUP_AUTOREGROUP_re": "True"})
    with before(pool):
        queued(pool, {"re.ann": 4, "un.ben": 4})
        assert "autoregroup" in errors(pool, tmp_path)
    come_to(pool, {"re.ann": 4, "un.ben": 1})
    cycles(pool, 2)
    assert claims(pool) == {"re.ann": 4, "un.ben": 1}
    quotas = accounted(pool, "EffectiveQuota")
    assert (1.0, 1.0, 8.0) == (quotas["re"], quotas["un"], quotas["<none>"])


def test_a_plain_slot_is_larger_than_the_quota(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {"GROUP_NAMES": "hep", "GROUP_QUOTA_hep": "2", **UNHURRIED})
    with before(pool):
        queued(pool, {"hep.ann": 10})
        told = {each["rule"]: each["severity"] for each in every(audited(pool, tmp_path))}
        # Nobody else waits for what it takes beyond its quota.
        assert told["slot-exceeds-quota"] == "warning"
    come_to(pool, {"hep.ann": 8})
    charged(pool, "hep", 8.0)
