"""``htcq quota`` on running pools: what it says is what the negotiator publishes, and a what-if comes true."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from broken import before, break_it, cycles, policy
from claims import come_to, queued, written
from conftest import NEWEST, ROOT, Site
from testpool import Pool

from htcq.errors import EXIT_FINE
from tests.cli.own_terminal import CLEAR, Terminal

pytestmark = pytest.mark.condor

#: hep and lep share the 4 of physics, which accepts nothing from outside; chemistry has a quarter
#: of the rest.
GROUPS: Mapping[str, str] = {
    "GROUP_NAMES": "physics, physics.hep, physics.lep, chem",
    "GROUP_QUOTA_physics": "4",
    "GROUP_QUOTA_physics.hep": "3",
    "GROUP_QUOTA_physics.lep": "1",
    "GROUP_QUOTA_DYNAMIC_chem": "0.25",
    "GROUP_ACCEPT_SURPLUS_physics.hep": "True",
    "GROUP_ACCEPT_SURPLUS_physics.lep": "True",
    "NEGOTIATOR_CONSIDER_PREEMPTION": "False",
}


def quota(pool: Pool, *arguments: str, status: int = EXIT_FINE) -> Any:
    """Return what ``htcq quota --json`` prints of a running pool."""
    command = [
        sys.executable,
        "-m",
        "htcq",
        "quota",
        "--pool",
        pool.collector,
        "--json",
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if done.stdout else done.stderr


def accounts(pool: Pool) -> dict[str, dict[str, Any]]:
    """Return what the negotiator publishes of its groups, by name."""
    everything = pool.ads("any", constraint='MyType == "Accounting" && IsAccountingGroup')
    return {ad["Name"]: ad for ad in everything}


def published(pool: Pool, names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return attributes of the groups' accounting ads under the names that they have in htcq's output."""
    return {
        group: {name: ad[theirs] for name, theirs in names.items()}
        for group, ad in accounts(pool).items()
    }


def test_quotas_demand_and_usage_are_those_that_the_negotiator_publishes(site: Site) -> None:
    pool = break_it(site, {**policy(), **GROUPS})
    with before(pool):
        queued(pool, {"physics.hep.ada": 6, "chem.bob": 3})
    come_to(pool, {"physics.hep.ada": 4, "chem.bob": 1})
    names = {
        "config_quota": "ConfigQuota", "quota": "EffectiveQuota", "subtree_quota": "SubtreeQuota",
        "requested": "Requested", "usage": "WeightedResourcesUsed",
    }  # fmt: skip

    def told() -> bool:
        groups = {
            each["name"]: {name: each[name] for name in names} for each in quota(pool)["groups"]
        }
        return groups == published(pool, names) and groups["physics.hep"]["usage"] == 4

    pool.wait(told, 60, "ads of a cycle after which nothing changed", ("NegotiatorLog",))
    printed = quota(pool)
    assert printed["pool_weight"] == printed["published_pool_weight"] == 8
    assert {each["name"]: each["usage"] for each in printed["groups"] if each["usage"]} == {
        "physics.hep": 4,
        "chem": 1,
    }
    assert [each["name"] for each in printed["standings"] if each["marks"]] == []
    assert printed["doubts"] == printed["incomplete"] == printed["problems"] == []


def test_a_what_if_comes_true(site: Site) -> None:
    """Nothing matches meanwhile: 40 jobs of 9 cpus wait for machines of 8."""
    pool = break_it(site, {**policy(), **GROUPS})
    for group in ("physics.hep", "physics.lep", "chem"):
        described = {"accounting_group": group, "accounting_group_user": "ada", "request_cpus": 9}
        pool.submit(described, 10)
    wanted = {"physics.hep": 90, "physics.lep": 90, "chem": 90}

    def told() -> bool:
        requested = {
            each["name"]: each["requested"] for each in quota(pool)["groups"] if each["requested"]
        }
        return requested == wanted

    pool.wait(told, 40, "the demand of all groups", ("SchedLog",))
    change = {"GROUP_QUOTA_physics": "6", "GROUP_ACCEPT_SURPLUS_chem": "True"}
    options = [word for knob, value in change.items() for word in ("--set", f"{knob}={value}")]
    predicted = quota(pool, *options)
    pool.configure(written({**policy(), **GROUPS, **change}))
    pool.reconfig()
    cycles(pool, 2)
    real = quota(pool)

    assert predicted["before"]["groups"] != real["groups"]
    for what in ("pool_weight", "groups", "rounds"):
        assert predicted["after"][what] == real[what], what
    effective = {each["name"]: each["quota"] for each in real["groups"]}
    assert effective == {group: ad["EffectiveQuota"] for group, ad in accounts(pool).items()}


def test_a_watched_pool_shows_what_changes_meanwhile(site: Site) -> None:
    """Each look captures the pool and prints in a child; the negotiator gets another quota in between."""
    pool = break_it(site, {**policy(), **GROUPS})
    words = ("-m", "htcq", "quota", "--watch", "1", "--pool", pool.collector)
    terminal = Terminal(words, NO_COLOR="1")
    terminal.until(2, "quotas add up to ")
    pool.configure(written({**policy(), **GROUPS, "GROUP_QUOTA_physics": "7.25"}))
    pool.reconfig()
    before = terminal.text
    terminal.until(1, " 7.25 ")

    assert terminal.interrupt() == EXIT_FINE
    assert " 7.25 " not in before
    assert terminal.text.count(CLEAR) >= 3
    assert "Traceback" not in terminal.text


def test_a_change_that_the_negotiator_has_not_read_yet_is_marked(
    site: Site, tmp_path: Path
) -> None:
    """The files say 3, and the negotiator goes on with 4 until it is told to read them."""
    pool = break_it(site, {**policy(), **GROUPS})
    cycles(pool, 2)
    pool.wait(lambda: accounts(pool)["physics"]["EffectiveQuota"] == 4, 20, "the quota of physics")
    pool.configure(written({**policy(), **GROUPS, "GROUP_QUOTA_physics": "3"}))
    (tmp_path / "config.txt").write_text(pool.tool("condor_config_val", "-dump"))
    (tmp_path / "collector.ads").write_text(pool.tool("condor_status", "-any", "-long"))
    printed = json.loads(site.htcq("quota", "--snapshot", str(tmp_path), "--json"))

    marks = {each["name"]: each["marks"] for each in printed["standings"]}
    assert {
        mark["attribute"]: (mark["published"], mark["computed"]) for mark in marks["physics"]
    } == {
        "ConfigQuota": (4, 3),
        "EffectiveQuota": (4, 3),
        "SubtreeQuota": (4, 3),
    }
    assert marks["physics.hep"] == []
    assert "physics: EffectiveQuota published 4, computed 3" in site.htcq(
        "quota", "--snapshot", str(tmp_path)
    )


_SHARE = re.compile(r"Negotiating with (chem\S+) at |submitterShare += ([\d.]+)")


def logged_shares(log: str) -> dict[str, float]:
    """Return the share of each submitter as the negotiator's log tells it last."""
    found: dict[str, float] = {}
    name = ""
    for submitter, share in _SHARE.findall(log):
        if submitter:
            name = submitter
        elif name:
            found[name] = float(share)
    return found


def test_shares_are_those_of_the_negotiator(site: Site) -> None:
    """Two submitters of one group, one of them with a factor thrice as large; nothing matches their 9 cpus.

    23.9 publishes nothing of submitters that never used anything, so that the log is asked; 25 publishes their shares.
    """
    pool = break_it(site, {**policy(), **GROUPS})
    pool.tool("condor_userprio", "-setfactor", "chem.ann@test", "3000")
    pool.tool("condor_userprio", "-setceil", "chem.ben@test", "5")
    for user in ("ann", "ben"):
        pool.submit(
            {"accounting_group": "chem", "accounting_group_user": user, "request_cpus": 9}, 2
        )
    names = {"chem.ann@test", "chem.ben@test"}

    def told() -> dict[str, float]:
        shares = logged_shares(pool.log("NegotiatorLog"))
        found = {name: shares[name] for name in names & set(shares)}
        ads = pool.ads("any", constraint='MyType == "Accounting" && SubmitterShare > 0')
        published = {ad["Name"]: ad["SubmitterShare"] for ad in ads if ad["Name"] in names}
        return (
            found
            if len(found) == 2 and (site.suite != NEWEST or published == pytest.approx(found))
            else {}
        )

    shared = pool.wait(told, 40, "the shares of both", ("NegotiatorLog",))
    printed = quota(pool)
    found = {each["name"]: each for group in printed["standings"] for each in group["shares"]}
    assert {name: found[name]["share"] for name in names} == pytest.approx(shared)
    assert {name: found[name]["headroom"] for name in names} == {
        "chem.ann@test": None,
        "chem.ben@test": 5,
    }
