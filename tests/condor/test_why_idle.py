"""``htcq audit --why-idle``: the wall that it names first keeps the job idle, and once that is gone the job runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from broken import break_it, cycles, policy, snapshot
from claims import claims, come_to, queued, written
from conftest import NEWEST, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

KNOBS = {
    **policy(
        CONSUMPTION_MEMORY="ifThenElse(TARGET.Odd =?= true, undefined, TARGET.RequestMemory)",
        SCHEDD_SLOT_WEIGHT="RequestCpus * ifThenElse(Light =?= true, 0.5, 1)",
    ),
    "GROUP_NAMES": "light, capped, full",
    "GROUP_QUOTA_light": "1",
    "GROUP_QUOTA_capped": "2",
    "GROUP_QUOTA_full": "1",
}


def walls(site: Site, directory: Path, *who: str) -> list[str]:
    """Return the first wall of each submitter's jobs, all from one snapshot."""
    where = str(snapshot(site.pool, directory))
    answers = [json.loads(site.htcq("audit", "--snapshot", where, "--why-idle", each, "--json")) for each in who]
    return [job["wall"] for answer in answers for job in answer["jobs"]]


def edit(pool: Pool, submitter: str, attribute: str, value: str) -> None:
    """Change the jobs of a submitter in the queue."""
    pool.tool("condor_qedit", "-constraint", f'AccountingGroup == "{submitter}"', attribute, value)


def test_what_no_slot_gives(site: Site, tmp_path: Path) -> None:
    """Requirements that hold nowhere, more cpus than any slot has, a consumption that is no number."""
    pool = break_it(site, KNOBS)
    queued(pool, {"picky": 1}, requirements='Machine == "elsewhere"')
    queued(pool, {"large": 1}, weight=9, request_cpus=9)
    queued(pool, {"odd": 1}, **{"+Odd": "true"})
    pool.submit({"accounting_group_user": "fine", "request_cpus": 1, "request_memory": 128})
    come_to(pool, {"fine": 1})
    cycles(pool, 2)
    assert claims(pool) == {"fine": 1}
    found = walls(site, tmp_path, "picky", "large", "odd", "fine")
    assert ["requirements", "assets", "consumption", "not idle"] == found

    edit(pool, "picky", "Requirements", "true")
    edit(pool, "large", "RequestCpus", "1")
    edit(pool, "odd", "Odd", "false")
    come_to(pool, dict.fromkeys(("fine", "picky", "large", "odd"), 1))


def test_what_a_submitter_may_not_have(site: Site, tmp_path: Path) -> None:
    """Demand that is cut to zero, a submitter at its ceiling, a group at its quota."""
    pool = break_it(site, KNOBS)
    pool.tool("condor_userprio", "-setceil", "capped.ann@test", "1")
    pool.off("negotiator")
    queued(pool, {"light.ben": 1}, weight=0, **{"+Light": "true"})
    queued(pool, {"capped.ann": 2, "full.cyd": 2, "fine": 1})
    assert ["zero demand", ""] == walls(site, tmp_path, "light.ben", "fine")
    pool.on("negotiator")
    expected = {"capped.ann": 1, "full.cyd": 1, "fine": 1}
    come_to(pool, expected)
    cycles(pool)
    assert claims(pool) == expected
    assert ["zero demand", "ceiling", "group limit"] == walls(site, tmp_path, "light.ben", "capped.ann", "full.cyd")

    edit(pool, "light.ben", "Light", "false")
    pool.tool("condor_userprio", "-setceil", "capped.ann@test", "2")
    pool.configure(written({**KNOBS, "GROUP_QUOTA_full": "2"}))
    pool.reconfig()
    come_to(pool, {"light.ben": 1, "capped.ann": 2, "full.cyd": 2, "fine": 1})
