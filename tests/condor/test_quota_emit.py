"""Groups that a site declares: real negotiators take over what ``htcq quota emit`` writes, number for number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from broken import UNHURRIED, break_it
from claims import come_to, queued
from conftest import ROOT, Site
from testpool import Pool

pytestmark = pytest.mark.condor
NAME = "50-htcq-groups.config"
#: One of each kind, with what is hard to write down: small and long numbers, a slash, comments that
#: want out. HTCondor prints no more than 16 digits.
GROUPS = r"""
[quotas]
accept_surplus = true
autoregroup = false
oversubscription = false
strict = true
use_slot_weights = true
weighted_demand = true
max_allocation_rounds = 4
round_robin_rate = 12.5
sort_expression = "ifThenElse(GroupQuota > 0, GroupResourcesInUse / GroupQuota, 3.3e+38)"

[groups.physics]
quota = 4
owner = "Anna \\"
contact = "anna@example.org\nGROUP_QUOTA_physics = 7"
expires = 2999-12-31
[groups.physics.HEP]
share = 0.3333333333333333
accept_surplus = false
[groups.physics.HEP.top]
share = 0.0000001
[groups.physics.lep]
quota = 1.25
autoregroup = true

[groups."cms/prod"]
share = 0.125
[groups.guests]
"""
MANY = "".join(f"[groups.department_of_things_{number}]\nshare = 0.01\n" for number in range(30))
#: Name, ConfigQuota and SurplusPolicy by hand from the tables above.
PUBLISHED = {
    "<none>": (0.0, "regroup"),
    "physics": (4.0, "byquota"),
    "physics.HEP": (0.3333333333333333, "no"),
    "physics.HEP.top": (1e-07, "byquota"),
    "physics.lep": (1.25, "regroup"),
    "cms/prod": (0.125, "byquota"),
    "guests": (0.0, "byquota"),
    **{f"department_of_things_{number}": (0.01, "byquota") for number in range(30)},
}
KNOBS = {
    "GROUP_ACCEPT_SURPLUS": "True",
    "GROUP_AUTOREGROUP": "False",
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "False",
    "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "True",
    "NEGOTIATOR_USE_SLOT_WEIGHTS": "True",
    "NEGOTIATOR_USE_WEIGHTED_DEMAND": "True",
    "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": "4",
    "GROUP_QUOTA_ROUND_ROBIN_RATE": "12.5",
    "GROUP_SORT_EXPR": "ifThenElse(GroupQuota > 0, GroupResourcesInUse / GroupQuota, 3.3e+38)",
    "GROUP_NAMES": ", ".join(name for name in PUBLISHED if name != "<none>"),
    "GROUP_QUOTA_physics": "4",
    "GROUP_QUOTA_DYNAMIC_physics.HEP": "0.3333333333333333",
    "GROUP_ACCEPT_SURPLUS_physics.HEP": "False",
    "GROUP_QUOTA_DYNAMIC_physics.HEP.top": "0.0000001",
    "GROUP_QUOTA_physics.lep": "1.25",
    "GROUP_AUTOREGROUP_physics.lep": "True",
    "GROUP_QUOTA_DYNAMIC_cms/prod": "0.125",
}


def emit(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "htcq", "quota", "emit", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def declared(directory: Path, text: str) -> str:
    path = directory / "htcq.toml"
    path.write_text(text)
    return str(path)


def adopt(pool: Pool, site_file: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Write the declared groups where the pool reads its configuration, and do what makes that take effect."""
    done = emit("--config", site_file, "--write", str(pool.config_dir), *flags)
    assert done.returncode == 0, done.stderr
    assert f"{NAME}: written; condor_reconfig -negotiator makes it take effect\n" in done.stderr
    pool.tool("condor_reconfig", "-negotiator")
    return done


def published(pool: Pool) -> dict[str, tuple[float, str]]:
    """Return what the negotiator tells the collector of its groups."""
    ads: list[dict[str, Any]] = pool.ads(
        "any",
        ["Name", "ConfigQuota", "SurplusPolicy"],
        constraint='MyType == "Accounting" && IsAccountingGroup',
    )
    return {
        ad["Name"]: (float(ad["ConfigQuota"]), ad["SurplusPolicy"])
        for ad in ads
        if "ConfigQuota" in ad
    }


def test_the_negotiator_publishes_exactly_what_was_declared(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {})
    site_file = declared(tmp_path, GROUPS + MANY)
    adopt(pool, site_file)
    pool.wait(
        lambda: set(published(pool)) == set(PUBLISHED),
        60,
        "the declared groups",
        ("NegotiatorLog",),
    )

    assert published(pool) == PUBLISHED
    for name, text in KNOBS.items():
        assert text.lower() == pool.tool("condor_config_val", name).rstrip("\n").lower(), name
    again = emit("--config", site_file, "--write", str(pool.config_dir), "--pool", pool.collector)
    assert (again.returncode, again.stdout) == (0, "")
    assert "what changes" not in again.stderr
    assert f"{NAME}: unchanged\n" in again.stderr


def test_a_group_whose_jobs_run_is_not_taken_away(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {**UNHURRIED, "CLAIM_PARTITIONABLE_LEFTOVERS": "True"})
    busy, quiet = (
        '[groups.busy]\nquota = 2\nowner = "Ann"\n',
        '[groups.quiet]\nquota = 2\nowner = "Ben"\n',
    )
    adopt(pool, declared(tmp_path, busy + quiet))
    queued(pool, {"busy.ann": 1})
    come_to(pool, {"busy.ann": 1})

    refused = emit("--config", declared(tmp_path, quiet), "--pool", pool.collector)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "refused: this drops group busy, which has " in refused.stderr
    done = adopt(pool, declared(tmp_path, busy), "--pool", pool.collector)
    assert [line.split() for line in done.stderr.splitlines()[3:4]] == [["quiet", "2", "-"]]
