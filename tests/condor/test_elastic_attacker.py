"""A user without rights sets whatever he may of what decides in elastic quotas: nothing changes for others.

The attributes are those of the table in SECURITY.md that a job's owner may write, each at its
extremes, on running and on idle jobs of a real pool.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from broken import break_it
from claims import claims, come_to, queued
from conftest import NEWEST, Site
from elastic_pool import Elastic, elastic_policy
from reclaiming import KNOBS, LIMITS, ceilings
from testpool import Pool

from htcq.elastic.provenance import OWNER, TABLE, Provenance

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
#: One for each of the attacker's jobs: four that run, and four that wait.
GREAT, SMALL = "1000000000000", "-1000000"
EXTREMES = (GREAT, SMALL, '"lender.ann@test"', "true", GREAT, SMALL, "error", "false")
#: What stands for attributes of the table whose names end in a star.
STARS = {"Request*": ("RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs")}
GROUPS = {
    "borrower": "min = {cpus = 2}\nmax = {cpus = 8}\n",
    "lender": "min = {cpus = 4}\nmax = {cpus = 8}\n",
    "other": "min = {cpus = 2}\nmax = {cpus = 8}\n",
}
#: Whose group a job belongs to is else what its owner says, to HTCondor as well.
GROUP_OF_JOB = ("AccountingGroup", "AcctGroup", "AcctGroupUser")
OF_ACCESS_POINT = {"IMMUTABLE_JOB_ATTRS": " ".join(GROUP_OF_JOB)}
#: He may not protect his jobs, and none is left alone for what it says of its end.
MAY_NOT = {"protectors": '["lender"]'}


def names_of(row: Provenance) -> Iterator[str]:
    for name in row.attributes.split():
        yield from STARS.get(name, (name,))


def jobs_of(pool: Pool, user: str) -> list[str]:
    """Return the jobs of a user: those that run come first."""
    names = ["ClusterId", "ProcId", "JobStatus"]
    ads = pool.ads("jobs", names, constraint=f'AcctGroupUser == "{user}"')
    ads.sort(key=lambda ad: (ad["JobStatus"] != 2, ad["ClusterId"], ad["ProcId"]))
    return [f"{ad['ClusterId']}.{ad['ProcId']}" for ad in ads]


def values_of(pool: Pool, jobs: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return what each job says of each, as it is written."""
    printed = pool.tool("condor_q", *jobs, "-af:jrt", *names)
    rows = (line.split("\t") for line in printed.splitlines())
    return {row[0].strip(): dict(zip(names, row[1:])) for row in rows}


def edited(pool: Pool, values: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Let their owner change attributes of jobs, and return those that the schedd has let him change."""
    lines = []
    for job, pairs in values.items():
        for name, value in pairs.items():
            words = ("condor_qedit", job, name, value)
            lines.append(f"{shlex.join(words)} >/dev/null 2>&1 && echo {name}")
    done = pool.tool("sh", "-s", as_job_user=True, check=False, text="\n".join(lines))
    return set(done.split())


def _of(values: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name in names}


def decided(elastic: Elastic) -> dict[str, Any]:
    """Return what a step would write, whose jobs a reclaim would vacate, and under which ceilings."""
    status, out, err = elastic.htcq("plan", "--json")
    assert status == 0, err
    plan = json.loads(out)
    assert plan["refused"] == []
    quotas = {each["group"]: (each["quota"], each["accept_surplus"]) for each in plan["groups"]}
    return {"quotas": quotas, "victims": sorted(each["job"] for each in plan["victims"])}


def test_no_attribute_of_his_jobs_steers_what_others_get(site: Site, tmp_path: Path) -> None:
    """His jobs are the younger ones: they are vacated, and he would rather that the others were."""
    own = {name: text for name, text in KNOBS.items() if not name.startswith("GROUP_")}
    pool = break_it(site, elastic_policy(**own, **OF_ACCESS_POINT))
    for who in ceilings(pool):
        pool.tool("condor_userprio", "-setceiling", who, "-1")
    elastic = Elastic(pool, tmp_path)
    elastic.declare(GROUPS)
    table = "".join(f"{key} = {value}\n" for key, value in {**LIMITS, **MAY_NOT}.items())
    file = tmp_path / "elastic.toml"
    file.write_text(f"{file.read_text()}[elastic.reclaim]\n{table}")
    elastic.step()
    queued(pool, {"borrower.bob": 4})
    come_to(pool, {"borrower.bob": 4})
    queued(pool, {"borrower.mal": 8})
    come_to(pool, {"borrower.bob": 4, "borrower.mal": 4})
    queued(pool, {"lender.ann": 4})
    his, before = jobs_of(pool, "mal"), decided(elastic)
    assert before["victims"] == sorted(his[:4]), "his own, and nobody else's"

    rows = [row for row in TABLE if row.writer == OWNER]
    assert len(rows) > 5
    all_done = set()
    for row in rows:
        names = tuple(names_of(row))
        kept = values_of(pool, his, names)
        worst = {job: dict.fromkeys(names, text) for job, text in zip(his, EXTREMES)}
        done = edited(pool, worst)
        assert decided(elastic) == before, row.attributes
        edited(pool, {job: _of(values, done) for job, values in kept.items()})
        all_done |= done
    assert claims(pool)["borrower.bob"] == 4
    assert {"NumVacates", "RequestCpus", "HtcqProtected", "HtcqVacateCost"} <= all_done
    assert not all_done.intersection(GROUP_OF_JOB), "the access point has refused that"
