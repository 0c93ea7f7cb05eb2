"""``htcq audit --why-idle``: each wall is named first, the job stays idle behind it, and runs once it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken import before, break_it, cycles, policy, why_idle
from claims import COUNTS_OFTEN, claims, come_to, queued
from conftest import NEWEST, PACE, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

KNOBS = {
    **policy(
        CONSUMPTION_MEMORY="ifThenElse(TARGET.Odd =?= true, undefined, TARGET.RequestMemory)",
        SCHEDD_SLOT_WEIGHT="RequestCpus * ifThenElse(Light =?= true, 0.5, 1)",
    ),
    **COUNTS_OFTEN,
    "GROUP_NAMES": "light, capped",
    "GROUP_QUOTA_light": "1",
    "GROUP_QUOTA_capped": "2",
}


def text(**changes: str) -> str:
    return "".join(f"{name} = {value}\n" for name, value in {**KNOBS, **changes}.items())


def test_what_a_slot_refuses(site: Site, tmp_path: Path) -> None:
    """Requirements that hold nowhere, a request larger than any slot, a consumption that is no number."""
    pool = break_it(site, text())
    with before(pool):
        queued(pool, {"picky": 1}, requirements='Machine == "elsewhere"')
        queued(pool, {"large": 1}, weight=9, request_cpus=9)
        queued(pool, {"odd": 1}, **{"+Odd": "true"})
        queued(pool, {"fine": 1})
        assert why_idle(pool, tmp_path, "fine") == [""]
    come_to(pool, {"fine": 1})
    cycles(pool)
    assert claims(pool) == {"fine": 1}
    assert why_idle(pool, tmp_path, "picky") == ["requirements"]
    assert why_idle(pool, tmp_path, "large") == ["assets"]
    assert why_idle(pool, tmp_path, "odd") == ["consumption"]
    assert why_idle(pool, tmp_path, "fine") == ["not idle"]

    edit(pool, "picky", "Requirements", "true")
    edit(pool, "large", "RequestCpus", "1")
    edit(pool, "odd", "Odd", "false")
    come_to(pool, dict.fromkeys(("fine", "picky", "large", "odd"), 1))


def test_what_a_submitter_may_not_have(site: Site, tmp_path: Path) -> None:
    """Demand cut to zero, a group at its quota, a submitter at its ceiling."""
    pool = break_it(site, text(GROUP_NAMES="light, capped, full", GROUP_QUOTA_full="1"))
    pool.tool("condor_userprio", "-setceil", "capped.ann@test", "1")
    with before(pool):
        queued(pool, {"light.ben": 1}, weight=0, **{"+Light": "true"})
        queued(pool, {"capped.ann": 2, "full.cyd": 2})
        assert why_idle(pool, tmp_path, "light.ben") == ["zero demand"]
    come_to(pool, {"capped.ann": 1, "full.cyd": 1})
    cycles(pool)
    assert claims(pool) == {"capped.ann": 1, "full.cyd": 1}
    assert why_idle(pool, tmp_path, "light.ben") == ["zero demand"]
    assert why_idle(pool, tmp_path, "capped.ann") == ["ceiling"]
    assert why_idle(pool, tmp_path, "full.cyd") == ["group limit"]

    edit(pool, "light.ben", "Light", "false")
    pool.tool("condor_userprio", "-setceil", "capped.ann@test", "2")
    pool.configure(PACE + text(GROUP_NAMES="light, capped, full", GROUP_QUOTA_full="2"))
    pool.reconfig()
    come_to(pool, {"light.ben": 1, "capped.ann": 2, "full.cyd": 2})


def edit(pool: Pool, customer: str, attribute: str, value: str) -> None:
    """Change the jobs of one submitter in the queue."""
    pool.tool("condor_qedit", "-constraint", f'AccountingGroup == "{customer}"', attribute, value)
